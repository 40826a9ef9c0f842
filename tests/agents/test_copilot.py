"""GitHub Copilot CLI: the contract, and real event files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from gitsession.agents.base import Target
from gitsession.agents.copilot import AGENT
from gitsession.environment import Environment
from gitsession.model.session import Session
from tests.agents.contract import Case, Contract, finished, joined, the_source, whole
from tests.agents.contract_reading import place

_ID = "e554e6fe-03a4-4753-8b3a-98d4b90ad89e"
NEW_ID = "99999999-8888-4777-8666-555555555555"


class Events:
    """A chain of events, as the agent appends them."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []
        self.add("session.start", sessionId=_ID, version=1, copilotVersion="1.0.102",
                 startTime=self.time(), context={"cwd": "/project", "branch": "main"})  # fmt: skip

    def time(self) -> str:
        return f"2026-01-31T12:{len(self.rows) // 60:02}:{len(self.rows) % 60:02}.000Z"

    def add(self, kind: str, **data: Any) -> Events:
        number = len(self.rows)
        parent = f"{_ID[:-4]}{number - 1:04}" if number else None
        self.rows.append({"type": kind, "data": data, "id": f"{_ID[:-4]}{number:04}",
                          "timestamp": self.time(), "parentId": parent})  # fmt: skip
        return self

    def answer(self, text: str, *calls: tuple[str, str, dict[str, Any]]) -> Events:
        self.add("session.usage_record", usage={"model": "gpt-5", "inputTokens": 100,
                                                "outputTokens": 10,
                                                "cacheReadTokens": 5})  # fmt: skip
        asked = [{"toolCallId": i, "name": n, "arguments": a} for i, n, a in calls]
        return self.add("assistant.message", model="gpt-5", content=text, toolRequests=asked)

    def result(self, call_id: str, text: str, *, success: bool = True, **more: Any) -> Events:
        return self.add("tool.execution_complete", toolCallId=call_id, success=success,
                        result={"content": text}, **more)  # fmt: skip

    def turn(self, n: int) -> Events:
        self.add("user.message", content=f"question {n}", transformedContent=f"<x>question {n}")
        self.add("assistant.turn_start", turnId="0")
        self.answer("", (f"call{n}", "bash", {"command": "ls"}))
        self.result(f"call{n}", "a.py\n<shellId: 0 completed with exit code 0>")
        self.add("assistant.turn_end", turnId="0")
        self.answer(f"answer to question {n}")
        return self.add("assistant.turn_end", turnId="1")

    @property
    def data(self) -> bytes:
        return b"".join(
            json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
            for row in self.rows
        )


def _grow(turns: int) -> bytes:
    events = Events()
    for n in range(1, turns + 1):
        events.turn(n)
    return events.data


class TestContract(Contract):
    case = Case(
        agent=AGENT,
        grow=_grow,
        put=lambda environment, data: place(
            environment.home / ".copilot" / "session-state" / _ID / "events.jsonl", data
        ),
        unknown=b'{"type":"session.new_thing","data":{"a":1},"id":"x","parentId":null}\n',
        native_id=_ID,
    )


def _read(tmp_path: Path, data: bytes) -> list[Session]:
    return list(AGENT.read(the_source(AGENT, place(tmp_path / "events.jsonl", data))))


def _written(session: Session, environment: Environment, **target: Any) -> list[dict[str, Any]]:
    wanted = Target(**{"cwd": "/elsewhere", "native_id": NEW_ID, **target})
    written = AGENT.write(session, wanted, environment)
    return [json.loads(line) for line in written.files[written.main].splitlines()]


def test_files_are_followed(tmp_path: Path) -> None:
    events = Events().add("user.message", content="make it")
    events.answer("", ("1", "create", {"path": "/project/a.py", "file_text": "one\ntwo\n"}),
                  ("2", "view", {"path": "/project/b.py"}))  # fmt: skip
    events.result("1", "Created file").result("2", "1. x = 1\n2. \n3. y = 2")
    events.answer("", ("3", "edit", {"path": "/project/a.py", "old_str": "two", "new_str": "2"}))
    events.result("3", "updated").answer("done").add("assistant.turn_end")
    [session] = finished(_read(tmp_path, events.data))
    assert {f.path: f.content for f in session.files} == {
        "a.py": b"one\n2\n", "b.py": b"x = 1\n\ny = 2"
    }  # fmt: skip


def test_an_abort_interrupts(tmp_path: Path) -> None:
    events = Events().add("user.message", content="wait").add("abort", reason="user_initiated")
    [session] = finished(_read(tmp_path, events.data))
    assert session.turn is not None
    assert session.turn.kind == "interrupted"


def test_written_files_are_paired_chained_and_without_trust(
    tmp_path: Path, environment: Environment
) -> None:
    events = Events().add("session.info", infoType="folder_trust", message="/project trusted")
    events.add("session.mode_changed", mode="autopilot").add("system.message", content="be good")
    events.add("user.message", content="go", transformedContent="/home/me")
    calls = [(str(n), "bash", {"command": "ls"}) for n in (1, 2, 3)]
    events.answer("", *calls).result("2", "two").result("2", "again").result("9", "whose?")
    session = whole(_read(tmp_path, events.data))
    target = Target("/elsewhere", native_id=NEW_ID)
    written = AGENT.write(session, target, environment)
    assert written.repairs == (
        "2 tool results without a call left out",
        "2 tool calls without result marked as interrupted",
    )
    rows = _written(session, environment)
    assert [row["parentId"] for row in rows] == [None, *[row["id"] for row in rows[:-1]]]
    assert len({row["id"] for row in rows}) == len(rows)
    done = [r["data"]["toolCallId"] for r in rows if r["type"] == "tool.execution_complete"]
    assert sorted(done) == ["1", "2", "3"]
    assert not {"session.info", "session.mode_changed"} & {row["type"] for row in rows}
    assert rows[0]["data"]["context"] == {"cwd": "/elsewhere"}
    foreign = _written(session, environment, foreign=True)
    assert "system.message" not in {row["type"] for row in foreign}
    assert "/home/me" not in json.dumps(foreign)


def test_masked_reasoning_is_left_out(tmp_path: Path, environment: Environment) -> None:
    events = Events().turn(1)
    events.rows[-2]["data"]["reasoningOpaque"] = "__REDACTED_entropy_0123abcd__"
    session = whole(_read(tmp_path, events.data))
    assert "REDACTED" not in json.dumps(_written(session, environment))


def test_real_files(samples: Path) -> None:
    expected = {"1afc31c8": 1, "8e081e35": 1, "c3f091b3": 4, "e554e6fe": 3}
    paths = [*samples.glob("copilot/*.jsonl"), *samples.glob("recorded/copilot/*events.jsonl")]
    assert len(paths) == len(expected)
    for path in paths:
        sessions = list(AGENT.read(the_source(AGENT, path)))
        assert joined(sessions) == path.read_bytes()
        session = whole(sessions)
        messages = AGENT.messages(session)
        prompts = [m for m in messages if m.role == "user"]
        assert len(prompts) == expected[path.name[:8]]
        parts = [part.kind for m in messages for part in m.parts]
        assert parts.count("tool_call") == parts.count("tool_result") == {
            "c3f091b3": 61, "e554e6fe": 3
        }.get(path.name[:8], 0)  # fmt: skip
        assert session.counts.messages == len(messages)
        assert session.counts.damaged == 0
        assert session.info.cwd.startswith("/")
        assert len(finished(sessions)) == len(prompts)
    recorded = whole(
        AGENT.read(the_source(AGENT, samples / f"recorded/copilot/{_ID}.events.jsonl"))
    )
    assert (recorded.usage.input, recorded.usage.output) == (6000, 120)
