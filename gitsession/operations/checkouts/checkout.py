"""checkout: resolve, decode, write a new native session, bind it to a branch, move HEAD to it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from gitsession import snapshot
from gitsession.agents import registry
from gitsession.agents.base import Agent, Target, start_command
from gitsession.errors import Conflict, UsageError
from gitsession.model.history import Version
from gitsession.model.report import Checkout
from gitsession.operations import homes, native_files, natives, show
from gitsession.operations.checkouts import (
    convert,
    destination,
    lighten,
    made_checkout,
    restore_checks,
    resume,
    reveal,
)
from gitsession.operations.checkouts.destination import Destination
from gitsession.operations.checkouts.made_checkout import Made
from gitsession.operations.names import check_name
from gitsession.operations.placeholders import masked_in
from gitsession.operations.saving import cut
from gitsession.render import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.model.session import Session
    from gitsession.operations.checkouts.convert import Conversion
    from gitsession.operations.natives import NativeRecord
    from gitsession.operations.workspace import Workspace
    from gitsession.store.revisions import Resolved

_ATTEMPTS = 8
_LISTED = 60
_OURS = re.compile(r" \[[^\[\]@]+@[0-9a-f]{7}\]$")
"""The suffix that an earlier checkout appended to a title."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a checkout is asked for. `branch` names a new branch; `take_over` continues a bound tip
    on its own branch; `project` is the folder the agent will run in ("": this one); `trust` writes
    somebody else's session in full; `reveal` fills in masked values from the live source; a
    `budget` (tokens) gives the agent a context of that size, built by `strategy`; `to` names
    another agent that is to continue; `backup` is that of the project files that are restored along
    with it; `strict` refuses if another `system_prompt` or other instruction files are in force
    than at the version."""

    branch: str = ""
    take_over: bool = False
    project: str = ""
    trust: bool = False
    dry_run: bool = False
    reveal: bool = False
    budget: int = 0
    strategy: str = "default"
    to: str = ""
    backup: str = ""
    strict: bool = False
    system_prompt: str = ""


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
    reveal: bool = False
    light: Session | None = None
    conversion: Conversion | None = None


def checkout(
    workspace: Workspace, found: Resolved, wishes: Wishes, saved_first: tuple[str, ...] = ()
) -> Checkout:
    """Write the session as it was at a version. `saved_first` names what was saved before that.

    Raises NotFound, Conflict, UsageError, FormatError; then nothing has been changed.
    """
    if wishes.branch:
        name = workspace.names.clean(check_name(wishes.branch, "branch"))
        wishes = replace(wishes, branch=name)
    plan = _plan(workspace, found, wishes)
    clean = workspace.redactor().clean
    differences = restore_checks.look(
        plan.session, plan.cwd, workspace.environment, wishes.system_prompt, clean
    )
    if wishes.strict:
        restore_checks.refuse(differences)
    done = _done(workspace, plan, wishes, saved_first)
    if not workspace.store.is_own(plan.found.commit):
        theirs = workspace.store.version(plan.found.commit)
        by = f"made by {resume.origin_of(workspace, theirs)}"
        done = replace(done, note="; ".join(filter(None, (by, done.note))))
    # They quote names from the code repository as it is now, which nothing has redacted yet.
    return replace(done, warnings=tuple(workspace.names.clean(one.said) for one in differences))


def _done(
    workspace: Workspace, plan: _Plan, wishes: Wishes, saved_first: tuple[str, ...]
) -> Checkout:
    again = _reusable(workspace, plan, wishes)
    if again is not None:
        return _reuse(workspace, plan, again, wishes, saved_first)
    made = _make(workspace, plan, wishes)
    written = made.written
    return replace(
        _answer(plan, made.to.branch, written.native_id, str(written.main)),
        masked=masked_in(written.files.values()),
        repairs=written.repairs,
        saved_first=saved_first,
        dry_run=wishes.dry_run,
        note=_note(workspace, made.to, made.previous),
    )


def _make(workspace: Workspace, plan: _Plan, wishes: Wishes) -> Made:
    """Choose the branch, bind it, write the files. If another checkout takes the free branch at the
    same moment, choose the next one, unless the branch was named."""
    home = plan.agent.home(workspace.environment)
    for attempt in range(_ATTEMPTS):
        to = destination.choose(
            workspace, plan.found, plan.version.id, name=wishes.branch, take_over=wishes.take_over
        )
        made = replace(_written(workspace, plan, to), backup=wishes.backup)
        if wishes.dry_run:
            return made
        native_files.check_free(made.written.files, home)
        try:
            made_checkout.bind(workspace, made)
            break
        except Conflict:
            if wishes.branch or attempt == _ATTEMPTS - 1:
                raise
    native_files.place(made_checkout.main_last(made.written), home)
    made_checkout.prime(workspace, made)
    return made


def _plan(workspace: Workspace, found: Resolved, wishes: Wishes) -> _Plan:
    store = workspace.store
    version = store.version(found.commit)
    head = snapshot.decode_head(store.tree(version.tree))
    agent = registry.get(head.session.info.agent)
    target = registry.get(wishes.to) if wishes.to else agent
    if not target.capabilities.restore:
        raise UsageError(
            f"sessions of {target.name} cannot be written back yet",
            hint="`gitsession checkout --to AGENT` continues in another agent",
        )
    if found.message:
        version, session = _cut(workspace, agent, version, found.message, wishes.dry_run)
    else:
        session = snapshot.decode(store.tree(version.tree))
    foreign = not wishes.trust and not store.is_own(found.commit)
    cwd = wishes.project or workspace.directory
    own = store.is_own(found.commit)
    if wishes.reveal and not own:
        raise Conflict(
            "--reveal is for your own sessions: this one was made by somebody else",
            hint="without --reveal, its values stay masked",
        )
    wanted = {"cwd": cwd, "foreign": foreign, **({"reveal": True} if wishes.reveal else {})}
    if wishes.budget:
        wanted.update(budget=wishes.budget, strategy=wishes.strategy)
    options = natives.options_hash(workspace, **wanted)
    session = show.masked(workspace, found.commit, session)
    plan = _Plan(found, version, session, target, cwd, foreign, options, wishes.reveal)
    if target is not agent or (wishes.budget and not lighten.can(agent.name)):
        return replace(plan, conversion=_conversion(workspace, plan, agent, wishes))
    if wishes.budget:
        return replace(plan, light=lighten.light(workspace, found, session, wishes))
    return plan


def _conversion(workspace: Workspace, plan: _Plan, agent: Agent, wishes: Wishes) -> Conversion:
    if wishes.reveal:
        raise UsageError("--reveal and --to exclude each other", hint="leave one out")
    context = lighten.context(workspace, plan.found, wishes) if wishes.budget else None
    messages = agent.messages(plan.session)
    return convert.prepare(plan.session, messages, context)


def _cut(
    workspace: Workspace, agent: Agent, version: Version, message: int, dry_run: bool
) -> tuple[Version, Session]:
    """Return the version that ends with a message, made now if needed; a dry run makes none."""
    part = cut.at_message(workspace, agent, version, message)
    if dry_run:
        return part.version or version, part.session
    version = workspace.store.version(cut.write_cut(workspace, agent, part))
    return version, snapshot.decode(workspace.store.tree(version.tree))


def _reusable(workspace: Workspace, plan: _Plan, wishes: Wishes) -> NativeRecord | None:
    if wishes.take_over:
        return None
    wanted = ""
    if wishes.branch:
        wanted = f"{homes.home_of(workspace, plan.found)[0]}/{wishes.branch}"
    return natives.reusable(workspace, plan.agent.name, plan.version.id, plan.options, wanted)


def _reuse(
    workspace: Workspace,
    plan: _Plan,
    record: NativeRecord,
    wishes: Wishes,
    saved_first: tuple[str, ...],
) -> Checkout:
    """Return an earlier checkout that nobody used; only HEAD moves."""
    branch, path = str(record["branch"]), natives.path_of(workspace, record)
    previous = workspace.store.head(plan.cwd)
    if not wishes.dry_run and (previous != branch or wishes.backup):
        with workspace.store.transaction("checkout", workspace.directory) as change:
            change.head(plan.cwd, workspace.names.clean(branch))
            if wishes.backup:
                change.note(files=wishes.backup)
    answer = _answer(plan, branch, str(record["native_id"]), path)
    return replace(
        answer,
        masked=masked_in([Path(path).read_bytes()]),
        saved_first=saved_first,
        reused=True,
        dry_run=wishes.dry_run,
        note=_note(workspace, Destination(branch, False), previous),
    )


def _written(workspace: Workspace, plan: _Plan, to: Destination) -> Made:
    info = plan.session.info
    title = _title(info.title, to.branch, plan.version.id)
    target = Target(plan.cwd, title=title, foreign=plan.foreign)
    anew = None
    if plan.conversion is not None:
        anew = convert.compose(
            plan.agent, plan.conversion, plan.session, target, workspace.environment
        )
        written = anew.written
    else:
        written = plan.agent.write(plan.light or plan.session, target, workspace.environment)
        if plan.light is not None:
            anew = convert.placed(plan.agent, written, workspace.environment)
    if plan.reveal:
        written = reveal.revealed(workspace, written, to.branch)
    previous = workspace.store.head(plan.cwd)
    origin = "/".join(homes.home_of(workspace, plan.found))
    return Made(
        plan.version, plan.agent, written, to, plan.cwd, plan.options, previous, origin, anew
    )


def _title(title: str, branch: str, version: str) -> str:
    """Return `<title> [branch@version]`, the title cut so that a list still shows the suffix."""
    session, _, name = branch.rpartition("/")
    words = " ".join(_OURS.sub("", title).split()) or session
    if len(words) > _LISTED:
        words = words[:_LISTED].rpartition(" ")[0] or words[:_LISTED]
        words += "…"
    return f"{words} [{name}@{version[:7]}]"


def _answer(plan: _Plan, branch: str, native_id: str, path: str) -> Checkout:
    losses: Iterable[str] = ()
    if plan.conversion is not None:
        losses = plan.conversion.losses
    elif plan.foreign:
        losses = (
            "made by somebody else: written without system prompts, memory, plans and file history",
        )
    return Checkout(
        version=plan.version,
        branch=branch,
        agent=plan.agent.name,
        native_id=native_id,
        path=path,
        command=start_command(plan.agent, native_id, plan.cwd, path),
        cwd=plan.cwd,
        losses=tuple(losses),
        lost=plan.conversion.lost if plan.conversion is not None else {},
    )


def _note(workspace: Workspace, to: Destination, previous: str) -> str:
    """Describe what became of the session that was left, and how to go back."""
    said = []
    if to.moved is not None:
        said.append(f"the session that was on this branch continues as {to.moved_to}")
    if previous and previous != to.branch:
        left = natives.bound_to(workspace, previous)
        if left is not None:
            said.append(f"the session on {previous} is unchanged")
        said.append(f"to go back: gitsession checkout {safe.pasted(previous)}")
    return "; ".join(said)
