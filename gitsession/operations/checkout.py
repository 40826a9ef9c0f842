"""checkout: resolve, decode, write a new native session, bind it to a branch, move HEAD to it."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gitsession import snapshot
from gitsession.agents import registry
from gitsession.agents.base import Agent, Target, Written
from gitsession.errors import UsageError
from gitsession.model.history import HEADS, Version
from gitsession.model.report import Checkout
from gitsession.operations import cut, destination, native_files, natives, show
from gitsession.operations.destination import Destination
from gitsession.operations.placeholders import masked_in

if TYPE_CHECKING:
    from gitsession.model.session import Session
    from gitsession.operations.natives import NativeRecord
    from gitsession.operations.workspace import Workspace
    from gitsession.store.revisions import Resolved


@dataclass(frozen=True, slots=True)
class Wishes:
    """`branch` names a new branch; `take_over` continues a bound tip on its own branch; `project`
    is the folder the agent will run in ("" for this one); `trust` writes a foreign one in full."""

    branch: str = ""
    take_over: bool = False
    project: str = ""
    trust: bool = False
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class _Plan:
    """Everything that is known before the first byte is written."""

    found: Resolved
    version: Version
    session: Session
    agent: Agent
    cwd: str
    foreign: bool
    options: str


def checkout(
    workspace: Workspace, found: Resolved, wishes: Wishes, saved_first: tuple[str, ...] = ()
) -> Checkout:
    """Write the session as it was at a version. `saved_first` names what was saved before.

    Raises NotFound, Conflict, UsageError, FormatError; then nothing has been changed.
    """
    plan = _plan(workspace, found, wishes)
    again = _reusable(workspace, plan, wishes)
    if again is not None:
        return _reuse(workspace, plan, again, wishes, saved_first)
    to = destination.choose(
        workspace, found, plan.version.id, name=wishes.branch, take_over=wishes.take_over
    )
    written = _write(workspace, plan, to)
    previous = workspace.store.head(plan.cwd)
    if not wishes.dry_run:
        home = plan.agent.home(workspace.environment)
        native_files.check_free(written.files, home)
        _bind(workspace, plan, to, written, previous)
        native_files.place(_main_last(written), home)
        _prime(workspace, plan, to, written)
    answer = _answer(plan, to.branch, written.native_id, str(written.main))
    return replace(
        answer,
        masked=masked_in(written.files.values()),
        repairs=written.repairs,
        saved_first=saved_first,
        dry_run=wishes.dry_run,
        note=_note(workspace, to, previous),
    )


def _plan(workspace: Workspace, found: Resolved, wishes: Wishes) -> _Plan:
    store = workspace.store
    version = store.version(found.commit)
    head = snapshot.decode_head(store.tree(version.tree))
    agent = registry.get(head.session.info.agent)
    if not agent.capabilities.restore:
        raise UsageError(f"sessions of {agent.name} cannot be written back yet")
    if found.message:
        version, session = _cut(workspace, agent, version, found.message, wishes.dry_run)
    else:
        session = snapshot.decode(store.tree(version.tree))
    foreign = not wishes.trust and not store.is_own(found.commit)
    cwd = wishes.project or workspace.directory
    options = natives.options_hash(workspace, cwd=cwd, foreign=foreign)
    return _Plan(found, version, show.masked(workspace, session), agent, cwd, foreign, options)


def _cut(
    workspace: Workspace, agent: Agent, version: Version, message: int, dry_run: bool
) -> tuple[Version, Session]:
    """The version that ends with a message, made now if there is none; a dry run makes none."""
    part = cut.at_message(workspace, agent, version, message)
    if dry_run:
        return part.version or version, part.session
    version = workspace.store.version(cut.write_cut(workspace, agent, part))
    return version, snapshot.decode(workspace.store.tree(version.tree))


def _main_last(written: Written) -> dict[Path, bytes]:
    files = {path: data for path, data in written.files.items() if path != written.main}
    return {**files, written.main: written.files[written.main]}


def _reusable(workspace: Workspace, plan: _Plan, wishes: Wishes) -> NativeRecord | None:
    if wishes.take_over:
        return None
    wanted = ""
    if wishes.branch:
        wanted = f"{destination.home_of(workspace, plan.found)[0]}/{wishes.branch}"
    return natives.reusable(workspace, plan.agent.name, plan.version.id, plan.options, wanted)


def _reuse(
    workspace: Workspace,
    plan: _Plan,
    record: NativeRecord,
    wishes: Wishes,
    saved_first: tuple[str, ...],
) -> Checkout:
    """An earlier checkout that nobody used is the answer; only HEAD moves."""
    branch, path = str(record["branch"]), natives.path_of(workspace, record)
    previous = workspace.store.head(plan.cwd)
    if not wishes.dry_run and previous != branch:
        with workspace.store.transaction("checkout", workspace.directory) as change:
            change.head(plan.cwd, workspace.names.clean(branch))
    answer = _answer(plan, branch, str(record["native_id"]), path)
    return replace(
        answer,
        masked=masked_in([Path(path).read_bytes()]),
        saved_first=saved_first,
        reused=True,
        dry_run=wishes.dry_run,
        note=_note(workspace, Destination(branch, False), previous),
    )


def _write(workspace: Workspace, plan: _Plan, to: Destination) -> Written:
    info = plan.session.info
    name = info.title or to.branch.partition("/")[0]
    title = f"{name} · {to.branch.rpartition('/')[2]} @{plan.version.id[:7]}"
    target = Target(plan.cwd, title=title, foreign=plan.foreign)
    return plan.agent.write(plan.session, target, workspace.environment)


def _bind(
    workspace: Workspace, plan: _Plan, to: Destination, written: Written, previous: str
) -> None:
    """Binding, branch and HEAD, all before the native file appears: a kill in between leaves a
    branch whose session is missing, never a session that the next save takes for a stranger."""
    record = _record(workspace, plan, to, written, previous)
    natives.bind(workspace, record)
    try:
        _move(workspace, plan, to, written)
    except BaseException:
        natives.forget(workspace, record)
        raise
    if to.moved is not None:
        natives.hand_over(workspace, to.moved, to.moved_to)


def _move(workspace: Workspace, plan: _Plan, to: Destination, written: Written) -> None:
    clean = workspace.names.clean
    with workspace.store.transaction("checkout", workspace.directory) as change:
        if to.creates:
            change.move(clean(HEADS + to.branch), "", plan.version.id)
        if to.moved is not None:
            change.move(clean(HEADS + to.moved_to), "", plan.version.id)
        change.head(plan.cwd, clean(to.branch))
        change.note(native=clean(f"{plan.agent.name}/{written.native_id}"))
        if to.moved is not None:
            change.note(handed=clean(f"{natives.name_of(to.moved)}\n{to.branch}"))


def _record(
    workspace: Workspace, plan: _Plan, to: Destination, written: Written, previous: str
) -> dict[str, Any]:
    clean = workspace.names.clean
    main = written.files[written.main]
    others = [str(path) for path in written.files if path != written.main]
    return {
        "agent": plan.agent.name,
        "native_id": clean(written.native_id),
        "branch": clean(to.branch),
        "base": plan.version.id,
        "path": clean(str(written.main)),
        "files": [clean(path) for path in others],
        "written": {
            "bytes": len(main),
            "mac": native_files.keyed_hash(workspace.key, main),
            "records": plan.session.stream("main").count,
        },
        "options": plan.options,
        "from": clean(previous),
        "made": to.creates,
        "time": int(time.time()),
    }


def _prime(workspace: Workspace, plan: _Plan, to: Destination, written: Written) -> None:
    """The hint for the next save: it goes on right after what was written, with this version as
    parent. An open version counts as finished here: its turn ends where the agent takes over."""
    head = snapshot.decode_head(workspace.store.tree(plan.version.tree))
    lengths = _stream_lengths(workspace, plan, written)
    _remember_lengths(workspace, plan, written, lengths)
    streams = tuple(
        replace(stream, offset=lengths.get(stream.name, stream.offset))
        for stream in head.session.streams
    )
    main = written.files[written.main]
    tail = main[-native_files.TAIL_BYTES :]
    clean = workspace.names.clean
    state = {
        "commit": plan.version.id,
        "base": plan.version.id,
        "tree": plan.version.tree,
        "head": replace(head, session=replace(head.session, streams=streams)).to_dict(),
        "agent": plan.agent.name,
        "native_id": clean(written.native_id),
        "path": clean(str(written.main)),
        "tail": {"offset": len(main), "mac": workspace.mac(tail)},
    }
    workspace.store.records.write("state", clean(to.branch), state)


def _remember_lengths(
    workspace: Workspace, plan: _Plan, written: Written, lengths: dict[str, int]
) -> None:
    """The binding outlives the hint, so it knows where the other streams end too."""
    record = natives.find(workspace, plan.agent.name, written.native_id)
    if record is not None and len(lengths) > 1:
        known = {**record["written"], "streams": lengths}
        natives.bind(workspace, {**record, "written": known})


def _stream_lengths(workspace: Workspace, plan: _Plan, written: Written) -> dict[str, int]:
    """Stream name -> bytes that were written for it, as the agent itself finds them."""
    sizes = {"main": len(written.files[written.main])}
    for source in plan.agent.find(workspace.environment, native_id=written.native_id):
        for name, path in source.streams.items():
            sizes[name] = len(written.files.get(path, b""))
    return sizes


def _answer(plan: _Plan, branch: str, native_id: str, path: str) -> Checkout:
    losses: Iterable[str] = ()
    if plan.foreign:
        losses = (
            "made by somebody else: written without system prompts, memory, plans and file history",
        )
    return Checkout(
        version=plan.version,
        branch=branch,
        agent=plan.agent.name,
        native_id=native_id,
        path=path,
        command=plan.agent.resume_command(native_id, plan.cwd),
        cwd=plan.cwd,
        losses=tuple(losses),
    )


def _note(workspace: Workspace, to: Destination, previous: str) -> str:
    """What became of the session that was left, and the way back."""
    said = []
    if to.moved is not None:
        said.append(f"the session that was open there goes on as {to.moved_to}")
    if previous and previous != to.branch:
        left = natives.bound_to(workspace, previous)
        if left is not None:
            said.append(f"the session of {previous} goes on as its own branch")
        said.append(f"back: gitsession checkout {previous}")
    return "; ".join(said)
