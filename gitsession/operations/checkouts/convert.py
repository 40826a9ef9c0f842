"""checkout --to: write one agent's conversation as a session of another, verified by reading back.

The new session is made from the messages alone. The target's own adapter must find every text,
call, result and picture in it again; whatever could not be carried over is counted.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from gitsession.agents import losses as counting
from gitsession.agents.said import flat
from gitsession.agents.speech import speech
from gitsession.errors import SourceUnreadable, UsageError
from gitsession.model.session import Session

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gitsession.agents.base import Agent, Target, Written
    from gitsession.environment import Environment
    from gitsession.model.message import Message


class Conversion(NamedTuple):
    """The messages that are carried over, and how many of each named thing stay behind."""

    messages: tuple[Message, ...]
    lost: dict[str, int]

    @property
    def losses(self) -> tuple[str, ...]:
        return counting.sentences(self.lost)


class Placed(NamedTuple):
    """A composed session as its own adapter reads it: `turns` that have messages, and the number of
    `records` in `main`."""

    written: Written
    turns: int
    records: int


def can(agent: Agent) -> bool:
    """Whether sessions of that agent can be composed from messages."""
    return agent.capabilities.compose and hasattr(agent, "compose")


def prepare(
    session: Session, messages: Sequence[Message], context: Sequence[Message] | None = None
) -> Conversion:
    """Return what a session carries over. With a `context` that is what the context holds, whatever
    it omits from `messages`. Raises SourceUnreadable if nothing is left to continue from."""
    seen, left = counting.chosen(messages)
    if context is not None:
        seen = tuple(m for m in context if m.role not in ("system", "note") or m.extra.get("made"))
        left.pop("before_compaction", None)
    spoken = speech(seen)
    if not spoken.said:
        raise SourceUnreadable(
            "this version contains no conversation to continue",
            hint="choose a later version",
        )
    lost = Counter(counting.losses(session, messages))
    lost.update(left)
    lost.update(spoken.lost)
    return Conversion(seen, dict(lost))


def compose(
    agent: Agent, conversion: Conversion, session: Session, target: Target, environment: Environment
) -> Placed:
    """Return the new native session as bytes. Raises UsageError if sessions of that agent cannot be
    composed, SourceUnreadable if the session does not read back as it should."""
    make = getattr(agent, "compose", None)
    if make is None:
        raise UsageError(
            f"sessions of {agent.name} cannot be made from another agent's",
            hint="`gitsession agents` lists what each agent supports",
        )
    written: Written = make(conversion.messages, session.info, target, environment)
    parts = _read(agent, written, environment)
    _compare(agent, conversion.messages, _messages(agent, parts))
    return _placed(written, parts)


def placed(agent: Agent, written: Written, environment: Environment) -> Placed:
    """Return a session that the agent's own writer made from a context, as its adapter reads it."""
    return _placed(written, _read(agent, written, environment))


def _placed(written: Written, parts: Sequence[Session]) -> Placed:
    turns = sum(bool(part.turn and part.turn.messages) for part in parts)
    return Placed(written, turns, parts[-1].stream().count)


def _read(agent: Agent, written: Written, environment: Environment) -> list[Session]:
    """Return the session as the agent's adapter reads it, from a temporary folder."""
    home = agent.home(environment)
    with tempfile.TemporaryDirectory(prefix="gitsession-") as folder:
        for path, data in written.files.items():
            place = Path(folder) / path.relative_to(home)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
        source = agent.recognise(Path(folder) / written.main.relative_to(home))
        if source is None or source.native_id != written.native_id:
            raise _differs(agent, "its session is not recognised")
        return list(agent.read(source, None))


def _messages(agent: Agent, parts: list[Session]) -> tuple[Message, ...]:
    if not parts:
        raise _differs(agent, "its session is empty")
    records = tuple(record for part in parts for record in part.stream().records)
    stream = parts[-1].stream()._replace(records=records, first=0)
    return agent.messages(parts[-1]._replace(streams=(stream,)))


def _compare(agent: Agent, wanted: Iterable[Message], found: Iterable[Message]) -> None:
    """Raises SourceUnreadable at the first piece that does not come back."""
    expected, given = list(flat(speech(wanted).said)), list(flat(speech(found).said))
    for one, other in zip(expected, given, strict=False):
        if one != other and not _same_result(one, other):
            raise _differs(agent, f"a {one[0]} comes back changed")
    if len(expected) != len(given):
        raise _differs(agent, f"{len(given)} pieces of {len(expected)} come back")


def _same_result(one: tuple[object, ...], other: tuple[object, ...]) -> bool:
    """Whether two results are the same: an agent without a mark for failures states one in the
    output, before the rest."""
    if one[0] != "result" or other[0] != "result" or one[1] != other[1] or one[4] != other[4]:
        return False
    text, again = str(one[2]), str(other[2])
    return text == again or bool(one[3] and other[3] and again.endswith("\n" + text))


def _differs(agent: Agent, how: str) -> SourceUnreadable:
    return SourceUnreadable(
        f"the conversation does not read back from {agent.name}: {how}; nothing was written",
        hint="without --to, it continues in its own agent",
    )
