"""The patch language of `apply_patch`: parsing it, and applying it to a file.

Matching is as lenient as Codex's own: exact, then without trailing, then without surrounding
blanks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_BEGIN, _END = "*** Begin Patch", "*** End Patch"
_FILE = re.compile(r"\*\*\* (Add|Update|Delete) File: (.*)")
_MOVE = "*** Move to: "
_SUCCESS = "Success. Updated the following files:"


@dataclass(slots=True)
class Chunk:
    """One place of an update: the lines expected there and the lines that replace them."""

    context: str = ""
    old: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)
    at_end: bool = False


@dataclass(slots=True)
class Change:
    """What a patch does to one file: `kind` is add, update or delete."""

    kind: str
    path: str
    lines: list[str] = field(default_factory=list)
    chunks: list[Chunk] = field(default_factory=list)
    move_to: str = ""


def succeeded(output: str) -> bool:
    """Whether the tool's output says that the patch was applied."""
    return _SUCCESS in output


def parse(text: str) -> list[Change]:
    """Return the changes of the first patch in a text (a command may surround it), else []."""
    start = text.find(_BEGIN)
    if start < 0:
        return []
    changes: list[Change] = []
    for line in text[start + len(_BEGIN) :].split("\n")[1:]:
        if line.strip() == _END:
            return changes
        match = _FILE.fullmatch(line.rstrip())
        if match:
            changes.append(Change(match.group(1).lower(), match.group(2).strip()))
        elif changes:
            _take(changes[-1], line)
    return changes


def _take(change: Change, line: str) -> None:
    if change.kind == "add":
        if line.startswith("+"):
            change.lines.append(line[1:])
        return
    if line.startswith(_MOVE):
        change.move_to = line[len(_MOVE) :].strip()
    elif line.startswith("@@"):
        change.chunks.append(Chunk(context=line[2:].removeprefix(" ")))
    elif change.kind == "update":
        if not change.chunks:
            change.chunks.append(Chunk())
        _take_line(change.chunks[-1], line)


def _take_line(chunk: Chunk, line: str) -> None:
    if line.startswith("*** End of File"):
        chunk.at_end = True
        return
    mark, rest = line[:1], line[1:]
    if mark in ("-", " ", ""):
        chunk.old.append(rest)
    if mark in ("+", " ", ""):
        chunk.new.append(rest)


def apply(change: Change, content: bytes) -> bytes | None:
    """Return the file after an update; None if a chunk does not fit the presumed content."""
    try:
        lines = content.decode("utf-8").split("\n")
    except UnicodeDecodeError:
        return None
    if lines[-1] == "":
        lines.pop()
    position = 0
    edits: list[tuple[int, int, list[str]]] = []
    for chunk in change.chunks:
        if chunk.context:
            found = _seek(lines, [chunk.context], position, at_end=False)
            if found < 0:
                return None
            position = found + 1
        if not chunk.old:
            edits.append((len(lines), 0, chunk.new))
            continue
        edit = _place(lines, chunk, position)
        if edit is None:
            return None
        edits.append(edit)
        position = edit[0] + edit[1]
    for start, count, new in sorted(edits, key=lambda edit: edit[0], reverse=True):
        lines[start : start + count] = new
    return "".join(line + "\n" for line in lines).encode("utf-8", "replace")


def _place(lines: list[str], chunk: Chunk, position: int) -> tuple[int, int, list[str]] | None:
    old, new = chunk.old, chunk.new
    found = _seek(lines, old, position, at_end=chunk.at_end)
    if found < 0 and old[-1] == "":
        # A final empty line in the pattern may represent the end of the file.
        old, new = old[:-1], new[:-1] if new[-1:] == [""] else new
        found = _seek(lines, old, position, at_end=chunk.at_end)
    return (found, len(old), new) if found >= 0 else None


def _seek(lines: list[str], pattern: list[str], start: int, *, at_end: bool) -> int:
    if not pattern:
        return start
    last = len(lines) - len(pattern)
    if at_end and last >= start:
        start = last
    for clean in (str, str.rstrip, str.strip):
        wanted = [clean(line) for line in pattern]
        for index in range(start, last + 1):
            if clean(lines[index]) == wanted[0] and (
                [clean(line) for line in lines[index : index + len(pattern)]] == wanted
            ):
                return index
    return -1


def added(change: Change) -> bytes:
    """Return the content of a file that a patch adds."""
    return "".join(line + "\n" for line in change.lines).encode("utf-8", "replace")
