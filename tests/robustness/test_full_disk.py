"""A file system of 20 MB that fills up in the middle of a save or of a gc; then it is freed."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.conftest import LONG
from tests.builders import Claude, a_uuid
from tests.robustness.conftest import Done, Shell, small_file_system
from tests.robustness.forking import Server
from tests.robustness.stages import QuickShell

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(600),
    pytest.mark.skipif(not LONG, reason="a small one stands in test_damage; this is for test-long"),
]
SMALL = 64 << 10
"""Bytes that may be left behind: folders, a hint."""


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """Where none can be mounted the test is skipped."""
    with small_file_system(tmp_path / "disk", "20m") as place:
        yield place


@pytest.fixture
def shell(tmp_path: Path, disk: Path) -> Iterator[Shell]:
    """A person whose data folder lies there; the agent's files do not."""
    server = Server()
    made = QuickShell(tmp_path / "person", server)
    data = made.home / ".local" / "share"
    data.parent.mkdir(parents=True)
    data.symlink_to(disk)
    yield made
    server.close()


def words(seed: int, length: int) -> str:
    """Text that a packer halves."""
    chance = random.Random(seed)
    return " ".join(f"word{chance.randrange(1 << 24):x}" for _ in range(length // 11))


def used(disk: Path) -> int:
    return shutil.disk_usage(disk).used


def assert_plain(done: Done) -> None:
    """A sentence about the disk and a hint; no bug."""
    assert done.code not in (0, 3), done
    assert done.err.startswith(b"error: ") and b"hint: " in done.err, done


def assert_readable(shell: Shell, session: Claude, known: list[str]) -> None:
    assert shell.history(session) == known
    for version in (known[0], known[len(known) // 2], known[-1]):
        target = shell.temporary / "old"
        shell.does("checkout", version, "--raw", str(target))
        assert session.data.startswith(target.read_bytes())
        target.unlink()
    for verb in (("log",), ("list",), ("show",), ("status",)):
        shell.does(*verb)


def test_saves_until_it_is_full_and_on_when_it_is_freed(shell: Shell, disk: Path) -> None:
    """A megabyte and a half more each time, as loose objects."""
    session = shell.session("start")
    shell.writes(session)
    shell.does("save")
    (disk / "others").write_bytes(bytes(12 << 20))
    for number in range(40):
        known, before = shell.history(session), used(disk)
        session.turn(f"turn {number}", words(number, 1500 << 10))
        shell.writes(session)
        done = shell("save", *(["--auto"] if number % 2 else []))
        if done.code:
            break
    assert number > 3
    assert_plain(done)
    assert used(disk) <= before + SMALL, "nothing big is left"
    assert shell.leftovers() == []
    assert_readable(shell, session, known)
    assert_plain(shell("save"))
    (disk / "others").unlink()
    shell.does("save")
    assert shell.raw() == session.data
    shell.is_sound()


def test_a_first_save_that_does_not_fit(shell: Shell, disk: Path) -> None:
    """Written as a pack, for which half of the room is not enough."""
    filler = disk / "filler"
    filler.write_bytes(bytes(14 << 20))
    kept = shell.session("start", session_id=a_uuid("kept"))
    shell.writes(kept)
    shell.does("save", kept.session_id)
    before, session = used(disk), shell.session()
    for number in range(6):
        session.turn(f"turn {number}", words(number, 3000 << 10))
    shell.writes(session)
    assert_plain(shell("save", session.session_id))
    assert used(disk) <= before + SMALL
    assert shell.leftovers() == []
    assert shell.raw(kept.session_id) == kept.data
    shell.is_sound()
    filler.unlink()
    shell.does("save", session.session_id)
    assert shell.raw(session.session_id) == session.data
    shell.is_sound()


@pytest.mark.parametrize("free", [0, 100 << 10, 2 << 20])
def test_a_gc_that_does_not_fit(shell: Shell, disk: Path, free: int) -> None:
    """Packing needs room for the new pack before the old one goes."""
    session = shell.session("start")
    shell.writes(session)
    shell.does("save")
    for number in range(5):
        session.turn(f"turn {number}", words(number, 1200 << 10))
        shell.writes(session)
        shell.does("save", "--auto")
    shell.does("tag", "why")
    known = shell.history(session)
    filler = disk / "filler"
    filler.write_bytes(os.urandom(max(0, shutil.disk_usage(disk).free - free)))
    before = used(disk)
    assert_plain(shell("gc", "--yes"))
    assert used(disk) <= before + SMALL, "nothing big is left"
    assert_readable(shell, session, known)
    assert_plain(shell("gc", "--keep-last", "2", "--yes"))
    assert used(disk) <= before + SMALL
    # Whether it came to the thinning or not, a whole chain is there.
    assert_readable(shell, session, shell.history(session))
    filler.unlink()
    shell.does("gc", "--yes")
    assert_readable(shell, session, shell.history(session))
    shell.writes(session.turn("after"))
    shell.does("save")
    assert shell.raw() == session.data
    assert shell.leftovers() == []
    shell.is_sound()
