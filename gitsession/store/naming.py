"""Which refs name certain versions. Packed refs are searched by id, so that those of thousands of
other versions are never parsed."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from gitsession.errors import FormatError
from gitsession.model.history import TAGS
from gitsession.store import history
from gitsession.store.objects import is_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.store.store import Store

_PEELED = b" fully-peeled "
"""In the first line if each annotated tag is followed by its target."""


def naming(store: Store, prefix: str, commits: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield (ref, commit), sorted by name, for every ref below `prefix` that names one of these
    commits, directly or through an annotated tag."""
    packed = store.ref_files.packed_bytes()
    loose = store.ref_files.loose(prefix)
    rest = dict(loose)
    found: dict[str, str] = {}
    if _PEELED in packed[: packed.find(b"\n")]:
        for commit in commits:
            found.update({ref: commit for ref in _packed(packed, commit) if ref not in loose})
    else:
        rest = store.refs(prefix)
    for ref, identity in rest.items():
        if prefix == TAGS and identity not in commits:
            identity = _marked(store, identity)
        if identity in commits:
            found[ref] = identity
    yield from sorted(row for row in found.items() if row[0].startswith(prefix))


def _packed(lines: bytes, commit: str) -> Iterator[str]:
    """The names of packed refs with this id, or with a following `^` line of this id."""
    wanted = commit.encode()
    place = lines.find(wanted)
    while place > 0:
        before = lines[place - 1 : place]
        start = place if before == b"\n" else -1
        if before == b"^":
            start = lines.rfind(b"\n", 0, place - 2) + 1
        name = lines[start + 41 : lines.find(b"\n", start)] if start >= 0 else b""
        if is_id(lines[start : start + 40].decode("ascii", "replace")) and name:
            yield name.decode("utf-8", "replace")
        place = lines.find(wanted, place + 40)


def _marked(store: Store, identity: str) -> str:
    """The target of an annotated tag; "" for anything else."""
    try:
        kind, _ = known = store.reader.read(identity)
        return history.peel(store, identity, known).id if kind == "tag" else ""
    except FormatError:
        return ""  # `fsck` names it
