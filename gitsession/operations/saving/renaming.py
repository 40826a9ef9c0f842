"""A session's name follows its title in the agent until others know the name: the refresh that a
save does, and how `undo` treats names that have changed since."""

from __future__ import annotations

from gitsession import snapshot
from gitsession.agents import registry
from gitsession.agents.base import is_at_home
from gitsession.digests import sha256
from gitsession.model.history import HEADS, REMOTES, TAGS, WIP
from gitsession.model.session import Turn
from gitsession.snapshot.message import subject
from gitsession.store import renamed
from gitsession.store.names import REMOTE_TAGS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.agents.base import Source
    from gitsession.model.report import Operation
    from gitsession.operations.saving.grown import Grown
    from gitsession.operations.saving.line import Line
    from gitsession.operations.workspace import Workspace
    from gitsession.store.transaction import Transaction

OF_A_BRANCH = "branch-rename"
_PREFIXES = (HEADS, TAGS, WIP)
_BY_THE_USER = 3  # `titled` of a session whose title the user set in the agent
_MOST = 3
"""How often a title that the agent itself made may change the name; each name only once."""


def refresh(
    workspace: Workspace, change: Transaction, source: Source, line: Line, grown: Grown
) -> None:
    """Rename a session's refs after its title, if only this store knows the current name: all of
    them move in the transaction of the save. Call it before any other ref of the session is moved
    in that transaction; `grown` uses the new name afterwards."""
    old = _named_before(workspace, line, grown)
    new = _wanted(workspace, line, grown, old)
    if new != old and not _may(workspace, source, grown, old, new):
        new = old
    _call(grown, new)
    if new == old:
        return
    # The save itself writes the session's own working state.
    if move(workspace, change, old, new, but=WIP + grown.branch):
        grown.renamed = old


def move(workspace: Workspace, change: Transaction, old: str, new: str, *, but: str = "") -> bool:
    """Rename all refs of a session, and what is remembered about it; return False if it has no
    refs. `but` is a ref of the new name that the caller writes."""
    clean, refs = workspace.names.clean, refs_of(workspace, old)
    for ref, at in refs.items():
        change.move(clean(ref), at, "")
        other = renamed_ref(ref, old, new)
        if other != but:
            change.move(clean(other), "", at)
    if refs:
        change.rename(clean(old), clean(new))
    return bool(refs)


def _named_before(workspace: Workspace, line: Line, grown: Grown) -> str:
    """Return the name that the session's refs have: in its first turn there may only be a working
    state, under the name that an earlier save chose."""
    bound = str(line.native.get("branch", ""))
    if not line.branch and bound and workspace.store.ref(WIP + bound):
        return bound.partition("/")[0]
    return grown.branch.partition("/")[0]


def _wanted(workspace: Workspace, line: Line, grown: Grown, old: str) -> str:
    """Return `<slug>-<hex>` from the title; the hex digits stay, so it remains unique."""
    session = grown.last
    assert session is not None
    slug, _, digits = old.rpartition("-")
    title = _slug(session.info.title)
    if not line.branch:
        asked = grown.branch.rpartition("-")[0]
        if asked.startswith(title) or title.startswith(asked):
            title = asked  # lacking a better title, agents use the prompt, cut somewhere
    return workspace.names.clean(f"{title or slug}-{digits}")


def _slug(title: str) -> str:
    """Return the slug of a title, treated like a prompt; "" if it says nothing, like a lone tag."""
    said = subject(Turn(prompt=title))
    return "" if not title.strip() or said.startswith("<") else snapshot.slug(said)


def _may(workspace: Workspace, source: Source, grown: Grown, old: str, new: str) -> bool:
    """Whether this save decides the name, and nobody relies on the current one."""
    session, store = grown.last, workspace.store
    assert session is not None
    info, records = session.info, store.records
    own = f"{info.agent}/{info.native_id}"
    hexes = sha256(f"{info.agent}\0{info.native_id}".encode("utf-8", "surrogatepass")).hexdigest()
    if info.identity != own or not hexes.startswith(old.rpartition("-")[2]):
        return False  # a checkout's, which has a title of its own; or named by a person
    if any(store.refs(f"{prefix}{new}/") for prefix in _PREFIXES):
        return False
    if not store.refs(f"{HEADS}{old}/") and not store.refs(f"{WIP}{old}/"):
        return True  # nothing has a name yet
    if records.read("titles", old) is not None or (records.read(renamed.KIND, old) or {}).get(
        "pushed"
    ):
        return False
    if _is_from_elsewhere(workspace, source) or _at_remotes(workspace, old):
        return False
    before = renamed.former(records, old)
    return session.carry.get("titled") == _BY_THE_USER or (
        new not in before and len(before) < _MOST
    )


def _is_from_elsewhere(workspace: Workspace, source: Source) -> bool:
    """Whether the session was read from a file that is not the agent's own here."""
    if source.data is not None:
        return True
    return not is_at_home(registry.get(source.agent), workspace.environment, source.file)


def _at_remotes(workspace: Workspace, session: str) -> bool:
    return any(
        ref.removeprefix(prefix).split("/")[1:2] == [session]
        for prefix in (REMOTES, REMOTE_TAGS)
        for ref in workspace.store.refs(prefix)
    )


def refs_of(workspace: Workspace, session: str) -> dict[str, str]:
    """Return every ref of a session, by name: branches, tags, working states."""
    found: dict[str, str] = {}
    for prefix in _PREFIXES:
        found.update(workspace.store.refs(f"{prefix}{session}/"))
    return found


def _call(grown: Grown, session: str) -> None:
    grown.branch = f"{session}/{grown.branch.partition('/')[2]}"
    grown.left = [(f"{session}/{name.partition('/')[2]}", tip) for name, tip in grown.left]


def renamed_ref(ref: str, old: str, new: str) -> str:
    """Return the ref of a session (branch, tag, working state) under the session's new name."""
    for prefix in _PREFIXES:
        if ref.startswith(f"{prefix}{old}/"):
            return f"{prefix}{new}/{ref.removeprefix(f'{prefix}{old}/')}"
    return ref


def now(workspace: Workspace, name: str) -> str:
    """Return the current name of `<session>/<branch>` (or a session); itself if unchanged."""
    return renamed.now(workspace.store.records, name) or name


def as_named_now(workspace: Workspace, operation: Operation) -> Operation:
    """Return an operation with the current names of its sessions: a later renaming does not prevent
    undoing what was done before. Operations that rename stay as they are."""
    if operation.details.get("to"):
        return operation
    from dataclasses import replace

    refs = tuple((_ref_now(workspace, ref), old, new) for ref, old, new in operation.refs)
    heads = operation.details.get("heads")
    rows = heads if isinstance(heads, list | tuple) else ()
    moved = [[key, now(workspace, str(old)), now(workspace, str(new))] for key, old, new in rows]
    details = {**operation.details, "heads": moved} if moved else operation.details
    return replace(operation, refs=refs, details=details)


def _ref_now(workspace: Workspace, ref: str) -> str:
    for prefix in _PREFIXES:
        if ref.startswith(prefix):
            return prefix + now(workspace, ref.removeprefix(prefix))
    return ref


def revert(
    workspace: Workspace, change: Transaction, operation: Operation, *, forward: bool
) -> None:
    """Revert the operation's change of a session's name or title; with `forward`, repeat it."""
    old, new = str(operation.details.get("from", "")), str(operation.details.get("to", ""))
    clean = workspace.names.clean
    if new and operation.verb != OF_A_BRANCH:
        change.rename(*((clean(old), clean(new)) if forward else (clean(new), clean(old))))
    titled = str(operation.details.get("titled", ""))
    if titled:
        named = (titled if forward else old) if new else now(workspace, titled)
        titles = [clean(str(operation.details.get(key, ""))) for key in ("title_before", "title")]
        change.entitle(clean(named), *(titles if forward else reversed(titles)))
