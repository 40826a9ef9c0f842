"""No agent is handed a field that says what it may do, whatever stood in the session."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gitsession.agents import registry
from gitsession.agents.base import Target
from gitsession.agents.claude_code.write import NEVER
from gitsession.agents.permissions import FIELDS
from gitsession.environment import Environment
from tests.agents.contract import the_source, whole
from tests.builders import CLAUDE_ID, Claude
from tests.codex_builder import Codex
from tests.gemini_builder import Gemini
from tests.kimi_builder import Kimi
from tests.pi_builder import Pi
from tests.qwen_builder import QWEN_ID, Qwen

PLANTED = dict.fromkeys(sorted(FIELDS), "yolo")


def claude() -> bytes:
    session = Claude()
    session.prompt("x")
    session.say("y")
    for kind in sorted(NEVER):
        session.row(type=kind, permissionMode="yolo", mode="yolo", agentSetting="wild")
    return session.data


def codex() -> bytes:
    session = Codex().turn("x", "y")
    session.add("turn_context", cwd="/project", model="m", **PLANTED)
    local = {"cwd": "/project", "shell": "bash", **PLANTED}
    session.add("world_state", full=True, state={"environments": {"environments": {"a": local}}})
    return session.event("thread_settings_applied", thread_settings=PLANTED).data


def of_two(session: Any) -> bytes:
    session.prompt("x")
    session.say("y")
    return bytes(session.data)


MADE: dict[str, tuple[str, Callable[[], bytes]]] = {
    "claude-code": (f"{CLAUDE_ID}.jsonl", claude),
    "codex": ("rollout.jsonl", codex),
    "gemini": ("session-a.jsonl", lambda: of_two(Gemini())),
    "kimi": ("wire.jsonl", lambda: Kimi().turn("x", command="ls").data),
    "pi": ("a.jsonl", lambda: of_two(Pi())),
    "qwen": (f"{QWEN_ID}.jsonl", lambda: of_two(Qwen())),
}


def names_in(value: Any) -> set[str]:
    if isinstance(value, dict):
        return set(value).union(*map(names_in, value.values()))
    return set().union(*map(names_in, value)) if isinstance(value, list) else set()


@pytest.mark.parametrize("foreign", [False, True])
@pytest.mark.parametrize("name", MADE)
def test_nothing_of_it_is_written(
    environment: Environment, tmp_path: Path, name: str, foreign: bool
) -> None:
    file, made = MADE[name]
    rows = [json.loads(line) for line in made().splitlines()]
    if name != "codex":  # there it stands deeper
        rows = [{**row, **PLANTED} for row in rows]
    path = tmp_path / file
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    agent = registry.get(name)
    session = whole(agent.read(the_source(agent, path)))
    written = agent.write(session, Target("/new", "T", foreign=foreign), environment)
    out = [json.loads(line) for line in written.files[written.main].splitlines()]
    assert not names_in(out) & FIELDS
    assert not {row.get("type") for row in out} & NEVER
    assert b"yolo" not in written.files[written.main]
    assert b'"/project"' not in written.files[written.main]
