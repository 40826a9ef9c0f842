"""The pages of the documentation as programs: shell sessions and Python blocks that must run.

A ```console block holds commands (`$ …`) with what they print; a line `[…]` stands for any number
of lines. GITSESSION_UPDATE_SNAPSHOTS=1 rewrites blocks that no longer match.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE = "docs/tutorial/example-session.jsonl"
NOW = 1_795_253_400
"""The clock of every page: a day after the example session."""
UPDATE = os.environ.get("GITSESSION_UPDATE_SNAPSHOTS") == "1"

_BLOCK = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_UUID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")
_ID = re.compile(r"\b[0-9a-f]{40}\b|\b[0-9a-f]{8}\b(?!-)|(?<=_)[0-9a-f]{8}(?=__)")
_DAY = re.compile(r"/\d{4}/\d\d/\d\d/")
_ROLLOUT = re.compile(r"rollout-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d")
"""Where Codex files a session made today."""
_GAP = re.compile(r"(?<=\S) {2,}")
"""Between the columns of a table, whose width follows rows that a page may leave out."""
_LAUNCHER = f"""#!{sys.executable}
import time
time.time = lambda: float({NOW})
from gitsession.cli.main import entry
entry()
"""


@dataclass(frozen=True)
class Block:
    """`place` is where its text stands in the page."""

    language: str
    note: str
    text: str
    place: tuple[int, int]


def blocks(page: str, language: str) -> list[Block]:
    """The fenced blocks of one language in a page, in order."""
    text = (ROOT / page).read_text(encoding="utf-8")
    found = [Block(m[1], m[2].strip(), m[3], m.span(3)) for m in _BLOCK.finditer(text)]
    return [block for block in found if block.language == language]


class Machine:
    """A machine with people on it: `/home/you`, `/home/ada` … and `/srv`, all below one folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / "srv" / "git").mkdir(parents=True)
        (root / "bin").mkdir()
        launcher = root / "bin" / "gitsession"
        launcher.write_text(_LAUNCHER)
        launcher.chmod(0o755)

    def home(self, person: str) -> Path:
        """The home folder of a person, who has a clone of this repository in it."""
        home = self.root / "home" / person
        tutorial = home / "gitsession" / EXAMPLE
        if not home.exists():
            tutorial.parent.mkdir(parents=True)
            tutorial.write_bytes((ROOT / EXAMPLE).read_bytes())
            folder = home / ".config" / "gitsession"
            folder.mkdir(parents=True, mode=0o700)
            (folder / "key").write_bytes(bytes(31) + person[:1].encode())  # ids are the same again
            (home / "gitsession" / "LICENSE").write_bytes((ROOT / "LICENSE").read_bytes())
        return home

    def real(self, text: str) -> str:
        """A text of a page with the paths that it means here."""
        return re.sub(r"(?<![\w/])/(home|srv)/", rf"{self.root}/\1/", text)

    def run(self, command: str, person: str = "you") -> str:
        """What a command prints, both streams, as this person's shell shows it."""
        home = self.home(person)
        variables = {
            "HOME": str(home),
            "PATH": f"{self.root / 'bin'}:{os.environ.get('PATH', os.defpath)}",
            "TZ": "UTC",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "PYTHONPATH": f"{home / 'site'}:{ROOT}",
        }
        done = subprocess.run(
            ["sh", "-c", self.real(command)],
            cwd=home / "gitsession", env=variables, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, timeout=60,
        )  # fmt: skip
        said = done.stdout.decode("utf-8").replace(str(self.root), "")
        return said.replace(re.sub(r"[^A-Za-z0-9]", "-", str(self.root)), "")


def named(text: str) -> str:
    """The text with ids numbered in the order in which they appear, so that two runs compare."""
    numbers: dict[str, str] = {}

    def number(match: re.Match[str]) -> str:
        return numbers.setdefault(match[0][:8], f"<{len(numbers) + 1}>")

    return _ID.sub(number, _UUID.sub(number, timeless(text)))


def nameless(text: str) -> str:
    return _ID.sub("<id>", _UUID.sub("<id>", timeless(text)))


def timeless(text: str) -> str:
    return _ROLLOUT.sub("rollout-<time>", _DAY.sub("/<day>/", text))


def matches(expected: str, actual: str) -> bool:
    """Whether a text is what the page says, `[…]` standing for any lines."""
    pieces = [_GAP.sub("  ", text) for text in named_pair(expected, actual)]
    pattern = re.escape(pieces[0]).replace(re.escape("[…]\n"), r"(?:.*\n)*?")
    return re.fullmatch(pattern, pieces[1]) is not None


def named_pair(expected: str, actual: str) -> tuple[str, str]:
    """Both texts with their ids taken out; the order of ids is compared where nothing is left out
    before them."""
    if "[…]" not in expected:
        return named(expected), named(actual)
    return nameless(expected), nameless(actual)


def check_console(page: str, machine: Machine) -> None:
    """Run every console block of a page; with UPDATE rewrite what has changed."""
    text, moved = (ROOT / page).read_text(encoding="utf-8"), 0
    for block in blocks(page, "console"):
        said = ""
        for command, expected in _commands(block.text):
            actual = machine.run(command.replace("\n", " "), block.note or "you")
            same = matches(expected, actual)
            assert same or UPDATE, f"{page}: $ {command}\n--- page\n{expected}--- now\n{actual}"
            said += f"$ {command}\n" + (_renewed(expected, actual) if same else actual)
        start, end = block.place
        text = text[: start + moved] + said + text[end + moved :]
        moved += len(said) - (end - start)
    if UPDATE:
        (ROOT / page).write_text(text, encoding="utf-8")


def _renewed(expected: str, actual: str) -> str:
    """What the page says with the ids of this run, so that all blocks of a page show the same."""
    if "[…]" not in expected:
        return actual
    known = _ID.findall(expected.partition("[…]")[0])
    for old, new in zip(known, _ID.findall(actual), strict=False):
        expected = expected.replace(old, new)
    return expected


def _commands(text: str) -> list[tuple[str, str]]:
    """(command, what it prints) of a console block."""
    found = re.split(r"^\$ ", text, flags=re.MULTILINE)
    assert not found[0].strip(), "a console block begins with a command"
    pairs = [piece.partition("\n") for piece in found[1:]]
    return [(command, printed) for command, _, printed in pairs]


def check_python(page: str) -> None:
    """Run the Python blocks of a page as one program; `x  # → value` states what x shows."""
    values: dict[str, object] = {}
    for block in blocks(page, "python"):
        if block.note:
            continue
        lines = block.text.split("\n")
        for statement in ast.parse(block.text).body:
            source = "\n".join(lines[statement.lineno - 1 : statement.end_lineno])
            _, arrow, stated = source.partition("  # → ")
            if not arrow or not isinstance(statement, ast.Expr):
                exec(compile(source, f"{page}: {source[:60]}", "exec"), values)
                continue
            shown = repr(eval(compile(source, page, "eval"), values))
            assert shown == stated.strip(), f"{page}: {source}\nnow {shown}"
