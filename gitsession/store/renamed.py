"""A session that was renamed: its records follow, and the former name leads to the present one."""

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
"""Records of this kind: under a former name, `to` is the name that followed it; under a present
name, `pushed` is set if a remote may know it."""
_MOST = 64


class Renamed(Conflict):
    """A session has been renamed since it was read."""


def follow(store: Store, old: str, new: str, *, back: bool = False) -> None:
    """Move records, hints, HEADs and list rows from one name to another. `back` says that the first
    name was a mistake, so that nothing of it is remembered.

    The caller holds the store's lock, and the refs have already moved. Repeating it does no harm.
    """
    records = store.records
    for kind in OF_SESSIONS:
        if kind != KIND:  # describes names, so it stays with them
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
    """Replace the session in the branches that records of a kind name in a field."""
    for name, record in rows:
        session, slash, branch = str(record.get(field, "")).partition("/")
        if slash and session == old:
            records.write(kind, name, {**record, field: f"{new}/{branch}"})


def _remember(records: Records, old: str, new: str, back: bool) -> None:
    known = records.read(KIND, old) or {}
    if "to" not in known:  # otherwise a killed process has already done this
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
    """The present name of `<session>` or `<session>/<branch>` if the session once had that name and
    no other has it; "" otherwise."""
    session, slash, branch = name.partition("/")
    found = session
    for _ in range(_MOST):
        record = records.read(KIND, found) or {}
        if not record.get("to"):
            break
        found = str(record["to"])
    return "" if found == session else f"{found}{slash}{branch}"


def former(records: Records, session: str) -> list[str]:
    """The former names of a session."""
    return [name for name in records.names(KIND) if now(records, name) == session]


def keep(store: Store, sessions: Iterable[str]) -> None:
    """Note that from now on a remote may know the names of these sessions. Raises Renamed if one
    has just been renamed."""
    with store.lock("store"):
        for session in sessions:
            if not store.refs(f"{HEADS}{session}/"):
                raise Renamed("a session got another name meanwhile", "run the command again")
            record = store.records.read(KIND, session) or {}
            if not record.get("pushed"):
                store.records.write(KIND, session, {"pushed": True})
