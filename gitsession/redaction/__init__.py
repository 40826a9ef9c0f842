"""Takes secrets out of sessions, texts and JSON values before a byte of them is written.

    redactor = Redactor(key)
    redactor.learn(session)      # the whole source, before the first blob
    redacted = redactor.redact(session)

Only this room knows scanners, and only it makes `Redacted` and `Clean`.
"""

from gitsession.redaction.plain import redact_all, redact_json, redact_text
from gitsession.redaction.redactor import Redactor

__all__ = ["Redactor", "redact_all", "redact_json", "redact_text"]
