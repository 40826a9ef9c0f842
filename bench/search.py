"""`search` in a store of many messages: the first one, which makes the index, and later ones,
compared with what a user would do without it: `grep` through the agents' files."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.generate import Generator
from bench.measure import GITSESSION, compare, environment, folder_bytes, ms, run, table

MESSAGES = 100_000
_TURNS = 200
"""The turns of a session: about a thousand messages."""
_RARE = "xylophonic"
_QUESTIONS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("a rare word", (_RARE,)),
    ("a word of every second message", ("budget",)),
    ("two such words", ("budget", "timeout")),
    ("a phrase", ("the parser reads",)),
    ("a part of a word", ("ylophon",)),
    ("letter by letter", (_RARE, "--exact")),
    ("a slip", ("xylophnoic",)),
    ("two Chinese characters", ("缓存",)),
    ("nothing has it", ("qqqqzzzz",)),
)
_TIMES = 5


class _Talking(Generator):
    """One turn in a hundred contains a rare word."""

    def __init__(self, seed: int, project: str) -> None:
        super().__init__(seed, project)
        self.turns = 0

    def turn(self) -> Iterator[bytes]:
        self.turns += 1
        if self.turns % 100 == 50:
            yield self._user(f"the {_RARE} module once more, its 缓存 too")
            yield self._assistant({"type": "text", "text": "It is as it was."}, "end_turn")
        yield from super().turn()


def main(scratch: Path, samples: Path, messages: int = MESSAGES) -> str:
    """Return tables for generated sessions, and the size of the index of real ones."""
    home, cwd = scratch / "home", scratch / "project-0"
    written, seed = 0, 0
    while seed * _TURNS * 5 < messages:
        written += _write(home, scratch, seed)
        seed += 1
    run([GITSESSION, "save", "--all"], home, cwd)
    first = run([GITSESSION, "search", _RARE, "--all"], home, cwd)
    count, text, size = _index(home)
    title = f"`search` in {seed} sessions, {count:,} messages, {text / 1e6:,.0f} MB of text"
    speed = f"{text / 1e6 / first.cpu:.1f} MB of text/s"
    rows = [
        ("the first, which makes the index", f"{first.wall:.0f} s / {first.cpu:.0f} s, {speed}",
         "", ""),
        ("the index on disk", f"{size / 1e6:,.0f} MB, {size / text:.2f} × the text", "", ""),
    ]  # fmt: skip
    rows += [_row(name, words, home, cwd) for name, words in _QUESTIONS]
    columns = ("what", "wall / CPU", "hits", "`grep -rcF` of the files")
    said = table(title, columns, rows)
    return said + "\n" + _real(scratch / "real", samples) if samples.is_dir() else said


def _write(home: Path, scratch: Path, seed: int) -> int:
    project = scratch / f"project-{seed % 20}"
    project.mkdir(parents=True, exist_ok=True)
    session = _Talking(seed, str(project))
    path = session.path(home)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as stream:
        for _ in range(_TURNS):
            stream.writelines(session.turn())
        return stream.tell()


def _row(name: str, words: Sequence[str], home: Path, cwd: Path) -> tuple[str, ...]:
    pattern, files = words[0], str(home / ".claude")
    case = () if "--exact" in words else ("-i",)
    figures = compare(
        {
            "search": lambda _: _or_nothing([GITSESSION, "search", *words, "--all"]),
            "grep": lambda _: _through_a_pipe(["grep", "-rcF", *case, pattern, files]),
        },
        home, cwd, _TIMES,
    )  # fmt: skip
    done = subprocess.run(
        [GITSESSION, "search", *words, "--all", "--json"], env=environment(home), cwd=cwd,
        capture_output=True, check=False,
    )  # fmt: skip
    total = json.loads(done.stdout)["answer"]["total"]
    ours, theirs = figures["search"], figures["grep"]
    return (name, f"{ms(ours.wall)} / {ms(ours.cpu)}", f"{total:,}",
            f"{ms(theirs.wall)} / {ms(theirs.cpu)}")  # fmt: skip


def _through_a_pipe(command: Sequence[str]) -> Sequence[str]:
    """Pipe the output: `grep` stops at the first line if its output goes nowhere."""
    return ["sh", "-c", '"$@" | cat >/dev/null', "sh", *command]


def _or_nothing(command: Sequence[str]) -> Sequence[str]:
    """Return the command with a successful exit code even if nothing was found."""
    return ["sh", "-c", '"$@" >/dev/null 2>&1 || [ $? -eq 1 ]', "sh", *command]


def _index(home: Path) -> tuple[int, int, int]:
    """Return the number of messages, the bytes of their texts (each once), and the bytes on
    disk."""
    folder = home / ".cache" / "gitsession" / "search"
    (path,) = folder.glob("*.db")
    connection = sqlite3.connect(path)
    (count,) = connection.execute("SELECT COUNT(*) FROM message").fetchone()
    text = sum(len(zlib.decompress(row[0])) for row in connection.execute("SELECT text FROM doc"))
    connection.close()
    return count, text, folder_bytes(folder)


def _real(scratch: Path, samples: Path) -> str:
    home, cwd = scratch / "home", scratch / "demo"
    home.mkdir(parents=True)
    cwd.mkdir()
    for agent in ("claude", "codex", "gemini", "pi"):
        for path in sorted((samples.resolve() / agent).rglob("*.json*")):
            if "seq-" not in str(path):
                command = _or_fails([GITSESSION, "import", str(path)])
                run(command, home, cwd)
    first = run(_or_nothing([GITSESSION, "search", "the", "--all"]), home, cwd)
    count, text, size = _index(home)
    row = (f"{count:,}", f"{text / 1e6:.1f} MB", f"{first.cpu:.1f} s", f"{size / text:.2f} ×")
    return table("`search` in real sessions", ("messages", "text", "first search", "index"), [row])


def _or_fails(command: Sequence[str]) -> Sequence[str]:
    """Return the command, allowed to fail: not every sample is a session."""
    return ["sh", "-c", '"$@" >/dev/null 2>&1 || true', "sh", *command]
