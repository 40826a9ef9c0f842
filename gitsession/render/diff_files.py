"""The files in a diff: unified diffs, sizes, and the reasons for missing contents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gitsession.model.diff import FileChange
from gitsession.render import safe, unified, words
from gitsession.render.diff_turns import SIGNS, coloured, signed
from gitsession.render.palette import Palette


def file_lines(title: str, files: Iterable[FileChange], palette: Palette) -> Iterator[str]:
    """Yield a heading, then every file with its unified diff."""
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
    name = path.lstrip("/")  # git, too, omits the slash for a file outside the project
    yield palette("heading", f"--- {'/dev/null' if change.status == 'added' else 'a/' + name}")
    yield palette("heading", f"+++ {'/dev/null' if change.status == 'removed' else 'b/' + name}")
    for hunk in unified.hunks(unified.split(old), unified.split(new)):
        yield palette("hunk", hunk.heading)
        for row in hunk.lines:
            yield coloured(row[:1] + safe.code_line(row[1:]), palette)


def _what_became(change: FileChange) -> str:
    """Describe a file without two texts: by sizes, or by the reason why its content is not
    stored."""
    return f"{_side(change.old, change.old_reason)} → {_side(change.new, change.new_reason)}"


def _side(content: bytes | None, reason: str) -> str:
    if content is not None:
        return words.size(len(content))
    return f"not stored ({safe.short(reason, 40)})" if reason and reason != "deleted" else "nothing"


def sidecars(sidecars: Iterable[FileChange], palette: Palette) -> Iterator[str]:
    """Yield the agent's own files, by size."""
    for place, change in enumerate(sidecars):
        if place == 0:
            yield palette("heading", "Files of the agent")
        path = safe.short(change.path, 100)
        yield signed(change.status, f"{path}  {_what_became(change)}", palette)


def bars(
    change: FileChange, added: int, removed: int, most: int, room: int, palette: Palette
) -> str:
    """Return the number of changed lines and a bar; the list's largest number, `most`, gets at most
    `room` cells."""
    if added < 0:
        return _what_became(change)
    total = added + removed
    sides = (added > 0) + (removed > 0)
    cells = total if most <= room else max(round(total * room / most), sides)
    plus = round(cells * added / total) if total else 0
    if sides == 2:  # show at least one cell of each
        plus = min(max(plus, 1), cells - 1)
    bar = palette("added", "+" * plus) + palette("removed", "-" * (cells - plus))
    return f"{str(total).rjust(len(str(most)))} {bar}".rstrip()


def line_counts(change: FileChange) -> tuple[int, int]:
    """Return the lines added and removed; (-1, -1) if there is no text to count."""
    old, new = unified.text_of(change.old), unified.text_of(change.new)
    if old is None or new is None or _withheld(change):
        return -1, -1
    return unified.counts(unified.split(old), unified.split(new))
