"""`diff`: what changed between two sessions, by turns, tool calls, files, todos and metadata."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from gitsession.model.diff import FieldChange, SessionDiff, TodoChange
from gitsession.render import calls as call_words
from gitsession.render import safe, words
from gitsession.render.diff_files import bars, file_lines, line_counts, sidecars
from gitsession.render.diff_turns import left_context, left_sentence, sign, signed, turns
from gitsession.render.palette import PLAIN, Palette
from gitsession.render.prompts import asked
from gitsession.render.show import todo_box


def text(
    diff: SessionDiff,
    *,
    palette: Palette = PLAIN,
    messages: bool = True,
    files: bool = True,
    width: int = 100,
) -> Iterator[str]:
    """The whole diff; `messages` and `files` choose the parts (`--messages`, `--files`)."""
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
        yield "No differences." if diff.empty else f"Nothing here; in all: {diff.summary()}."


def stat(diff: SessionDiff, *, palette: Palette = PLAIN, width: int = 100) -> Iterator[str]:
    """`--stat`: a line per turn and per file, then the sums."""
    for turn in diff.turns:
        amount = words.plural(len(turn.messages), "message")
        prompt = safe.short(asked(turn.prompt), width - 30) or "(no prompt)"
        yield signed(turn.status, f"turn {turn.number}  {prompt}  ({amount})", palette)
    rows = [(change, *line_counts(change)) for change in (*diff.files, *diff.instructions)]
    longest = min(max([safe.cells(safe.line(row[0].path)) for row in rows], default=0), 60)
    for change, added, removed in rows:
        name = safe.pad(safe.short(change.path, 60), longest)
        yield f"{sign(change.status, palette)} {name} | {bars(change, added, removed, palette)}"
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
