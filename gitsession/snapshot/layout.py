"""The paths within a version's tree; no other module knows their names."""

from __future__ import annotations

from gitsession.snapshot.limits import FOLDER
from gitsession.snapshot.paths import escape_stream

SESSION = "session.yaml"
STATE = "state.yaml"
STREAMS = "streams/"
SIDECARS = "sidecars/"
FILES = "files/"
INSTRUCTIONS = "instructions/"
ORIGINALS = "originals/"


def stream_folder(name: str) -> str:
    return STREAMS + escape_stream(name)


def blob_stem(folder: str, number: int) -> str:
    """Return the path stem of a turn blob: `streams/main/00/01/02` for number 102, counted from
    0."""
    above, entry = divmod(number, FOLDER)
    return f"{folder}/{above // FOLDER:02d}/{above % FOLDER:02d}/{entry:02d}"


# git looks for a delta base among blobs whose paths end in the same 16 characters, largest first.
# So all turns share one ending, and all strings another: packs become 7 to 10 % smaller.


def records_blob(stem: str) -> str:
    return f"{stem}.turn-records.jsonl"


def string_blob(stem: str, ordinal: int) -> str:
    """Return the path of the `ordinal`-th string, from 0, that was cut out of that turn blob."""
    return f"{stem}.s{ordinal}.long-string.txt"


def part(path: str, number: int) -> str:
    return f"{path}.p{number}"
