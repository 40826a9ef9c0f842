"""The actions of every anchor (in lower case).

Most turns contain few anchors, so an action is built, and its module loaded, when its anchor first
occurs.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module

from gitsession.redaction.anchors import Finder, every
from gitsession.redaction.compiled import RULES
from gitsession.redaction.keynames import (
    PASSWORD_WORDS,
    SHORT_WORD_ENDS,
    SHORT_WORDS,
    TOKEN_WORDS,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gitsession.redaction.settings import Row

    Action = tuple[int, int, Any]  # kind, cost in steps, what to run
    Plan = tuple[int, Any]  # kind, what the action is built from: a row, a module, a kind of word

KEY_WORD, SHORT_WORD, VENDOR, FORM, SECOND = range(5)

ANCHORS: dict[str, tuple[bytes, ...]] = {
    "second": (
        b"akc", b"cloudant", b"softlayer", b"ibm", b"cloud_iam", b"cos_hmac", b"sq0csp-",
        b"_live_", b"glpat-", b"t3blbkfj",
    ),
    "carriers": (
        b"://", b"authorization", b"authorisation", b"basic ", b"bearer", b"cookie", b"creds",
        b"login", b"sign in", b"log in", b"use ", b"zugangsdaten",
    ),
    "commands": (
        b"curl", b"wget", b"mysql", b"mariadb", b"sshpass", b" login", b"redis-cli",
        b"identified", b"sudo -s", b"chpasswd", b"| passwd", b"pass ", b"net use", b"htpasswd",
        b"smbclient", b"ldap", b"rabbitmqctl", b"nmcli", b"@tcp(", b"auth=(", b".login(",
        b"basicauth(",
    ),
    "keyfiles": (
        b"private key", b"private-lines", b"kind: secret", b'"kty"', b":5432:", b":3306:",
        b".pgpass", b"machine ", b"mnemonic", b"seed phrase", b"recovery phrase", b"wallet",
        "助记词".encode(), b"seed words", b"bip39",
    ),
}  # fmt: skip
"""By module; its function `detectors` returns (anchor, cost in steps, detector)."""


@cache
def table(own: tuple[Row, ...], fast: bool) -> tuple[dict[int, list[Action]], Finder]:
    """The actions by anchor index, and the search for all anchors: shared by all engines."""
    planned = plans(own)
    return _Actions(list(planned.items())), every(list(planned), fast)


class _Actions(dict[int, list["Action"]]):
    """The actions by anchor index, built when the anchor first occurs."""

    def __init__(self, plans: list[tuple[bytes, list[Plan]]]) -> None:
        super().__init__()
        self._plans = plans

    def __missing__(self, index: int) -> list[Action]:
        anchor, plans = self._plans[index]
        self[index] = made = [action for plan in plans for action in _made(anchor, *plan)]
        return made


def _made(anchor: bytes, kind: int, source: Any) -> list[Action]:
    if kind == VENDOR:
        from gitsession.redaction.vendor import rule

        return [(VENDOR, 1, rule(source))]
    if kind == KEY_WORD:
        return [(KEY_WORD, 2 if source else 3, source)]
    if kind == SHORT_WORD:
        return [(SHORT_WORD, 2, source)]
    return [(kind, cost, what) for its, cost, what in _detectors(source) if its == anchor]


@cache
def _detectors(module: str) -> list[tuple[bytes, int, Any]]:
    rows: list[tuple[bytes, int, Any]] = import_module(f"{__package__}.{module}").detectors()
    return rows


def plans(own: tuple[Row, ...]) -> dict[bytes, list[Plan]]:
    """Every anchor with what its actions are built from."""
    rows: list[tuple[bytes, Plan]] = []
    rows += [(anchor, (VENDOR, row)) for row in RULES for anchor in row[1]]
    rows += [(word, (KEY_WORD, True)) for word in sorted(PASSWORD_WORDS)]
    rows += [(word, (KEY_WORD, False)) for word in sorted(TOKEN_WORDS)]
    rows += [
        (word + bytes([mark]), (SHORT_WORD, False))
        for word in SHORT_WORDS
        for mark in SHORT_WORD_ENDS
    ]
    for module, anchors in ANCHORS.items():
        kind = SECOND if module == "second" else FORM
        rows += [(anchor, (kind, module)) for anchor in anchors]
    rows += [(anchor, (VENDOR, row)) for row in own for anchor in row[1]]
    planned: dict[bytes, list[Plan]] = {}
    for anchor, plan in rows:
        planned.setdefault(anchor, []).append(plan)
    return planned
