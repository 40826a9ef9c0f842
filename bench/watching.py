"""A command and all processes below it, watched while they run, for their memory together."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.measure import environment

_EVERY = 0.05
_PAGE = os.sysconf("SC_PAGE_SIZE")
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Watched:
    """Seconds of wall time and of CPU (with children), MB of all processes together at the peak
    (memory they share counts for each), and the exit code."""

    wall: float
    cpu: float
    memory: float
    code: int


def watch(
    command: Sequence[str], home: Path, cwd: Path, until: Callable[[], bool] = lambda: False
) -> Watched:
    """Run a command to its end, or kill all of it with SIGKILL as soon as `until` returns true."""
    started, before = time.perf_counter(), _children_cpu()
    process = subprocess.Popen(
        command, env=environment(home), cwd=cwd, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    worst, used = 0.0, dict[int, float]()
    while process.poll() is None:
        worst = max(worst, _look(process.pid, used))
        if until():
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        time.sleep(_EVERY)
    wall = time.perf_counter() - started
    # Children of a killed process are no longer counted by the kernel; for them the last values
    # seen count.
    cpu = max(_children_cpu() - before, sum(used.values()))
    return Watched(wall, cpu, worst, process.returncode)


def _children_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _look(session: int, used: dict[int, float]) -> float:
    """Return the MB of all processes of a session: those that the command started, directly or not.
    Their CPU seconds so far go into `used`."""
    total = 0
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
                if int(fields[3]) == session:
                    total += int((folder / "statm").read_text().split()[1]) * _PAGE
                    used[int(folder.name)] = (int(fields[11]) + int(fields[12])) / _TICKS
            except OSError:
                continue  # it has ended
    return total / 1e6
