"""A row of `list`: a named tuple, not a dataclass, because `list` must start fast."""

from __future__ import annotations

from collections import namedtuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple

    class SessionRow(NamedTuple):
        row: int
        session: str
        title: str
        prompt: str
        agent: str
        native_id: str
        project: str
        branches: tuple[str, ...]
        versions: int
        messages: int
        size: int
        time: int
        head: str
        archived: bool = False
        open: bool = False
        readable: bool = True
        folder: str = ""
        compactions: int = 0
else:
    SessionRow = namedtuple(
        "SessionRow",
        "row session title prompt agent native_id project branches versions messages size time"
        " head archived open readable folder compactions",
        defaults=(False, False, True, "", 0),
    )
    SessionRow.__doc__ = """One row of `list`, from commits and refs alone. `size` is the bytes of
    native records, `time` is in unix seconds, `head` is the newest version's id, `folder` is where
    the session was started, if a save on this machine recorded it, and `compactions` is how often
    its agent compacted it."""
