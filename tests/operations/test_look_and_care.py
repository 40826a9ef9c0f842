"""show, export, scan, fsck, list and raw checkout."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from gitsession.environment import Environment
from gitsession.errors import Conflict, NotFound, UsageError
from gitsession.repository import Repository

from .conftest import LiveSession
from .test_checkout import three_turns

SECRET = "ghp_" + "x7Kq2mVb9LpT4wRz8NcY1sHd6FgJ3aQe5uXo"


def test_what_was_masked_has_rule_place_and_placeholder_but_no_value(
    live: LiveSession, repository: Repository
) -> None:
    live.turn(f"use {SECRET} please", tool=f"TOKEN={SECRET}")
    repository.save()
    found = repository.findings()
    places = [finding.place for finding in found]
    assert "main:0 message.content" in places
    assert any(place.startswith("main:2 message.content[0]") for place in places)
    assert len({finding.placeholder for finding in found}) == 1
    assert SECRET not in repr(found)
    assert repository.findings("HEAD")[0].rule in found[0].placeholder


def test_messages_are_shown_by_number(live: LiveSession, repository: Repository) -> None:
    three_turns(live, repository)
    assert repository.message("HEAD", 1).text == "first question"
    with pytest.raises(NotFound, match="it has"):
        repository.message("HEAD", 99)


@pytest.mark.parametrize("form", ["md", "html", "json"])
def test_exports_hold_the_conversation(
    live: LiveSession, repository: Repository, form: str
) -> None:
    three_turns(live, repository)
    text = repository.export("HEAD", form)
    text = text.decode() if isinstance(text, bytes) else text
    assert "second question" in text
    if form == "json":
        json.loads(text)


def test_native_export_is_the_transcript(live: LiveSession, repository: Repository) -> None:
    three_turns(live, repository)
    assert repository.export("HEAD", "native") == live.path.read_bytes()
    with pytest.raises(UsageError):
        repository.export("HEAD", "pdf")


def test_G25_a_json_export_comes_back_in_an_empty_store(
    live: LiveSession, repository: Repository, tmp_path: Path, environment: Environment
) -> None:
    three_turns(live, repository)
    data = repository.export("HEAD", "json")
    path = tmp_path / "shared.json"
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    from gitsession.repository import open_repository

    with open_repository(environment, store=tmp_path / "empty.git") as other:
        saved = other.import_files([path]).sessions[0]
        there = other.session(saved.branch).messages
    here = repository.session("HEAD").messages
    assert [(m.role, m.text) for m in there] == [(m.role, m.text) for m in here]


def test_scan_names_what_it_finds_in_files_sources_and_store(
    live: LiveSession, repository: Repository, tmp_path: Path
) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "a.env").write_text(f"x=1\nGITHUB_TOKEN={SECRET}\n")
    (folder / "b.txt").write_text("nothing here\n")
    os.mkfifo(folder / "pipe")
    found = repository.scan([folder])
    assert [finding.place.partition(":")[0] for finding in found] == [str(folder / "a.env")]
    live.turn(f"use {SECRET}")
    before = repository._store.refs()
    assert any(str(live.path) in finding.place for finding in repository.scan())
    assert repository._store.refs() == before
    repository.save()
    assert not repository.scan(everything=True)
    assert SECRET not in repr(found)
    with pytest.raises(NotFound):
        repository.scan([tmp_path / "none"])


def test_fsck_is_quiet_on_a_good_store(live: LiveSession, repository: Repository) -> None:
    three_turns(live, repository)
    repository.create_tag("t", message="x")
    repository.create_branch("m", "HEAD:3")
    assert list(repository.fsck()) == []


def test_fsck_names_the_damaged_version_and_the_last_good_one(
    live: LiveSession, environment: Environment
) -> None:
    from gitsession.repository import open_repository

    with open_repository(environment) as repository:
        live.turn("first question")
        live.turn("second question", tool="x" * 9000)
        live.turn("third question")
        repository.save()
        versions = list(repository.log())
        tree = repository._store.tree(versions[1].id)
        cut = next(path for path in tree if ".s0" in path)
        blob = tree.blob_id(cut)
        path = repository.store_path / "objects" / blob[:2] / blob[2:]
        path.unlink()
        problems = repository.fsck()
        named = [problem for problem in problems if problem.place == versions[1].id]
        assert named
        assert named[0].last_good == versions[2].id
        assert any(blob in problem.place + problem.message for problem in problems)


def test_fsck_walks_once_for_many_problems(
    live: LiveSession, environment: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each version with something damaged in it is named with the newest good one before all of
    them; none is walked to anew."""
    from gitsession.repository import open_repository
    from gitsession.store.store import Store

    with open_repository(environment) as repository:
        for number in range(8):
            tool = f"{number} " * 9000 if number > 1 else ""
            live.turn(f"question {number}", tool=tool)
        repository.save()
        oldest_first = list(repository.log())[::-1]
        blobs = {}
        for version in oldest_first:
            tree = repository._store.tree(version.id)
            blobs.update({tree.blob_id(path): path for path in tree if ".s0" in path})
        for blob in blobs:
            (repository.store_path / "objects" / blob[:2] / blob[2:]).unlink(missing_ok=True)
        walks = []
        log = Store.log

        def counted(self: Store, *given: Any, **more: Any) -> Any:
            walks.append(given)
            return log(self, *given, **more)

        monkeypatch.setattr(Store, "log", counted)
        problems = repository.fsck()
        good = {problem.place: problem.last_good for problem in problems}
        named = [good.get(version.id) for version in oldest_first[2:]]
        assert named == [oldest_first[1].id] * 6
        assert len(walks) <= len(repository._store.refs()) + 2


def test_raw_checkout_never_overwrites_and_a_folder_gets_everything(
    live: LiveSession, repository: Repository, tmp_path: Path
) -> None:
    session = three_turns(live, repository)
    whole = live.path.read_bytes()
    target = tmp_path / "out.jsonl"
    assert repository.checkout_raw("HEAD", str(target)) == [str(target)]
    assert target.read_bytes() == whole
    assert target.stat().st_mode & 0o777 == 0o600
    with pytest.raises(Conflict):
        repository.checkout_raw("HEAD", str(target))
    made = repository.checkout_raw(f"{session}/main~2", str(tmp_path / "all") + "/")
    assert [Path(path).name for path in made] == ["main.jsonl"]
    assert whole.startswith((tmp_path / "all" / "main.jsonl").read_bytes())


def test_a_branch_includes_the_open_tail_and_an_id_does_not(
    live: LiveSession, repository: Repository, tmp_path: Path
) -> None:
    session = three_turns(live, repository)
    finished = live.path.read_bytes()
    live.prompt("still thinking")
    repository.save(auto=True)
    repository.checkout_raw(f"{session}/main", str(tmp_path / "branch"))
    repository.checkout_raw(repository.version().id, str(tmp_path / "id"))
    assert (tmp_path / "branch").read_bytes() == live.path.read_bytes()
    assert (tmp_path / "id").read_bytes() == finished


def test_CL9_latest_is_the_newest_other_session_with_messages(
    live: LiveSession, another: object, repository: Repository
) -> None:
    session = three_turns(live, repository)
    other = another().turn("an older one")  # type: ignore[operator]
    repository.save([other.native_id])
    older = repository.head().partition("/")[0]
    assert repository.newest_session() == session
    os.utime(other.path, (2_000_000_000, 2_000_000_000))
    assert repository.newest_session() == session
    repository.checkout(f"{session}/main~1")
    assert repository.newest_session() == older


def test_CL9_a_session_of_another_project_is_refused_without_the_flag(
    live: LiveSession, repository: Repository, tmp_path: Path, environment: Environment
) -> None:
    session = three_turns(live, repository)
    repository.check_resume(session)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    from gitsession.repository import open_repository

    moved = Environment(environment.variables, environment.home, str(elsewhere))
    with open_repository(moved) as there:
        with pytest.raises(Conflict, match="another project"):
            there.check_resume(session)
        there.check_resume(session, any_project=True)


def test_the_current_session_is_listed_wherever_it_began(
    repository: Repository, live: LiveSession, environment: Environment
) -> None:
    """As where a folder of the agent was renamed with the project that its records name."""
    for row in live.rows:
        row["cwd"] = "/somewhere/else"
    live.cwd = "/somewhere/else"
    live.turn("one", "ok")
    repository.save()
    assert [row.session for row in repository.list()] == [repository.head().partition("/")[0]]
    assert not repository.list(project=str(Path(environment.home)))
