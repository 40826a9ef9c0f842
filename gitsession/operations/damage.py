"""Name the damaged records of a continuation, so that a person can find them in the file."""

from __future__ import annotations

from gitsession.agents.lenient import parse_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.agents.base import Agent
    from gitsession.model.session import Session

MOST = 50
"""If a turn has more damaged records than this, they are not named one by one."""


def places(agent: Agent, part: Session, count: int) -> tuple[str, ...]:
    """Return `<stream>:<number>` for each of the `count` damaged records that the agent counted in
    a turn; numbers start at 1 (in a file of lines: the line number). If the records cannot be
    identified, or are more than MOST, return `main:<first>-<last>`: the turn's range in the main
    stream."""
    found = [
        (stream.name, stream.first + index)
        for stream in part.streams
        for index, record in enumerate(stream.records, start=1)
        if is_damaged(agent, record.data)
    ]
    if len(found) == count <= MOST:
        return tuple(f"{name}:{number}" for name, number in found)
    main = part.stream()
    return (f"main:{main.first + 1}-{main.first + len(main.records)}",)


def is_damaged(agent: Agent, data: bytes) -> bool:
    """Whether the agent itself counts this record as damaged."""
    parse = getattr(agent, "parse", parse_line)
    return bool(parse(data).damaged)
