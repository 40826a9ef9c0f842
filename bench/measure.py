"""Whole processes, measured by the kernel: CPU time with children, wall time, peak memory."""

from __future__ import annotations

import contextlib
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

GITSESSION = str(Path(sys.executable).parent / "gitsession")


@dataclass(frozen=True)
class Figure:
    """Medians over the runs: seconds of CPU and wall time, MB of the largest process."""

    cpu: float
    wall: float
    memory: float


def environment(home: Path) -> dict[str, str]:
    """Return the environment of a user with nothing but this HOME."""
    path = os.environ.get("PATH", os.defpath)
    return {"HOME": str(home), "PATH": path, "TZ": "UTC", "LANG": "C.UTF-8"}


def run(command: Sequence[str], home: Path, cwd: Path, told: bytes = b"") -> Figure:
    """Run a command once with `told` on standard input (less than a pipe holds). Raises
    CalledProcessError if the command fails."""
    started = time.perf_counter()
    process = subprocess.Popen(
        command,
        env=environment(home),
        cwd=cwd,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None and process.stderr is not None
    with contextlib.suppress(BrokenPipeError), process.stdin as stream:
        stream.write(told)
    error = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stderr.close()
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, list(command), stderr=error)
    wall = time.perf_counter() - started
    return Figure(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024)


def median(runs: Sequence[Figure]) -> Figure:
    return Figure(
        statistics.median(one.cpu for one in runs),
        statistics.median(one.wall for one in runs),
        max(one.memory for one in runs),
    )


def compare(
    commands: dict[str, Callable[[int], Sequence[str]]], home: Path, cwd: Path, times: int
) -> dict[str, Figure]:
    """Run each command `times` times, interleaved, so that a busy machine affects all of them.

    A command is a function of the run's number (0 …), which may also prepare the run.
    """
    runs: dict[str, list[Figure]] = {name: [] for name in commands}
    for number in range(times):
        for name, make in commands.items():
            runs[name].append(run(make(number), home, cwd))
    return {name: median(figures) for name, figures in runs.items()}


def table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table under a heading."""
    lines = [f"### {title}", "", "| " + " | ".join(columns) + " |"]
    lines.append("|" + "---|" * len(columns))
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def ms(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms"


def folder_bytes(folder: Path) -> int:
    """Return the sum of the sizes of all files below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
