"""The native sessions that this machine knows: the branch each one continues, which of them a
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
"""A binding: agent, native_id, branch, path, time. From a checkout also base (commit), written
(bytes and keyed hash of the main file, number of stored records it stands for, bytes of the other
streams), files (the other paths), options (keyed hash), made (the checkout created the branch too),
from (HEAD before), anew (number of turns written, if the session was composed from messages). If
the agent does not just append to the file, `written` also has `says` (number of messages, keyed
hash of what they say)."""


def name_of(record: NativeRecord) -> str:
    """Return `<agent>/<native id>`: the name of the record and of its tombstone."""
    return f"{record['agent']}/{record['native_id']}"


def known(workspace: Workspace) -> Iterator[NativeRecord]:
    """Yield every binding of this store."""
    for _, record in workspace.store.records.items("native"):
        if record.get("agent") and record.get("native_id"):
            yield record


def of_session(workspace: Workspace, session: str) -> Iterator[NativeRecord]:
    """Yield the bindings to branches of one session."""
    for _, record in workspace.store.records.of_session("native", session):
        if record.get("agent") and record.get("native_id"):
            yield record


def on_branch(workspace: Workspace, branch: str) -> Iterator[NativeRecord]:
    """Yield the bindings to `<session>/<branch>`."""
    for record in of_session(workspace, branch.partition("/")[0]):
        if record.get("branch") == branch:
            yield record


def find(workspace: Workspace, agent: str, native_id: str) -> NativeRecord | None:
    """Return the binding of one native session, None if there is none."""
    return workspace.store.records.read("native", f"{agent}/{native_id}")


def bind(workspace: Workspace, record: NativeRecord) -> None:
    """Write a binding; every text in it has already passed redaction."""
    workspace.store.records.write("native", name_of(record), record)


def forget(workspace: Workspace, record: NativeRecord) -> None:
    workspace.store.records.remove("native", name_of(record))


def bound_to(workspace: Workspace, branch: str) -> NativeRecord | None:
    """Return the live native session that continues `<session>/<branch>` here, or None.

    A session whose file is gone continues nothing.
    """
    for record in on_branch(workspace, branch):
        if path_of(workspace, record):
            return record
    return None


def ids_on(workspace: Workspace, branch: str) -> list[str]:
    """Return `<agent>/<native id>` of every native session bound to a branch, live or not."""
    return [name_of(record) for record in on_branch(workspace, branch)]


def path_of(workspace: Workspace, record: NativeRecord) -> str:
    """Return the main file of a native session, "" if it does not exist (any more).

    The path in the record may be masked or outdated; then the agent looks it up by id.
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
    """Whether a program hands the session over itself, so that no file can be missing."""
    from gitsession.agents import generic

    file = str(generic.memory(str(record["native_id"]), b"").path)
    return record["agent"] == generic.NAME and record.get("path") == file


def untouched(workspace: Workspace, record: NativeRecord) -> bool:
    """Whether a checkout made this session, its file still holds exactly what was written, and no
    agent that continues in a file of its own has imported it."""
    written = record.get("written") or {}
    path = path_of(workspace, record) if written else ""
    if not path:
        return False
    from gitsession.operations.native_files import is_untouched

    if not is_untouched(path, int(written["bytes"]), str(written["mac"]), workspace.key):
        return False
    return not _is_taken_in(workspace, record, path)


def _is_taken_in(workspace: Workspace, record: NativeRecord, path: str) -> bool:
    """Whether an agent that continues elsewhere than in the written file has the session there."""
    agent, native_id = registry.get(str(record["agent"])), str(record["native_id"])
    if not hasattr(agent, "start_command"):
        return False
    found = agent.find(workspace.environment, native_id=native_id)
    written = os.path.realpath(path)
    return any(
        source.native_id == native_id and os.path.realpath(source.file) != written
        for source in found
    )


def reusable(
    workspace: Workspace, agent: str, commit: str, options: str, branch: str = ""
) -> NativeRecord | None:
    """Return an earlier checkout of the same version by the same agent with the same options, on
    `branch` (any if ""), that its agent never used and whose branch has not moved; else None."""
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
    """Return a keyed hash of the options that make two checkouts of a version alike; a hash because
    they include a folder."""
    return workspace.mac(json.dumps(options, sort_keys=True).encode("utf-8", "surrogatepass"))


def rename(workspace: Workspace, branches: Mapping[str, str]) -> None:
    """Follow a renaming of branches (old -> new) in bindings, hints and every directory's HEAD."""
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
    """Continue a native session on another branch, and move its hint along."""
    records = workspace.store.records
    old = str(record["branch"])
    state = records.read("state", old)
    if state is not None and state.get("native_id") == record["native_id"]:
        records.write("state", branch, state)
        records.remove("state", old)
    copy_findings(workspace, old, branch)
    bind(workspace, {**record, "branch": branch})


def copy_findings(workspace: Workspace, old: str, new: str) -> None:
    """Copy what is known of the values masked on one branch to a branch that shares its past. No
    record holds a value itself, but its keyed hash recognises a word that repeats it."""
    known = workspace.store.records.read("findings", old)
    if known is not None and old != new:
        workspace.store.records.write("findings", new, known)


def bury(workspace: Workspace, names: list[str]) -> None:
    """Write tombstones, so that hooks and `save --all` do not bring these native sessions back."""
    for name in names:
        workspace.store.records.write("tombstones", name, {})


def raise_again(workspace: Workspace, names: list[str]) -> None:
    for name in names:
        workspace.store.records.remove("tombstones", name)
