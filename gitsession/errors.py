"""The exception hierarchy: a sentence on what went wrong, a hint on what to do, an exit code.

Every error that a user can cause or meet is one of these; anything else that escapes is a bug (exit
code 3). The texts never contain values from a session that have not passed redaction.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


class GitSessionError(Exception):
    """Base class of expected errors. `str(error)` is the sentence, `error.hint` the next step."""

    exit_code = 16

    def __init__(self, message: str, hint: str = "", candidates: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.hint = hint
        self.candidates = candidates


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return `did you mean X? ` with the known word closest to `word`, "" if none is close."""
    from difflib import get_close_matches

    spelled = {one.lower().replace("-", "_"): one for one in known}
    close = get_close_matches(word.lower().replace("-", "_"), spelled, 1)
    return f"did you mean {spelled[close[0]]}? " if close else ""


class UsageError(GitSessionError):
    """Invalid arguments, or a combination of them that makes no sense."""

    exit_code = 2


class StoreNotFound(GitSessionError):
    """There is no store at that place, or the folder there is not a gitsession store."""

    exit_code = 10


class StoreBusy(GitSessionError):
    """Another process held the lock longer than we are willing to wait."""

    exit_code = 11


class NotFound(GitSessionError):
    """A session, revision, branch, tag, message or agent that does not exist."""

    exit_code = 12


class Ambiguous(NotFound):
    """A name that matches more than one thing; `candidates` lists them."""


class Conflict(GitSessionError):
    """A ref moved, a name is taken, a change would be lost, or an update is not a fast-forward."""

    exit_code = 13


class SecretsFound(GitSessionError):
    """A guard found a secret in what was to be shared; `candidates` lists rules and places."""

    exit_code = 14


class RemoteError(GitSessionError):
    """The remote refused, could not be reached, or is not a git repository."""

    exit_code = 15


class SourceUnreadable(GitSessionError):
    """A native session (or a file given as one) cannot be read as such."""

    exit_code = 16


class RedactionFailed(GitSessionError):
    """The scanner could not finish; nothing was written."""

    exit_code = 16


class FormatError(GitSessionError):
    """A damaged store object, or a format that this release does not know."""

    exit_code = 17
