"""Real sessions: what the events tell is what the adapters know of them by other means."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gitsession.agents import registry
from gitsession.agents.base import Source
from gitsession.events.tasks import tasks
from gitsession.events.tools import use
from gitsession.events.used import Found
from gitsession.model.call import calls
from gitsession.model.session import Session

from ..context.real_files import sessions
from .calling import found

_BRANCHED = "fe5e1c67-53e7-4862-81ae-d0e013e3270b.jsonl"
"""Most of its files were written on a branch that its conversation left."""
_FILES = ("file_read", "file_write", "file_edit")


def events(session: Session) -> list[Found]:
    return [one for call in calls(session.messages) for one in found(use(call))]


@pytest.fixture(scope="module")
def real(samples: Path) -> list[tuple[str, Session, list[Found]]]:
    return [(name, one, events(one)) for name, one in sessions(samples, every=True)]


def test_tasks_are_those_that_the_adapter_follows(
    real: list[tuple[str, Session, list[Found]]],
) -> None:
    with_tasks = 0
    for name, session, told in real:
        known = [(" ".join(one.text.split()), one.status) for one in session.state.todos]
        mine = [(one.text, one.status) for one in tasks(told)]
        # A subagent may end a task that it did not make.
        mine = [one for one in mine if one[0] and one[1] != "deleted"]
        assert mine == known, name
        with_tasks += bool(known)
    assert with_tasks > 10


def test_files_that_were_touched_are_told(samples: Path) -> None:
    """What an adapter reconstructs stands in an event."""
    compared = 0
    for path in sorted(samples.rglob("*.json*")):
        for source in registry.recognise_all(path):
            read = list(registry.get(source.agent).read(source, None))
            touched = {file.path for part in read for file in part.files}
            if touched and path.name != _BRANCHED:
                whole = next(iter(_of(source, read)))
                paths = {one.data for one in events(whole) if one.type in _FILES}
                assert not {file for file in touched if not _stands_in(file, paths)}, path
                compared += 1
    assert compared > 25


def _of(source: Source, read: list[Session]) -> Iterator[Session]:
    records = tuple(record for part in read for record in part.stream().records)
    whole = read[-1]._replace(streams=(read[-1].stream()._replace(records=records, first=0),))
    yield whole._replace(messages=registry.get(source.agent).messages(whole))


def _stands_in(file: str, paths: set[str]) -> bool:
    return any(path == file or path.endswith(f"/{file}") or file.endswith(path) for path in paths)


def test_facts_are_small_and_quickly_found(
    real: list[tuple[str, Session, list[Found]]],
) -> None:
    begin = time.process_time()
    number = sum(len(events(session)) for _, session, _ in real)
    took = time.process_time() - begin
    assert number > 4_000
    assert took < 3
    for name, _, told in real:
        for one in told:
            assert len(one.data.encode()) <= 4_096, name
            assert one.data.strip() == one.data != "", (name, one)
