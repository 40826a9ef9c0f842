"""What a list is made of: a plain tuple, not a dataclass, since `list` must start fast."""

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
else:
    SessionRow = namedtuple(
        "SessionRow",
        "row session title prompt agent native_id project branches versions messages size time"
        " head archived open readable folder",
        defaults=(False, False, True, ""),
    )
    SessionRow.__doc__ = """One line of `list`, from commits and refs alone. `size` is bytes of
    native records, `time` unix seconds, `head` the newest version's id, `folder` where it was begun
    as far as a save of this machine knows."""
