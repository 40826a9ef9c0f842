"""Which of a session's new turns become versions of their own, where a save asks for fewer.

A fate is `version`, `fold` (written into the tree; the next version shows it) or `wip`.
"""

from __future__ import annotations

from gitsession.model.session import Session, Turn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def folded(fates: Iterator[tuple[Session, str]], kind: str) -> Iterator[tuple[Session, str]]:
    """Yield all finished turns as one version: every one but the last is folded into the tree."""
    held: Session | None = None
    for part, fate in fates:
        if fate == "fold":
            yield part, fate
            continue
        finished = part.turn is None or part.turn.finished
        if held is not None:
            yield (held, "fold") if finished else (_of_kind(held, kind), "version")
            held = None
        if finished:
            held = part
        else:
            yield part, fate
    if held is not None:
        yield _of_kind(held, kind), "version"


def _of_kind(part: Session, kind: str) -> Session:
    turn = part.turn or Turn()
    return part._replace(turn=turn._replace(kind=kind or turn.kind, rewound=False))


def named(fates: Iterator[tuple[Session, str]], message: str) -> Iterator[tuple[Session, str]]:
    """Give the newest version the message; which one that is, only the next part shows."""
    held: list[tuple[Session, str]] = []
    for part, fate in fates:
        if fate == "version":
            yield from held
            held = []
        held.append((part, fate))
    for part, fate in held:
        turn = part.turn or Turn()
        titled = part._replace(turn=turn._replace(title=message)) if fate == "version" else part
        yield titled, fate
