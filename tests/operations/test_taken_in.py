"""OpenCode takes a written file in and goes on in its database: the next save goes on from the
version all the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gitsession.environment import Environment
from gitsession.errors import Conflict
from gitsession.model.report import Checkout
from gitsession.repository import Repository
from tests.opencode_builder import OpenCode, taken_in

from .conftest import LiveSession


@pytest.fixture
def database(environment: Environment) -> Path:
    return environment.home / ".local" / "share" / "opencode" / "opencode.db"


@pytest.fixture
def saved(repository: Repository, environment: Environment, database: Path) -> OpenCode:
    """A session of three turns, each a version."""
    session = OpenCode(cwd=environment.cwd).turn(1).turn(2).turn(3)
    session.save(database)
    assert len(repository.save().sessions[0].versions) == 3
    return session


def go_on(done: Checkout, database: Path) -> OpenCode:
    return taken_in(Path(done.path), database)


def test_the_next_turn_is_a_fork(repository: Repository, saved: OpenCode, database: Path) -> None:
    first = repository.version("HEAD~2")
    done = repository.checkout("HEAD~2")
    assert done.command[-2:] == (done.path, done.native_id)
    session = go_on(done, database)
    assert repository.save([done.native_id]).sessions[0].outcome == "nothing"
    for number in (4, 5):
        session.turn(number).save(database)
        [again] = repository.save([done.native_id]).sessions
        assert [version.trailers["Kind"] for version in again.versions] == ["turn"]
    versions = repository.log(done.branch)
    assert [v.subject for v in versions] == ["question 5", "question 4", "question 1"]
    assert versions[-1].id == first.id
    texts = [m.text for m in repository.session(done.branch).messages if m.role == "user"]
    assert texts == ["question 1", "question 4", "question 5"]
    repository._store.records.remove("state", done.branch)  # the hint is only a hint
    session.turn(6).save(database)
    [again] = repository.save([done.native_id]).sessions
    assert len(again.versions) == 1


def test_what_was_changed_in_it_is_a_rewrite(
    repository: Repository, saved: OpenCode, database: Path
) -> None:
    done = repository.checkout("HEAD~1")
    session = go_on(done, database)
    session.messages[0]["parts"][0]["text"] = "another question"
    session.turn(9).save(database)
    [again] = repository.save([done.native_id]).sessions
    assert [version.trailers["Kind"] for version in again.versions] == ["rewrite"]


def test_it_is_used_as_soon_as_it_is_taken_in(
    repository: Repository, saved: OpenCode, database: Path
) -> None:
    done = repository.checkout("HEAD~1")
    again = repository.checkout(done.version.id)
    assert (again.reused, again.native_id) == (True, done.native_id)
    go_on(done, database)
    with pytest.raises(Conflict):
        repository.clean_checkout(done.branch)
    third = repository.checkout(done.version.id)
    assert third.native_id != done.native_id


def test_from_another_agent(repository: Repository, live: LiveSession, database: Path) -> None:
    live.turn("first", "one", tool="a.py").turn("second", "two")
    repository.save()
    base = repository.version("HEAD")
    there = repository.checkout("HEAD", to="opencode")
    session = go_on(there, database)
    assert repository.save([there.native_id]).sessions[0].outcome == "nothing"
    for number, before in ((7, base.id), (8, "")):
        session.turn(number).save(database)
        [again] = repository.save([there.native_id]).sessions
        assert len(again.versions) == 1
        assert not before or again.versions[0].parents == (before,)
    texts = [m.text for m in repository.session(there.branch).messages if m.role == "user"]
    assert texts == ["first", "second", "question 7", "question 8"]
    assert len(repository.log(there.branch)) == 4
    back = repository.checkout(there.branch, to="claude-code")
    assert "question 8" in Path(back.path).read_text()


def test_names_the_model_that_the_user_has(
    repository: Repository, live: LiveSession, environment: Environment, database: Path
) -> None:
    live.turn("first", "one")
    repository.save()
    there = repository.checkout("HEAD", to="opencode")
    assert "model" not in json.loads(Path(there.path).read_text())["info"]
    settings = environment.home / ".config" / "opencode" / "opencode.json"
    settings.parent.mkdir(parents=True)
    settings.write_text('// mine\n{"model": "acme/large/2", "small_model": "x/y"}')
    repository.clean_checkout(there.branch)
    there = repository.checkout("HEAD", to="opencode")
    value = json.loads(Path(there.path).read_text())
    assert value["info"]["model"] == {"providerID": "acme", "id": "large/2"}
    asked = [m["info"] for m in value["messages"] if m["info"]["role"] == "user"]
    assert asked[0]["model"] == {"providerID": "acme", "modelID": "large/2"}
    assert value["messages"][1]["info"]["modelID"] == "claude-test-1"
