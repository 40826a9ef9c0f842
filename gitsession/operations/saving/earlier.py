"""Import of a file, then of another state of its session, then of the first file again: it holds
what a version before the rewrite held, and adds nothing new."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from gitsession.agents.base import Agent, Source
from gitsession.model.history import Version
from gitsession.operations.saving.line import Line, has_records
from gitsession.operations.saving.past_records import compare
from gitsession.operations.workspace import Workspace
from gitsession.snapshot.decoding import decode_head

_REWRITES = 8
"""How many rewrites to look back over: each is compared record by record."""


def holds(workspace: Workspace, agent: Agent, source: Source, line: Line) -> bool:
    """Whether everything a file says was in the line before one of its newest rewrites.

    Never for a file in the agent's own folder: that is the live session, and what it says now is
    news.
    """
    if source.path.is_relative_to(agent.home(workspace.environment)):
        return False
    return any(
        _says_no_more(workspace, agent, source, line, version)
        for version in itertools.islice(_rewritten(workspace, line.tip), _REWRITES)
    )


def _rewritten(workspace: Workspace, tip: str) -> Iterator[Version]:
    """Yield the versions that a rewrite replaced, newest first."""
    versions = workspace.store.log([tip], limit=0)
    for newer, older in itertools.pairwise(versions):
        if newer.trailers.get("Kind") in ("rewrite", "compaction"):
            yield older


def _says_no_more(
    workspace: Workspace, agent: Agent, source: Source, line: Line, version: Version
) -> bool:
    head = decode_head(workspace.store.tree(version.tree))
    then = line._replace(base=version.id, tree=version.tree, head=head, state=None, native={})
    past = compare(workspace, agent, source, then)
    if past.kind != "same":
        return False
    rest = (part for part in agent.read(source, past.since) if has_records(part))
    return not any(part.turn is None or part.turn.messages for part in rest)
