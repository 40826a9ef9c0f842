"""Compaction by OpenCode's rules: a request, a summary in named sections, an unchanged tail."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from gitsession.context.claw import key_files
from gitsession.context.detect import kind_of
from gitsession.context.entry import Entries, Entry, out, summary_entry
from gitsession.context.lines import one_line
from gitsession.context.measure import Measure, input_text
from gitsession.context.prune import is_summary
from gitsession.context.readable import media_text
from gitsession.context.tail import TURNS, tail_budget, tail_start
from gitsession.model.message import Message, Part
from gitsession.model.session import Todo

REQUEST = "What did we do so far?"
OUTPUT = 2_000
"""The most characters of each tool output that go into a summary."""
SECTIONS = (
    "Objective", "Important Details", "Work State", "Next Move", "Relevant Files",
)  # fmt: skip
_STATES = ("Completed", "Active", "Blocked")


@dataclass(frozen=True, slots=True)
class Tail:
    """The size of the tail: `preserve` tokens (0: a quarter of the room, at most `most`), in at
    most `turns` turns (None: any number)."""

    preserve: int = 0
    most: int = 8_000
    turns: int | None = TURNS


def compact(
    entries: Entries,
    room: int,
    measure: Measure,
    todos: tuple[Todo, ...] = (),
    tail: Tail | None = None,
    kind_of: Callable[[Message], str] = kind_of,
) -> tuple[Entries, int]:
    """Return the model's view after a compaction, in order (request, summary, kept tail), and the
    session's number of the message at which the tail starts (0: no tail).

    History starts at an earlier summary: messages before it were left out then.
    """
    tail = tail or Tail()
    start = tail_start(entries, tail_budget(room, tail.preserve, tail.most), measure, tail.turns)
    start = min(start, _newest(entries))
    covered = [e for e in entries[:start] if e.kept and not e.must]
    if not covered:
        return entries, 0
    summaries = [place for place, entry in enumerate(covered) if is_summary(entry)]
    recent = covered[summaries[-1] :] if summaries else covered
    part = Part("text", REQUEST, synthetic=True)
    asked = Message("user", (part,), extra={"made": "request"})
    request = Entry(0, asked, asked, "made", "compaction request")
    summary = summary_entry(sections_text(recent, todos, kind_of), "assistant")
    gone = {entry.number for entry in covered}
    head = tuple(
        out(entry, "summarised", "compacted") if entry.number in gone else entry
        for entry in entries[:start]
    )
    systems = sum(entry.must == "system" for entry in head)
    border = entries[start].number if start < len(entries) else 0
    return (*head[:systems], request, summary, *head[systems:], *entries[start:]), border


def _newest(entries: Entries) -> int:
    """Return the position of the newest message, which is never compacted."""
    return next(
        (at for at in range(len(entries) - 1, -1, -1) if entries[at].must == "newest"),
        len(entries),
    )


def summary_input(entries: Sequence[Entry]) -> str:
    """Return the text from which a summary is written: texts, calls, outputs of at most 2,000
    characters, media by name."""
    said: list[str] = []
    for entry in entries:
        lines = [_input_line(media_text(part)) for part in entry.message.parts]
        said.append(f"[{entry.message.role}]\n" + "\n".join(line for line in lines if line))
    return "\n\n".join(said)


def _input_line(part: Part) -> str:
    if part.kind == "tool_call":
        return f"call {part.name} {input_text(part)[:OUTPUT]}"
    if part.kind == "tool_result":
        return f"output {part.text[:OUTPUT]}"
    return part.text


def sections_text(
    covered: Sequence[Entry],
    todos: tuple[Todo, ...] = (),
    kind_of: Callable[[Message], str] = kind_of,
) -> str:
    """Return the named sections, made without a model; empty ones are kept."""
    users = [e.message.text for e in covered if e.message.role == "user" and e.message.text.strip()]
    spoken = [e.message.text for e in covered if e.message.text.strip()]
    details = [one_line(e.message.text, 300) for e in covered if kind_of(e.message)]
    earlier = ["\n".join(p.text for p in e.message.parts) for e in covered if is_summary(e)]
    content = {
        "Objective": [one_line(users[0], 500)] if users else [],
        "Important Details": [*earlier[-1:], *details[-20:]],
        "Work State": _work_state(todos),
        "Next Move": [one_line(spoken[-1], 300)] if spoken else [],
        "Relevant Files": key_files(covered),
    }
    return "\n\n".join(
        "\n".join([f"## {name}", *(f"- {line}" for line in content[name])]) for name in SECTIONS
    )


def _work_state(todos: tuple[Todo, ...]) -> list[str]:
    kinds = {"completed": "Completed", "in_progress": "Active", "pending": "Active"}
    found: dict[str, list[str]] = {name: [] for name in _STATES}
    for todo in todos:
        found[kinds.get(todo.status, "Blocked")].append(one_line(todo.text, 120))
    return [f"{name}: {'; '.join(texts)}" for name, texts in found.items()]


def parse_sections(text: str) -> dict[str, str]:
    """Return the named sections of a summary written by somebody else; missing ones are empty."""
    found = dict.fromkeys(SECTIONS, "")
    name = ""
    for line in text.split("\n"):
        title = line.lstrip("#").strip()
        if line.startswith("#") and title in found:
            name = title
        elif name:
            found[name] = f"{found[name]}\n{line}" if found[name] else line
    return {name: body.strip() for name, body in found.items()}


def replay(messages: Sequence[Message]) -> tuple[tuple[Message, ...], Message | None]:
    """Split a conversation that is too long for its own compaction: return everything before the
    newest prompt, and that prompt with media as text, to be sent again. Without anything before it
    there is no replay."""
    for place in range(len(messages) - 1, -1, -1):
        message = messages[place]
        if message.role == "user" and message.text.strip() and not message.extra.get("made"):
            if not place:
                return tuple(messages), None
            parts = tuple(media_text(part) for part in message.parts)
            return tuple(messages[:place]), replace(message, parts=parts)
    return tuple(messages), None
