"""fsck: what it names besides damage, and what it must not take for damage."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitsession.environment import Environment
from gitsession.model.care import Keep
from gitsession.model.history import HEADS
from gitsession.repository import Repository, open_repository
from gitsession.store import inspection
from tests.operations.conftest import LiveSession


def test_findings_by_todays_rules(
    repository: Repository, live: LiveSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the rules of its day missed is named by version and rule, never by value."""
    from gitsession.redaction.engine import Engine

    token = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    live.turn(f"export GITHUB_TOKEN={token}").turn("next")
    with monkeypatch.context() as blind:
        blind.setattr(Engine, "find", lambda self, source, name=b"": [])
        blind.setattr(Engine, "find_vendor", lambda self, source: [])
        repository.save()
    repository._workspace.forget_scanners()
    assert repository.fsck() == []
    found = repository.fsck(secrets=True)
    assert found and {problem.kind for problem in found} == {"secret"}
    assert all("github" in problem.message for problem in found[:1])
    assert token not in repr(found)
    assert found[0].place == repository.version("HEAD~1").id[:8]


def test_a_gap_in_the_chain_is_named_unless_a_gc_left_it(
    repository: Repository, live: LiveSession
) -> None:
    for number in range(5):
        live.turn(f"turn {number}")
    repository.save()
    store, ref = repository._store, HEADS + repository.head()
    ids = [version.id for version in repository.log("HEAD", limit=0)]
    repository.create_branch("thin", "HEAD")
    repository.gc(Keep(last=2))
    assert repository.fsck() == []
    tip = store.ref(ref)
    data = store.reader.of_kind(tip, "commit")
    from gitsession.store.objects import LooseObjects

    other = data.replace(b"Gitsession-Version: 5", b"Gitsession-Version: 9")
    wrong = LooseObjects(store.folder).put("commit", other)
    with store.transaction("test") as change:
        change.move(ref, tip, wrong)
    said = [problem for problem in repository.fsck() if problem.kind == "chain"]
    assert [problem.place for problem in said] == [wrong]
    assert "version 9, the one before is 4" in said[0].message and ids


def test_what_is_no_damage(
    environment: Environment, repository: Repository, live: LiveSession
) -> None:
    """Another setting for packing, a remote, a `.keep` of a person, a torn line of a full disk."""
    live.turn("one")
    repository.save()
    repository.add_remote("origin", "https://example.org/r.git")
    store = repository.store_path
    config = (store / "config").read_text().replace("threads = 1", "threads = 4")
    (store / "config").write_text(config + "[user]\n\tname = Ada Ünlü\n")
    (store / "objects/pack/pack-00.keep").write_text("mine\n")
    with (store / "gitsession/oplog.jsonl").open("a") as log:
        log.write('{"id":99,"time":1,"verb":"sa\n')
    assert repository.fsck() == []
    (store / "objects/pack/pack-00.keep").unlink()
    live.turn("two")
    with open_repository(environment) as again:
        again.save()
        assert again.fsck() == []


@pytest.mark.parametrize(
    ("setting", "value"),
    [("hooksPath", "/elsewhere"), ("auto", "6700"), ("fsckObjects", "false")],
)
def test_a_setting_that_guards_the_store_must_stand(
    repository: Repository, live: LiveSession, setting: str, value: str
) -> None:
    live.turn("one")
    repository.save()
    path = repository.store_path / "config"
    before = path.read_text()
    lines = [
        f"\t{setting} = {value}" if line.strip().startswith(f"{setting} =") else line
        for line in before.splitlines()
    ]
    path.write_text("\n".join(lines) + "\n")
    found = repository.fsck()
    assert found and {(one.kind, one.place) for one in found} == {("file", "config")}
    assert all(setting.lower() in one.message for one in found)
    path.write_text(before)


def test_settings_are_read_as_git_reads_them() -> None:
    text = '[core]\n\tbare = true\n[remote "a \\"b\\""]\n\turl = x\n[Core]\n\tHooksPath = hooks\n'
    assert inspection.settings_in(text) == {
        "core.bare": "true", "remote.url": "x", "core.hookspath": "hooks",
    }  # fmt: skip


def test_a_store_without_a_guard(repository: Repository, live: LiveSession) -> None:
    live.turn("one")
    repository.save()
    hook = Path(repository.store_path / "hooks" / "pre-push")
    before = hook.read_bytes()
    hook.unlink()
    (problem,) = repository.fsck()
    assert problem.place == "hooks/pre-push" and "missing" in problem.message
    assert repository.repair()
    assert hook.read_bytes() == before and hook.stat().st_mode & 0o777 == 0o700
