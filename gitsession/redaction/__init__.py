"""Removes secrets from sessions, texts and JSON values before a byte of them is written.

    redactor = Redactor(key)
    redactor.learn(session)      # the whole source, before the first blob
    redacted = redactor.redact(session)

Only this room knows scanners, and only it creates `Redacted` and `Clean`.
"""

from __future__ import annotations

from gitsession.redaction.redactor import Redactor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.redaction.plain import redact_all as redact_all
    from gitsession.redaction.plain import redact_json as redact_json
    from gitsession.redaction.plain import redact_text as redact_text

__all__ = ["Redactor", "redact_all", "redact_json", "redact_text"]


def __getattr__(name: str) -> object:
    if name in __all__:
        from gitsession.redaction import plain

        return getattr(plain, name)
    raise AttributeError(name)
