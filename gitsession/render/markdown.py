"""`export --format md`: a session as one Markdown file that reads well on any host.

Texts keep their Markdown, but cannot break out: HTML and images are defused outside of code,
headings are put below ours, an open fence is closed. Unless the page is to be full, a tool call is
one line and thinking is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape

from gitsession.model.call import Call, message_calls
from gitsession.render import calls as call_words
from gitsession.render import defused, safe, words
from gitsession.render.prompts import split
from gitsession.render.show import todo_box

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.model.history import Version
    from gitsession.model.message import Message, Part
    from gitsession.model.session import Session
    from gitsession.model.usage import Usage

PAYLOAD = 280
"""The most characters of a tool call's line."""
_ID = 12


def page(
    session: Session, version: Version | None = None, *, full: bool = False, path: str = ""
) -> Iterator[str]:
    """Yield the lines of the file: head, todos, then every message with its tool calls. `full`
    includes thinking and complete payloads, folded; `path` is the agent's own file, if known."""
    title = safe.short(session.info.title or f"{session.info.agent} session", 200)
    yield f"# {_text(title)}"
    yield ""
    for name, value in _facts(session, version, path):
        if value:
            yield f"- {name}: {_text(safe.short(value, 300))}"
    if session.state.todos:
        yield ""
        yield "## Todos"
        yield ""
        for todo in session.state.todos:
            box = todo_box(todo.status)
            yield f"- {box if box in ('[x]', '[ ]') else '[ ]'} {_text(safe.short(todo.text, 300))}"
    yield ""
    yield "## Conversation"
    days = words.new_days(message.time for message in session.messages)
    for number, (message, dated) in enumerate(zip(session.messages, days, strict=True), 1):
        yield ""
        yield from _message(message, number, full, dated=dated)
    if not session.messages:
        yield ""
        yield "This version has no messages."


def _facts(session: Session, version: Version | None, path: str) -> list[tuple[str, str]]:
    info, counts = session.info, session.counts
    own = f"{info.agent}/{info.native_id}"
    return [
        ("Agent", f"{info.agent} {info.agent_version}".strip()),
        ("Session", info.native_id),
        ("File", path),
        ("Fork of", info.parent or (info.identity if info.identity != own else "")),
        ("Version", version.id if version else ""),
        ("Project", info.cwd),
        ("Models", ", ".join(info.models)),
        ("From", words.local(info.created)),
        ("To", words.local(info.updated)),
        ("Messages", str(len(session.messages))),
        ("Compactions", str(counts.compactions) if counts.compactions else ""),
        ("Tokens", _tokens(session.usage)),
    ]


def _tokens(usage: Usage) -> str:
    kinds = (("input", usage.input), ("output", usage.output),
             ("cache read", usage.cache_read), ("cache write", usage.cache_write))  # fmt: skip
    told = ", ".join(f"{name} {count:,}" for name, count in kinds if count)
    return f"{usage.total:,} ({told})" if told else ""


def _message(message: Message, number: int, full: bool, *, dated: bool) -> Iterator[str]:
    facts = [safe.short(message.role, 20).capitalize(), safe.short(message.model, 60)]
    seconds = words.unix(message.time) if dated else None  # the first of a day shows the date
    facts.append(words.clock(message.time) if seconds is None else words.moment(seconds))
    yield f"### {number}. " + " · ".join(_text(fact) for fact in facts if fact)
    calls = {id(call.call): call for call in message_calls(message, number)}
    answered = {id(call.result) for call in calls.values() if call.result is not None}
    for part in message.parts:
        if id(part) in answered or (part.kind == "reasoning" and not full):
            continue
        yield ""
        if id(part) in calls:
            call = calls[id(part)]
            yield from _call(call) if full else [_line(call)]
        elif part.kind == "tool_result" and not full:
            about = _one_line("result", part.call_id, part.text, PAYLOAD)
            yield f"- {about}"
        elif part.kind == "text" and message.role == "user":
            yield from _typed(part.text)
        else:
            yield from _part(part)


def _typed(text: str) -> Iterator[str]:
    """Yield what a person wrote; anything that an editor sent along is folded."""
    context, request = split(text)
    if context:
        yield from _folded("sent along by the editor", defused.lines(context))
    if context and request:
        yield ""
    if request or not context:
        yield from defused.lines(request)


def _part(part: Part) -> Iterator[str]:
    if part.kind == "text":
        yield from defused.lines(part.text)
    elif part.kind == "reasoning":
        if part.text.strip():
            yield from _folded("Reasoning", defused.lines(part.text))
        else:
            yield "*Reasoning, not readable.*"
    elif part.kind == "compaction":
        yield "---"
        yield ""
        yield "**The context was compacted. From here the model sees this summary:**"
        yield ""
        yield from defused.lines(part.text)
    elif part.kind == "tool_result":
        yield from _folded(f"Result of {part.call_id or 'an unknown call'}", _code(part.text))
    else:
        name = safe.short(part.name or part.text, 100)
        yield f"*{part.kind}{': ' + _text(name) if name else ''}*"


def _line(call: Call) -> str:
    """Return the tool, short id, main argument and outcome, on one line."""
    name, call_id = safe.short(call.call.name, 60) or "tool", call.call.call_id
    sign = call_words.SIGNS[call.outcome]
    given = " ".join(call_words.telling(call.call.input)[:2000].split())
    came = call.result.text if call.result is not None else call_words.WORDS[call.outcome]
    room = PAYLOAD - len(name) - _ID - 8
    payload = safe.short(given, room * 2 // 3 if came else room)
    if came:
        came = " ".join(came[:2000].split())
        payload += f" → {safe.short(came, max(room - len(payload) - 3, 20))}"
    return f"- {sign} {_one_line(name, call_id, payload, PAYLOAD)}"


def _one_line(name: str, call_id: str, payload: str, most: int) -> str:
    name = name.replace("`", "'")
    short_id = safe.short(call_id, 100)[:_ID].replace("`", " ")
    head = f"**{_text(name)}**" + (f" `{short_id}`" if short_id else "")
    shown = _span(safe.short(payload, most - len(name) - len(short_id) - 8))
    return f"{head}: {shown}" if payload.strip() else head


def _span(text: str) -> str:
    """Return inline code whose delimiters no backtick of the text can close."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    ticks = "`" * (longest + 1)
    return f"{ticks} {text} {ticks}" if longest else f"`{text}`"


def _call(call: Call) -> Iterator[str]:
    title = f"{call_words.SIGNS[call.outcome]} {call_words.headline(call)}"
    yield from _folded(title, _call_body(call))


def _call_body(call: Call) -> Iterator[str]:
    if call.call.call_id:
        yield (
            f"`{safe.short(call.call.call_id, 100).replace('`', ' ')}`: "
            + (call_words.WORDS[call.outcome])
        )
        yield ""
    yield from _code(call_words.pretty(call.call.input))
    if call.result is not None and call.result.text:
        yield ""
        yield from _code(call.result.text)


def _folded(title: str, body: Iterator[str]) -> Iterator[str]:
    yield f"<details><summary>{escape(safe.short(title, 160))}</summary>"
    yield ""
    yield from body
    yield ""
    yield "</details>"


def _code(text: str) -> Iterator[str]:
    """Yield a fenced block whose fence no line of the text can close."""
    shown = safe.markup(text).strip("\n")
    longest = max((len(run) for run in re.findall(r"`{3,}", shown)), default=2)
    fence = "`" * (longest + 1)
    yield fence
    yield from shown.split("\n")
    yield fence


def _text(text: str) -> str:
    """Return a title or name, escaped because it is not meant as Markdown."""
    return re.sub(r"([\\`*_\[\]<>#|])", r"\\\1", text)
