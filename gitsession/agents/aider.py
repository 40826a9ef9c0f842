"""The adapter for aider: the chat history in Markdown, one growing file per project."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from gitsession.agents.base import Source
from gitsession.agents.entries import Entry, Seen
from gitsession.agents.reading import ReadingAgent
from gitsession.agents.times import utc_time
from gitsession.environment import Environment
from gitsession.files import lines, read_range
from gitsession.model.message import Part, Usage

NAME = "aider"
HISTORY = ".aider.chat.history.md"
_START = b"# aider chat started at "
_STARTED = re.compile(r"# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\s*")
_SPENT = re.compile(r"> Tokens: (\d+(?:\.\d+)?)(k|M|) sent,.*? (\d+(?:\.\d+)?)(k|M|) received")
_VERSION = re.compile(r"> Aider v(\S+)")
_MODEL = re.compile(r"> (?:Main m|M)odel: (\S+)")
_ASKS = ("/ask ", "/code ", "/architect ", "/help ")
_DIGITS = 15
"""No token counter has this many characters."""

_FACTORS = {"": 1, "k": 1000, "M": 1_000_000}


class Aider(ReadingAgent):
    """See `agents.base.Agent`. A record is a block of lines of one kind: a start, what the user
    typed (`#### `), what aider itself said (`> `), and, for all other lines, the answer. The token
    report ends a turn. The format has no place for tools, and a quote in an answer looks like
    aider's own words."""

    name = NAME
    title = "aider"

    def home(self, environment: Environment) -> Path:
        return Path(environment.cwd) / HISTORY

    def paths(self, environment: Environment, cwd: str) -> Iterable[Path]:
        """Return the history file, which is at the top of the repository or in this folder."""
        top = Path(cwd or environment.cwd)
        for folder in (top, *top.parents):
            if (folder / HISTORY).is_file():
                return [folder / HISTORY]
            if (folder / ".git").exists():
                break
        return ()

    def find(
        self, environment: Environment, *, cwd: str = "", native_id: str = ""
    ) -> Iterator[Source]:
        for path in self.paths(environment, cwd):
            for source in self.recognise_all(path):
                if source.native_id.startswith(native_id):
                    yield source

    def look(self, path: Path) -> Iterator[Source]:
        status = path.stat()
        head = read_range(path, 0, 4096).lstrip()
        if not head.startswith(_START):
            return
        folder = os.path.realpath(path.parent)
        # There are no ids: only the first start and the location never change.
        first = head.split(b"\n", 1)[0].strip()
        name = hashlib.sha256(first + b"\n" + os.fsencode(folder)).hexdigest()[:16]
        yield Source(NAME, f"aider-{name}", path, status.st_size, status.st_mtime_ns, folder)

    def pieces(self, source: Source, offset: int) -> tuple[Iterable[bytes], int]:
        return blocks(lines(source.path, offset, source.size)), offset

    def parse(self, data: bytes) -> Seen:
        if not data.endswith(b"\n"):  # an incomplete line may still become anything
            return Seen()
        text = data.decode("utf-8", "replace").strip()
        started = _STARTED.match(text)
        if started:
            time = utc_time(started[1].replace(" ", "T"))
            return Seen((Entry(time=time),), False, True)
        if text.startswith("####"):
            return Seen((_typed(text),), False, True)
        if text.startswith(">"):
            return Seen((_own(text),))
        answer = Entry("assistant", (Part("text", text),))
        return Seen((answer,)) if text else Seen()


def blocks(found: Iterable[bytes]) -> Iterator[bytes]:
    """Group lines into blocks.

    Blank lines stay with the lines before them, a start and a token report end their block, and an
    incomplete line is a block of its own.
    """
    gathered: list[bytes] = []
    kind = ""
    for line in found:
        new = _kind(line)
        whole = line.endswith(b"\n")
        if gathered and ((new and kind and new != kind) or new == "start" or not whole):
            yield b"".join(gathered)
            gathered, kind = [], ""
        gathered.append(line)
        kind = kind or new
        if new == "start" or line.startswith(b"> Tokens: "):
            yield b"".join(gathered)
            gathered, kind = [], ""
    if gathered:
        yield b"".join(gathered)


def _kind(line: bytes) -> str:
    if line.startswith(_START):
        return "start"
    if line.startswith(b"#### ") or line.strip() == b"####":
        return "typed"
    if line.startswith(b">"):
        return "own"
    return "answer" if line.strip() else ""


def _typed(text: str) -> Entry:
    """Return a prompt; a slash command that does not ask the model anything is a note."""
    said = "\n".join(line[5:].rstrip() for line in text.split("\n")).strip()
    asks = not said.startswith(("/", "!")) or said.startswith(_ASKS)
    return Entry("user" if asks else "note", (Part("text", said),))


def _own(text: str) -> Entry:
    spent, version, model = _SPENT.search(text), _VERSION.search(text), _MODEL.search(text)
    usage = None
    if spent:
        sent, received = (_tokens(*spent.group(1, 2)), _tokens(*spent.group(3, 4)))
        usage = Usage(sent, received)
    facts = {"version": version[1]} if version else {}
    return Entry(usage=usage, model=model[1] if model else "", facts=facts, end=spent is not None)


def _tokens(number: str, factor: str) -> int:
    """Return the number of tokens; 0 for more digits than a counter has."""
    return round(float(number) * _FACTORS[factor]) if len(number) < _DIGITS else 0


AGENT = Aider()
