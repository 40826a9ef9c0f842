"""Start-up of the fast commands compared with bare Python, over a store of many sessions."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from bench.generate import Generator, session
from bench.measure import GITSESSION, Figure, compare, environment, ms, table

SESSIONS = 200
BYTES = 120_000


def prepare(home: Path, project: Path) -> None:
    """Make a HOME with many saved sessions of one project."""
    for seed in range(SESSIONS):
        path = Generator(seed, str(project)).path(home)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(session(seed, BYTES, str(project))))
    subprocess.run(
        [GITSESSION, "save", "--all"], env=environment(home), cwd=project, check=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip


def main(scratch: Path, times: int = 15) -> str:
    home, project = scratch / "home", scratch / "demo"
    home.mkdir(parents=True)
    project.mkdir()
    prepare(home, project)
    words = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "gitsession --help": [GITSESSION, "--help"],
        "gitsession list": [GITSESSION, "list"],
        "gitsession list --all": [GITSESSION, "list", "--all"],
        "gitsession log -n 50 @1": [GITSESSION, "log", "-n", "50", "@1"],
    }
    figures = compare(
        {name: (lambda _, command=command: command) for name, command in words.items()},
        home, project, times,
    )  # fmt: skip
    bare = figures["python -c pass"].cpu
    rows = [_row(name, figure, bare) for name, figure in figures.items()]
    title = f"Start-up, {SESSIONS} sessions (CPU with children, median of {times})"
    return table(title, ("command", "CPU", "× bare Python"), rows)


def _row(name: str, figure: Figure, bare: float) -> tuple[str, str, str]:
    return f"`{name}`", ms(figure.cpu), f"{figure.cpu / bare:.1f}"
