"""Whose session is it? Renamed folders, sub-folders, links, other homes; and `relink` by hand."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from gitsession.environment import Environment
from gitsession.errors import Conflict, NotFound
from gitsession.repository import Repository, open_repository
from tests.acceptance.conftest import Person, a_session, person
from tests.acceptance.test_code_repository import commit, git
from tests.builders import Claude
from tests.cli.conftest import Cli

__all__ = ["person"]

OTHER = "22222222-2222-4333-8444-555555555555"


def a_code_project(folder: Path) -> None:
    git(folder, "init", "-q")
    (folder / "a.txt").write_text("a\n")
    commit(folder, "first")


def standing(person: Person, folder: Path) -> Environment:
    """The same person in another folder."""
    return Environment(person.environment.variables, person.environment.home, str(folder))


def answers(environment: Environment, *argv: str) -> dict[str, object]:
    done = Cli(environment)(*argv, "--json")
    assert done.code == 0, done.err
    return json.loads(done.out)  # type: ignore[no-any-return]


def sessions(environment: Environment, *argv: str) -> list[str]:
    rows = answers(environment, "list", *argv)["sessions"]
    assert isinstance(rows, list)
    return [row["native_id"] for row in rows]


def two_sessions(person: Person) -> tuple[str, str]:
    """One closed and one in the middle of a turn; their native ids."""
    person.writes(a_session(person, "closed"))
    open_one = Claude(OTHER, cwd=str(person.project))
    open_one.turn("first")
    open_one.prompt("second")
    open_one.bash("make", "ok")
    person.writes(open_one, OTHER)
    person.repository.save(everything=True, auto=True)
    return a_session(person).session_id, OTHER


@pytest.mark.parametrize("with_git", [True, False])
def test_G28_the_unfinished_session_of_a_project_is_found(
    person: Person, tmp_path: Path, with_git: bool
) -> None:
    if with_git:
        a_code_project(person.project)
    sub = person.project / "src" / "deep"
    sub.mkdir(parents=True)
    link = tmp_path / "link"
    link.symlink_to(person.project)
    closed, unfinished = two_sessions(person)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    here = standing(person, elsewhere)
    for place in (person.project, sub, link, link / "src"):
        assert sessions(here, "--project", str(place), "--open") == [unfinished], place
        assert set(sessions(here, "--project", str(place))) == {closed, unfinished}
    assert sessions(here, "--project", str(elsewhere), "--open") == []
    if with_git:
        moved = tmp_path / "moved"
        person.project.rename(moved)
        assert sessions(here, "--project", str(moved), "--open") == [unfinished]
        assert sessions(here, "--project", str(moved / "src"), "--open") == [unfinished]


def test_a_sub_folder_with_sessions_of_its_own_shows_these(person: Person) -> None:
    a_code_project(person.project)
    person.writes(a_session(person, "above"))
    inner = person.project / "inner"
    inner.mkdir()
    own = Claude(OTHER, cwd=str(inner))
    own.turn("inside")
    own.save(person.environment.home)
    person.repository.save(everything=True)
    assert sessions(standing(person, inner)) == [OTHER]
    assert sessions(standing(person, inner / "..")) != [OTHER]


def test_A13_a_renamed_project_keeps_its_history(person: Person, tmp_path: Path) -> None:
    a_code_project(person.project)
    person.writes(a_session(person, "one", "two"))
    saved = person.saves()
    moved = tmp_path / "renamed"
    person.project.rename(moved)
    here = standing(person, moved)
    said = answers(here, "log")["versions"]
    assert isinstance(said, list) and [row["subject"] for row in said] == ["two", "one"]
    assert sessions(here) == [saved.native_id]
    assert Cli(here)("show", saved.versions[0].id).code == 0
    assert Cli(here)("show", saved.native_id[:10]).code == 0
    done = answers(here, "checkout", "HEAD~1")["checkout"]
    assert isinstance(done, dict) and done["cwd"] == str(moved)


def test_A13_another_home_and_place_keep_the_history(person: Person, tmp_path: Path) -> None:
    a_code_project(person.project)
    person.writes(a_session(person, "one", "two"))
    person.saves()
    remote = tmp_path / "remote.git"
    git(tmp_path, "init", "-q", "--bare", str(remote))
    assert person.types("remote", "add", "origin", str(remote)).code == 0
    assert person.types("push", "--yes", "origin").code == 0
    home, project = tmp_path / "other home", tmp_path / "somewhere" / "else"
    home.mkdir()
    project.parent.mkdir()
    git(tmp_path, "clone", "-q", str(person.project), str(project))
    variables = {**person.environment.variables, "HOME": str(home)}
    there = Environment(variables, home, str(project))
    assert Cli(there)("clone", str(remote), "mine").code == 0
    store = str(there.data_dir / "mine.git")
    there = Environment({**variables, "GITSESSION_DIR": store}, home, str(project))
    assert sessions(there) == [a_session(person).session_id]
    said = answers(there, "log")["versions"]
    assert isinstance(said, list) and [row["subject"] for row in said] == ["two", "one"]
    done = answers(there, "checkout", "HEAD")["checkout"]
    assert isinstance(done, dict) and str(home) in done["path"] and done["cwd"] == str(project)


def test_A13_a_renamed_folder_without_git_is_one_command(person: Person, tmp_path: Path) -> None:
    person.writes(a_session(person, "one", "two"))
    saved = person.saves()
    moved = tmp_path / "renamed"
    person.project.rename(moved)
    here = standing(person, moved)
    assert sessions(here) == []
    assert Cli(here)("log").code == 12
    assert sessions(here, "--project", str(person.project)) == [saved.native_id]
    assert Cli(here)("relink", "@1").code == 0
    assert sessions(here) == [saved.native_id]
    said = answers(here, "log")["versions"]
    assert isinstance(said, list) and [row["subject"] for row in said] == ["two", "one"]
    assert person.repository.log(saved.versions[0].id)


@pytest.fixture
def moved(person: Person, tmp_path: Path) -> tuple[Environment, str]:
    """A person in a renamed folder, and the session that was saved in the old one."""
    person.writes(a_session(person, "one", "two"))
    saved = person.saves()
    folder = tmp_path / "renamed"
    person.project.rename(folder)
    return standing(person, folder), saved.branch.partition("/")[0]


def test_relink_is_undone_and_redone(moved: tuple[Environment, str]) -> None:
    here, session = moved
    with open_repository(here) as repository:
        repository.relink([session])
        assert [row.session for row in repository.list()] == [session]
        assert repository.head() == f"{session}/main"
        repository.undo()
        assert repository.list() == () and repository.head() == ""
        repository.redo()
        assert [row.session for row in repository.list()] == [session]
        repository.undo()
        assert repository.list() == ()


def test_relink_of_several_and_again(person: Person, tmp_path: Path) -> None:
    first, second = two_sessions(person)
    names = [person.repository._session(name) for name in (first, second)]
    one, other = tmp_path / "one", tmp_path / "other"
    one.mkdir()
    other.mkdir()
    person.repository.relink(names, str(one))
    assert set(sessions(standing(person, one))) == {first, second}
    person.repository.relink(names[1:], str(other))
    assert sessions(standing(person, other)) == [second]
    assert sessions(standing(person, one)) == [first]
    person.repository.undo()
    assert set(sessions(standing(person, one))) == {first, second}


def test_relink_decides_what_resume_and_files_take_for_this_project(
    moved: tuple[Environment, str],
) -> None:
    here, session = moved
    with open_repository(here) as repository:
        with pytest.raises(Conflict, match="another project"):
            repository.check_resume(session)
        repository.relink([session])
        repository.check_resume(session)
        done = repository.checkout(f"{session}/main~1", files=True, dry_run=True)
        assert done.files is None or done.files.root


def test_relink_stays_with_a_renamed_session(moved: tuple[Environment, str]) -> None:
    here, session = moved
    with open_repository(here) as repository:
        repository.relink([session])
        new = repository.rename(session, "a better title")
        assert [row.session for row in repository.list()] == [new]
        repository.undo()
        assert [row.session for row in repository.list()] == [session]


def test_worktree_and_container_need_no_relink(person: Person, tmp_path: Path) -> None:
    a_code_project(person.project)
    person.writes(a_session(person, "one"))
    saved = person.saves()
    worktree, container = tmp_path / "worktree", tmp_path / "workspaces" / "app"
    git(person.project, "worktree", "add", "-q", str(worktree))
    shutil.copytree(person.project, container)
    for folder in (worktree, container):
        assert sessions(standing(person, folder)) == [saved.native_id]
        assert answers(standing(person, folder), "log")["versions"]


def test_relink_errors(person: Person) -> None:
    person.writes(a_session(person, "one"))
    saved = person.saves()
    with pytest.raises(NotFound):
        person.repository.relink(["nothing"], "")
    with pytest.raises(NotFound):
        person.repository.relink([saved.branch], "/nonexistent/folder")
    assert person.types("relink").code == 2


def test_LC19_resume_without_an_id_is_the_newest_session_that_holds_something(
    person: Person, tmp_path: Path
) -> None:
    a_code_project(person.project)
    older = a_session(person, "older")
    person.writes(older)
    newest = Claude(OTHER, cwd=str(person.project))
    newest.row(type="mode", mode="normal")
    newest.row(type="mode", mode="plan")
    newest.turn("newest")
    person.writes(newest, OTHER)
    empty = "33333333-2222-4333-8444-555555555555"
    stub = Claude(empty, cwd=str(person.project))
    for number in range(9):
        stub.row(type="summary", summary=f"nothing {number}")
    person.writes(stub, empty)
    other = tmp_path / "other"
    other.mkdir()
    foreign = Claude("44444444-2222-4333-8444-555555555555", cwd=str(other))
    for number in range(9):
        foreign.turn(f"of another project {number}")
    foreign.save(person.environment.home)
    person.repository.save(everything=True)
    worktree = tmp_path / "worktree"  # a folder in which nothing was ever typed
    git(person.project, "worktree", "add", "-q", str(worktree))
    there = standing(person, worktree)
    with open_repository(there) as repository:
        assert repository.resolve().branch == _branch_of(repository, OTHER)
    shim = tmp_path / "bin"
    shim.mkdir()
    (shim / "claude").write_text('#!/bin/sh\necho "$@" > "$HOME/started"\n')
    (shim / "claude").chmod(0o755)
    started = Person(there).starts("resume", PATH=f"{shim}:{there.variables['PATH']}")
    out, err = started.communicate(timeout=60)
    assert started.returncode == 0, (out, err)
    made = (person.environment.home / "started").read_text().split()[-1]
    with open_repository(there) as repository:
        path = next((person.environment.home / ".claude").rglob(f"{made}.jsonl"))
        assert b'"newest"' in path.read_bytes() and b"older" not in path.read_bytes()
        assert repository.head() == _branch_of(repository, made)


def _branch_of(repository: Repository, native_id: str) -> str:
    from gitsession.operations import natives

    record = natives.find(repository._workspace, "claude-code", native_id)
    assert record is not None
    return str(record["branch"])


def test_a_commit_that_a_rebase_took_away_is_told_as_unknown(person: Person) -> None:
    a_code_project(person.project)
    person.writes(a_session(person, "one", "two"))
    person.saves()
    code = person.repository.session().info.code
    assert code
    assert not any("commit" in said for said in person.repository.checkout("HEAD~1").warnings)
    git(person.project, "commit", "-q", "--amend", "--allow-empty", "-m", "another")
    git(person.project, "reflog", "expire", "--expire=now", "--all")
    git(person.project, "gc", "-q", "--prune=now")
    before = person.repository.version()
    done = person.types("checkout", person.repository.list()[0].session, "-b", "after")
    assert f"differs  the code was at commit {code[:12]}, which the repository here" in done.out
    assert person.repository.version(before.id) == before  # the session itself stays as it is
