"""Real session files of every agent, as sessions with their messages."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from gitsession.agents import registry
from gitsession.agents.base import Source
from gitsession.model.record import Record, Stream
from gitsession.model.session import Info, Session

LONG = bool(os.environ.get("GITSESSION_LONG"))
"""Read when the tests are collected: in a test the variable is gone."""

_IMAGES = "claude/real_projects/-Users-dain-workspace-claude-code-log-sample"
_SOME = (
    "aider/zen.aider.chat.history.md",
    "claude/entire/three-compactions.jsonl",
    "claude/entire/concat-line.jsonl",
    "claude/full-session-four.jsonl",
    f"{_IMAGES}/0d3a8e6f-290f-4105-a327-a2496e5e2a83.jsonl",
    "codex/rollout-2025-09-24T19-22-20-01997e76-d124-7592-9cac-2ec05abbca08.jsonl",
    "codex/entire/fork-child-019d7e30.jsonl",
    "copilot/c3f091b3-1a1f-435f-8acb-6c7520106212.events.jsonl",
    "gemini/session-2025-10-27T19-55-981c87cb.json",
    "goose/goose-v15.db",
    "pi/before-compaction.jsonl",
    "recorded/opencode/opencode.db",
    "recorded/claude/e225f4d1-6a44-479f-8603-db5d5ec3d6a9.compacted.jsonl",
    "recorded/codex/compacted-rollout-2026-11-29T19-17-12-01a228bd-6c65-7c23-9a93-790aedc3ce2f.jsonl",
    "recorded/cline/1795980076081_9flu6.messages.json",
    "recorded/qwen/ce8999c9-a05d-4973-93b8-1855b68d878d.jsonl",
)
"""At least one of each agent; compactions, forks, images, torn lines, thousands of tool calls."""


def sessions(samples: Path, *, every: bool) -> Iterator[tuple[str, Session]]:
    """Name and session of every real file, or of some of each agent."""
    for path in sorted(samples.rglob("*")):
        name = path.relative_to(samples).as_posix()
        if path.is_file() and (every or name in _SOME):
            for source in registry.recognise_all(path):
                yield f"{name} {source.native_id}", _session(source)


def _session(source: Source) -> Session:
    agent = registry.get(source.agent)
    parts = list(agent.read(source, None))
    records = tuple(record for part in parts for record in part.stream().records)
    stream = parts[-1].stream()._replace(records=records, first=0)
    whole = parts[-1]._replace(streams=(stream,))
    return whole._replace(messages=agent.messages(whole))


def of_sample(path: Path, agent: str) -> Session:
    """One file as its agent's adapter reads messages, records as they stand."""
    records = tuple(map(Record, path.read_bytes().splitlines(keepends=True)))
    one = Session(Info(agent, path.stem), streams=(Stream("main", records),))
    return one._replace(messages=registry.get(agent).messages(one))
