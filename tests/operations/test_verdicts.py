"""What was found clean is not read again; whatever could change that answer is noticed."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitsession.environment import Environment
from gitsession.operations.sharing import guard
from gitsession.redaction.engine import Engine
from gitsession.repository import Repository, open_repository
from tests.acceptance.conftest import every_byte
from tests.operations.conftest import LiveSession

SECRET = "Zk8mQ2xW9pLd"


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The subjects of the versions that a scan read, one by one."""
    seen: list[str] = []
    in_version = guard.in_version

    def noted(*words: object) -> object:
        seen.append(words[1].subject)  # type: ignore[attr-defined]
        return in_version(*words)  # type: ignore[arg-type]

    monkeypatch.setattr(guard, "in_version", noted)
    return seen


def again(environment: Environment) -> list[str]:
    with open_repository(environment) as repository:
        return [finding.place.split()[0] for finding in repository.scan(everything=True)]


def test_only_what_came_since_is_read(
    repository: Repository, live: LiveSession, environment: Environment, read: list[str]
) -> None:
    live.turn("one", "ok").turn("two", "ok")
    repository.save()
    assert not again(environment)
    assert read == ["one", "two"]
    assert not again(environment)
    assert read == ["one", "two"]
    live.turn("three", "ok")
    repository.save()
    assert not again(environment)
    assert read == ["one", "two", "three"]


def test_a_late_finding_reads_the_whole_line_again(
    repository: Repository,
    live: LiveSession,
    environment: Environment,
    monkeypatch: pytest.MonkeyPatch,
    read: list[str],
) -> None:
    live.turn(f"the word is {SECRET} they say", "ok")
    repository.save()
    assert not again(environment)
    live.turn(f"password: {SECRET}", "ok")
    with monkeypatch.context() as patch:
        patch.setattr(Engine, "find", lambda *_, **__: [])
        patch.setattr(Engine, "find_vendor", lambda *_: [])
        with open_repository(environment) as unseeing:
            unseeing.save()
    assert SECRET.encode() in every_byte(repository.store_path)
    ids = {version.id[:8] for version in repository.log()}
    assert len(ids) == 2
    assert set(again(environment)) == ids  # the bare repeat in the first one too
    assert len(read) > 3


def test_new_rules_read_everything_again(
    repository: Repository, live: LiveSession, environment: Environment, read: list[str]
) -> None:
    live.turn("mention FROB-1234-XY today", "ok")
    repository.save()
    assert not again(environment)
    config = Path(environment.folder("config"))
    config.mkdir(parents=True, exist_ok=True)
    (config / "redaction.yaml").write_text(
        "rules:\n  - id: frob\n    pattern: 'FROB-[0-9]{4}-[A-Z]{2}'\n    anchors: [frob-]\n"
    )
    assert again(environment)
    assert len(read) == 3  # and once more with what was learned


def test_the_cache_tells_nothing_and_may_go(
    repository: Repository, live: LiveSession, environment: Environment, read: list[str]
) -> None:
    live.turn("one", "ok")
    repository.save()
    again(environment)
    file = environment.cache_dir / "verdicts"
    assert file.stat().st_mode & 0o077 == 0
    version = repository.version("HEAD").id
    assert version[:8] not in file.read_text()
    for damage in (b"", b"\x00\xff" * 50):
        file.write_bytes(damage)
        assert not again(environment)
    file.unlink()
    file.mkdir()
    assert not again(environment)
    assert len(read) == 4
