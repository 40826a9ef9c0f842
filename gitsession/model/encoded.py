"""A version's content, ready to be stored; it can be made only from a Redacted session."""

from __future__ import annotations

from collections.abc import Mapping

from gitsession.model.finding import Redacted

Data = bytes | memoryview
"""The content of a blob; a giant string is a view of the record it was cut from, not a copy."""


class Executable(bytes):
    """The content of an executable file: git's mode 100755."""

    __slots__ = ()
    runs = True


class Encoded:
    """Paths and bytes of one version, relative to a base tree.

    Making one requires a Redacted, so whatever reaches a store has been scanned by construction.
    `files` maps tree paths (with `/`) to blob bytes, or to None for a path to remove; everything
    else in the base tree stays. `message` is the whole commit message without the seal; `time` is
    the unix seconds of the newest record.
    """

    __slots__ = ("files", "message", "time")

    def __init__(
        self, proof: Redacted, files: Mapping[str, Data | None], message: str, time: int
    ) -> None:
        if not isinstance(proof, Redacted):
            raise TypeError("only a Redacted session can be encoded")
        self.files = files
        self.message = message
        self.time = time
