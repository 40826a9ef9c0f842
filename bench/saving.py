"""Save one more turn of short and long sessions, compared with `git add && git commit` of the
file."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from bench.generate import Generator
from bench.measure import GITSESSION, Figure, environment, median, ms, run, table

SIZES = (1_000_000, 13_000_000, 100_000_000)
LARGE = 1_000_000_000


class Growing:
    """A native session file that grows by whole turns, saved once at its first size."""

    def __init__(self, scratch: Path, size: int) -> None:
        self.home, self.project = scratch / "home", scratch / "demo"
        self.home.mkdir(parents=True)
        self.project.mkdir()
        self._generator = Generator(size, str(self.project))
        self.path = self._generator.path(self.home)
        self.path.parent.mkdir(parents=True)
        self._append_until(size)
        self.first = self.save()

    def _append_until(self, size: int) -> None:
        with self.path.open("ab") as stream:
            while stream.tell() < size:
                stream.writelines(self._generator.turn())

    def turn(self) -> int:
        """Append one more turn; return its bytes."""
        before = self.path.stat().st_size
        with self.path.open("ab") as stream:
            stream.writelines(self._generator.turn())
        return self.path.stat().st_size - before

    def save(self) -> Figure:
        return run([GITSESSION, "save"], self.home, self.project)


def _git(home: Path, cwd: Path, *words: str) -> Figure:
    identity = ["-c", "user.name=bench", "-c", "user.email=bench@localhost"]
    return run(["git", *identity, *words], home, cwd)


def plain_git(scratch: Path, growing: Growing, times: int) -> Figure:
    """Measure what a person would do instead: the transcript in a repository, one commit per
    turn."""
    work = scratch / "plain"
    work.mkdir()
    subprocess.run(["git", "init", "-q"], cwd=work, env=environment(growing.home), check=True)
    copy = work / "session.jsonl"
    copy.write_bytes(growing.path.read_bytes())
    _git(growing.home, work, "add", ".")
    _git(growing.home, work, "commit", "-qm", "first")
    figures = []
    for number in range(times):
        growing.turn()
        copy.write_bytes(growing.path.read_bytes())
        added = _git(growing.home, work, "add", ".")
        committed = _git(growing.home, work, "commit", "-qm", f"turn {number}")
        cpu, wall = added.cpu + committed.cpu, added.wall + committed.wall
        figures.append(Figure(cpu, wall, max(added.memory, committed.memory)))
    return median(figures)


def main(scratch: Path, sizes: Sequence[int] = SIZES, times: int = 7) -> str:
    rows = []
    for size in sizes:
        growing = Growing(scratch / str(size), size)
        saves = []
        for _ in range(times):
            growing.turn()
            saves.append(growing.save())
        ours = median(saves)
        plain = plain_git(scratch / str(size), growing, times)
        rows.append(
            (
                f"{size / 1e6:.0f} MB",
                f"{growing.first.wall:.1f} s, {growing.first.memory:.0f} MB",
                f"{ms(ours.wall)} / {ms(ours.cpu)}",
                f"{ours.memory:.0f} MB",
                f"{ms(plain.wall)} / {ms(plain.cpu)}",
                f"{ours.wall / plain.wall:.2f} / {ours.cpu / plain.cpu:.2f}",
            )
        )
    columns = (
        "session", "first save", "one more turn (wall / CPU)", "memory",
        "`git add` + `git commit` of the file", "ratio",
    )  # fmt: skip
    return table(f"Saving one more turn (median of {times})", columns, rows)
