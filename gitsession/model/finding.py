"""Findings of a redaction, and the proof that a text or session was redacted."""

from __future__ import annotations

from collections import namedtuple

TYPE_CHECKING = False

_PROOF = object()
"""For `redaction` only (a test checks the syntax trees): its holder may declare a text clean."""


if TYPE_CHECKING:
    from typing import NamedTuple

    from gitsession.model.session import Session

    class Finding(NamedTuple):
        rule: str
        place: str
        placeholder: str
        stream: str = "main"
        offset: int = -1
        length: int = 0
        mac: str = ""
else:
    # A named tuple, as in `model.history`: the store imports Clean from here, and `log` must start
    # fast.
    Finding = namedtuple(
        "Finding", "rule place placeholder stream offset length mac", defaults=("main", -1, 0, "")
    )
    Finding.__doc__ = """One masked value: its rule, place and placeholder; never the value itself.

    `place` is a readable path (`main:12 message.content[0].text`). `offset` and `length` are in
    bytes of the native source of `stream` (-1 if the value does not occur there verbatim); `mac` is
    the 128-bit keyed hash of exactly these bytes, in hex."""


class Clean(str):
    """A text without secrets. Only `redaction` makes them, and only they reach a store."""

    __slots__ = ()

    def __new__(cls, text: str, proof: object) -> Clean:
        if proof is not _PROOF:
            raise TypeError("a Clean text is made by gitsession.redaction only")
        return super().__new__(cls, text)


class Redacted:
    """A Session without secrets, with the findings. Only `redaction` makes them."""

    __slots__ = ("findings", "session")

    session: Session
    findings: tuple[Finding, ...]

    def __init__(self, session: Session, findings: tuple[Finding, ...], proof: object) -> None:
        if proof is not _PROOF:
            raise TypeError("a Redacted session is made by gitsession.redaction only")
        self.session = session
        self.findings = findings
