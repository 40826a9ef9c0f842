"""`diff`: the changes between two sessions, by turns, tool calls, files, todos and metadata."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence

from gitsession.model.diff import FieldChange, SessionDiff, TodoChange, TurnChange
from gitsession.render import calls as call_words
from gitsession.render import safe, words
from gitsession.render.diff_files import bars, file_lines, line_counts, sidecars
from gitsession.render.diff_turns import left_context, left_sentence, named, sign, signed, turns
from gitsession.render.palette import PLAIN, Palette
from gitsession.render.prompts import asked
from gitsession.render.show import todo_box

_ROW, _END = 20, 3
"""The most turns in a row that are all listed, and how many are shown at each end of a longer
row."""


def text(
    diff: SessionDiff,
    *,
    palette: Palette = PLAIN,
    messages: bool = True,
    files: bool = True,
    width: int = 100,
) -> Iterator[str]:
    """Yield the whole diff; `messages` and `files` choose the parts (`--messages`, `--files`)."""
    sections = []
    if messages:
        sections.append(turns(diff, palette, width))
        sections.append(left_context(diff.left, palette, width))
        sections.append(_todos(diff.todos, palette, width))
        sections.append(_fields(diff.fields, palette, width))
    if files:
        sections.append(file_lines("Files", diff.files, palette))
        sections.append(file_lines("Instructions", diff.instructions, palette))
        sections.append(sidecars(diff.sidecars, palette))
    said = False
    for section in sections:
        for place, row in enumerate(section):
            if place == 0 and said:
                yield ""
            said = True
            yield row
    if not said:
        yield from _nothing(diff)


def _nothing(diff: SessionDiff) -> Iterator[str]:
    if diff.empty and diff.old_counts.records != diff.new_counts.records:
        yield (
            "No differences in the conversation; the number of native records is "
            f"{diff.old_counts.records:,} → {diff.new_counts.records:,}."
        )
    else:
        yield (
            "No differences."
            if diff.empty
            else f"No differences of this kind; in total: {diff.summary()}."
        )


def _turn_lines(
    status: str, changed: Sequence[TurnChange], palette: Palette, width: int
) -> Iterator[str]:
    """Yield one line per turn; of a long row, as after a compaction, only its ends."""
    hidden = changed[_END:-_END] if len(changed) > _ROW else ()
    for place, turn in enumerate(changed):
        if hidden and place == _END:
            count = words.plural(sum(len(each.messages) for each in hidden), "message")
            yield signed(status, f"… {words.plural(len(hidden), 'more turn')}  ({count})", palette)
        if not hidden or not _END <= place < len(changed) - _END:
            amount = words.plural(len(turn.messages), "message")
            prompt = safe.short(asked(turn.prompt), width - 30) or "(no prompt)"
            yield signed(status, f"{named(turn)}  {prompt}  ({amount})", palette)


def stat(diff: SessionDiff, *, palette: Palette = PLAIN, width: int = 100) -> Iterator[str]:
    """Yield the output of `--stat`: one line per turn and per file, then the sums."""
    for status, changed in itertools.groupby(diff.turns, lambda turn: turn.status):
        yield from _turn_lines(status, list(changed), palette, width)
    rows = [(change, *line_counts(change)) for change in (*diff.files, *diff.instructions)]
    longest = min(max([safe.cells(safe.line(row[0].path)) for row in rows], default=0), 60)
    most = max([added + removed for _, added, removed in rows], default=0)
    room = max(min(40, width - longest - len(str(most)) - 6), 10)
    for change, added, removed in rows:
        name = safe.pad(safe.short(change.path, 60), longest)
        bar = bars(change, added, removed, most, room, palette)
        yield f"{sign(change.status, palette)} {name} | {bar}"
    if diff.left:
        yield palette("warning", f"! {left_sentence(diff.left)}")
    tokens = diff.new_usage.total - diff.old_usage.total
    yield " " + diff.summary() + (f", {tokens:+,} tokens" if tokens else "")


def _todos(todos: Iterable[TodoChange], palette: Palette, width: int) -> Iterator[str]:
    for place, todo in enumerate(todos):
        if place == 0:
            yield palette("heading", "Todos")
        said = safe.short(todo.text, width - 14)
        if todo.old_text:
            said = f"{safe.short(todo.old_text, width // 2)} → {said}"
        boxes = [todo_box(status) for status in (todo.old_status, todo.new_status) if status]
        if len(boxes) == 2 and boxes[0] == boxes[1]:
            boxes = boxes[:1]
        yield signed(todo.status, f"{' → '.join(boxes)} {said}", palette)


def _fields(fields: Sequence[FieldChange], palette: Palette, width: int) -> Iterator[str]:
    names = [change.name.partition(".")[2].replace("_", " ") for change in fields]
    longest = max([len(name) for name in names], default=0)
    for place, (name, change) in enumerate(zip(names, fields, strict=True)):
        if place == 0:
            yield palette("heading", "Metadata")
        room = max((width - longest - 8) // 2, 20)
        old, new = (safe.short(_value(value), room) for value in (change.old, change.new))
        shown = f"{palette('removed', old)} → {palette('added', new)}"
        yield f"{sign('changed', palette)} {safe.pad(name, longest)}  {shown}"


def _value(value: object) -> str:
    if value is None or value == "" or value == () or value == {}:
        return "(none)"
    if isinstance(value, tuple) and all(isinstance(item, str) for item in value):
        return ", ".join(value)
    return call_words.pretty(value)
