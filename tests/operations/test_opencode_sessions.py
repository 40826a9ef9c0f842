"""OpenCode's import, list and delete, as rows of its features."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitsession.environment import Environment
from gitsession.repository import Repository
from tests.opencode_builder import OPENCODE_ID, OpenCode, grown


@pytest.fixture
def export(environment: Environment) -> Path:
    return environment.home / "session.json"


def test_OC22_the_same_file_twice_is_there_already(repository: Repository, export: Path) -> None:
    export.write_bytes(grown(3).export)
    [first] = repository.import_files([export]).sessions
    assert len(first.versions) == 3
    refs = repository._store.refs("refs/")
    [again] = repository.import_files([export]).sessions
    assert (again.outcome, repository._store.refs("refs/")) == ("nothing", refs)


def test_OC22_an_edited_file_is_a_new_version(repository: Repository, export: Path) -> None:
    session = grown(3)
    export.write_bytes(session.export)
    [first] = repository.import_files([export]).sessions
    session.messages[2]["parts"][0]["text"] = "another answer"
    export.write_bytes(session.export)
    [again] = repository.import_files([export]).sessions
    [version] = again.versions
    assert version.parents == (first.versions[-1].id,)
    changed, _ = repository.diff(version.parents[0], version.id)
    assert "another answer" in str(changed)


def test_OC22_two_states_of_a_session_are_not_news_in_turn(
    repository: Repository, export: Path
) -> None:
    """A folder of backups, imported again and again."""
    session = grown(3)
    old, new = export.with_name("a.json"), export.with_name("b.json")
    old.write_bytes(session.export)
    session.messages[2]["parts"][0]["text"] = "another answer"
    new.write_bytes(session.export)
    outcomes = [repository.import_files([path]).sessions[0].outcome for path in (old, new) * 3]
    assert outcomes == ["saved", "saved", *["nothing"] * 4]
    assert len(repository.log(limit=0)) == 4
    session.turn(4)  # goes on from the new state: one version more
    new.write_bytes(session.export)
    assert [repository.import_files([path]).sessions[0].made for path in (old, new)] == [0, 1]
    older = grown(3).turn(4)  # and another fourth turn after the old one: that is news
    old.write_bytes(older.export)
    [saved] = repository.import_files([old]).sessions
    assert saved.outcome == "saved"


def test_OC22_a_file_broken_in_the_middle_changes_nothing(
    repository: Repository, export: Path
) -> None:
    data = grown(3).export
    export.write_bytes(data)
    repository.import_files([export])
    refs = repository._store.refs("refs/")
    middle = data.index(b'"question 2"')
    for broken in (data[:middle], data[:middle] + b"\0\0" + data[middle + 2 :]):
        export.write_bytes(broken)
        [again] = repository.import_files([export]).sessions
        assert again.outcome in ("shrunk", "stub")
        assert repository._store.refs("refs/") == refs


@pytest.fixture
def family(repository: Repository, environment: Environment) -> tuple[str, str]:
    """A session and that of a sub-agent, both saved; their names."""
    path = environment.home / ".local" / "share" / "opencode" / "opencode.db"
    parent = OpenCode(cwd=environment.cwd).turn(1)
    parent.title = "Build the parser"
    parent.save(path)
    child = OpenCode("ses_ccccccccccccnewchild000000", environment.cwd).turn(1)
    child.title, child.more = "Child session - 2026-11-29T19:21:16.089Z", {"parentID": OPENCODE_ID}
    child.save(path)
    names = [repository.save([name]).sessions[0].branch for name in (OPENCODE_ID, child.session_id)]
    return names[0].partition("/")[0], names[1].partition("/")[0]


def test_OC24_a_folders_sessions_are_those_that_a_person_began(
    repository: Repository, family: tuple[str, str]
) -> None:
    [saved] = repository.save().sessions  # the newest of the folder, never a child
    assert saved.native_id == OPENCODE_ID
    parent, child = family
    titles = {row.session: row.title for row in repository.list()}
    assert titles == {parent: "Build the parser", child: "question 1"}
    assert [row.session for row in repository.list(search="PARSER")] == [parent]
    assert len(repository.list(limit=1)) == 1
    repository.archive(child)
    assert [row.session for row in repository.list()] == [parent]
    assert [row.session for row in repository.list(archived=True)] == [child]


def test_OC24_children_are_named_before_their_parent_goes(
    repository: Repository, family: tuple[str, str]
) -> None:
    parent, child = family
    assert repository.children(parent) == (child,)
    assert repository.children(child) == ()
    repository.delete(parent)
    assert [row.session for row in repository.list()] == [child]


def test_OC22_an_edit_of_the_same_length_far_from_the_end_is_seen(
    repository: Repository, export: Path
) -> None:
    session = grown(40)
    export.write_bytes(session.export)
    repository.import_files([export])
    session.messages[1]["parts"][1]["state"]["output"] = "b.py\n"
    export.write_bytes(session.export)
    [again] = repository.import_files([export]).sessions
    assert [version.trailers["Kind"] for version in again.versions] == ["rewrite"]
