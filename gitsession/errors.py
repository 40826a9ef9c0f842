"""The exception tree: what went wrong in one sentence, what to do in one hint, and the exit code.

Every error a user can cause or meet is one of these; anything else that escapes is a bug (exit 3).
Texts never hold values from a session that have not passed redaction.
"""

from __future__ import annotations


class GitSessionError(Exception):
    """Base of everything expected. `str(error)` is the sentence, `error.hint` the next step."""

    exit_code = 16

    def __init__(self, message: str, hint: str = "", candidates: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.hint = hint
        self.candidates = candidates


class UsageError(GitSessionError):
    """A combination of arguments that means nothing."""

    exit_code = 2


class StoreNotFound(GitSessionError):
    """No store at that place, or a folder that is not one of ours."""

    exit_code = 10


class StoreBusy(GitSessionError):
    """Another process holds the lock longer than we wait."""

    exit_code = 11


class NotFound(GitSessionError):
    """A session, revision, branch, tag, message or agent that does not exist."""

    exit_code = 12


class Ambiguous(NotFound):
    """A name that fits more than one thing; `candidates` lists them."""


class Conflict(GitSessionError):
    """A ref moved, a name is taken, a change would be lost, or not a fast-forward."""

    exit_code = 13


class SecretsFound(GitSessionError):
    """A guard found a secret in what was to be shared; `candidates` lists rule and place."""

    exit_code = 14


class RemoteError(GitSessionError):
    """The remote refused, could not be reached, or is not a git repository."""

    exit_code = 15


class SourceUnreadable(GitSessionError):
    """A native session (or a file given as one) cannot be read as such."""

    exit_code = 16


class RedactionFailed(GitSessionError):
    """The detector could not finish; nothing was written."""

    exit_code = 16


class FormatError(GitSessionError):
    """A damaged store object, or a format this release does not know."""

    exit_code = 17
