"""The native sessions that this machine knows: which branch each continues, which of them a
checkout made, and whether their agent has touched them since."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping

from gitsession.agents import registry
from gitsession.errors import NotFound
from gitsession.model.history import HEADS
from gitsession.store.records import OF_BRANCHES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gitsession.operations.workspace import Workspace

NativeRecord = Mapping[str, "Any"]
"""agent, native_id, branch, path, time; from a checkout also base (commit), written (bytes and
keyed hash of the main file, how many stored records it stands for, bytes of the other streams),
files (the other paths), options (keyed hash), made (the branch too), from (HEAD before), anew (the
turns that were written, where it was made from messages). Where the agent does not just append to
the file, `written` has `says` too (number of messages, keyed hash of what they say)."""


def name_of(record: NativeRecord) -> str:
    """`<agent>/<native id>`: the name of the record, also of its tombstone."""
    return f"{record['agent']}/{record['native_id']}"


def known(workspace: Workspace) -> Iterator[NativeRecord]:
    """All bindings of this store."""
    for _, record in workspace.store.records.items("native"):
        if record.get("agent") and record.get("native_id"):
            yield record


def of_session(workspace: Workspace, session: str) -> Iterator[NativeRecord]:
    """The bindings to branches of one session."""
    for _, record in workspace.store.records.of_session("native", session):
        if record.get("agent") and record.get("native_id"):
            yield record


def on_branch(workspace: Workspace, branch: str) -> Iterator[NativeRecord]:
    """The bindings to `<session>/<branch>`."""
    for record in of_session(workspace, branch.partition("/")[0]):
        if record.get("branch") == branch:
            yield record


def find(workspace: Workspace, agent: str, native_id: str) -> NativeRecord | None:
    """The binding of one native session."""
    return workspace.store.records.read("native", f"{agent}/{native_id}")


def bind(workspace: Workspace, record: NativeRecord) -> None:
    """Write a binding; every text in it has passed redaction."""
    workspace.store.records.write("native", name_of(record), record)


def forget(workspace: Workspace, record: NativeRecord) -> None:
    workspace.store.records.remove("native", name_of(record))


def bound_to(workspace: Workspace, branch: str) -> NativeRecord | None:
    """The live native session that continues `<session>/<branch>` here, if there is one.

    A session whose file is gone continues nothing.
    """
    for record in on_branch(workspace, branch):
        if path_of(workspace, record):
            return record
    return None


def ids_on(workspace: Workspace, branch: str) -> list[str]:
    """`<agent>/<native id>` of every native session, live or not, bound to a branch."""
    return [name_of(record) for record in on_branch(workspace, branch)]


def path_of(workspace: Workspace, record: NativeRecord) -> str:
    """The main file of a native session, "" if it is not there (any more).

    The path in the record may be masked or moved; then the agent is asked by id.
    """
    path = str(record.get("path", ""))
    if path and os.path.isfile(path):
        return path
    try:
        agent = registry.get(str(record["agent"]))
    except NotFound:
        return ""
    native_id = str(record["native_id"])
    for source in agent.find(workspace.environment, native_id=native_id):
        if source.native_id == native_id:
            return source.file
    return ""


def is_held(record: NativeRecord) -> bool:
    """Whether a program hands the session over itself: then it never had a file to miss."""
    from gitsession.agents import generic

    file = str(generic.memory(str(record["native_id"]), b"").path)
    return record["agent"] == generic.NAME and record.get("path") == file


def untouched(workspace: Workspace, record: NativeRecord) -> bool:
    """Whether a checkout made it, it still holds exactly what was written, and no agent that would
    go on elsewhere has taken it in."""
    written = record.get("written") or {}
    path = path_of(workspace, record) if written else ""
    if not path:
        return False
    from gitsession.operations.native_files import is_untouched

    if not is_untouched(path, int(written["bytes"]), str(written["mac"]), workspace.key):
        return False
    return not _is_taken_in(workspace, record)


def _is_taken_in(workspace: Workspace, record: NativeRecord) -> bool:
    """Whether an agent that goes on elsewhere has the session there."""
    agent, native_id = registry.get(str(record["agent"])), str(record["native_id"])
    if not hasattr(agent, "start_command"):
        return False
    found = agent.find(workspace.environment, native_id=native_id)
    return any(source.native_id == native_id for source in found)


def reusable(
    workspace: Workspace, agent: str, commit: str, options: str, branch: str = ""
) -> NativeRecord | None:
    """An earlier checkout of the same version by the same agent with the same options, on the
    wanted branch (any if ""), that its agent never used and whose branch did not move."""
    from gitsession.store.naming import naming

    wanted = (agent, commit, options)
    for ref, _ in naming(workspace.store, HEADS, {commit}):
        if branch and ref != HEADS + branch:
            continue
        for record in on_branch(workspace, ref.removeprefix(HEADS)):
            told = (record["agent"], record.get("base"), record.get("options"))
            if told == wanted and untouched(workspace, record):
                return record
    return None


def options_hash(workspace: Workspace, **options: object) -> str:
    """What makes two checkouts of a version alike; a hash, since a folder is in it."""
    return workspace.mac(json.dumps(options, sort_keys=True).encode("utf-8", "surrogatepass"))


def rename(workspace: Workspace, branches: Mapping[str, str]) -> None:
    """Branches got new names: bindings, hints and the HEADs of all directories follow."""
    records = workspace.store.records
    moved = [(record, new) for old, new in branches.items() for record in on_branch(workspace, old)]
    for record, new in moved:
        bind(workspace, {**record, "branch": new})
    for old, new in branches.items():
        for kind in OF_BRANCHES:
            value = records.read(kind, old)
            if value is not None:
                records.write(kind, new, value)
                records.remove(kind, old)
    for name, head in list(records.items("heads")):
        now = branches.get(str(head.get("head")))
        if now:
            records.write("heads", name, {**head, "head": now})


def hand_over(workspace: Workspace, record: NativeRecord, branch: str) -> None:
    """A native session goes on as another branch, with its hint."""
    records = workspace.store.records
    old = str(record["branch"])
    state = records.read("state", old)
    if state is not None and state.get("native_id") == record["native_id"]:
        records.write("state", branch, state)
        records.remove("state", old)
    copy_findings(workspace, old, branch)
    bind(workspace, {**record, "branch": branch})


def copy_findings(workspace: Workspace, old: str, new: str) -> None:
    """What was masked on one branch is known on a branch that shares its past: the value itself is
    in no record, but a word that repeats it there is recognised by its keyed hash."""
    known = workspace.store.records.read("findings", old)
    if known is not None and old != new:
        workspace.store.records.write("findings", new, known)


def bury(workspace: Workspace, names: list[str]) -> None:
    """Tombstones: hooks and `save --all` do not bring these native sessions back."""
    for name in names:
        workspace.store.records.write("tombstones", name, {})


def raise_again(workspace: Workspace, names: list[str]) -> None:
    for name in names:
        workspace.store.records.remove("tombstones", name)
