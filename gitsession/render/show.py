"""`show`: a version with its conversation, one message, one tool call, or what was masked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from gitsession.model.call import Call, message_calls
from gitsession.render import calls as call_words
from gitsession.render import log, safe, words
from gitsession.render.listing import table
from gitsession.render.palette import PLAIN, Palette

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.model.finding import Finding
    from gitsession.model.history import Version
    from gitsession.model.message import Message, Part
    from gitsession.model.session import Session

NOTE_LINES = 2
_SUBAGENTS = 20
OUTPUT_LINES = 6
"""The lines of a tool's output shown in a conversation; `show --tool-call` prints all of it."""


def version(
    version: Version, session: Session, style: log.Style, *, subagents: Sequence[str] = (),
    only_head: bool = False,
) -> Iterator[str]:  # fmt: skip
    """Yield the version as `log` prints it, the session's metadata, then the conversation."""
    yield from log.full([version], style)
    yield ""
    yield from metadata(session, version, palette=style.palette, subagents=subagents)
    if only_head:
        return
    yield ""
    yield from conversation(session.messages, palette=style.palette)


def metadata(
    session: Session, version: Version | None = None, *, palette: Palette = PLAIN,
    subagents: Sequence[str] = (),
) -> Iterator[str]:  # fmt: skip
    """Yield one name and value per line, leaving out empty values."""
    info, state, usage = session.info, session.state, session.usage
    native = f"{info.agent}/{info.native_id}"
    rows = [
        ("agent", f"{info.agent} {info.agent_version}".strip()),
        ("session id", info.native_id),
        ("first saved as", info.identity if info.identity != native else ""),
        ("parent", ", ".join(version.parents) if version else ""),
        ("forked from", info.parent),
        ("started in", info.cwd),
        ("git branch", info.git_branch),
        ("models", ", ".join(info.models)),
        ("created", words.local(info.created)),
        ("updated", words.local(info.updated)),
        ("tokens", _usage(usage.input, usage.output, usage.cache_read, usage.cache_write)),
        ("active file", _active(session)),
        ("last command", _last_command(session)),
        ("tools offered", ", ".join(state.tools)),
        ("system prompt", _prompt(session)),
        ("instructions", ", ".join(file.path for file in session.instructions)),
        ("todos", _todo_count(session)),
        ("files", _file_count(session)),
        (
            "damaged",
            words.plural(session.counts.damaged, "record") if session.counts.damaged else "",
        ),
    ]
    for name, value in rows:
        if value:
            yield palette("dim", safe.pad(name, 16)) + safe.short(value, 200)
    if subagents:
        told = f"{len(subagents)}, shown with --stream"
        yield palette("dim", safe.pad("subagents", 16)) + told
    for name in subagents[:_SUBAGENTS]:
        yield f"  {safe.line(name)}"
    if len(subagents) > _SUBAGENTS:
        yield palette("dim", f"  … {len(subagents) - _SUBAGENTS} more (--json lists all)")
    for todo in state.todos:
        yield f"  {todo_box(todo.status)} {safe.short(todo.text, 120)}"
    for line in state.memory:
        yield f"  {palette('dim', 'memory')} {safe.short(line, 120)}"


def _usage(fresh: int, output: int, read: int, written: int) -> str:
    if not fresh + output + read + written:
        return ""
    return words.tokens(fresh, output, read, written)


def _prompt(session: Session) -> str:
    from gitsession.context.surroundings import prompt_hash

    found = prompt_hash(session)
    return f"sha256 {found[:12]}" if found else ""


def _active(session: Session) -> str:
    line = session.state.active_line
    return session.state.active_file + (f":{line}" if line is not None else "")


def _last_command(session: Session) -> str:
    code = session.state.exit_code
    return session.state.last_command + (f"  (exit {code})" if code is not None else "")


def _todo_count(session: Session) -> str:
    todos = session.state.todos
    done = sum(todo.status == "completed" for todo in todos)
    return f"{done} of {len(todos)} done" if todos else ""


def _file_count(session: Session) -> str:
    kept = sum(file.content is not None for file in session.files)
    gone = sum(file.reason == "deleted" for file in session.files)
    other = len(session.files) - kept - gone
    if not session.files:
        return ""
    return (
        f"{kept} kept"
        + (f", {other} without content" if other else "")
        + (f", {gone} deleted" if gone else "")
    )


def todo_box(status: str) -> str:
    """Return `[x]` for done, `[~]` for in progress, `[ ]` for open, `[-]` for cancelled."""
    return {"completed": "[x]", "in_progress": "[~]", "cancelled": "[-]"}.get(status, "[ ]")


def conversation(
    messages: Sequence[Message], *, palette: Palette = PLAIN, first: int = 1
) -> Iterator[str]:
    """Yield all messages, separated by empty lines."""
    if not messages:
        yield "This version has no messages."
    for number, item in enumerate(messages, first):
        if number > first:
            yield ""
        yield from message(item, number, palette=palette)


def message(
    item: Message, number: int, *, palette: Palette = PLAIN, everything: bool = False
) -> Iterator[str]:
    """Yield one message; with `everything` the output of tools is not shortened."""
    role = "user" if item.role == "user" else "assistant" if item.role == "assistant" else "dim"
    head = palette("id", f"[{number}]") + " " + palette(role, safe.short(item.role, 20))
    facts = [safe.short(item.model, 60), words.clock(item.time)]
    yield " ".join([head, palette("dim", " · ".join(fact for fact in facts if fact))]).rstrip()
    by_part = {id(call.call): call for call in message_calls(item, number)}
    answered = {id(call.result) for call in by_part.values() if call.result is not None}
    for part in item.parts:
        if id(part) in answered:
            continue
        if id(part) in by_part:
            yield from _call_lines(by_part[id(part)], palette, everything)
        else:
            lines = list(_part(part, palette))
            brief = item.role not in ("user", "assistant") and part.kind == "text"
            yield from _first(lines, palette) if brief and not everything else lines


def _first(lines: list[str], palette: Palette) -> Iterator[str]:
    """Yield the beginning of what neither the person nor the model said."""
    yield from (safe.cut(line, 160) for line in lines[:NOTE_LINES])
    if len(lines) > NOTE_LINES:
        rest = words.plural(len(lines) - NOTE_LINES, "more line")
        yield palette("dim", f"  … {rest}")


def _part(part: Part, palette: Palette) -> Iterator[str]:
    if part.kind == "text":
        yield from _indented(part.text)
    elif part.kind == "reasoning":
        if part.text.strip():
            yield from (palette("dim", row) for row in _indented(part.text, "  ~ "))
        else:
            yield palette("dim", "  ~ (reasoning, not readable)")
    elif part.kind == "tool_result":
        yield palette("dim", f"  result of {safe.short(part.call_id, 60) or 'an unknown call'}")
        yield from _output(part.text, palette, everything=False)
    elif part.kind == "compaction":
        yield palette("warning", "  — the context was compacted; from here the model sees —")
        yield from _indented(part.text, "  | ")
    else:
        name = safe.short(part.name or part.text, 100)
        yield palette("dim", f"  <{part.kind}{': ' + name if name else ''}>")


def _indented(text: str, margin: str = "  ") -> Iterator[str]:
    for row in safe.block(text).strip("\n").split("\n"):
        yield (margin + row).rstrip()


def _call_lines(call: Call, palette: Palette, everything: bool) -> Iterator[str]:
    sign = palette(_role(call), call_words.SIGNS[call.outcome])
    name = safe.short(call.call.call_id, 80)
    tail = palette("dim", f"  ({name})") if name else ""
    yield f"  {sign} {palette('tool', call_words.headline(call))}{tail}"
    if call.result is not None:
        yield from _output(call.result.text, palette, everything)


def _role(call: Call) -> str:
    return {"ok": "ok", "error": "error"}.get(call.outcome, "warning")


def _output(text: str, palette: Palette, everything: bool) -> Iterator[str]:
    if everything:
        yield from _indented(text, "    ")
        return
    rows, count = safe.beginning(text, OUTPUT_LINES + 2, 160)
    shown = rows if count <= OUTPUT_LINES + 2 else rows[:OUTPUT_LINES]
    yield from (f"    {row}".rstrip() for row in shown)
    if count > len(shown):
        yield palette("dim", f"    … {words.plural(count - len(shown), 'more line')}")


def tool_call(call: Call, *, palette: Palette = PLAIN) -> Iterator[str]:
    """Yield exactly that call: its input, output and outcome, with nothing shortened."""
    rows = (
        ("tool call", call.call.call_id or "(no id)"),
        ("tool", call.call.name),
        ("message", str(call.message)),
        ("status", call_words.WORDS[call.outcome]),
    )
    for name, value in rows:
        role = _role(call) if name == "status" else ""
        yield palette("dim", safe.pad(name, 11)) + palette(role, safe.line(value))
    yield palette("heading", "input")
    yield from _indented(call_words.pretty(call.call.input))
    if call.result is not None:
        yield palette("heading", "output")
        yield from _indented(call.result.text)


def findings(
    found: Iterable[Finding], *, palette: Palette = PLAIN, width: int = 0
) -> Iterator[str]:
    """Yield what was masked: placeholder, rule and place; never the value."""
    rows = [(item.placeholder, item.rule, item.place) for item in found]
    if not rows:
        yield "Nothing was masked in this version."
        return
    yield from table(
        rows, palette=palette, heading=("placeholder", "rule", "place"), roles=("warning",),
        width=width,
    )  # fmt: skip
    yield ""
    masked = words.masked(len({row[0] for row in rows}), len(rows))
    yield f"{masked} before anything was stored."
