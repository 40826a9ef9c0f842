"""`REV:N`: the session as it was when message N was its last one; reads only."""

from __future__ import annotations

from gitsession import snapshot
from gitsession.agents import registry
from gitsession.operations import show
from gitsession.operations.reading import joined
from gitsession.operations.saving import cut

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.model.session import Session
    from gitsession.operations.workspace import Workspace
    from gitsession.store.revisions import Resolved


def session_of(workspace: Workspace, found: Resolved) -> Session:
    """Return the session of a version with its messages; of `REV:N` up to message N, including its
    files, to-dos and counts. Raises NotFound if there is no such message."""
    if not found.message:
        return show.session_of(workspace, found.commit)
    version = workspace.store.version(found.commit)
    head = snapshot.decode_head(workspace.store.tree(version.tree))
    agent = registry.get(head.session.info.agent)
    made = cut.at_message(workspace, agent, version, found.message)
    if made.part is None:
        assert made.version is not None
        return show.session_of(workspace, made.version.id)
    session = made.part
    if made.version is not None and not made.anew:
        before = snapshot.decode(workspace.store.tree(made.version.tree))
        session = joined.joined(before, made.part)
    session = show.masked(workspace, found.commit, session)
    return session._replace(messages=agent.messages(session))
