"""Ids that a rewrite replaced: an id that somebody noted before it still leads to its version."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.store.store import Store

KIND = "rewritten"


def remember(
    store: Store,
    made: Mapping[str, str],
    remotes: Mapping[str, str],
    gone: Mapping[str, str] | None = None,
) -> None:
    """Record one rewrite: old to new ids, the old ids that refs of remotes named, and for each
    version left out the nearest later version that stayed."""
    number = 1 + max((int(name) for name in store.records.names(KIND) if name.isdigit()), default=0)
    record = {"ids": dict(made), "remotes": dict(remotes)}
    if gone:
        record["gone"] = dict(gone)
    store.records.write(KIND, str(number), record)


def left_out(store: Store, start: str) -> str:
    """For a version that a gc left out and whose id begins with `start`: the nearest later version
    that stayed; "" if there is none."""
    rows = [record for _, record in _records(store)]
    for index, record in enumerate(rows):
        gone = record.get("gone")
        for old, later in gone.items() if isinstance(gone, dict) else ():
            if old.startswith(start):
                after = (row.get("ids") for row in rows[index + 1 :])
                return _forward(str(later), [ids for ids in after if isinstance(ids, dict)])
    return ""


def follow(store: Store, start: str) -> list[str]:
    """What became, through all later rewrites, of objects whose old ids begin with `start`."""
    maps = list(_maps(store))
    found = []
    for index, ids in enumerate(maps):
        for old, new in ids.items():
            if old.startswith(start):
                found.append(_forward(new, maps[index + 1 :]))
    return list(dict.fromkeys(found))


def known(store: Store) -> dict[str, str]:
    """Every old id with its present id, through all rewrites."""
    maps = list(_maps(store))
    return {
        old: _forward(new, maps[index + 1 :])
        for index, ids in enumerate(maps)
        for old, new in ids.items()
    }


def at_remotes(store: Store) -> dict[str, str]:
    """Refs of remotes as they were before the rewrite here: the values it may replace there."""
    found: dict[str, str] = {}
    for _, record in _records(store):
        remotes = record.get("remotes")
        if isinstance(remotes, dict):
            found.update({str(ref): str(old) for ref, old in remotes.items()})
    return found


def _forward(identity: str, maps: list[dict[str, str]]) -> str:
    for ids in maps:
        identity = ids.get(identity, identity)
    return identity


def _maps(store: Store) -> Iterator[dict[str, str]]:
    for _, record in _records(store):
        ids = record.get("ids")
        if isinstance(ids, dict):
            yield ids


def _records(store: Store) -> list[tuple[int, dict[str, object]]]:
    rows = [(name, record) for name, record in store.records.items(KIND) if name.isdigit()]
    return sorted(((int(name), record) for name, record in rows), key=lambda row: row[0])
