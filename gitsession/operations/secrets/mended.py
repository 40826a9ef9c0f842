"""Mending after a rewrite: refs, records, HEADs and settings with old ids or the values."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from gitsession.model.history import HEADS, UNDO, RefMove
from gitsession.store import layout, rewritten
from gitsession.store.records import KINDS
from gitsession.store.rewrite import renamed

if TYPE_CHECKING:
    from gitsession.operations.secrets.removal import Removal
    from gitsession.operations.workspace import Workspace
    from gitsession.store import Store
    from gitsession.store.rewrite import Rewriter

_HINTS = ("state", "listed")
"""Kinds of records that are recreated automatically."""


def is_dropped(ref: str) -> bool:
    """Whether a ref only holds what undo could restore."""
    return ref.startswith(UNDO)


def refs(
    store: Store, rewriter: Rewriter, removal: Removal, lost: Mapping[str, str]
) -> dict[str, str]:
    """Move every ref to its new id and name, all or none; return branches old name -> new name."""
    known = store.refs()
    moves: list[RefMove] = []
    branches: dict[str, str] = {}
    taken = set(known)
    for ref, identity in known.items():
        if is_dropped(ref) or ref in lost:
            moves.append(RefMove(ref, identity, ""))
            continue
        name, new = renamed(removal, ref, taken), rewriter.new(identity)
        if name != ref:
            taken.add(name)
            moves += [RefMove(ref, identity, ""), RefMove(name, "", new)]
            if ref.startswith(HEADS):
                branches[ref.removeprefix(HEADS)] = name.removeprefix(HEADS)
        elif new != identity:
            moves.append(RefMove(ref, identity, new))
    store.ref_files.move(moves)
    return branches


def records(workspace: Workspace, removal: Removal, branches: Mapping[str, str]) -> None:
    """Rewrite every record with new ids, new names and clean texts; hints are dropped."""
    store = workspace.store.records
    # Includes ids of an earlier run, which may have been killed right before this.
    mend = _Mend(rewritten.known(workspace.store), branches, removal)
    for kind in KINDS:
        for name, record in list(store.items(kind)):
            if kind in _HINTS:
                store.remove(kind, name)
                continue
            # The keys of this map are the old ids on purpose.
            new = record if kind == "rewritten" else mend.value(record)
            new_name = mend.text(name)
            if new_name != name:
                store.remove(kind, name)
            if new_name != name or new != record:
                store.write(kind, new_name, new)
    store.forget_index()


def ids(store: Store) -> None:
    """Rewrite every record that still names ids from before a rewrite; texts stay as they are."""
    mend = _Mend(rewritten.known(store), {}, None)
    for kind in KINDS:
        for name, record in list(store.records.items(kind)):
            new = record if kind == "rewritten" else mend.value(record)
            if new != record:
                store.records.write(kind, name, new)


class _Mend:
    def __init__(
        self, ids: Mapping[str, str], branches: Mapping[str, str], removal: Removal | None
    ) -> None:
        self._removal = removal
        sessions = {old.partition("/")[0]: new.partition("/")[0] for old, new in branches.items()}
        self._texts = {**sessions, **branches, **ids}

    def value(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.value(item) for item in value]
        if isinstance(value, dict):
            return {self.text(name): self.value(item) for name, item in value.items()}
        return value

    def text(self, text: str) -> str:
        known = self._texts.get(text)
        if known is not None:
            return known
        if self._removal is None:
            return text
        data = text.encode("utf-8", "surrogatepass")
        made = self._removal.text(data)
        return text if made is data else made.decode("utf-8", "surrogatepass")


def settings(store: Store, removal: Removal) -> None:
    """Clean git's own settings (addresses of remotes), the author of versions, and packed refs."""
    from gitsession import files

    for name in ("config", layout.AUTHOR, "packed-refs"):
        path = f"{store.folder}/{name}"
        try:
            with open(path, "rb") as stream:
                data = stream.read()
        except FileNotFoundError:
            continue
        made = removal.text(data)
        if made is not data:
            files.replace(path, made)


def start_log_anew(workspace: Workspace, verb: str) -> None:
    """Empty the operation log, whose objects are gone; its numbering continues."""
    store = workspace.store
    number = store.oplog.last_id() + 1
    store.oplog.replace([])
    note_final(workspace, verb, number)


def note_final(workspace: Workspace, verb: str, number: int) -> None:
    """Log an operation that cannot be undone."""
    directory = workspace.store.records.directory(workspace.directory)
    entry = {"id": number, "time": int(time.time()), "verb": verb, "refs": []}
    workspace.store.oplog.append({**entry, "directory": directory})
