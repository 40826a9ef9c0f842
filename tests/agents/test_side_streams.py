"""Subagents of Gemini CLI and Qwen Code: their files are streams of the session that began them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gitsession.agents import registry
from gitsession.agents.base import Source, Target
from gitsession.agents.envelope import dashed
from gitsession.environment import Environment
from gitsession.model.session import Session
from tests.agents.contract import whole
from tests.gemini_builder import GEMINI_ID, Gemini
from tests.qwen_builder import QWEN_ID, Qwen

SIDE = "subagents/helper-1"
NEW_ID = "aaaaaaaa-0000-4000-8000-000000000001"


def gemini(home: Path, cwd: str) -> None:
    session = Gemini(cwd=cwd)
    session.prompt("ask a helper")
    session.say("It was helped")
    side = Gemini("helper-1", cwd)
    side.prompt("help")
    row = side.say("")
    calls = [{"id": "c1", "name": "run_shell_command", "args": {"command": "ls"}}]
    side.raw({**row, "toolCalls": calls})
    chats = home / ".gemini" / "tmp" / "project" / "chats"
    (chats / GEMINI_ID).mkdir(parents=True)
    (chats.parent / ".project_root").write_text(cwd)
    (chats / f"session-2026-01-31T12-00-{GEMINI_ID[:8]}.jsonl").write_bytes(session.data)
    (chats / GEMINI_ID / "helper-1.jsonl").write_bytes(side.data)
    (chats / GEMINI_ID / "..jsonl").write_bytes(b"no")


def qwen(home: Path, cwd: str) -> None:
    session = Qwen(cwd=cwd)
    session.prompt("ask a helper")
    session.say("It was helped")
    side = Qwen(cwd=cwd)
    side.prompt("help", agentId="helper-1", agentName="helper", isSidechain=True)
    side.answer({"functionCall": {"id": "c1", "name": "run_shell_command",
                                  "args": {"command": "ls"}}})  # fmt: skip
    project = home / ".qwen" / "projects" / dashed(cwd)
    folder = project / "subagents" / QWEN_ID
    folder.mkdir(parents=True)
    (project / "chats").mkdir()
    (project / "chats" / f"{QWEN_ID}.jsonl").write_bytes(session.data)
    (folder / "agent-helper-1.jsonl").write_bytes(side.data)
    (folder / "agent-helper-1.jsonl.stream").write_bytes(b"no")
    told = {"agentId": "helper-1", "agentType": "general", "description": "d", "status": "running",
            "parentSessionId": QWEN_ID, "memory": "of another"}  # fmt: skip
    (folder / "agent-helper-1.meta.json").write_text(json.dumps(told))


MADE = {"gemini": gemini, "qwen": qwen}


@pytest.fixture(params=MADE)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def source(name: str, environment: Environment) -> Source:
    MADE[name](environment.home, environment.cwd)
    [found] = registry.get(name).find(environment, cwd=environment.cwd)
    return found


def rows(data: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in data.splitlines()]


def read(name: str, source: Source, since: Session | None = None) -> list[Session]:
    return list(registry.get(name).read(source, since))


def test_a_subagents_file_is_a_stream(name: str, source: Source) -> None:
    assert list(source.streams) == [SIDE]
    session = whole(read(name, source))
    stored = b"".join(record.data for record in session.stream(SIDE).records)
    assert stored == source.streams[SIDE].read_bytes()
    lines = len(stored.splitlines()) + len(source.path.read_bytes().splitlines())
    assert session.counts.records == lines


def test_what_it_writes_after_the_last_turn_is_not_lost(name: str, source: Source) -> None:
    stored = whole(read(name, source))
    path = source.streams[SIDE]
    with path.open("ab") as stream:
        stream.write(b'{"id":"late","type":"info","timestamp":"2027-01-01T00:00:00.000Z"}\n')
    [more] = read(name, source, stored)
    assert more.turn is not None
    assert not more.turn.finished
    assert not more.stream().records
    assert [b"late" in record.data for record in more.stream(SIDE).records] == [True]
    assert more.stream(SIDE).first == len(stored.stream(SIDE).records)


@pytest.mark.parametrize("foreign", [False, True])
def test_a_checkout_takes_it_along(
    name: str, source: Source, environment: Environment, foreign: bool
) -> None:
    session = whole(read(name, source))
    target = Target("/new", title="T", foreign=foreign, native_id=NEW_ID)
    written = registry.get(name).write(session, target, environment)
    assert list(written.files)[-1] == written.main
    [path] = [path for path in written.files if "helper-1" in path.name and path.suffix == ".jsonl"]
    assert path.parent.name == NEW_ID
    text = written.files[path].decode()
    assert "never got a result" in text
    assert source.native_id not in text
    assert "[T" not in text
    for file, data in written.files.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    [found] = registry.get(name).find(environment, native_id=NEW_ID)
    assert dict(found.streams) == {SIDE: path}


@pytest.mark.parametrize("foreign", [False, True])
def test_a_description_starts_nothing(environment: Environment, foreign: bool) -> None:
    qwen(environment.home, environment.cwd)
    agent = registry.get("qwen")
    [source] = agent.find(environment, cwd=environment.cwd)
    session = whole(read("qwen", source))
    target = Target("/new", foreign=foreign, native_id=NEW_ID)
    written = agent.write(session, target, environment)
    [told] = [json.loads(data) for path, data in written.files.items() if path.suffix == ".json"]
    assert told["parentSessionId"] == NEW_ID
    assert told.get("status") in (None, "cancelled")
    assert ("memory" in told) is not foreign
