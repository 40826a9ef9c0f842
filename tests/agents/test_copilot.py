"""GitHub Copilot CLI: the contract, and real event files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from gitsession.agents.base import Target
from gitsession.agents.copilot import AGENT
from gitsession.agents.copilot.assets import asset_of, reference
from gitsession.agents.lenient import mapping_of
from gitsession.agents.pictures import LARGEST
from gitsession.agents.said import Image
from gitsession.agents.speech import image_of
from gitsession.environment import Environment
from gitsession.model.session import Session
from tests.agents.contract import Case, Contract, finished, joined, the_source, whole
from tests.agents.contract_reading import place
from tests.copilot_builder import COPILOT_ID, Events

NEW_ID = "99999999-8888-4777-8666-555555555555"


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
            environment.home / ".copilot" / "session-state" / COPILOT_ID / "events.jsonl", data
        ),
        unknown=b'{"type":"session.new_thing","data":{"a":1},"id":"x","parentId":null}\n',
        native_id=COPILOT_ID,
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


def test_pictures_stand_once_and_go_along(tmp_path: Path, environment: Environment) -> None:
    one, big = (asset_of(Image("image/png", data)) for data in ("aGVsbG8=", "A" * (LARGEST + 4)))
    events = Events().add("session.binary_asset", **one).add("session.binary_asset", **big)
    shown = [{**reference(asset), "type": "file", "path": "x.png"} for asset in (one, big)]
    events.add("user.message", content="see", attachments=shown)
    events.answer("", ("1", "view", {"path": "/project/x.png"}))
    events.result("1", "Viewed image file successfully.",
                  extra={"binaryResultsForLlm": [reference(one)]})  # fmt: skip
    events.answer("seen").add("assistant.turn_end")
    session = whole(_read(tmp_path, events.data))
    assert session.files == ()
    prompt, answer, _ = AGENT.messages(session)
    assert [image_of(p.native) for p in prompt.parts[1:]] == [
        Image("image/png", asset["data"]) for asset in (one, big)
    ]
    assert mapping_of(answer.parts[1].native)["attachments"][0]["data"] == "aGVsbG8="

    written = AGENT.write(
        session, Target("/elsewhere", native_id=NEW_ID, foreign=True), environment
    )
    assert b"aGVsbG8=" in written.files[written.main]
    assert len(written.files[written.main]) < LARGEST  # the agent says that one is missing
    [told] = written.repairs
    assert told.startswith("1 image of 2 over the limits of a request")


def _helped() -> Events:
    """A turn whose task a subagent does, in the order of the real agent."""
    events = Events().add("user.message", content="find it")
    events.answer("I ask.", ("t", "task", {"prompt": "where is it"}))
    own = len(events.rows)
    events.add("subagent.started", toolCallId="t", agentName="general-purpose")
    events.add("user.message", content="where is it").add("system.message", content="you help")
    events.answer("", ("v", "view", {"path": "/project/a.py"})).result("v", "hello")
    events.add("assistant.turn_end", turnId="0").answer("in a.py")
    events.add("assistant.turn_end", turnId="1")
    for row in events.rows[own:]:
        row["agentId"] = "agent-1"
    events.result("t", "in a.py").add("subagent.completed", toolCallId="t")
    events.rows[-1]["agentId"] = "agent-1"
    return events.answer("It is in a.py.").add("assistant.turn_end", turnId="1")


def test_a_subagents_words_are_its_own(tmp_path: Path, environment: Environment) -> None:
    [session] = finished(_read(tmp_path, _helped().data))
    assert session.turn is not None
    assert session.turn.prompt == "find it"
    messages = AGENT.messages(session)
    assert [(m.role, m.text) for m in messages] == [
        ("user", "find it"), ("assistant", "I ask."), ("assistant", "It is in a.py."),
    ]  # fmt: skip
    assert session.counts.messages == 3
    assert session.instructions == ()
    assert {file.path: file.content for file in session.files} == {"a.py": b"hello"}

    [(stream, told)] = AGENT.within(session).items()
    assert stream == "subagents/agent-1"
    assert [(m.role, m.text, m.stream) for m in told] == [
        ("user", "where is it", stream), ("assistant", "", stream),
        ("assistant", "in a.py", stream),
    ]  # fmt: skip
    assert [part.kind for part in told[1].parts] == ["tool_call", "tool_result"]
    assert _helped().rows[told[0].record]["data"]["content"] == "where is it"

    written = AGENT.write(session, Target("/elsewhere", native_id=NEW_ID), environment)
    assert written.repairs == ()
    rows = [json.loads(line) for line in written.files[written.main].splitlines()]
    done = [row for row in rows if row["type"] == "tool.execution_complete"]
    assert [row["data"]["toolCallId"] for row in done] == ["v", "t"]


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
        AGENT.read(the_source(AGENT, samples / f"recorded/copilot/{COPILOT_ID}.events.jsonl"))
    )
    assert (recorded.usage.input, recorded.usage.output) == (6000, 120)
