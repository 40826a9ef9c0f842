"""`save --all` on a machine full of sessions: speed, memory of all processes, a kill half-way."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

from bench.generate import Generator
from bench.measure import GITSESSION, environment, folder_bytes, table
from bench.others import Codex, Gemini, Pi
from bench.secrets import MARK, secret
from bench.watching import Watched, watch

SESSIONS = 500
BYTES = 2_000_000_000
_KINDS = (Generator, Codex, Generator, Pi, Codex, Generator, Gemini)
_PROJECTS = 20


def sizes(sessions: int, total: int) -> list[int]:
    """Return sizes as on a real machine: the median far below the mean, some very large."""
    chance = random.Random(sessions)
    drawn = [chance.lognormvariate(0, 1.3) for _ in range(sessions)]
    return [int(each * total / sum(drawn)) for each in drawn]


def prepare(scratch: Path, sessions: int, total: int) -> int:
    """Make a HOME with sessions of four agents, a secret in each, and one damaged file; return the
    total number of bytes."""
    home, written = scratch / "home", 0
    for number, size in enumerate(sizes(sessions, total)):
        project = scratch / f"project-{number % _PROJECTS}"
        project.mkdir(parents=True, exist_ok=True)
        session = _KINDS[number % len(_KINDS)](number, str(project))
        session.planted = [secret(number)]
        path = session.path(home)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as stream:
            while stream.tell() < size:
                stream.writelines(session.turn())
            written += stream.tell()
    damaged = Codex(sessions, str(scratch)).path(home)
    damaged.with_suffix(".jsonl.zst").write_bytes(b"\x28\xb5\x2f\xfd damaged")
    return written


def main(scratch: Path, sessions: int = SESSIONS, total: int = BYTES) -> str:
    written = prepare(scratch, sessions, total)
    home, cwd = scratch / "home", scratch / "project-0"
    command = [GITSESSION, "save", "--all"]
    store = home / ".local" / "share" / "gitsession" / "store.git"
    killed = watch(command, home, cwd, until=_has(store, sessions // 3))
    heads = _heads(store, home)
    again = watch(command, home, cwd)
    both = Watched(killed.wall + again.wall, killed.cpu + again.cpu,
                   max(killed.memory, again.memory), again.code)  # fmt: skip
    rows = [
        _row("killed after a third of the sessions", killed, 0, heads),
        _row("run again, to the end", again, 0, _state(store, home)),
        _row("both together", both, written, ""),
        _row("once more, nothing new", watch(command, home, cwd), 0, ""),
    ]
    title = f"`save --all`: {sessions} sessions, {written / 1e6:,.0f} MB, and one that is damaged"
    columns = ("run", "wall / CPU", "MB/s", "memory of all processes", "exit", "afterwards")
    return table(title, columns, rows)


def _row(name: str, run: Watched, written: int, state: str) -> tuple[str, ...]:
    megabytes = written / 1e6
    speed = f"{megabytes / run.wall:.1f}, {megabytes / run.cpu:.1f} per CPU" if written else ""
    return (name, f"{run.wall:.1f} s / {run.cpu:.1f} s", speed, f"{run.memory:.0f} MB",
            str(run.code), state)  # fmt: skip


def _has(store: Path, sessions: int) -> Callable[[], bool]:
    log = store / "gitsession" / "oplog.jsonl"
    return lambda: log.exists() and log.read_bytes().count(b"\n") >= sessions


def _state(store: Path, home: Path) -> str:
    fsck = subprocess.run(
        ["git", "-C", str(store), "fsck", "--full", "--strict", "--no-dangling", "--no-progress"],
        env=environment(home), capture_output=True, check=False,
    )  # fmt: skip
    found = sum(chunk.count(MARK.encode()) for chunk in _objects(store, home))
    sound = "fsck clean" if fsck.returncode == 0 else "fsck finds faults"
    size = f"{folder_bytes(store) / 1e6:,.0f} MB"
    return f"{_heads(store, home)}, {sound}, {found} secrets, {size}"


def _heads(store: Path, home: Path) -> str:
    names = subprocess.run(
        ["git", "-C", str(store), "for-each-ref", "--format=%(refname)", "refs/heads"],
        env=environment(home), capture_output=True, check=True,
    )  # fmt: skip
    return f"{len(names.stdout.splitlines())} sessions"


def _objects(store: Path, home: Path) -> Iterator[bytes]:
    """Yield the contents of all objects, in overlapping pieces."""
    process = subprocess.Popen(
        ["git", "-C", str(store), "cat-file", "--batch", "--batch-all-objects", "--unordered"],
        env=environment(home), stdout=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    rest = b""
    with process.stdout as stream:
        while chunk := stream.read(1 << 22):
            yield rest + chunk
            rest = chunk[-(len(MARK) - 1) :]
    process.wait()
