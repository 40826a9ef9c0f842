"""The commit message of a version: a subject line for people, then the trailers."""

from __future__ import annotations

import re
from functools import lru_cache

from gitsession.model.history import TRAILER, TRAILERS
from gitsession.model.session import Session, Turn
from gitsession.snapshot.text import clip, one_line

_SUBJECT = 72
_VALUE = 160

# Kept as text and compiled (and cached by `re`) on first use: most prompts begin with a plain word.
_NOISE = r"(?i:[\W_]*|```.*|</?[a-zA-Z][\w:.-]*(?: [^>]*)?/?>|caveat: .*)"
"""Lines without content: rules, fences, lone tags, an agent's own caveats."""
_TAGS = r"</?[a-zA-Z][\w:.-]*(?: [^<>]*)?/?>"
_LEAD = r"^(?:[#>*+\-•]+\s+)+"
_LEADS = tuple("#>*+-•")

_FALLBACK = {
    "open": "Work in progress",
    "interrupted": "Interrupted turn",
    "compaction": "Conversation compacted",
    "rewrite": "Past rewritten by the agent",
    "import": "Imported session",
}


def commit_message(session: Session, number: int, masked: int) -> str:
    """Return the subject (≤ 72 columns), a blank line and one trailer per line, without the
    seal."""
    turn = session.turn or Turn()
    lines = [subject(turn, session.info.title if number == 1 else ""), ""]
    values = _trailers(session, turn, number, masked)
    lines += [f"{TRAILER}{name}: {values[name]}" for name in TRAILERS if values.get(name)]
    return "\n".join(lines) + "\n"


def subject(turn: Turn, title: str = "") -> str:
    """Return the given title, else the first line of the prompt that has content, else the prompt's
    whole text on one line, a fallback for the kind of turn, or `title` (the session's, for a
    session that began without a prompt)."""
    given = one_line(turn.title.partition("\n")[0])
    if given.strip():
        return clip(given, _SUBJECT)
    for line in turn.prompt.split("\n"):
        text = _without_marks(one_line(line))
        if text and not _is_noise(text):
            return clip(text, _SUBJECT)
    for text in (one_line(turn.prompt), _FALLBACK.get(turn.kind, ""), one_line(title)):
        if text and not text.isspace():
            return clip(text, _SUBJECT)
    return "Turn without a prompt"


def _without_marks(line: str) -> str:
    if "<" in line:
        line = re.sub(_TAGS, " ", line)
    line = line.strip()
    return re.sub(_LEAD, "", line) if line.startswith(_LEADS) else line


def _is_noise(text: str) -> bool:
    if text[0].isalnum() and text[0] not in "cC":
        return False
    return re.fullmatch(_NOISE, text) is not None


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
        "Compactions": str(session.counts.compactions or ""),
        "Kind": turn.kind,
        "Redacted": str(masked),
        "Code": info.code,
    }
    return {name: _value(text) for name, text in texts.items()}


@lru_cache(maxsize=32)
def _value(text: str) -> str:
    """Return `text` as a trailer's value; cached, since most values are the same in every
    version."""
    return clip(one_line(text), _VALUE)
