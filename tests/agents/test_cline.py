"""Cline: the contract, and a recorded session."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from gitsession.agents.base import settled
from gitsession.agents.cline import AGENT
from gitsession.environment import Environment
from tests.agents.contract import finished, joined, the_source, whole
from tests.agents.contract_reading import ReadCase, WholeContract, place

_ID = "1795980076081_9flu6"


def _grow(turns: int, updated: str = "2026-11-29T19:21:38.710Z") -> bytes:
    messages: list[dict[str, Any]] = []
    metrics = {"inputTokens": 100, "outputTokens": 10}
    for n in range(1, turns + 1):
        call = {"type": "tool_use", "id": f"c{n}", "name": "run_commands",
                "input": {"commands": ["ls"]}}  # fmt: skip
        done = {"type": "tool_result", "tool_use_id": f"c{n}", "name": "run_commands",
                "content": [{"query": "ls", "result": "a.py", "success": True}]}  # fmt: skip
        asked = f'<user_input mode="act">question {n}</user_input>'
        for role, content in (
            ("user", [{"type": "text", "text": asked}]),
            ("assistant", [call]),
            ("user", [done]),
            ("assistant", [{"type": "text", "text": f"answer to question {n}"}]),
        ):
            more = {"metrics": metrics, "modelInfo": {"id": "m"}} if role == "assistant" else {}
            messages.append({"id": f"m{len(messages)}", "role": role, "content": content,
                             "ts": 1795980076222 + len(messages), **more})  # fmt: skip
    value = {"version": 1, "updated_at": updated, "agent": "lead", "sessionId": _ID,
             "origin": {"source": "cli", "version": "3.0.65"}, "messages": messages}  # fmt: skip
    return json.dumps(value, indent=2).encode()


def _put(environment: Environment, data: bytes) -> Path:
    folder = environment.home / ".cline/data/sessions" / _ID
    place(folder / f"{_ID}.json", json.dumps({"session_id": _ID, "cwd": "/project"}).encode())
    return place(folder / f"{_ID}.messages.json", data)


class TestContract(WholeContract):
    case = ReadCase(agent=AGENT, grow=_grow, put=_put, unknown=b"", native_id=_ID)


def test_the_time_of_change_is_no_other_past(tmp_path: Path) -> None:
    path = place(tmp_path / "a.messages.json", _grow(1))
    before = [r.data for s in AGENT.read(the_source(AGENT, path)) for r in s.stream().records]
    path = place(tmp_path / "a.messages.json", _grow(1, "2027-01-01T00:00:00.000Z"))
    after = [r.data for s in AGENT.read(the_source(AGENT, path)) for r in s.stream().records]
    assert before != after
    assert [settled(AGENT, r) for r in before] == [settled(AGENT, r) for r in after]


def test_a_real_session(samples: Path) -> None:
    path = samples / "recorded/cline" / f"{_ID}.messages.json"
    sessions = list(AGENT.read(the_source(AGENT, path)))
    assert joined(sessions) == path.read_bytes()
    done = finished(sessions)
    prompts = [s.turn.prompt.split(" [[")[0] for s in done if s.turn]
    assert prompts[:2] == ["First question alpha-111", "Second question beta-222"]
    session = whole(sessions)
    assert (session.usage.input, session.usage.output) == (6000, 120)
    assert session.info.cwd == "/tmp/demo/tmp/cline-projA"
    parts = [p for m in AGENT.messages(session) for p in m.parts]
    assert [p.text for p in parts if p.kind == "tool_result"][1] == "shell-says-hi\n"
    assert session.state.active_file == "a.py"
