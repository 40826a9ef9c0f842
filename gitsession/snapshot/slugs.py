"""A session's name: words that say what it is about, and a few hex digits of its own."""

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
    """Return `<slug>-<hex>`; `digits` (4 to 8) grows where two sessions would share a name.

    The slug comes from the prompt of the session's turn, else from the agent's title. The hex
    digits come from agent and native id, so they do not depend on the slug.
    """
    if not 4 <= digits <= 8:
        raise ValueError("a session's name has 4 to 8 hex digits")
    info = session.info
    own = own_digits(info.agent, info.native_id)
    prompt = session.turn and session.turn.prompt.strip() and slug(subject(session.turn))
    return f"{prompt or slug(info.title) or 'session'}-{own[:digits]}"


def own_digits(agent: str, native_id: str) -> str:
    """Return the eight hex digits of a native session; its name contains the first few of them."""
    # No agent's name contains the separator, so two pairs never give the same text.
    text = f"{agent}\0{native_id}".encode("utf-8", "surrogatepass")
    return sha256(text).hexdigest()[:8]


def slug(text: str) -> str:
    """Return `text` in NFC and lower case: letters and digits of any script, separated by single
    dashes, at most 40 characters, cut between words if possible. "" if nothing is left."""
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
