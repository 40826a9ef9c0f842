"""What goes into the index: the messages of a version of a session, and where it was read from."""

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
    Text.__doc__ = "A text of a message: what was said (`tool` None), or a tool's call and answer."
    Entry = namedtuple("Entry", "number role time texts stream", defaults=("main",))
    Entry.__doc__ = """A message: its number in its stream of its version, unix seconds (0: not
    known), its texts."""
    Point = namedtuple("Point", "commit own cuts", defaults=(True, ()))
    Point.__doc__ = """A version whose messages are searched. `own`: made by this user. `cuts` are
    versions before it that hold what it does not: before a compaction, before an edit of the
    past."""
