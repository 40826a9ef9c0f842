"""fsck --session: records of a conversation that are damaged, name a parent that does not exist, or
contain half a character; each with the last version before it."""

from __future__ import annotations

from dataclasses import replace

from gitsession.agents import registry
from gitsession.agents.claude_code import tree as claude_tree
from gitsession.agents.lenient import mend_surrogates, parse_line, text_of
from gitsession.agents.links import active_branch
from gitsession.errors import FormatError, NotFound
from gitsession.model.report import Problem
from gitsession.operations import damage
from gitsession.snapshot.decoding import decode_head

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from gitsession.agents.base import Agent
    from gitsession.model.message import Message
    from gitsession.model.session import Session
    from gitsession.operations.workspace import Workspace

Found = tuple[Problem, int]
"""A problem and the record of main it is at, counted from 0; -1 if that is not known."""

_LINKS = {"qwen": ("uuid", "parentUuid"), "pi": ("id", "parentId")}


def of_records(session: Session) -> Iterator[Found]:
    """Yield damaged records and half characters of all streams, and broken links of main."""
    try:
        agent = registry.get(session.info.agent)
    except NotFound:
        return
    for stream in session.streams:
        for number, record in enumerate(stream.records, start=1):
            at = number - 1 if stream.name == "main" else -1
            for kind, said in _wrong(agent, record.data, session.counts.damaged):
                yield Problem(kind, _place(stream.name, number), said), at
    for at in _gaps(session):
        said = "names a parent that is not in the conversation: a gap, which a checkout joins"
        yield Problem("broken-link", _place("main", at + 1), said), at


def _wrong(agent: Agent, data: bytes, damaged: int) -> Iterator[tuple[str, str]]:
    """Yield kind and sentence; damaged records are only searched for if the session has any."""
    if damaged and damage.is_damaged(agent, data):
        yield "damaged-record", "is damaged; it is kept byte for byte, and no checkout shows it"
    elif mend_surrogates(data)[1]:
        yield "half-character", "holds half of a character; a checkout replaces it"


def _place(stream: str, number: int) -> str:
    return f"record {number}" + ("" if stream == "main" else f" of {stream}")


def _gaps(session: Session) -> list[int]:
    """Return the records of main on the active path whose parent does not exist."""
    agent = session.info.agent
    if agent != "claude-code" and agent not in _LINKS:
        return []
    places: list[int] = []
    rows: list[dict[str, Any]] = []
    for number, record in enumerate(session.stream().records):
        for row in parse_line(record.data).objects:
            places.append(number)
            rows.append(row)
    if agent == "claude-code":
        parent, gaps = "parentUuid", claude_tree.active_path(rows).gaps
    else:
        name, parent = _LINKS[agent]
        gaps = active_branch(rows, name, parent, lambda row: name in row).gaps
    return sorted(places[at] for at in gaps if text_of(rows[at].get(parent)))


def record_of(message: Message) -> int:
    return message.record if message.stream == "main" else -1


def with_last_good(workspace: Workspace, commit: str, found: Iterable[Found]) -> list[Problem]:
    """Return the problems, each with the newest version that ends before its record."""
    told = list(found)
    wanted = sorted({at for _, at in told if at >= 0}, reverse=True)
    good: dict[int, str] = {}
    if wanted:
        for version in workspace.store.log([commit], limit=0):
            try:
                head = decode_head(workspace.store.tree(version.tree))
            except FormatError:
                continue
            while wanted and head.session.stream("main").count <= wanted[0]:
                good[wanted.pop(0)] = version.id
            if not wanted:
                break
    return [replace(problem, last_good=good.get(at, "")) for problem, at in told]
