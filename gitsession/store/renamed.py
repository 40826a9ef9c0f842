"""A session that got another name: what is remembered about it goes along, and the name that it had
leads to the one it has."""

from __future__ import annotations

from gitsession.errors import Conflict
from gitsession.model.history import HEADS, WIP
from gitsession.store.records import OF_BRANCHES, OF_SESSIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitsession.store.records import Records
    from gitsession.store.store import Store

KIND = "names"
"""Of a name that a session had: `to`, the one it got then. Of one that it has: `pushed`, if a
remote may know it."""
_MOST = 64


class Renamed(Conflict):
    """A session has another name now than when it was looked at."""


def follow(store: Store, old: str, new: str, *, back: bool = False) -> None:
    """Bindings, hints, HEADs and rows of lists go from one name to the other; `back` says that the
    first name was a mistake, so that nothing is remembered of it.

    The caller holds the store's lock, and the refs have moved. It may be done twice.
    """
    records = store.records
    for kind in OF_SESSIONS:
        if kind != KIND:  # it tells of names, and stays with them
            _move(records, kind, old, new)
    for prefix in (HEADS, WIP):
        for ref in store.refs(f"{prefix}{new}/"):
            branch = ref.removeprefix(f"{prefix}{new}/")
            for kind in OF_BRANCHES:
                _move(records, kind, f"{old}/{branch}", f"{new}/{branch}")
    _rewrite(records, "native", "branch", old, new, list(records.of_session("native", old)))
    _rewrite(records, "heads", "head", old, new, list(records.items("heads")))
    for name, record in list(records.items("listed")):
        rows = record.get("rows")
        if isinstance(rows, list) and old in rows:
            records.write("listed", name, {"rows": [new if row == old else row for row in rows]})
    _remember(records, old, new, back)


def _move(records: Records, kind: str, old: str, new: str) -> None:
    value = records.read(kind, old)
    if value is not None:
        value.pop("_name", None)
        records.write(kind, new, value)
        records.remove(kind, old)


def _rewrite(
    records: Records, kind: str, field: str, old: str, new: str,
    rows: Iterable[tuple[str, dict[str, object]]],
) -> None:  # fmt: skip
    """The branches that records of a kind name in a field."""
    for name, record in rows:
        session, slash, branch = str(record.get(field, "")).partition("/")
        if slash and session == old:
            records.write(kind, name, {**record, field: f"{new}/{branch}"})


def _remember(records: Records, old: str, new: str, back: bool) -> None:
    known = records.read(KIND, old) or {}
    if "to" not in known:  # else this was done before a kill
        pushed = {"pushed": True} if known.get("pushed") else {}
        if pushed:
            records.write(KIND, new, pushed)
        else:
            records.remove(KIND, new)
    if back:
        records.remove(KIND, old)
    else:
        records.write(KIND, old, {"to": new})


def now(records: Records, name: str) -> str:
    """What `<session>` or `<session>/<branch>` is called now, if the session had that name once and
    no other bears it; "" otherwise."""
    session, slash, branch = name.partition("/")
    found = session
    for _ in range(_MOST):
        record = records.read(KIND, found) or {}
        if not record.get("to"):
            break
        found = str(record["to"])
    return "" if found == session else f"{found}{slash}{branch}"


def former(records: Records, session: str) -> list[str]:
    """The names that a session had before."""
    return [name for name in records.names(KIND) if now(records, name) == session]


def keep(store: Store, sessions: Iterable[str]) -> None:
    """From now on a remote may know the names of these sessions. Raises Renamed where one of them
    has just got another."""
    with store.lock("store"):
        for session in sessions:
            if not store.refs(f"{HEADS}{session}/"):
                raise Renamed("a session got another name meanwhile", "run the command again")
            record = store.records.read(KIND, session) or {}
            if not record.get("pushed"):
                store.records.write(KIND, session, {"pushed": True})
