"""What an agent wrote, byte for byte: records in streams, sidecar files, project files.

Named tuples, as in `model.history`: a save creates all of them and must start fast.
"""

from __future__ import annotations

from collections import namedtuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple

    class Record(NamedTuple):
        data: bytes

    class _Stream(NamedTuple):
        name: str
        records: tuple[Record, ...] = ()
        first: int = 0
        offset: int = 0

    class Sidecar(NamedTuple):
        path: str
        data: bytes
        source: str = ""

    class File(NamedTuple):
        path: str
        content: bytes | None
        reason: str = ""
        size: int = 0
        executable: bool = False
else:
    Record = namedtuple("Record", "data")
    Record.__doc__ = """One native unit with its line end: a JSONL line, or a torn tail without one.

    The records of a stream, joined, are the native file."""
    _Stream = namedtuple("_Stream", "name records first offset", defaults=((), 0, 0))
    Sidecar = namedtuple("Sidecar", "path data source", defaults=("",))
    Sidecar.__doc__ = """Another file of the agent that a resume needs. `path` is relative, with
    `/`, and is the adapter's own name for it (`tool-results/x.txt`), never an absolute path.
    `source` is the path of the file it was copied from, "" if it is not a copy."""
    File = namedtuple("File", "path content reason size executable", defaults=("", 0, False))
    File.__doc__ = """The state, after that turn, of a project file that the session read in full,
    edited or attached.

    `path` is relative to the session's project with `/`, or absolute if outside it.
    `content` is None if the session deleted the file or if it is withheld; then `reason` says
    why: `deleted`, `secret`, `ignored`, `too large`, `not reconstructable`, `special`.
    `size` is in bytes. `executable` says that its owner may run it; False also if that is not
    known."""


SYSTEM_PROMPT = "system_instruction"
"""The name, among the instruction files, of the system prompt that the agent itself started
with."""
IN_RECORDS = "in the records"
"""The reason for not storing that prompt a second time; its hash is stored."""


class Stream(_Stream):
    """A named, ordered run of records: `main`, `subagents/<id>`, `base` …

    `first` is the index of `records[0]` in the whole stream: 0 for a whole session, the starting
    position for a continuation. `offset` is the position in the native source, in bytes, right
    after the last record: where the next save continues. A stream without records is just a
    position.
    """

    __slots__ = ()

    @property
    def count(self) -> int:  # type: ignore[override]
        """The number of records in the whole stream up to and including `records`."""
        return self.first + len(self.records)
