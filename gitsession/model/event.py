"""Events: what happened in a session, one small fact each, ranked by importance."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

HASH_LENGTH = 16


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened, derived from the messages of a version: the same version always
    yields the same events.

    type          one of the types in the table of docs/reference/events.md (`file_edit`)
    category      the group of that type (`file`)
    priority      1 (a rule, a prompt, a task) to 4 (dispensable)
    data          the fact itself, at most a few KB, already redacted
    message       the number of the message it was found in, as in `REV:N`
    time          the time of that message, ISO-8601 UTC with Z, or ""
    tool          the agent's own name for the tool that was used, "" if none was
    project       the folder that the event belongs to
    attribution   how that is known: `path`, `cwd` or `session`; `confidence` from 0 to 1
    returned      the number of bytes that the tool returned to the model
    avoided       the number of bytes that the agent kept from the model, if it says so
    """

    type: str
    category: str
    priority: int
    data: str
    message: int
    time: str = ""
    tool: str = ""
    project: str = ""
    attribution: str = "session"
    confidence: float = 0.5
    returned: int = 0
    avoided: int = 0

    @property
    def hash(self) -> str:
        """The first 16 hex digits, upper case, of the SHA-256 of `data`."""
        digest = hashlib.sha256(self.data.encode("utf-8", "surrogatepass")).hexdigest()
        return digest[:HASH_LENGTH].upper()
