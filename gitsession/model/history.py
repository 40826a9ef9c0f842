"""The words of the history: versions, refs, and what a log is made of.

Named tuples, not dataclasses: `log` needs only these and must start fast.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple

    class Version(NamedTuple):
        id: str
        tree: str
        parents: tuple[str, ...]
        time: int
        subject: str
        trailers: Mapping[str, str]
        body: str

    class Tip(NamedTuple):
        ref: str
        id: str
        time: int
        subject: str
        trailers: Mapping[str, str]

    class RefMove(NamedTuple):
        ref: str
        old: str
        new: str
else:
    Version = namedtuple("Version", "id tree parents time subject trailers body")
    Version.__doc__ = """One commit. `time` is the author date (the newest record), unix seconds;
    `trailers` maps names without the `Gitsession-` prefix (`Session`, `Kind` …) to text."""
    Tip = namedtuple("Tip", "ref id time subject trailers")
    Tip.__doc__ = "The newest version of a branch, or the target of a tag, with the ref naming it."
    RefMove = namedtuple("RefMove", "ref old new")
    RefMove.__doc__ = "A compare-and-swap of one ref; an empty id means no such ref on that side."

HEADS = "refs/heads/"
TAGS = "refs/tags/"
REMOTES = "refs/remotes/"
WIP = "refs/gitsession/wip/"
UNDO = "refs/gitsession/undo/"

TRAILER = "Gitsession-"
TRAILERS = (
    "Session", "Native", "Seal", "Title", "Project", "Version", "Messages", "Bytes", "Tokens",
    "Compactions", "Kind", "Redacted", "Code",
)  # fmt: skip
