"""Sessions that began in another one: a subagent's, or a fork that the agent itself made."""

from __future__ import annotations

from gitsession.errors import GitSessionError
from gitsession.model.history import HEADS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.operations.workspace import Workspace
    from gitsession.snapshot.head import Head


def children(workspace: Workspace, session: str) -> tuple[str, ...]:
    """Return the names of the sessions whose parent is that one, according to their agent."""
    mains: dict[str, str] = {}
    for ref, at in workspace.store.refs(HEADS).items():
        name, _, branch = ref.removeprefix(HEADS).partition("/")
        if branch == "main" or name not in mains:
            mains[name] = at
    heads = {name: _head(workspace, at) for name, at in mains.items()}
    parent = heads.get(session)
    if parent is None:
        return ()
    wanted = (parent.session.info.agent, parent.session.info.native_id)
    return tuple(
        name
        for name, head in sorted(heads.items())
        if name != session
        and head is not None
        and (head.session.info.agent, head.session.info.parent) == wanted
    )


def _head(workspace: Workspace, commit: str) -> Head | None:
    from gitsession.snapshot.decoding import decode_head

    try:
        return decode_head(workspace.store.tree(workspace.store.version(commit).tree))
    except GitSessionError:
        return None
