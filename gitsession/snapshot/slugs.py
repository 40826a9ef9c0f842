"""The name of a session: words that say what it is about, and a few hex digits of its own."""

from __future__ import annotations

import re

from gitsession.digests import sha256
from gitsession.model.session import Session
from gitsession.snapshot.message import subject
from gitsession.snapshot.text import one_line

_LENGTH = 40
_NOT_A_WORD = re.compile(r"[\W_]+")
_LEADING_MARKS = re.compile(r"^\W+")


def session_name(session: Session, digits: int = 4) -> str:
    """`<slug>-<hex>`; `digits` (4 to 8) grows where two sessions would bear one name.

    The slug is from what was asked in the session's turn, else from the agent's title; the hex is
    of agent and native id, so it is the same whatever the slug becomes.
    """
    if not 4 <= digits <= 8:
        raise ValueError("a session's name has 4 to 8 hex digits")
    info = session.info
    own = own_digits(info.agent, info.native_id)
    prompt = session.turn and session.turn.prompt.strip() and slug(subject(session.turn))
    return f"{prompt or slug(info.title) or 'session'}-{own[:digits]}"


def own_digits(agent: str, native_id: str) -> str:
    """The eight hex digits of a native session, of which its name bears the first ones."""
    # A separator that no agent's name holds, so that two pairs never give one text.
    text = f"{agent}\0{native_id}".encode("utf-8", "surrogatepass")
    return sha256(text).hexdigest()[:8]


def slug(text: str) -> str:
    """NFC, lower case, letters and digits of any script with single dashes, at most 40 characters;
    cut between words where there is one. "" if nothing is left."""
    if not text.isascii():
        import unicodedata

        text = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).lower())
        text = "".join(
            character if unicodedata.category(character)[0] in "LNM" else "-"
            for character in one_line(text)
        )
        text = _LEADING_MARKS.sub("", re.sub("-+", "-", text)).strip("-")
    else:
        text = _NOT_A_WORD.sub("-", text.lower()).strip("-")
    if len(text) <= _LENGTH:
        return text
    cut = text[: _LENGTH + 1].rfind("-")
    return text[: cut if cut >= _LENGTH // 2 else _LENGTH].strip("-")
