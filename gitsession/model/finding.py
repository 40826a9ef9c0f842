"""What was taken out of a session, and the proof that it was."""

from __future__ import annotations

from collections import namedtuple

TYPE_CHECKING = False

_PROOF = object()
"""For `redaction` alone (a test reads the syntax trees): its holder may declare a text clean."""


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
    # Like the words of the history: the store knows Clean, and `log` must start fast.
    Finding = namedtuple(
        "Finding", "rule place placeholder stream offset length mac", defaults=("main", -1, 0, "")
    )
    Finding.__doc__ = """One masked value: which rule, where, which placeholder; never the value.

    `place` is a readable path (`main:12 message.content[0].text`). `offset` and `length` are bytes
    in the native source of `stream` (-1 when the value does not stand there verbatim); `mac` is the
    128-bit keyed hash of exactly these bytes, in hex."""


class Clean(str):
    """A text without secrets. Only `redaction` makes them; only they reach a store."""

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
