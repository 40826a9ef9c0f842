"""The state of a native session's history: its branch, tip and newest finished version."""

from __future__ import annotations

from collections import namedtuple

from gitsession.model.history import HEADS
from gitsession.operations import natives
from gitsession.snapshot.head import Head

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, NamedTuple

    from gitsession.agents.base import Source
    from gitsession.model.history import Tip, Version
    from gitsession.model.session import Session
    from gitsession.operations.workspace import Workspace

    class _Line(NamedTuple):
        branch: str = ""
        tip: str = ""
        base: str = ""
        tree: str = ""
        head: Head | None = None
        state: Mapping[str, Any] | None = None
        native: Mapping[str, Any] = {}
        open_tree: str = ""
        number: int = 0
else:
    _Line = namedtuple(
        "_Line",
        "branch tip base tree head state native open_tree number",
        defaults=("", "", "", "", None, None, {}, "", 0),
    )


class Line(_Line):
    """`branch` is `<session>/<branch>`, "" for a native session never seen. `tip` is its newest
    version, `base` the newest finished one (they differ while an open version is the tip); `tree`
    and `head` belong to `base`; `open_tree` is the tree of an open tip, "" otherwise. `state` is
    the hint for that tip, `native` the binding; `number` counts the versions up to the tip."""

    __slots__ = ()

    @property
    def ref(self) -> str:
        return HEADS + self.branch


def find_line(workspace: Workspace, source: Source) -> Line:
    """Return the line that this native session continues; an empty one if it is unknown."""
    store = workspace.store
    native = natives.find(workspace, source.agent, source.native_id)
    branch = (native or {}).get("branch") or _by_trailer(workspace, source)
    if not branch:
        return Line(native=native or {})
    tip = store.ref(HEADS + branch)
    if not tip and (other := _name_now(workspace, branch)):
        branch, tip = other, store.ref(HEADS + other)
    if not tip:
        return Line(native=native or {})
    state: Mapping[str, Any] | None = store.records.read("state", branch)
    if state and state.get("commit") == tip and state.get("native_id") == source.native_id:
        head = Head.from_dict(state["head"])
        line = Line(branch, tip, state["base"], state["tree"], head, state, native or {})
    else:
        line = _from_objects(workspace, branch, tip, native or {})
    if line.base != tip:
        shown = store.version(tip)
        return line._replace(open_tree=shown.tree, number=_number(shown))
    return line._replace(number=line.head.number if line.head else 0)


def _name_now(workspace: Workspace, branch: str) -> str:
    """Return the current name of a branch that does not exist, if its session was renamed; else "".

    Refs move before the records that name them, so a change that is in progress, or that a kill
    interrupted, is completed first."""
    store = workspace.store
    if store.oplog.is_changing():
        with store.transaction("save"):
            pass
    if store.records.read("names", branch.partition("/")[0]) is None:
        return ""
    from gitsession.store import renamed

    return renamed.now(store.records, branch)


def _number(version: Version) -> int:
    text = version.trailers.get("Version", "")
    return int(text) if text.isascii() and text.isdigit() else 0


def _by_trailer(workspace: Workspace, source: Source) -> str:
    """Find a lost binding again as far as the tips' trailers reach: in the session whose name ends
    in its digits, which a killed save may have just left, else in any that a checkout wrote."""
    from gitsession.snapshot.slugs import own_digits

    store, wanted = workspace.store, f"{source.agent}/{source.native_id}"
    for session in store.ref_files.sessions_ending(own_digits(source.agent, source.native_id)):
        for tip in store.tips(f"{HEADS}{session}/"):
            if _native(tip) == wanted:
                return tip.ref.removeprefix(HEADS)
    if workspace.natives_of_tips is None:
        workspace.natives_of_tips = {}
        for tip in store.tips(HEADS):
            workspace.natives_of_tips.setdefault(_native(tip), tip.ref.removeprefix(HEADS))
    return workspace.natives_of_tips.get(wanted, "")


def _native(tip: Tip) -> str:
    return tip.trailers.get("Native", tip.trailers.get("Session", ""))


def _from_objects(workspace: Workspace, branch: str, tip: str, native: Mapping[str, Any]) -> Line:
    base = newest_finished(workspace, tip, str(native.get("base", "")))
    if base is None:
        return Line(branch, tip, native=native)
    from gitsession.snapshot.decoding import decode_head

    head = decode_head(workspace.store.tree(base.tree))
    return Line(branch, tip, base.id, base.tree, head, None, native)


def newest_finished(workspace: Workspace, tip: str, taken_up: str = "") -> Version | None:
    """Return the first version from `tip` back that is not open; None if all are.

    An open version that a checkout continued (`taken_up`) ends its turn there and counts as
    finished.
    """
    for version in workspace.store.log([tip], limit=0):
        if version.trailers.get("Kind") != "open" or version.id == taken_up:
            return version
    return None


def is_open_tip(workspace: Workspace, line: Line, part: Session) -> bool:
    """Whether an open version at the tip already holds the unfinished turn up to the same place."""
    if not line.open_tree:
        return False
    from gitsession.snapshot.decoding import decode_head

    stored = decode_head(workspace.store.tree(line.open_tree)).session
    return all(
        stream.count <= stored.stream(stream.name).count
        and stream.offset <= stored.stream(stream.name).offset
        for stream in part.streams
    )


def has_records(part: Session) -> bool:
    """Whether a continuation contains any records."""
    return any(stream.records for stream in part.streams)
