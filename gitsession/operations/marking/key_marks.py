"""The messages of a session that tags mark as key: they stay whole in every context."""

from __future__ import annotations

from gitsession.errors import GitSessionError
from gitsession.operations import homes, read_messages
from gitsession.operations.marking import tags

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.model.message import Message
    from gitsession.model.session import Session
    from gitsession.operations.marking.tags import TagRow
    from gitsession.operations.workspace import Workspace
    from gitsession.store.revisions import Resolved


def numbers(workspace: Workspace, found: Resolved, session: Session) -> tuple[int, ...]:
    """Return the numbers, in `session`, of the messages marked by key tags of its session, forks
    included.

    A tag without a message marks the last message of its version. Messages count as the same if
    they say the same, since a fork may have a different one at that number.
    """
    try:
        home, _ = homes.home_of(workspace, found)
    except GitSessionError:
        return ()
    rows = [row for row in tags.list_tags(workspace, home) if row.key]
    places = (_place(workspace, row, session) for row in rows)
    return tuple(sorted({number for number in places if number}))


def _place(workspace: Workspace, row: TagRow, session: Session) -> int:
    """Return the number in `session` of the message that a tag marks, 0 if it is not there."""
    marked = read_messages.session_of(workspace, row.id).messages
    number = row.message or len(marked)
    if not 1 <= number <= len(marked):
        return 0
    message = marked[number - 1]
    if number <= len(session.messages) and _same(session.messages[number - 1], message):
        return number
    found = (n for n, one in enumerate(session.messages, 1) if _same(one, message))
    return next(found, 0)


def _same(one: Message, other: Message) -> bool:
    return (one.role, one.time, one.text) == (other.role, other.time, other.text)
