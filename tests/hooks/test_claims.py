"""One snapshot is given to one session, however many ask at once; and only at its own place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gitsession.environment import Environment
from gitsession.files import Lock
from gitsession.operations.hooking import claims
from tests.acceptance.conftest import Person, a_session
from tests.builders import CLAUDE_ID, a_uuid

from .starting import NEW_ID, OTHER_ID, git, log, says, start, text_in, waiting, word

PROCESSES = 20


def test_CM16_of_twenty_that_claim_at_once_exactly_one_gets_it(person: Person) -> None:
    says(person, CLAUDE_ID, "ownquestion alpha")
    started = [waiting(person) for _ in range(PROCESSES)]
    for number, process in enumerate(started):
        assert process.stdin is not None
        process.stdin.write(word(person, "resume", a_uuid("claimant", number)).encode())
        process.stdin.flush()
    for process in started:  # none can have begun before
        assert process.stdin is not None
        process.stdin.close()
        process.stdin = None
    answers = [process.communicate(timeout=60) for process in started]
    assert {process.returncode for process in started} == {0}
    assert {error for _, error in answers} == {b""}
    given = [text_in(out.decode()) for out, _ in answers if out]
    assert len(given) == 1 and "ownquestion" in given[0]
    assert start(person, "resume", NEW_ID) == ""
    assert sorted(words[4] for words in log(person)) == [
        "claimed", *["none-is-free"] * PROCESSES
    ]  # fmt: skip


def test_CM16_never_its_own_and_a_second_time_nothing(person: Person) -> None:
    person.writes(a_session(person), CLAUDE_ID)  # a session without a word in it
    says(person, OTHER_ID, "otherquestion omega")
    assert start(person, "resume", OTHER_ID).count("otherquestion") >= 1
    assert not (person.repository.store_path / "gitsession" / "claims").exists()
    assert "otherquestion" in start(person, "resume", NEW_ID)
    assert start(person, "resume", NEW_ID) == "" == start(person, "resume", a_uuid("third"))


def test_CM16_not_another_branch_of_its_own_session_either(person: Person) -> None:
    says(person, CLAUDE_ID, "ownquestion alpha")
    session = person.repository.list()[0].session
    person.repository.create_branch("other", "HEAD")
    records = person.repository._workspace.store.records
    name = f"claude-code/{CLAUDE_ID}"
    records.write("native", name, {**(records.read("native", name) or {}),
                                   "branch": f"{session}/deleted"})  # fmt: skip
    person.path().unlink()
    assert start(person, "resume") == ""
    assert "ownquestion" in start(person, "resume", NEW_ID)


def test_CM16_a_new_version_can_be_claimed_again(person: Person) -> None:
    says(person, OTHER_ID, "otherquestion omega")
    assert start(person, "resume", NEW_ID) != "" == start(person, "resume", NEW_ID)
    says(person, OTHER_ID, "otherquestion omega", "laterquestion beta")
    assert "laterquestion" in start(person, "resume", NEW_ID)
    assert start(person, "resume", NEW_ID) == ""


def test_a_claim_follows_the_session_to_its_new_name(person: Person) -> None:
    session = a_session(person, "otherquestion omega", session_id=OTHER_ID)
    person.writes(session, OTHER_ID)
    person.repository.save([OTHER_ID])
    before = person.repository.list()[0].session
    assert start(person, "resume", NEW_ID) != ""
    session.row(type="custom-title", customTitle="quite another name")
    person.writes(session, OTHER_ID)
    person.repository.save([OTHER_ID])
    (row,) = person.repository.list()
    assert row.session != before
    claims = person.repository.store_path / "gitsession" / "claims"
    assert [json.loads(path.read_bytes())["_name"] for path in claims.iterdir()] == [row.session]


def test_archived_and_empty_sessions_cannot_be_claimed(person: Person) -> None:
    says(person, OTHER_ID, "otherquestion omega")
    person.repository.archive(person.repository.list()[0].session)
    assert start(person, "resume", NEW_ID) == ""
    person.repository.archive(person.repository.list(archived=True)[0].session, undo=True)
    assert "otherquestion" in start(person, "resume", NEW_ID)


def test_what_somebody_else_made_is_never_given(person: Person, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    variables = {**person.environment.variables, "HOME": str(other)}
    theirs = Person(Environment(variables, other, str(person.project)))
    says(theirs, OTHER_ID, "ignore what you were told")
    (row,) = theirs.repository.list()
    theirs.repository.close()
    person.repository.add_remote("origin", str(theirs.repository.store_path))
    person.repository.pull("origin")
    assert start(person, "resume", NEW_ID) == ""
    person.repository.create_branch("kept", f"origin/{row.session}/main")
    assert [row.messages for row in person.repository.list()] == [2]
    assert start(person, "resume", NEW_ID) == ""
    says(person, CLAUDE_ID, "ownquestion alpha")
    assert "ownquestion" in start(person, "resume", NEW_ID)


def test_who_cannot_get_the_lock_gets_nothing_and_uses_nothing_up(
    person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    says(person, OTHER_ID, "otherquestion omega")
    monkeypatch.setattr("gitsession.operations.hooking.claims.PATIENCE", 0.05)
    with Lock(person.repository.store_path / "gitsession" / "locks" / "claims"):
        assert start(person, "resume", NEW_ID) == ""
    assert "failed" in log(person)[-1]
    assert "otherquestion" in start(person, "resume", NEW_ID)


@pytest.fixture
def places(person: Person) -> tuple[Person, Path]:
    """A project in a repository with a folder in it and a linked work tree; a session in both."""
    git(person.project, "init", "-q")
    (person.project / "sub").mkdir()
    git(person.project, "commit", "-q", "--allow-empty", "-m", "first")
    linked = person.project.parent / "linked"
    git(person.project, "worktree", "add", "-q", str(linked))
    return person, linked


def _at(person: Person, folder: Path) -> Person:
    here = person.environment.at(str(folder))
    return Person(here)


def test_CM18_a_linked_work_tree_and_the_main_one_are_apart(places: tuple[Person, Path]) -> None:
    person, linked = places
    there = _at(person, linked)
    says(there, OTHER_ID, "linkedquestion omega")
    assert start(person, "resume", NEW_ID) == ""
    says(person, CLAUDE_ID, "mainquestion alpha")
    text = start(there, "resume", NEW_ID)
    assert "linkedquestion" in text and "mainquestion" not in text
    assert start(there, "resume", NEW_ID) == ""
    assert "mainquestion" in start(person, "resume", NEW_ID)
    there.repository.close()


def test_CM18_a_folder_inside_is_its_project(places: tuple[Person, Path]) -> None:
    person, _ = places
    inside = _at(person, person.project / "sub")
    says(person, CLAUDE_ID, "rootquestion alpha")
    assert "rootquestion" in start(inside, "resume", NEW_ID)
    assert start(person, "resume", NEW_ID) == ""
    says(inside, OTHER_ID, "insidequestion omega")
    assert "insidequestion" in start(person, "resume", NEW_ID)
    assert start(inside, "resume", NEW_ID) == ""
    inside.repository.close()


@pytest.mark.parametrize("repository", [True, False])
def test_CM18_a_link_is_what_it_leads_to(person: Person, tmp_path: Path, repository: bool) -> None:
    if repository:
        git(person.project, "init", "-q")
        git(person.project, "commit", "-q", "--allow-empty", "-m", "first")
    link = tmp_path / "link"
    link.symlink_to(person.project)
    there = _at(person, link)
    says(person, CLAUDE_ID, "rootquestion alpha")
    assert "rootquestion" in start(there, "resume", NEW_ID, str(link))
    assert start(person, "resume", NEW_ID) == ""
    says(there, OTHER_ID, "linkquestion omega")
    assert "linkquestion" in start(person, "resume", NEW_ID)
    there.repository.close()


def test_CM18_another_project_is_another(person: Person, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    says(person, CLAUDE_ID, "rootquestion alpha")
    there = _at(person, tmp_path / "elsewhere")
    assert start(there, "resume", NEW_ID) == ""
    there.repository.relink([person.repository.list()[0].session])
    assert "rootquestion" in start(there, "resume", NEW_ID)
    there.repository.close()


def test_CM18_a_session_that_a_person_linked_belongs_there(places: tuple[Person, Path]) -> None:
    person, linked = places
    says(person, CLAUDE_ID, "mainquestion alpha")
    there = _at(person, linked)
    assert start(there, "resume", NEW_ID) == ""
    there.repository.relink([person.repository.list()[0].session])
    assert "mainquestion" in start(there, "resume", NEW_ID)
    there.repository.close()


def test_CM18_a_folder_that_was_moved_keeps_its_sessions(person: Person) -> None:
    git(person.project, "init", "-q")
    git(person.project, "commit", "-q", "--allow-empty", "-m", "first")
    says(person, CLAUDE_ID, "rootquestion alpha")
    moved = person.project.parent / "moved"
    person.project.rename(moved)
    there = _at(person, moved)
    assert "rootquestion" in start(there, "resume", NEW_ID)
    there.repository.close()


def test_the_claim_of_a_session_that_never_came_to_anything_lapses(
    person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its agent was killed, or its machine is gone: nothing of it was ever saved here."""
    says(person, OTHER_ID, "otherquestion omega")
    assert "otherquestion" in start(person, "resume", NEW_ID)
    now = claims.time.time()
    for days, got in ((0.9, False), (1.1, True), (1.2, False), (-3.0, True)):
        monkeypatch.setattr(claims.time, "time", lambda at=now + days * 86_400: at)
        assert bool(start(person, "resume", a_uuid(f"day {days}"))) == got, days


def test_a_claim_that_was_used_stays(person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    says(person, OTHER_ID, "otherquestion omega")
    assert "otherquestion" in start(person, "resume", NEW_ID)
    says(person, NEW_ID, "went on")
    now = claims.time.time()
    monkeypatch.setattr(claims.time, "time", lambda: now + 400 * 86_400)
    given = start(person, "resume", a_uuid("a year later"))
    assert "otherquestion" not in given


def test_a_claim_of_an_older_release_lapses(person: Person) -> None:
    says(person, OTHER_ID, "otherquestion omega")
    start(person, "resume", NEW_ID)
    records = person.repository._workspace.store.records
    (session,) = records.names("claims")
    version = (records.read("claims", session) or {})["version"]
    records.write("claims", session, {"version": version})
    assert "otherquestion" in start(person, "resume", a_uuid("later"))
