"""What is lost when a session moves to another agent, counted in its records and messages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gitsession.agents.lenient import mapping_of, parse_line, text_of
from gitsession.agents.opencode_family import NAMES
from gitsession.agents.speech import is_summary
from gitsession.model.message import Message
from gitsession.model.session import Session

Row = dict[str, Any]

_BETWEEN = b", \t\r\n"
"""Characters before an item of a document that is one list of items."""

_WORDS = {
    "signatures": ("reasoning signature", "reasoning signatures"),
    "sealed": ("reasoning block that only its provider can read",
               "reasoning blocks that only its provider can read"),
    "images": ("image that the session does not contain",
               "images that the session does not contain"),
    "files": ("attached file, kept by name only", "attached files, kept by name only"),
    "steps": ("marker of a model step", "markers of model steps"),
    "patches": ("list of files that a step changed", "lists of files that a step changed"),
    "unknown": ("part of a type that only this agent has",
                "parts of types that only this agent has"),
    "before_compaction": ("message before the compaction, replaced by the summary",
                          "messages before the compaction, replaced by the summary"),
    "system_prompts": ("system prompt", "system prompts"),
    "notes": ("note that the program had added", "notes that the program had added"),
    "screen": ("copy for display by the agent", "copies for display by the agent"),
    "permissions": ("record with permissions or modes", "records with permissions or modes"),
    "rewound": ("abandoned branch", "abandoned branches"),
    "subagents": ("conversation of a subagent", "conversations of subagents"),
    "sidecars": ("sidecar file", "sidecar files"),
    "tasks": ("task from the task list", "tasks from the task list"),
    "usage": ("record of token usage", "records of token usage"),
}  # fmt: skip
"""Name of a loss → its singular and plural in a report, in the report's order."""

_SIGNATURES = ("thinkingSignature", "textSignature", "thoughtSignature")
_SCREEN = ("toolUseResult", "resultDisplay", "details", "detailedContent")
_SEALED = ("reasoningOpaque", "encryptedContent")
_MODES = ("permissionMode", "approvalMode", "approval_policy", "sandbox_policy", "sandbox_mode",
          "permission_profile", "permissions")  # fmt: skip
_MODE_ROWS = ("permission-mode", "mode")
_OPAQUE = ("input", "args", "arguments", "response", *_SCREEN)
"""Tool input and output: the tools' own data, whatever its member names."""


def chosen(messages: Sequence[Message]) -> tuple[tuple[Message, ...], dict[str, int]]:
    """Return the part of a conversation that the model still sees, and counts of what is left out.

    That part is what users and the model said: no system prompts, no notes from the program,
    nothing that a compaction replaces.
    """
    start, kept = _since_compaction(messages)
    seen: list[Message] = []
    lost: Counter[str] = Counter()
    for place, message in enumerate(messages):
        if _is_mark(message):
            continue
        if message.role == "system" and not is_summary(message):
            lost["system_prompts"] += 1
        elif message.role == "note":
            lost["notes"] += 1
        elif place < start and place not in kept:
            lost["before_compaction"] += 1
        else:
            seen.append(message)
    if kept:  # messages that the compaction kept verbatim follow the summary
        summary = messages[start]
        seen.remove(summary)
        seen.insert(0, summary)
    return tuple(seen), dict(lost)


def _since_compaction(messages: Sequence[Message]) -> tuple[int, set[int]]:
    """Return the position of the newest readable compaction, and the earlier ones it kept.

    The position is 0 if there is none.
    """
    for start in range(len(messages) - 1, -1, -1):
        for part in messages[start].parts:
            if part.kind == "compaction" and part.text.strip() and not part.name:
                return start, set(_kept(messages, start, mapping_of(part.native)))
    return 0, set()


def _kept(messages: Sequence[Message], start: int, native: Mapping[str, object]) -> Iterator[int]:
    first = text_of(native.get("firstKeptEntryId")) or _tail_start(messages[start - 1 : start])
    texts = messages[start].extra.get("kept")
    words = set(texts) if isinstance(texts, tuple) else set()
    within = False
    for place in range(start):
        message = messages[place]
        within = within or bool(first and message.native_id == first)
        if within or (message.role == "user" and message.text in words):
            yield place


def _tail_start(before: Sequence[Message]) -> str:
    """Return the first message kept; OpenCode states it in the message that asks for a summary."""
    marks = (part.native for message in before for part in message.parts)
    return next((text_of(mapping_of(n).get("tail_start_id")) for n in marks), "")


def _is_mark(message: Message) -> bool:
    """Whether the message says only that a compaction begins."""
    return all(part.kind == "compaction" and not part.text for part in message.parts)


def losses(session: Session, messages: Sequence[Message]) -> dict[str, int]:
    """Return how much is left behind, by name, apart from what `chosen` and `speech` count."""
    lost: Counter[str] = Counter()
    if session.info.agent in NAMES:
        from gitsession.agents.opencode import losses as opencode_losses

        lost.update(opencode_losses.count(session))
    else:
        for row in _rows(session):
            _count_row(row, lost)
            for value in _values(row):
                _count_value(value, lost)
        lost["rewound"] = _rewound(session)
    lost["subagents"] += sum(s.name.startswith("subagents/") for s in session.streams)
    lost["sidecars"] = len(session.sidecars)
    lost["tasks"] = len(session.state.todos)
    lost["usage"] += sum(message.usage is not None for message in messages)
    return {name: count for name, count in lost.items() if count}


def sentences(lost: Mapping[str, int]) -> tuple[str, ...]:
    """Return `12 reasoning signatures` … in a fixed order."""
    return tuple(
        f"{lost[name]} {several if lost[name] > 1 else one}"
        for name, (one, several) in _WORDS.items()
        if lost.get(name)
    )


def _rows(session: Session) -> Iterator[Row]:
    """Yield the native rows of the main stream; for Gemini's repetitive event log, its outcome."""
    if session.info.agent == "gemini":
        from gitsession.agents.gemini.log import replay

        yield from (entry.value for entry in replay(session).messages)
        return
    for record in session.stream().records:
        yield from parse_line(record.data.lstrip(_BETWEEN)).objects


def _values(value: object) -> Iterator[Row]:
    if isinstance(value, dict):
        yield value
        for name, inner in value.items():
            if name not in _OPAQUE:
                yield from _values(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _values(inner)


def _count_row(row: Row, lost: Counter[str]) -> None:
    payload = mapping_of(row.get("payload"))
    kind = text_of(row.get("type"))
    modes = any(name in row or name in payload for name in _MODES)
    lost["permissions"] += modes or kind in _MODE_ROWS
    lost["screen"] += kind == "event_msg"
    lost["system_prompts"] += kind == "system.message"
    lost["usage"] += kind == "session.usage_record"
    if kind == "session_meta":
        prompt = payload.get("base_instructions") or payload.get("instructions")
        lost["system_prompts"] += bool(prompt)


def _count_value(value: Row, lost: Counter[str]) -> None:
    kind = value.get("type")
    lost["signatures"] += sum(bool(text_of(value.get(name))) for name in _SIGNATURES)
    thinks = "thinking" in (kind, value.get("role"))
    lost["signatures"] += thinks and bool(text_of(value.get("signature")))
    sealed = "data" if kind == "redacted_thinking" else "encrypted_content"
    if kind in ("reasoning", "compaction", "redacted_thinking"):
        lost["sealed"] += bool(text_of(value.get(sealed)))
    lost["sealed"] += sum("messageId" in value and bool(value.get(name)) for name in _SEALED)
    lost["screen"] += sum(bool(value.get(name)) for name in _SCREEN)


def _rewound(session: Session) -> int:
    """Return the number of places where the user went back and took another path."""
    rows = [row for r in session.stream().records for row in parse_line(r.data).objects]
    agent = session.info.agent
    if agent == "claude-code":
        from gitsession.agents.claude_code.records import CONVERSATION, is_side
        from gitsession.agents.claude_code.tree import active_path

        told = [row for row in rows if row.get("type") in CONVERSATION and not is_side(row)]
        on = {text_of(rows[at].get("uuid")) for at in active_path(rows).positions}
        return _left(told, on, "uuid", "parentUuid")
    if agent in ("pi", "qwen"):
        from gitsession.agents.links import active_branch
        from gitsession.agents.pi import records as pi_records
        from gitsession.agents.qwen import records as qwen_records

        name, parent = ("id", "parentId") if agent == "pi" else ("uuid", "parentUuid")
        belongs = pi_records.is_entry if agent == "pi" else qwen_records.in_tree
        branch = active_branch(rows, name, parent, belongs)
        told = [row for row in rows if belongs(row) and "message" in row]
        on = {text_of(rows[at].get(name)) for at in branch.positions}
        return _left(told, on, name, parent)
    return sum(
        mapping_of(row.get("payload")).get("type") == "thread_rolled_back"
        or isinstance(row.get("$rewindTo"), str)
        for row in rows
    )


def _left(rows: list[Row], on: set[str], name: str, parent: str) -> int:
    """Count the records off the active path whose parent is on it or unknown."""
    known = {text_of(row.get(name)) for row in rows}
    off = [row for row in rows if text_of(row.get(name)) not in on]
    return sum(
        text_of(row.get(parent)) in on or text_of(row.get(parent)) not in known for row in off
    )
