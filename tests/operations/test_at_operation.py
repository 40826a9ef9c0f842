"""--at-op: everything as it was after an operation, and nothing can be changed through it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gitsession.errors import Conflict, NotFound
from gitsession.repository import Repository
from tests.operations.conftest import LiveSession


def last(repository: Repository) -> int:
    return repository.oplog(1)[0].id


def seen(repository: Repository) -> tuple[object, ...]:
    """What the reading verbs say, in short."""
    log = repository.log("HEAD", limit=0) if repository.head() else []
    return (
        repository.head(),
        tuple(version.id for version in log),
        tuple((tip.ref, tip.id) for tip in repository.branches()),
        tuple((row.ref, row.id) for row in repository.tags()),
        tuple((row.session, row.head, row.branches) for row in repository.list(everything=True)),
    )


def test_every_step_can_be_looked_at_again(
    repository: Repository, live: LiveSession, another: Callable[[], LiveSession]
) -> None:
    live.turn("one").turn("two")
    moments = {}
    steps: tuple[Callable[[], object], ...] = (
        repository.save,
        lambda: repository.create_tag("why", "HEAD~1"),
        lambda: repository.create_branch("aside", "HEAD~1", move=True),
        lambda: repository.checkout("HEAD", branch="third"),
        lambda: repository.delete_tag("why"),
        lambda: repository.rename("HEAD", "another title"),
        lambda: (live.turn("three"), repository.save((live.native_id,))),
        lambda: repository.delete_branch("third") if repository.head() else None,
        lambda: repository.delete("main"),
        repository.undo,
        repository.redo,
        lambda: (another().turn("uno"), repository.save()),
    )
    for step in steps:
        step()
        moments[last(repository)] = seen(repository)
    assert len(moments) >= 10
    for number, then in moments.items():
        assert seen(repository.at_operation(number)) == then, number
    assert seen(repository) == moments[max(moments)]


def test_the_past_cannot_be_changed(repository: Repository, live: LiveSession) -> None:
    live.turn("one").turn("two")
    repository.save()
    number = last(repository)
    repository.create_tag("later")
    before = seen(repository)
    past = repository.at_operation(number)
    for change in (
        lambda: past.create_tag("x"),
        lambda: past.create_branch("y"),
        lambda: past.delete("HEAD"),
        lambda: past.rename("HEAD", "z"),
        lambda: past.checkout("HEAD~1"),
        lambda: past.archive("HEAD"),
        past.undo,
    ):
        with pytest.raises(Conflict):
            change()
    assert seen(repository) == before
    assert past.session("HEAD").messages and past.diff("HEAD~1", "HEAD")[0]


def test_what_the_log_does_not_reach(repository: Repository, live: LiveSession) -> None:
    live.turn("one")
    repository.save()
    repository.create_branch("aside")
    repository.delete_branch("aside")
    number = last(repository)
    for wrong in (number + 1, 0, -3):
        with pytest.raises(NotFound):
            repository.at_operation(wrong)
    repository.gc()
    with pytest.raises(NotFound) as refused:
        repository.at_operation(number)
    assert "begins at" in str(refused.value)


def test_an_automatic_working_state_that_is_gone_hides_nothing(
    repository: Repository, live: LiveSession
) -> None:
    live.turn("one")
    repository.save()
    numbers = []
    for text in ("a", "b", "c"):
        live.prompt(text) if text == "a" else live.assistant([{"type": "text", "text": text}], "")
        repository.save(auto=True)
        numbers.append(last(repository))
    repository._store.reader.close()
    repository.gc()
    live.turn("two")
    repository.save()
    assert repository.at_operation(last(repository)).head() == repository.head()
