"""Cline: the contract, and a recorded session."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gitsession.agents.base import Target, settled
from gitsession.agents.cline import AGENT
from gitsession.agents.losses import losses
from gitsession.environment import Environment
from gitsession.errors import SourceUnreadable
from gitsession.model.session import Session
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


def _with(path: Path, *messages: dict[str, Any]) -> Session:
    value = {**json.loads(_grow(0)), "messages": list(messages)}
    return whole(AGENT.read(the_source(AGENT, place(path / "a.messages.json",
                                                    json.dumps(value).encode()))))  # fmt: skip


def test_written_sessions_say_the_same(environment: Environment, tmp_path: Path) -> None:
    session = whole(AGENT.read(the_source(AGENT, _put(environment, _grow(3)))))
    cwd = str(tmp_path / "elsewhere")
    written = AGENT.write(session, Target(cwd, title="other main@1234"), environment)
    assert written.native_id != _ID
    assert written.main.parent.name == written.native_id
    for path, data in written.files.items():
        place(path, data)
    [found] = AGENT.find(environment, cwd=cwd)
    assert (found.native_id, found.title) == (written.native_id, "other main@1234")
    again = whole(AGENT.read(found))
    assert again.counts.foreign == 0
    assert AGENT.messages(again) == AGENT.messages(session)
    assert AGENT.resume_command(written.native_id, cwd)[-2:] == ("--id", written.native_id)
    target = Target(cwd, native_id=written.native_id)
    assert AGENT.write(session, target, environment) == AGENT.write(session, target, environment)
    note = json.loads(written.files[written.main.with_name(f"{written.native_id}.json")])
    assert (note["model"], note["cwd"]) == ("m", cwd)
    assert not any("approv" in name or "mode" in name for name in note if name != "model")


def test_every_call_has_one_result(environment: Environment, tmp_path: Path) -> None:
    calls = [{"type": "tool_use", "id": f"c{n}", "name": "run_commands", "input": {}}
             for n in (1, 2)]  # fmt: skip
    results = [{"type": "tool_result", "tool_use_id": name, "content": "out"}
               for name in ("c2", "c9")]  # fmt: skip
    session = _with(
        tmp_path,
        {"id": "m1", "role": "user", "content": "go \ud83d"},
        {"id": "m2", "role": "assistant", "content": calls},
        {"id": "m3", "role": "user", "content": results},
        {"id": "m4", "role": "assistant", "content": [calls[0] | {"id": "c3"}]},
    )
    written = AGENT.write(session, Target("/elsewhere"), environment)
    assert set(written.repairs) == {
        "1 half surrogate replaced",
        "1 tool result without a call left out",
        "2 tool calls without result marked as interrupted",
    }
    messages = json.loads(written.files[written.main])["messages"]
    found = [item for message in messages for item in message["content"]
             if isinstance(item, dict) and item["type"] == "tool_result"]  # fmt: skip
    assert [item["tool_use_id"] for item in found] == ["c2", "c1", "c3"]
    assert messages[0]["content"] == "go \ufffd"


def test_nothing_said_is_nothing_to_continue(environment: Environment, tmp_path: Path) -> None:
    with pytest.raises(SourceUnreadable):
        AGENT.write(_with(tmp_path), Target("/elsewhere"), environment)


def test_a_file_written_anew_says_the_same(environment: Environment) -> None:
    data = _grow(2)
    records = whole(AGENT.read(the_source(AGENT, _put(environment, data)))).stream().records
    said = [one for record in records for one in AGENT.essences(record.data)]
    assert said == list(AGENT.essences(data)) == list(AGENT.essences(_grow(3)))[:8]
    spaced = json.dumps(json.loads(data), indent=None).encode()
    assert said == list(AGENT.essences(spaced))


def test_signatures_of_any_item_are_counted(tmp_path: Path) -> None:
    thought = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
    session = _with(
        tmp_path,
        {"id": "m1", "role": "user", "content": "go"},
        {"id": "m2", "role": "assistant", "content": [thought]},
    )
    assert losses(session, AGENT.messages(session)) == {"signatures": 1}
