"""Who counts every object of a store keeps packings and droppings away meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from gitsession.environment import find_program
from gitsession.errors import StoreBusy
from gitsession.model.care import Keep
from gitsession.repository import Repository
from gitsession.store import care, usage
from gitsession.store.drop import alone
from tests.operations.conftest import LiveSession

COUNTS: dict[str, Callable[[Repository], object]] = {
    "plan of gc": lambda repository: repository.plan_gc(Keep()),
    "plan of gc that thins": lambda repository: repository.plan_gc(Keep(last=1)),
    "du": lambda repository: repository.du(),
}


@pytest.mark.parametrize("name", COUNTS)
def test_nothing_is_packed_or_dropped_while_objects_are_counted(
    repository: Repository, live: LiveSession, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    live.turn("one", "a").turn("two", "b")
    repository.save()
    store = repository._store
    seen = []
    real = usage._lines

    def lines(*arguments: object) -> Iterator[bytes]:
        assert not care.pack(store), "a packing began"
        with pytest.raises(StoreBusy), alone(store, timeout=0.0):
            raise AssertionError("a dropping began")
        seen.append(arguments)
        yield from real(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(usage, "_lines", lines)
    COUNTS[name](repository)
    assert len(seen) >= 2


def test_a_packing_that_runs_is_waited_for(
    repository: Repository, live: LiveSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    live.turn("one", "a")
    repository.save()
    assert find_program("git", repository._store.environment.variables)
    assert care.start(repository._store)
    plan = repository.plan_gc(Keep())
    assert plan.loose == 0 < plan.objects


def test_whoever_waits_long_is_told_why(
    repository: Repository, live: LiveSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    live.turn("one", "a")
    repository.save()
    told: list[str] = []
    repository._store.environment.tell = told.append
    monkeypatch.setattr(care, "_SOON", 0.05)
    monkeypatch.setattr(care, "_PACKING_TAKES", 0.05)
    repository.plan_gc(Keep())
    assert not told
    with repository._store.lock("maintenance"):
        assert repository.plan_gc(Keep()).objects
    assert told and set(told) == {"the store is being packed; this waits for its end"}
