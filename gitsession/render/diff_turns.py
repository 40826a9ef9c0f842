"""The conversation in a diff: turns, messages, tool calls, and what left the context."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gitsession.model.diff import CallChange, LeftContext, MessageChange, SessionDiff, TurnChange
from gitsession.model.message import Message, Part
from gitsession.render import calls as call_words
from gitsession.render import safe, unified, words
from gitsession.render.palette import Palette
from gitsession.render.prompts import asked

SIGNS = {"added": "+", "removed": "-", "changed": "~"}
LEFT_SHOWN = 20
"""The number of messages that left the context which are listed one by one (the rest by number)."""


def sign(status: str, palette: Palette) -> str:
    return palette(status, SIGNS[status])


def signed(status: str, row: str, palette: Palette) -> str:
    return palette(status, f"{SIGNS[status]} {row}".rstrip())


def turns(diff: SessionDiff, palette: Palette, width: int) -> Iterator[str]:
    if not diff.turns:
        return
    calls: dict[tuple[int, int], list[CallChange]] = {}
    for call in diff.calls:
        key = (call.old.message if call.old else 0, call.new.message if call.new else 0)
        calls.setdefault(key, []).append(call)
    if diff.unchanged:
        yield palette("dim", f"  {words.plural(diff.unchanged, 'message')} unchanged")
    for turn in diff.turns:
        row = f"{SIGNS[turn.status]} {named(turn)} {_about(turn)}"
        yield palette("heading", row.rstrip())
        for change in turn.messages:
            key = (change.old_number, change.new_number)
            yield from _message(change, calls.get(key, []), palette, width)


def named(turn: TurnChange) -> str:
    """Return the turn's name; messages that a compaction puts in front belong to no turn."""
    return f"turn {turn.number}" if turn.number else "before the first turn"


def _about(turn: TurnChange) -> str:
    """Return the turn's old number if it changed, and its prompt unless it is shown right below."""
    said = []
    if turn.old_number and turn.new_number and turn.old_number != turn.new_number:
        said.append(f"(was {turn.old_number})")
    if not any(change.message.text == turn.prompt for change in turn.messages):
        said.append(safe.short(asked(turn.prompt), 72))
    return " ".join(said)


def _message(
    change: MessageChange, calls: Sequence[CallChange], palette: Palette, width: int
) -> Iterator[str]:
    status, item = change.status, change.message
    head = f"[{change.number}] {safe.short(item.role, 20)}"
    if status == "changed" and change.old and change.new:
        yield signed(status, f"  {head}", palette)
        yield from _changed_text(change.old, change.new, palette)
    else:
        rows = list(_said(item))
        yield signed(status, f"  {head}{'  ' + rows[0] if len(rows) == 1 else ''}", palette)
        for row in rows if len(rows) > 1 else []:
            yield signed(status, f"      {row}", palette)
    for call in calls:
        yield from _call(call, palette, width)


def _said(item: Message) -> Iterator[str]:
    """Yield a message as safe lines: its texts whole, other parts by their kind."""
    for part in item.parts:
        if part.kind in ("text", "compaction"):
            yield from safe.block(part.text).strip("\n").split("\n")
        elif part.kind not in ("tool_call", "tool_result", "reasoning"):
            yield f"<{part.kind}{': ' + safe.short(part.name, 60) if part.name else ''}>"


def _changed_text(old: Message, new: Message, palette: Palette) -> Iterator[str]:
    before, after = list(_said(old)), list(_said(new))
    for hunk in unified.hunks(before, after, 1):
        for row in hunk.lines:
            if not row.startswith("\\"):
                yield "        " + coloured(row, palette)
    if before == after and _reasoned(old) != _reasoned(new):
        yield palette("dim", "        (reasoning differs)")


def _reasoned(item: Message) -> list[Part]:
    return [part for part in item.parts if part.kind == "reasoning"]


def _call(change: CallChange, palette: Palette, width: int) -> Iterator[str]:
    call = change.call
    row = call_words.headline(call, max(width - 12, 40))
    if change.status != "changed" or change.old is None or change.new is None:
        outcome = call_words.WORDS[call.outcome]
        yield signed(change.status, f"      {row}  → {outcome}", palette)
        return
    was, now = change.old, change.new
    outcome = call_words.WORDS[now.outcome]
    if was.outcome != now.outcome:
        outcome = f"{call_words.WORDS[was.outcome]} → {outcome}"
    yield signed("changed", f"      {row}  → {outcome}", palette)
    if was.call.input != now.call.input:
        before = call_words.pretty(was.call.input)
        yield from _lines_between(before, call_words.pretty(now.call.input), palette)
    if was.result and now.result and was.result.text != now.result.text:
        yield from _lines_between(was.result.text, now.result.text, palette)


def _lines_between(old: str, new: str, palette: Palette) -> Iterator[str]:
    before, after = safe.block(old).split("\n"), safe.block(new).split("\n")
    for hunk in unified.hunks(before, after, 1):
        for row in hunk.lines:
            if not row.startswith("\\"):
                yield "          " + coloured(row, palette)


def coloured(row: str, palette: Palette) -> str:
    role = {"+": "added", "-": "removed"}.get(row[:1], "")
    return palette(role, row.rstrip())


def left_sentence(left: LeftContext) -> str:
    return f"{words.plural(len(left.messages), 'message')} left the context through a compaction"


def left_context(left: LeftContext | None, palette: Palette, width: int) -> Iterator[str]:
    if left is None:
        return
    yield palette("heading", left_sentence(left))
    for number, item in left.messages[:LEFT_SHOWN]:
        rows = list(_said(item))
        said = safe.cut(rows[0], max(width - 24, 20)) if rows else _only_calls(item)
        yield palette("removed", f"  [{number}] {safe.short(item.role, 20)}  {said}".rstrip())
    if rest := left.messages[LEFT_SHOWN:]:
        span = f"[{rest[0][0]}] to [{rest[-1][0]}]"
        yield palette("removed", f"  {span}  {words.plural(len(rest), 'more message')}")
    for summary in left.summaries:
        if not summary.strip():
            yield palette("dim", "  replaced by a summary that is not readable")
            continue
        yield palette("heading", "  replaced by")
        for row in safe.block(summary).strip("\n").split("\n"):
            yield palette("added", f"  | {row}".rstrip())


def _only_calls(item: Message) -> str:
    names = [part.name for part in item.parts if part.kind == "tool_call"]
    return safe.short("calls " + ", ".join(names), 60) if names else ""
