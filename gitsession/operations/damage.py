"""Which records of a continuation are damaged: named, so that a person finds them in the file."""

from __future__ import annotations

from gitsession.agents.lenient import parse_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.agents.base import Agent
    from gitsession.model.session import Session

MOST = 50
"""More of one turn are not named one by one."""


def places(agent: Agent, part: Session, count: int) -> tuple[str, ...]:
    """`<stream>:<number>` of the `count` damaged records that the agent has counted in a turn,
    numbered from 1 (in a file of lines: the line); where they cannot be told apart, or are very
    many, `<stream>:<first>-<last>` of the turn."""
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
    """Whether the agent itself counts a record among the damaged ones."""
    parse = getattr(agent, "parse", parse_line)
    return bool(parse(data).damaged)
