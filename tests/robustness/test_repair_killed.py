"""A repair that is killed is simply run again: nothing is lost on the way."""

from __future__ import annotations

import random
import shutil
import time

import pytest

from tests.acceptance.conftest import LONG
from tests.robustness.conftest import Shell
from tests.robustness.test_damage import flip

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1500)]


@pytest.mark.parametrize("packed", [False, True], ids=["loose", "packed"])
def test_killed_at_random_moments_of_a_repair(shell: Shell, packed: bool) -> None:
    session = shell.session("one", "two", "three")
    shell.writes(session)
    shell.does("save")
    if packed:
        shell.git("repack", "-adq")
        (victim,) = (shell.store / "objects/pack").glob("*.pack")
    else:
        tip = shell.git("rev-parse", f"{shell.history(session)[-1]}^{{tree}}").strip()
        victim = shell.store / "objects" / tip[:2] / tip[2:]
    flip(victim, 0.5)
    flip(shell.store / "config", 0.5)
    whole = shell.store.parent / "whole"
    shutil.copytree(shell.store, whole)
    begun = time.monotonic()
    assert shell("fsck", "--repair").code == 0
    took = time.monotonic() - begun
    chance = random.Random(5)
    for _ in range(12 if LONG else 2):
        shutil.rmtree(shell.store)
        shutil.copytree(whole, shell.store)
        process = shell.starts("fsck", "--repair")
        time.sleep(chance.uniform(0.2, 0.9) * took)
        process.kill()
        process.communicate()
        done = shell("fsck", "--repair")
        assert done.code == 0, done
        shell.is_sound()
        assert shell.raw() == session.data
        shell.writes(session)
        shell.does("save")
        assert shell.leftovers() == []
