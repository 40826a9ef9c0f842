"""A context written in an agent's own form is read again as that context."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitsession.agents import registry
from gitsession.agents.base import Target
from gitsession.agents.claude_code import light as claude_light
from gitsession.agents.codex import light as codex_light
from gitsession.context.build import build
from gitsession.context.entry import entries_of
from gitsession.context.pairs import is_paired
from gitsession.environment import Environment
from gitsession.model.record import Record, Stream

from .making import CHARS
from .real_files import of_sample

AGENTS = (("claude-code", "claude", claude_light.records), ("codex", "codex", codex_light.records))


@pytest.mark.parametrize(("agent", "folder", "write"), AGENTS)
def test_every_real_file_within_a_budget(
    samples: Path, environment: Environment, agent: str, folder: str, write: object
) -> None:
    assert callable(write)
    looked = 0
    for path in sorted((samples / folder).rglob("*.jsonl")):
        given = of_sample(path, agent)
        context = build(given, 16_000, counter=CHARS)
        if not any(message.role != "system" for message in context.messages):
            continue
        records = write(given, context.messages)
        light = given._replace(streams=(Stream("main", records),), sidecars=(), messages=())
        written = registry.get(agent).write(light, Target(environment.cwd), environment)
        data = written.files[written.main]
        lines = tuple(map(Record, data.splitlines(keepends=True)))
        again = registry.get(agent).messages(light._replace(streams=(Stream("main", lines),)))
        assert is_paired(entries_of(again)), path.name
        assert texts(again) == texts(context.messages), path.name
        assert records == write(given, context.messages)
        looked += 1
    assert looked > 5


def texts(messages: object) -> list[tuple[str, str]]:
    """What a model reads, in order: kind and text of each part, instructions left out."""
    assert isinstance(messages, tuple)
    return [
        ("text" if part.kind == "compaction" else part.kind, part.text.strip())
        for message in messages
        if message.role != "system" or message.extra.get("made") or message.parts[0].kind != "text"
        for part in message.parts
    ]
