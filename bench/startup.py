"""Start-up of the fast commands against bare Python, over a store of many sessions."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from bench.generate import session
from bench.measure import GITSESSION, Figure, compare, environment, ms, table

SESSIONS = 200
BYTES = 120_000


def prepare(home: Path, project: Path) -> None:
    """A HOME with many saved sessions of one project."""
    folder = home / ".claude" / "projects" / _folder_name(str(project))
    folder.mkdir(parents=True)
    for seed in range(SESSIONS):
        lines = list(session(seed, BYTES, str(project)))
        (folder / f"{_session_id(lines)}.jsonl").write_bytes(b"".join(lines))
    subprocess.run(
        [GITSESSION, "save", "--all"], env=environment(home), cwd=project, check=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip


def _session_id(lines: Sequence[bytes]) -> str:
    marker = b'"sessionId":"'
    start = lines[0].index(marker) + len(marker)
    return lines[0][start : start + 36].decode()


def _folder_name(path: str) -> str:
    return "".join(letter if letter.isalnum() and letter.isascii() else "-" for letter in path)


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
