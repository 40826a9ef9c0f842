"""A summary without a model: what was left out of a context, as lines that fit a token limit.

Scope, requests, decisions, files, pending work, current work, timeline; always the same text for
the same messages. The more room, the longer each quoted line and the more of the timeline.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gitsession.context.claw import key_files
from gitsession.context.detect import kind_of
from gitsession.context.entry import Entry
from gitsession.context.lines import one_line
from gitsession.context.measure import Measure, input_text
from gitsession.context.prune import is_summary
from gitsession.model.message import Message, Part
from gitsession.model.session import Todo

HEADING = "Summary of earlier messages"
_WIDTHS = (1_200, 800, 500, 320, 200, 120, 80)
_SHARES = (("earlier", 0.35), ("requests", 0.35), ("decisions", 0.5), ("timeline", 1.0))
"""The share that each section may take of the room left by the sections before it."""
_LONGEST = 12
"""The characters of a token, estimated high: a text with more than this per token of its limit is
rejected without counting."""


@dataclass(frozen=True, slots=True)
class Told:
    """The material of a summary: the messages it covers, and what else the session knows. `shown`
    are the numbers within that range whose messages are in the context themselves."""

    covered: Sequence[Entry]
    todos: tuple[Todo, ...] = ()
    shown: tuple[int, ...] = ()
    kind_of: Callable[[Message], str] = kind_of


def summarise(told: Told, limit: int, measure: Measure) -> str:
    """Return a summary of at most `limit` tokens; "" if not even the heading fits."""
    head = "\n".join(_head(told))
    left = limit - measure.text(head) - 2
    if left < 0:
        return ""
    said = [head]
    sections = _sections(told)
    for name, share in _SHARES:
        text = _fitted(sections[name], int(left * share), measure)
        if text:
            said.append(text)
            left -= measure.text(text) + 1
    return "\n".join(said)


def _head(told: Told) -> list[str]:
    first, last = covered_range(told.covered)
    shown = [number for number in told.shown if first < number < last]
    lines = [f"{HEADING} {ranges(first, last, shown)} of this session."]
    lines.append(f"Scope: {_scope(told.covered)}")
    if files := key_files(told.covered, _ANY_CODE):
        lines.append(f"Files: {', '.join(one_line(name, 120) for name in files)}")
    waiting = [one_line(todo.text) for todo in told.todos if todo.status != "completed"]
    if waiting:
        lines.append("Pending: " + "; ".join(waiting[:10]))
    texts = [entry.message.text for entry in told.covered if entry.message.text.strip()]
    if texts:
        lines.append(f"Work at its end: {one_line(texts[-1], 200)}")
    return lines


_ANY_CODE = (
    "py", "rs", "ts", "tsx", "js", "jsx", "go", "java", "kt", "c", "h", "cpp", "cs", "rb", "php",
    "swift", "sh", "sql", "html", "css", "vue", "json", "yaml", "yml", "toml", "md", "txt",
)  # fmt: skip


def covered_range(covered: Sequence[Entry]) -> tuple[int, int]:
    """Return the first and last number; an earlier summary extends the range back to message 1."""
    numbers = [entry.number for entry in covered if entry.number]
    first = 1 if any(not entry.number for entry in covered) else min(numbers, default=1)
    return first, max(numbers, default=1)


def ranges(first: int, last: int, without: Sequence[int]) -> str:
    """Return the range of messages: `1-40 (without 3, 17, which stand below)`."""
    name = str(first) if first == last else f"{first}-{last}"
    if not without:
        return name
    named = ", ".join(map(str, without[:12])) + (" …" if len(without) > 12 else "")
    return f"{name} (without {named}, which stand below)"


def _scope(covered: Sequence[Entry]) -> str:
    roles = Counter(entry.message.role for entry in covered)
    tools = Counter(p.name for e in covered for p in e.message.parts if p.kind == "tool_call")
    said = f"{len(covered)} messages, {roles['user']} of the user"
    if tools:
        most = ", ".join(f"{one_line(name, 40)} {n}" for name, n in tools.most_common(8))
        said += f"; {tools.total()} tool calls: {most}"
    return said


Row = tuple[str, str]
"""The label of a line in a summary, and its full text."""


class _Section:
    """A section of a summary. Makes the line of a message only when it is tried: most are never
    used."""

    def __init__(self, title: str, entries: list[Entry], tell: Callable[[Entry], Row]) -> None:
        self.title, self.entries = title, entries
        self._tell = tell
        self._rows: dict[int, Row] = {}

    def line(self, place: int, width: int) -> str:
        row = self._rows.get(place)
        if row is None:
            name, said = self._tell(self.entries[place])
            row = self._rows[place] = name, one_line(said, _WIDTHS[0])
        name, said = row
        return f"- {name}: {said if len(said) <= width else one_line(said, width)}"


def _sections(told: Told) -> dict[str, _Section]:
    earlier: list[Entry] = []
    requests: list[Entry] = []
    decisions: list[Entry] = []
    timeline: list[Entry] = []
    for entry in told.covered:
        said = bool(entry.message.text.strip())
        if is_summary(entry):
            earlier.append(entry)
        elif entry.message.role == "user" and said:
            requests.append(entry)
        elif said and told.kind_of(entry.message) == "decision":
            decisions.append(entry)
        else:
            timeline.append(entry)
    return {
        "earlier": _Section("Earlier summary:", earlier[-1:], _said),
        "requests": _Section("Requests:", requests, _said),
        "decisions": _Section("Decisions:", decisions, _said),
        "timeline": _Section("Timeline:", timeline, _happened),
    }


def _said(entry: Entry) -> Row:
    return f"#{entry.number}", entry.message.text.strip()


def _happened(entry: Entry) -> Row:
    return f"#{entry.number} {entry.message.role}", _event(entry)


def _event(entry: Entry) -> str:
    """Return a message for the timeline: its text, then its tool calls."""
    said = [entry.message.text.strip()] if entry.message.text.strip() else []
    said += [call_line(part) for part in entry.message.parts if part.kind == "tool_call"]
    return " | ".join(said)


def call_line(part: Part, width: int = 100) -> str:
    """Return a tool call as `Name(its most informative argument)`."""
    given = part.input
    if isinstance(given, dict):
        names = ("command", "cmd", "file_path", "path", "pattern", "query", "url", "description")
        telling = next((given[name] for name in names if given.get(name)), None)
        if isinstance(telling, list):
            telling = " ".join(map(str, telling))
        if isinstance(telling, str):
            return f"{part.name}({one_line(telling, width)})"
    return f"{part.name}({one_line(input_text(part), width)})"


def _fitted(section: _Section, limit: int, measure: Measure) -> str:
    """Return the section with the widest lines that fit or, with the narrowest ones, as many of the
    newest as fit. An earlier summary keeps its line breaks."""
    if not section.entries or limit <= 0:
        return ""
    if section.title == "Earlier summary:":
        parts = section.entries[0].message.parts
        return _earlier("\n".join(part.text for part in parts if part.text), limit, measure)
    for width in _WIDTHS:
        text = _wide(section, width, limit * _LONGEST)
        if text and measure.text(text) <= limit:
            return text
    return _newest(section, limit, measure)


def _wide(section: _Section, width: int, most: int) -> str:
    """Return the section in lines of that width, "" as soon as they exceed `most` characters."""
    lines = [section.title]
    left = most - len(section.title)
    for place in range(len(section.entries)):
        lines.append(section.line(place, width))
        left -= len(lines[-1]) + 1
        if left < 0:
            return ""
    return "\n".join(lines)


def _newest(section: _Section, limit: int, measure: Measure) -> str:
    left = limit - measure.text(section.title) - 12
    chosen: list[str] = []
    for place in reversed(range(len(section.entries))):
        line = section.line(place, _WIDTHS[-1])
        left -= measure.text(line) + 1
        if left < 0:
            break
        chosen.append(line)
    if not chosen:
        return ""
    missing = len(section.entries) - len(chosen)
    return "\n".join([section.title, f"- ({missing} older ones left out)", *reversed(chosen)])


def _earlier(text: str, limit: int, measure: Measure) -> str:
    """Return as much of the beginning of an earlier summary as fits."""
    title = "Earlier summary:"
    tokens = measure.text(text)
    if tokens <= limit - 8:
        return f"{title}\n{text}"
    length = int(len(text) * (limit - 8) / max(tokens, 1))
    while length > 40:
        cut = f"{title}\n{text[:length].rstrip()} …"
        if measure.text(cut) <= limit:
            return cut
        length = length * 9 // 10
    return ""
