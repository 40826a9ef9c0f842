"""The input of the index: the messages of a session's version, and the version they were read
from."""

from __future__ import annotations

from collections import namedtuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple

    class Text(NamedTuple):
        text: str
        tool: str | None = None

    class Entry(NamedTuple):
        number: int
        role: str
        time: int
        texts: tuple[Text, ...]
        stream: str = "main"

    class Point(NamedTuple):
        commit: str
        own: bool = True
        cuts: tuple[str, ...] = ()
else:
    Text = namedtuple("Text", "text tool", defaults=(None,))
    Text.__doc__ = "A text of a message: what was said (`tool` None), or a tool's call and result."
    Entry = namedtuple("Entry", "number role time texts stream", defaults=("main",))
    Entry.__doc__ = """A message: its number in its stream of the version, its time in unix seconds
    (0: not known) and its texts."""
    Point = namedtuple("Point", "commit own cuts", defaults=(True, ()))
    Point.__doc__ = """A version whose messages are searched. `own` says that this user made it.
    `cuts` are earlier versions with messages that it lacks: from before a compaction or an edit of
    the past."""
