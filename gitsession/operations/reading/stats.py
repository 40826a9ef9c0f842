"""stats: tokens, tools and loops of one version."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from gitsession.model.call import Call, calls
from gitsession.model.stats import Loop, Stats, ToolUse
from gitsession.model.usage import Usage
from gitsession.operations import sides

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.model.session import Session

LOOP = 3
"""This many equal calls in a row are a loop: OpenCode asks its user from then on."""


def stats(session: Session, subagents: int = 0) -> Stats:
    """Return the statistics of a session with its messages; if these are a subagent's, of them
    alone."""
    if any(message.stream != sides.MAIN for message in session.messages):
        session = _alone(session)
    made = list(calls(session.messages))
    return Stats(
        turns=session.counts.turns,
        prompts=sum(message.role == "user" for message in session.messages),
        messages=len(session.messages),
        compactions=session.counts.compactions,
        models=session.info.models,
        tokens=session.usage,
        tools=tuple(_tools(made)),
        loops=tuple(_loops(made)),
        subagents=subagents,
    )


def _alone(session: Session) -> Session:
    """Return the session as if its messages were all of it."""
    spent = Usage()
    for message in session.messages:
        spent = spent.plus(message.usage or Usage())
    turns = sum(message.role == "user" for message in session.messages)
    compactions = sum(p.kind == "compaction" for m in session.messages for p in m.parts)
    models = tuple(dict.fromkeys(message.model for message in session.messages if message.model))
    return session._replace(
        counts=session.counts._replace(turns=turns, compactions=compactions),
        info=session.info._replace(models=models),
        usage=spent,
    )


def _tools(made: Sequence[Call]) -> Iterator[ToolUse]:
    """Yield how often each tool was used, the most used one first."""
    errors = Counter(one.call.name for one in made if one.outcome == "error")
    counted = Counter(one.call.name for one in made)
    for name, times in sorted(counted.items(), key=lambda item: (-item[1], item[0])):
        yield ToolUse(name, times, errors[name])


def _loops(made: Sequence[Call]) -> Iterator[Loop]:
    for (name, given), group in groupby(made, key=lambda one: (one.call.name, _input(one))):
        run = list(group)
        if len(run) >= LOOP:
            yield Loop(name, given, len(run), run[0].message, run[-1].message)


def _input(one: Call) -> str:
    """Return the arguments of a call as text, equal for equal arguments in any order of names."""
    given = one.call.input
    if isinstance(given, str):
        return given
    return json.dumps(given, ensure_ascii=False, sort_keys=True, default=str)
