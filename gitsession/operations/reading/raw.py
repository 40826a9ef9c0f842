"""checkout --raw: the stored native bytes, streamed to a file, or everything to a folder."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from gitsession import snapshot
from gitsession.errors import Conflict, NotFound
from gitsession.model.history import HEADS, WIP
from gitsession.operations import show
from gitsession.snapshot.paths import escape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.model.session import Session
    from gitsession.operations.workspace import Workspace
    from gitsession.store.revisions import Resolved


def stored_tree(workspace: Workspace, found: Resolved) -> Mapping[str, bytes]:
    """Return the tree that a revision means here: a branch (by its own name, its session's, HEAD or
    a row) includes its saved open turn; an id, tag or `~n` means exactly that version.

    Raises Conflict for a fetched version that may hold secrets: raw bytes would show them.
    """
    store = workspace.store
    if show.is_suspect(workspace, found.commit):
        raise Conflict(
            "secrets were found in what was fetched, so its raw bytes are not written",
            hint="gitsession checkout and gitsession export give it masked",
        )
    named = bool(found.branch) and found.ref == HEADS + found.branch
    wip = store.ref(WIP + found.branch) if named else ""
    if wip and found.commit in store.version(wip).parents:
        return store.tree(wip)
    return store.tree(found.commit)


def native_bytes(tree: Mapping[str, bytes], stream: str = "main") -> Iterator[bytes]:
    """Yield the native file of one stream, record by record. Raises FormatError.

    A fork by reference has its parent's records before its own; its file holds only its own.
    """
    head = snapshot.decode_head(tree)
    parents = _parents_records(head.session) if stream == "main" else 0
    for record in itertools.islice(snapshot.records(tree, head, stream), parents, None):
        yield record.data


def _parents_records(session: Session) -> int:
    """Return how many records of main are in the parent's file; 0 if the cut is among them."""
    base = session.carry.get("base")
    records = base.get("records", 0) if isinstance(base, Mapping) else 0
    own = isinstance(records, int) and records < session.stream("main").count
    return records if own else 0


def write(workspace: Workspace, tree: Mapping[str, bytes], target: str) -> list[str]:
    """Write main to a new file, or, if `target` ends with a slash or is a folder, every stream and
    sidecar to that folder; return the paths. Raises Conflict: nothing is ever overwritten."""
    path = Path(os.path.join(workspace.directory, os.path.expanduser(target)))
    if target.endswith(("/", os.sep)) or path.is_dir():
        return [str(made) for made in _write_all(tree, path)]
    _write(path, native_bytes(tree))
    return [str(path)]


def _write_all(tree: Mapping[str, bytes], folder: Path) -> Iterator[Path]:
    head = snapshot.decode_head(tree)
    for stream in head.session.streams:
        path = folder / f"{escape(stream.name)}.jsonl"
        _write(path, native_bytes(tree, stream.name))
        yield path
    for sidecar in snapshot.decode(tree).sidecars:
        path = folder / "sidecars" / escape(sidecar.path)
        _write(path, iter((sidecar.data,)))
        yield path


def _write(path: Path, blocks: Iterator[bytes]) -> None:
    """Create a private file; a read that fails leaves none behind."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise Conflict(
            f"{path} already exists; nothing was overwritten", hint="name another file"
        ) from None
    except OSError as error:
        raise NotFound(f"{path} cannot be written: {error.strerror}") from error
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.writelines(blocks)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
