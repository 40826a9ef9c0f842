"""A command's arguments with every assigned value masked, whatever it is."""

from __future__ import annotations

import re

from gitsession.events.script import values

MASK = "***"
_ASSIGNED = re.compile(r"[^=]*[^=<>~!]=(?!=)", re.DOTALL)
"""Matches up to the sign of an assignment; `name==1.2` and `name>=1.2` are version requirements."""
_LOGIN = re.compile(r"(?<=://)[^/\s]*@")
_SECRET = re.compile(r"(?i)^-.*(?:token|passw|secret|auth|cred|key|otp|cookie|header)")


def masked(words: tuple[str, ...]) -> str:
    """Return the words on one line: NAME=***, --option=***, `--token ***`, URLs without logins."""
    shown: list[str] = []
    secret = False
    for word in words:
        shown.append(MASK if secret else _word(word))
        secret = not secret and "=" not in word and _SECRET.match(word) is not None
    return " ".join(shown)


def masked_command(command: str) -> str:
    """Return a whole command as it was typed, with every assigned value masked."""
    pieces, at = [], 0
    for start, end in values(command):
        pieces += [command[at:start], MASK]
        at = end
    return "".join([*pieces, command[at:]])


def name_and_mask(word: str) -> str:
    """NAME=value → NAME=***."""
    name, equals, _ = word.partition("=")
    return f"{name}{equals}{MASK}" if equals else name


def without_login(word: str) -> str:
    """Return a URL with user and password masked."""
    return _LOGIN.sub(f"{MASK}@", word)


def _word(word: str) -> str:
    found = _ASSIGNED.match(word)
    return f"{found[0]}{MASK}" if found else without_login(" ".join(word.split()))
