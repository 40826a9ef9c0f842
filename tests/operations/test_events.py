"""events and snapshot over real stores: which versions, whose, and what their searches find."""

from __future__ import annotations

import shlex
from pathlib import Path
from xml.etree import ElementTree

import pytest

from gitsession.environment import Environment
from gitsession.errors import NotFound, UsageError
from gitsession.model.event import Event
from gitsession.model.event_list import EventList
from gitsession.operations.reading.events import Asked, choose
from gitsession.repository import Repository
from tests.builders import Claude

from . import test_sharing
from .conftest import LiveSession
from .searching import found as hits_of
from .test_sharing import clone, git, plant, send

server, friend = test_sharing.server, test_sharing.friend


def searches(text: str) -> list[list[str]]:
    """The arguments of each search that a snapshot names."""
    lines = [str(one.text) for one in ElementTree.fromstring(text).iter("search")]
    return [shlex.split(line)[2:] for line in lines]


def all_find(repository: Repository, text: str) -> bool:
    """Whether the snapshot names searches, and each of them finds something."""
    named = searches(text)
    for *where, query in named:
        assert where[0] in ("--session", "--all")
        session = where[1] if where[0] == "--session" else ""
        assert hits_of(repository, query, session=session, everything=True), (where, query)
    return bool(named)


def test_of_every_way_to_name_a_version(repository: Repository, live: LiveSession) -> None:
    live.turn("the first needle").turn("another thing entirely").turn("the last words")
    repository.save()
    old = repository.log()[-1].id
    repository.create_tag("mark", "HEAD~1")
    session = repository.head().partition("/")[0]
    for revision in ("HEAD", "HEAD~1", "HEAD:1", old, old[:8], f"{session}/mark", session):
        text = repository.snapshot(revision)
        assert f'session="{session}/main"' in text, revision
        assert all_find(repository, text), revision
    assert "another thing" not in repository.snapshot(old)
    repository.rename(session, "something else")
    assert all_find(repository, text), "also when the session is called otherwise"


def test_events_up_to_a_message(environment: Environment, repository: Repository) -> None:
    agent = Claude(cwd=environment.cwd)
    agent.prompt("plan it")
    for status in ("pending", "completed"):
        todos = [{"content": "Write it", "status": status, "activeForm": "Writing"}]
        agent.result(agent.call("TodoWrite", {"todos": todos}), "ok")
    agent.say("done")
    agent.save(Path(environment.home))
    repository.save()
    assert [event.type for event in repository.events("HEAD:1")] == ["user_prompt", "intent"]
    assert len(repository.events()) > len(repository.events("HEAD:2")) == 3
    assert "Write it" in repository.snapshot("HEAD:2")
    assert "task_state" not in repository.snapshot(), "it is done now"
    with pytest.raises(NotFound):
        repository.events("HEAD:99")
    with pytest.raises(UsageError):
        repository.snapshot(budget=255)


def test_the_newest_events_are_the_last_of_those_before(
    repository: Repository, live: LiveSession
) -> None:
    live.turn("one").turn("two")
    repository.save()
    before = list(repository.events())
    live.turn("three", tool="output")
    repository.save()
    assert list(repository.events())[: len(before)] == before
    assert list(repository.events("HEAD~1")) == before


def test_a_friends_session(
    repository: Repository, live: LiveSession, server: Path, friend: Environment
) -> None:
    live.turn("the first needle", "an answer")
    repository.save()
    repository.add_remote("origin", str(server))
    send(repository)
    with clone(friend, server) as theirs:
        name = theirs.list(everything=True)[0].session
        assert all_find(theirs, theirs.snapshot(name))
        live.turn("a second needle")
        repository.save()
        send(repository)
        theirs.fetch("origin")
        text = theirs.snapshot(f"origin/{name}/main")
        assert "a second needle" in text and all_find(theirs, text)
        fetched = theirs.resolve(f"origin/{name}/main").commit
        assert all_find(theirs, theirs.snapshot(fetched))


def test_what_a_fetch_brought_secrets_with_is_masked_and_names_no_search(
    repository: Repository, live: LiveSession, server: Path, friend: Environment,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    live.turn("needle")
    repository.save()
    session = repository.head().partition("/")[0]
    plant(repository, monkeypatch, live)
    ref = f"refs/heads/{session}/main"
    git("push", "--no-verify", "-q", str(server), ref, cwd=repository.store_path)
    with clone(friend, server) as theirs:
        name = theirs.list(everything=True)[0].session
        text = theirs.snapshot(name) + theirs.state_block(name)
        said = text + " ".join(event.data for event in theirs.events(name))
        assert test_sharing.SECRET not in said and "__REDACTED_" in said
        assert searches(theirs.snapshot(name)) == []


def event(number: int, type: str = "file_read", priority: int = 1, data: str = "") -> Event:
    time = f"2026-01-31T12:00:{number:02d}.000Z" if number < 60 else ""
    return Event(type, type.partition("_")[0], priority, data or f"d{number}", number, time)


@pytest.mark.parametrize(
    ("asked", "expected", "total"),
    [
        (Asked(), [1, 3, 4, 70], 4),
        (Asked(everything=True), [1, 2, 3, 4, 70], 5),
        (Asked(limit=2), [4, 70], 4),
        (Asked(types=("git",)), [3], 1),
        (Asked(categories=("file",)), [1, 4, 70], 3),
        (Asked(categories=("file",), limit=1), [70], 3),
        (Asked(priority=2), [1, 4, 70], 3),
        (Asked(priority=1), [1, 70], 2),
        (Asked(since=1_769_860_803), [3, 4], 2),
        (Asked(types=("nothing",)), [], 0),
    ],
)
def test_choose(asked: Asked, expected: list[int], total: int) -> None:
    events = (
        event(1, data="a"), event(2, data="a"), event(3, "git", 3), event(4, "file_edit", 2),
        event(70),
    )  # fmt: skip
    chosen = choose(EventList(count=5, total=5, events=events), asked)
    assert [one.message for one in chosen.events] == expected
    assert (chosen.total, chosen.count) == (total, 5)
