"""The commit message of a version: one line that a person understands, then the trailers."""

from __future__ import annotations

import re

from gitsession.model.history import TRAILER, TRAILERS
from gitsession.model.session import Session, Turn
from gitsession.snapshot.text import clip, one_line

_SUBJECT = 72
_VALUE = 160

_NOISE = re.compile(
    r"[\W_]*|```.*|</?[a-zA-Z][\w:.-]*(?: [^>]*)?/?>|caveat: .*",
    re.I,
)
"""Lines that say nothing: rules, fences, lone tags, an agent's own caveats."""
_TAGS = re.compile(r"</?[a-zA-Z][\w:.-]*(?: [^<>]*)?/?>")
_LEAD = re.compile(r"^(?:[#>*+\-•]+\s+)+")

_FALLBACK = {
    "open": "Work in progress",
    "interrupted": "Interrupted turn",
    "compaction": "Conversation compacted",
    "rewrite": "Past rewritten by the agent",
    "import": "Imported session",
}


def commit_message(session: Session, number: int, masked: int) -> str:
    """Subject (≤ 72 columns), blank line, one trailer a line; without the seal."""
    turn = session.turn or Turn()
    lines = [subject(turn, session.info.title), ""]
    values = _trailers(session, turn, number, masked)
    lines += [f"{TRAILER}{name}: {values[name]}" for name in TRAILERS if values.get(name)]
    return "\n".join(lines) + "\n"


def subject(turn: Turn, title: str = "") -> str:
    """The title that was given, else the first line of the prompt that says something, else what
    kind of turn it was."""
    given = one_line(turn.title.partition("\n")[0])
    if given.strip():
        return clip(given, _SUBJECT)
    for line in turn.prompt.split("\n"):
        text = _LEAD.sub("", _TAGS.sub(" ", one_line(line)).strip())
        if text and not _NOISE.fullmatch(text):
            return clip(text, _SUBJECT)
    for text in (one_line(turn.prompt), _FALLBACK.get(turn.kind, ""), one_line(title)):
        if text and not text.isspace():
            return clip(text, _SUBJECT)
    return "Turn without a prompt"


def _trailers(session: Session, turn: Turn, number: int, masked: int) -> dict[str, str]:
    info = session.info
    native = f"{info.agent}/{info.native_id}"
    texts = {
        "Session": info.identity or native,
        "Native": native,
        "Title": info.title,
        "Project": info.project,
        "Version": str(number),
        "Messages": str(session.counts.messages),
        "Bytes": str(session.counts.bytes),
        "Tokens": str(session.usage.total),
        "Kind": turn.kind,
        "Redacted": str(masked),
        "Code": info.code,
    }
    return {name: clip(one_line(text), _VALUE) for name, text in texts.items()}
