"""What a power cut takes, by `save.durability`: `safe` nothing that was said to be saved, `fast`
perhaps the last versions, which `fsck` names; older ones never.

The cut is made by hand: a save is killed before one of its calls, and what it had written without
syncing it is taken away. Names are kept, as a file system with a journal keeps their order.
"""

from __future__ import annotations

import signal
from collections import Counter

import pytest

from tests.acceptance.conftest import LONG
from tests.robustness.forking import can_interpose
from tests.robustness.stages import Stage, staged

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(1500),
    pytest.mark.skipif(not can_interpose(), reason="needs Linux and gcc"),
]


def kinds(stage: Stage) -> Counter[str]:
    """What the calls of a run were about, by what they did and to which files."""
    assert stage.killer
    found: Counter[str] = Counter()
    for word, path, other in stage.killer.calls():
        inside = (other or path).split("/store.git/")[-1]
        found[f"{word} {inside.split('/')[0]}"] += 1
    return found


def test_which_calls_each_mode_syncs() -> None:
    """`fast` none in an everyday save; `safe` every object, every ref, the journal, the log, and
    the records that the save leaves."""
    with staged("save") as stage:
        assert stage.dies(0).code == 0
        fast = kinds(stage)
    with staged("save, durable") as stage:
        assert stage.dies(0).code == 0
        safe = kinds(stage)
    print(f"fast {dict(fast)}\nsafe {dict(safe)}")
    assert not [name for name in fast if name.startswith("sync")]
    assert safe["sync objects"] == safe["rename objects"]
    assert safe["sync refs"] == safe["rename refs"]
    assert safe["sync gitsession"] >= 3
    for name in fast:
        # Which folders are missing depends on the ids.
        assert fast[name] == safe[name] or name.startswith("mkdir"), "the rest is the same"


@pytest.mark.parametrize("name", ["save, durable", "first save, durable"])
def test_safe_loses_nothing_at_any_moment(name: str) -> None:
    with staged(name) as stage:
        assert stage.dies(0).code == 0
        calls = stage.calls
        for at in range(1, calls + 2, 2 if LONG else 17):
            stage.back()
            assert stage.dies(at).code in (-signal.SIGKILL, 0)
            stage.lose_power()
            stage.survived()


def test_safe_keeps_what_was_said_to_be_saved() -> None:
    with staged("save, durable") as stage:
        assert stage.dies(0).code == 0
        stage.lose_power()
        assert len(stage.shell.history(stage.session)) == len(stage.known) + 1
        assert stage.shell.raw() == stage.session.data, "and HEAD is where it was"
        stage.goes_on()


def test_fast_loses_the_last_version_at_most() -> None:
    """fsck names it, versions from before are there by id, fsck --repair and the next save bring
    everything back from the agent's file."""
    with staged("save") as stage:
        shell, session = stage.shell, stage.session
        assert stage.dies(0).code == 0
        calls = stage.calls
        for at in range(1, calls + 2, 5 if LONG else 40):
            stage.back()
            stage.dies(at)
            stage.lose_power()
            done = shell("fsck")
            assert done.code in (0, 1) and done.out.strip(), done
            for version in stage.known:
                target = shell.temporary / "old"
                shell.does("checkout", version, "--raw", str(target))
                assert session.data.startswith(target.read_bytes())
                target.unlink()
            shell.does("fsck", "--repair")
            shell.does("save")
            assert len(shell.history(session)) == len(stage.known) + 1
            stage.goes_on()
