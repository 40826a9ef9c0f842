"""Laws 7 and 9: a flipped byte anywhere, a disk that is full or read-only: said, survived."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.conftest import LONG
from tests.builders import Claude, a_uuid
from tests.robustness.conftest import Done, Shell, small_file_system

pytestmark = pytest.mark.timeout(1500)

OTHER = a_uuid("other")
READS = (("log",), ("list", "--all"), ("show",), ("status",), ("diff", "HEAD~1"))


def two_sessions(shell: Shell) -> tuple[Claude, Claude]:
    """Two saved sessions with tags, a branch, findings, a wip: every kind of file is there."""
    victim, other = shell.session("one", "two"), shell.session("uno", session_id=OTHER)
    victim.bash("env", "GH=" + "gh" + "p_" + "Ab3dEf6hIj" * 3 + "Kl2mNo\n")
    victim.say("there it is")
    for session in (other, victim):
        shell.writes(session)
        shell.does("save", session.session_id)
    shell.does("tag", "why", "-m", "a reason")
    shell.does("branch", "aside")
    shell.does("list")
    shell.writes(victim.turn("three"))
    victim.prompt("unfinished")
    shell.writes(victim)
    shell.does("save", "--auto")
    return victim, other


def kinds_of_files(store: Path) -> dict[str, Path]:
    """One file of each kind: by folder, loose objects by what they are."""
    found: dict[str, Path] = {}
    for path in sorted(store.rglob("*")):
        if not path.is_file() or path.stat().st_size == 0:
            continue
        inside = path.relative_to(store).parts
        if inside[0] == "objects" and len(inside[1]) == 2:
            kind = subprocess.run(
                ["git", "-C", str(store), "cat-file", "-t", inside[1] + inside[2]],
                capture_output=True,
                text=True,
                check=True,
            ).stdout.strip()
            found.setdefault(f"object {kind}", path)
        else:
            name = path.suffix if inside[0] == "objects" else "/".join(inside[:2])
            found.setdefault(name, path)
    return found


def flip(path: Path, at: float) -> None:
    """One byte turned over, at a part of the file's length."""
    data = bytearray(path.read_bytes())
    data[min(int(len(data) * at), len(data) - 1)] ^= 0xFF
    path.chmod(0o600)
    path.write_bytes(bytes(data))


PARTS = (0.0, 0.3, 0.55, 0.99) if LONG else (0.55,)


@pytest.mark.slow
@pytest.mark.parametrize("packed", [False, True], ids=["loose", "packed"])
def test_one_flipped_byte_in_each_kind_of_file(tmp_path: Path, packed: bool) -> None:
    """Objects, indexes, refs, settings, hooks, records, logs: each is named by fsck. Never a
    traceback (the shell looks for it), never a bug, and the other session stays readable."""
    whole = Shell(tmp_path / "whole")
    _, other = two_sessions(whole)
    if packed:
        whole.git("pack-refs", "--all")
        whole.git("repack", "-a", "-d", "-q")
    files = kinds_of_files(whole.store)
    assert len(files) > 12
    shell = Shell(tmp_path / "person")
    for kind, path in list(files.items())[:: 1 if LONG else 3]:
        for part in PARTS:
            shutil.rmtree(shell.store.parent, ignore_errors=True)
            shutil.copytree(whole.home, shell.home, dirs_exist_ok=True)
            shell.project = whole.project
            flip(shell.store / path.relative_to(whole.store), part)
            check_damaged(shell, kind, other)


def check_damaged(shell: Shell, kind: str, other: Claude) -> None:
    done = shell("fsck")  # first: a read may write a damaged hint anew
    hint = kind.startswith("gitsession/") and kind != "gitsession/format"
    assert done.code == (17 if kind == "gitsession/format" else 1), (kind, done)
    assert done.said.strip(), kind
    for verb in READS:
        answer = shell(*verb)
        assert answer.code in (0, 1, 10, 12, 17), (kind, verb, answer)
    saved = shell("save")
    assert saved.code in (0, 12, 13, 16, 17), (kind, saved)
    if kind.startswith("object") or hint:
        target = shell.temporary / "other"
        read = shell("checkout", other.session_id, "--raw", str(target))
        usable = read.code == 0 and target.read_bytes() == other.data
        broken = target.unlink() if target.exists() else None
        assert usable or (read.code in (12, 17) and shared(done, read)), (kind, read, broken)


def shared(checked: Done, read: Done) -> bool:
    """Whether what the other session lacks was named by the check."""
    return checked.code == 1 and b"error: " in read.err


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 3 MB; where none can be mounted the test is skipped."""
    with small_file_system(tmp_path / "disk", "3m") as place:
        yield place


def on_disk(shell: Shell, disk: Path) -> None:
    data = shell.home / ".local" / "share"
    data.parent.mkdir(parents=True, exist_ok=True)
    data.symlink_to(disk)


def assert_refused(done: Done) -> None:
    """A sentence and a hint, no bug."""
    assert done.code not in (0, 3), done
    assert done.err.startswith(b"error: ") and b"hint: " in done.err, done
    assert b"bug" not in done.err


def test_a_full_disk(shell: Shell, small_disk: Path) -> None:
    """It fills up in the middle of a save, loose or as a pack; freed, everything goes on."""
    on_disk(shell, small_disk)
    session = shell.session("start", "on")
    shell.writes(session)
    shell.does("save")
    known = shell.history(session)
    filler = small_disk / "filler"
    for left in (0, 4 << 10, 100 << 10):
        free = shutil.disk_usage(small_disk).free
        filler.write_bytes(os.urandom(max(0, free - left)))
        size = (150 << 10) if left != 100 << 10 else (700 << 10)
        session.turn(f"much {left}", os.urandom(size).hex())
        shell.writes(session)
        assert_refused(shell("save"))
        assert shell.history(session) == known
        for verb in READS:
            done = shell(*verb)
            assert done.code == 0, (left, verb, done)
        assert shell.leftovers() == []
        filler.unlink()
    shell.does("save")
    assert shell.raw() == session.data
    shell.is_sound()


def test_a_full_disk_at_the_very_first_save(shell: Shell, small_disk: Path) -> None:
    on_disk(shell, small_disk)
    session = shell.session("start")
    shell.writes(session)
    filler = small_disk / "filler"
    for left in (0, 4 << 10, 24 << 10, 60 << 10):
        filler.write_bytes(os.urandom(max(0, shutil.disk_usage(small_disk).free - left)))
        done = shell("save")
        if done.code:
            assert_refused(done)
        filler.unlink()
    shell.does("save")
    assert shell.raw() == session.data
    shell.is_sound()
    assert shell.leftovers() == []


def test_a_limit_on_the_size_of_files(shell: Shell) -> None:
    """Without a mount: the kernel refuses to let any file grow beyond a limit."""
    session = shell.session("start")
    shell.writes(session)
    shell.does("save")
    known = shell.history(session)
    shell.writes(session.turn("much", os.urandom(1 << 20).hex()))
    program = (
        "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000));"
        "from gitsession.cli.main import entry; entry()"
    )
    process = shell.starts("save", program=("python3", "-c", program))
    out, err = process.communicate()
    assert_refused(Done(process.returncode, out, err))
    assert shell.history(session) == known
    shell.does("save")
    assert shell.raw() == session.data
    assert shell.leftovers() == []
    shell.is_sound()


def test_a_read_only_store(shell: Shell, small_disk: Path) -> None:
    """Everything can be looked at, nothing changed, and that is said."""
    on_disk(shell, small_disk)
    session = shell.session("one", "two")
    shell.writes(session)
    shell.does("save")
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    shell.writes(session.turn("three"))
    for verb in (
        *READS,
        ("show", "HEAD~1"),
        ("branch",),
        ("tag",),
        ("oplog",),
        ("diff",),
        ("export", "HEAD", "--format", "md"),
    ):
        done = shell(*verb)
        assert done.code == 0, (verb, done)
    for verb in (
        ("save",),
        ("tag", "x"),
        ("branch", "y"),
        ("rename", "HEAD", "z"),
        ("undo",),
        ("checkout", "HEAD~1"),
        ("archive", "HEAD"),
        ("import", str(shell.path())),
    ):
        assert_refused(shell(*verb))
    assert len(list(shell.path().parent.glob("*.jsonl"))) == 1, "no native file was left behind"
    subprocess.run(["mount", "-o", "remount,rw", str(small_disk)], check=True)
    shell.does("save")
    assert shell.raw() == session.data
    shell.is_sound()


def test_no_space_for_temporary_files(shell: Shell, small_disk: Path) -> None:
    """TMPDIR is full: nothing of ours lies there, so nothing is lost."""
    (small_disk / "filler").write_bytes(os.urandom(shutil.disk_usage(small_disk).free))
    shell.temporary = small_disk
    session = shell.session("one")
    for size in (10, 1 << 20):
        session.turn(f"size {size}", os.urandom(size).hex())
        shell.writes(session)
        shell.does("save")
        for verb in READS:
            assert shell(*verb).code == 0, verb
    assert sorted(os.listdir(small_disk)) == ["filler"]
    shell.git("repack", "-d", "-q", "--geometric=2")
    shell.is_sound()
