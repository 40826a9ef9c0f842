"""`export --format md`: a session as one Markdown file that reads well on any host.

Texts keep their Markdown, but cannot break out: HTML and images are defused outside of code, their
headings stand below ours, an open fence is closed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape

from gitsession.model.call import Call, message_calls
from gitsession.render import calls as call_words
from gitsession.render import safe, words
from gitsession.render.show import todo_box

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.model.history import Version
    from gitsession.model.message import Message, Part
    from gitsession.model.session import Session

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
_SPAN = re.compile(r"(?<!`)(`{1,4})(?!`)(.+?)(?<!`)\1(?!`)")


def page(session: Session, version: Version | None = None) -> Iterator[str]:
    """The lines of the file: head, todos, then every message with its tool calls folded in."""
    title = safe.short(session.info.title or f"{session.info.agent} session", 200)
    yield f"# {_text(title)}"
    yield ""
    for name, value in _facts(session, version):
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
    for number, message in enumerate(session.messages, 1):
        yield ""
        yield from _message(message, number)
    if not session.messages:
        yield ""
        yield "This version has no messages."


def _facts(session: Session, version: Version | None) -> list[tuple[str, str]]:
    info = session.info
    return [
        ("Agent", f"{info.agent} {info.agent_version}".strip()),
        ("Session", info.native_id),
        ("Version", version.id if version else ""),
        ("Project", info.cwd),
        ("Models", ", ".join(info.models)),
        ("From", info.created),
        ("To", info.updated),
        ("Messages", str(len(session.messages))),
        ("Tokens", f"{session.usage.total:,}" if session.usage.total else ""),
    ]


def _message(message: Message, number: int) -> Iterator[str]:
    facts = [safe.short(message.role, 20).capitalize(), safe.short(message.model, 60)]
    facts.append(words.clock(message.time))
    yield f"### {number}. " + " · ".join(_text(fact) for fact in facts if fact)
    calls = {id(call.call): call for call in message_calls(message, number)}
    answered = {id(call.result) for call in calls.values() if call.result is not None}
    for part in message.parts:
        if id(part) in answered:
            continue
        yield ""
        if id(part) in calls:
            yield from _call(calls[id(part)])
        else:
            yield from _part(part)


def _part(part: Part) -> Iterator[str]:
    if part.kind == "text":
        yield from _prose(part.text)
    elif part.kind == "reasoning":
        if part.text.strip():
            yield from _folded("Reasoning", _prose(part.text))
        else:
            yield "*Reasoning, not readable.*"
    elif part.kind == "compaction":
        yield "---"
        yield ""
        yield "**The context was compacted. From here the model sees this summary:**"
        yield ""
        yield from _prose(part.text)
    elif part.kind == "tool_result":
        yield from _folded(f"Result of {part.call_id or 'an unknown call'}", _code(part.text))
    else:
        name = safe.short(part.name or part.text, 100)
        yield f"*{part.kind}{': ' + _text(name) if name else ''}*"


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
    """A fenced block whose fence no line of the text can close."""
    shown = safe.markup(text).strip("\n")
    longest = max((len(run) for run in re.findall(r"`{3,}", shown)), default=2)
    fence = "`" * (longest + 1)
    yield fence
    yield from shown.split("\n")
    yield fence


def _prose(text: str) -> Iterator[str]:
    fence = ""
    for line in safe.markup(text).strip("\n").split("\n"):
        found = _FENCE.match(line)
        if fence:
            yield line
            stripped = line.strip()
            if len(stripped) >= len(fence) and set(stripped) == {fence[0]}:
                fence = ""
        elif found:
            fence = found[1]
            yield line
        else:
            yield _below(_defused(line))
    if fence:
        yield fence


def _below(line: str) -> str:
    """A heading inside a message is less than the message's own heading."""
    heading = re.match(r" {0,3}(#{1,6})(?=[ \t])", line)
    return "#" * min(len(heading[1]) + 3, 6) + line[heading.end() :] if heading else line


def _defused(line: str) -> str:
    if "<" not in line and "![" not in line:
        return line
    said, end = [], 0
    for span in _SPAN.finditer(line) if len(line) < 4_000 else ():
        said += [_harmless(line[end : span.start()]), span[0]]
        end = span.end()
    return "".join([*said, _harmless(line[end:])])


def _harmless(text: str) -> str:
    return text.replace("<", "&lt;").replace("![", "!\\[")


def _text(text: str) -> str:
    """A title or name, in which no Markdown is meant."""
    return re.sub(r"([\\`*_\[\]<>#|])", r"\\\1", text)
