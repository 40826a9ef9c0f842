"""du: what each session takes alone and with others, and what can be won."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from gitsession.environment import Environment
from gitsession.model.care import Keep
from gitsession.repository import Repository, open_repository
from tests.acceptance.conftest import LONG
from tests.operations.conftest import LiveSession
from tests.store.history_builder import grow

LARGE = os.urandom(20_000).hex()


def test_alone_and_shared(
    repository: Repository, live: LiveSession, another: Callable[[], LiveSession]
) -> None:
    """A text that two sessions hold is nobody's alone, and is counted once in all."""
    second = another()
    live.turn("one", "a", tool=LARGE).turn("own", "b", tool=os.urandom(9_000).hex())
    second.turn("uno", "c", tool=LARGE)
    repository.save(everything=True)
    found = repository.du()
    assert len(found.sessions) == 2
    first, other = found.sessions
    assert first.unique > other.unique, "largest first"
    assert first.shared == other.shared > 15_000
    assert first.bytes == first.unique + first.shared
    assert found.bytes == first.unique + other.unique + first.shared + found.held
    assert found.unreachable == 0 and found.loose == found.objects
    assert 0 < found.loose_bytes == found.bytes and found.slack > 0 and found.disk > found.bytes


def test_what_gc_wins_is_what_du_says(repository: Repository, live: LiveSession) -> None:
    for number in range(12):
        live.turn(f"turn {number}", f"answer {number}")
    repository.save()
    before = repository.du()
    (use,) = before.sessions
    assert use.versions == 12 and 0 < use.history < use.unique
    plan = repository.plan_gc(Keep(last=1))
    assert abs(plan.freed - use.history - before.held - before.unreachable) < 4000
    repository.gc(Keep(last=1))
    after = repository.du()
    assert after.sessions[0].versions == 1 and after.sessions[0].history == 0
    assert (after.held, after.unreachable, after.loose, after.packs) == (0, 0, 0, 1)


def test_what_undo_holds(repository: Repository, live: LiveSession) -> None:
    live.turn("one", tool=LARGE)
    repository.save()
    repository.delete("HEAD")
    found = repository.du()
    assert found.sessions == () and found.held > 15_000
    repository.gc()
    assert repository.du().held == 0


@pytest.mark.slow
def test_five_hundred_sessions_take_a_moment(environment: Environment, tmp_path: Path) -> None:
    count = 500 if LONG else 12
    with open_repository(environment) as repository:
        for number in range(count):
            ref = f"refs/heads/s-{number:04}/main"
            grow(repository._store, ref, 8, bulk=True, native=f"claude/{number:04}")
        repository.gc()
        begun = time.monotonic()
        found = repository.du()
        took = time.monotonic() - begun
    assert len(found.sessions) == count
    assert took < 0.5 + 0.06 * count, f"{took:.1f} s for {count} sessions"
