"""The part of a diff that is files: unified diffs, sizes, and why a content is not there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gitsession.model.diff import FileChange
from gitsession.render import safe, unified, words
from gitsession.render.diff_turns import SIGNS, coloured, signed
from gitsession.render.palette import Palette


def file_lines(title: str, files: Iterable[FileChange], palette: Palette) -> Iterator[str]:
    """A heading, then every file with its unified diff."""
    for place, change in enumerate(files):
        if place == 0:
            yield palette("heading", title)
        yield from _file(change, palette)


def _withheld(change: FileChange) -> bool:
    return bool({change.old_reason, change.new_reason} - {"", "deleted"})


def _file(change: FileChange, palette: Palette) -> Iterator[str]:
    path = safe.line(change.path)
    yield palette("heading", f"{SIGNS[change.status]} {path}")
    if change.runs is not None:
        modes = ("100644", "100755") if change.runs else ("100755", "100644")
        yield palette("heading", f"old mode {modes[0]}")
        yield palette("heading", f"new mode {modes[1]}")
        if change.old == change.new:
            return
    old, new = unified.text_of(change.old), unified.text_of(change.new)
    if old is None or new is None or _withheld(change):
        yield palette("dim", f"  {_what_became(change)}")
        return
    yield palette("heading", f"--- {'/dev/null' if change.status == 'added' else 'a/' + path}")
    yield palette("heading", f"+++ {'/dev/null' if change.status == 'removed' else 'b/' + path}")
    for hunk in unified.hunks(unified.split(old), unified.split(new)):
        yield palette("hunk", hunk.heading)
        for row in hunk.lines:
            yield coloured(row[:1] + safe.code_line(row[1:]), palette)


def _what_became(change: FileChange) -> str:
    """For a file without two texts: sizes, or why the content is not stored."""
    return f"{_side(change.old, change.old_reason)} → {_side(change.new, change.new_reason)}"


def _side(content: bytes | None, reason: str) -> str:
    if content is not None:
        return words.size(len(content))
    return f"not stored ({safe.short(reason, 40)})" if reason and reason != "deleted" else "nothing"


def sidecars(sidecars: Iterable[FileChange], palette: Palette) -> Iterator[str]:
    """The agent's own files, by size."""
    for place, change in enumerate(sidecars):
        if place == 0:
            yield palette("heading", "Files of the agent")
        path = safe.short(change.path, 100)
        yield signed(change.status, f"{path}  {_what_became(change)}", palette)


def bars(change: FileChange, added: int, removed: int, palette: Palette) -> str:
    if added < 0:
        return _what_became(change)
    room = min(40, added + removed)
    plus = round(room * added / (added + removed)) if added + removed else 0
    bars = palette("added", "+" * plus) + palette("removed", "-" * (room - plus))
    return f"{added + removed} {bars}".rstrip()


def line_counts(change: FileChange) -> tuple[int, int]:
    """Lines added and removed; (-1, -1) where there is no text to count."""
    old, new = unified.text_of(change.old), unified.text_of(change.new)
    if old is None or new is None or _withheld(change):
        return -1, -1
    return unified.counts(unified.split(old), unified.split(new))
