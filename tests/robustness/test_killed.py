"""Law 7: killed anywhere, the store is sound, and the next run goes on without anybody's help."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Iterator

import pytest

from tests.acceptance.conftest import LONG
from tests.robustness.forking import can_interpose
from tests.robustness.stages import ACTS, Stage, staged

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1500)]

RANDOM = {"save": 100, "save as a pack": 25, "save by two": 25, "first save": 50, "gc": 60,
          "gc that thins": 60, "push": 60, "scrub": 60, "checkout": 60}  # fmt: skip
"""How often each verb dies at a random moment: 500 times in all."""

EVERY = {"save": 1, "save that renames": 1, "save, durable": 1, "checkout": 1,
         "first save": 3, "save as a pack": 3, "save by two": 3, "gc": 6,
         "gc that thins": 7, "push": 6, "scrub": 6}  # fmt: skip
"""Before which of the calls that change a file it dies: all, or every so many-th."""

needs_gcc = pytest.mark.skipif(not can_interpose(), reason="needs Linux and gcc")


@pytest.mark.parametrize("name", RANDOM if LONG else ["save", "save by two", "push"])
def test_killed_at_random_moments(name: str) -> None:
    """Every other time the programs that it started die with it, else they go on alone."""
    assert sum(RANDOM.values()) == 500
    chance = random.Random(name)
    wanted = RANDOM[name] if LONG else 3
    with staged(name, killing=False) as stage:
        took = min(played(stage))
        died = lived = 0
        while died < wanted and lived < 20 + 4 * wanted:
            stage.back()
            pid = stage.start()
            time.sleep(chance.uniform(0.0, 1.0) * took)
            kill(pid, group=bool(died % 2))
            dead = stage.shell.server.wait(pid).code == -signal.SIGKILL
            all_ended(pid)
            if dead:
                died += 1
                stage.survived()
            else:
                lived += 1  # it was faster this time
        print(f"{name}: {died} died at their work, which takes {took:.3f} s")
    assert died == wanted


def played(stage: Stage) -> Iterator[float]:
    for _ in range(3):
        stage.back()
        ended, took = stage.plays()
        assert ended.code == 0, ended
        yield took


def kill(pid: int, group: bool) -> None:
    try:
        (os.killpg if group else os.kill)(pid, signal.SIGKILL)
    except ProcessLookupError:  # so young that it has no group yet
        os.kill(pid, signal.SIGKILL)


def all_ended(group: int) -> None:
    """What the dead one had started may still be at work."""
    end = time.monotonic() + 20
    while time.monotonic() < end:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        time.sleep(0.005)


@needs_gcc
@pytest.mark.parametrize("name", EVERY if LONG else ["save", "save by two", "gc"])
def test_killed_right_before_each_change_of_the_file_system(name: str) -> None:
    """Every call that makes, writes, syncs, renames, links or removes a file, also those of the git
    programs that it starts."""
    assert set(EVERY) < set(ACTS)
    step = EVERY[name] if LONG else 19
    with staged(name) as stage:
        assert stage.dies(0).code == 0
        calls, died = stage.calls, 0
        assert calls > 15
        for at in range(1, calls + 1, step):
            stage.back()
            ended = stage.dies(at)
            # The last calls are not the same number every time: then it was through before.
            assert ended.code in (-signal.SIGKILL, 0), (at, ended)
            died += ended.code != 0
            stage.survived()
        print(f"{name}: {calls} calls, killed before {died} of them")
    assert died >= (calls // step) * 3 // 4
