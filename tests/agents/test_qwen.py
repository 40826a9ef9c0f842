"""Qwen Code: the contract, and what is peculiar to its files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gitsession.agents.base import Target
from gitsession.agents.claude_code import AGENT as CLAUDE
from gitsession.agents.qwen import AGENT
from gitsession.environment import Environment
from gitsession.errors import SourceUnreadable
from gitsession.model.session import Session
from tests.agents.contract import Case, Contract, finished, joined, read_in_steps, the_source, whole
from tests.qwen_builder import QWEN_ID, Qwen, qwen_session

NEW_ID = "99999999-8888-4777-8666-555555555555"
Reader = Callable[[Qwen], list[Session]]


def _put(environment: Environment, data: bytes) -> Path:
    path = Qwen().save(environment.home)
    path.write_bytes(data)
    return path


class TestContract(Contract):
    case = Case(
        agent=AGENT,
        grow=qwen_session,
        put=_put,
        unknown=b'{"type":"new-thing","payload":{"a":[1]},"sessionId":"'
        + QWEN_ID.encode()
        + b'"}\n',
        native_id=QWEN_ID,
    )


@pytest.fixture
def read(tmp_path: Path) -> Reader:
    def reader(session: Qwen) -> list[Session]:
        path = tmp_path / f"{QWEN_ID}.jsonl"
        path.write_bytes(session.data)
        return list(AGENT.read(the_source(AGENT, path)))

    return reader


def rows_of(session: Session, environment: Environment, **target: Any) -> list[dict[str, Any]]:
    wanted = Target(**{"cwd": "/elsewhere", "native_id": NEW_ID, **target})
    written = AGENT.write(session, wanted, environment)
    return [json.loads(line) for line in written.files[written.main].splitlines()]


def test_the_cousins_files_are_told_apart(environment: Environment) -> None:
    path = Qwen().turn("q").save(environment.home)
    assert CLAUDE.recognise(path) is None


def test_a_native_rewind_is_one_and_its_messages_are_gone(read: Reader, tmp_path: Path) -> None:
    session = Qwen()
    session.turn("first")
    kept = session.tip
    session.turn("second")
    session.system("rewind", {"truncatedCount": 1}, kept)
    session.turn("another second").turn("third")
    sessions = read(session)
    assert [s.turn.rewound for s in sessions if s.turn] == [False, False, True, False]
    texts = [m.text for m in AGENT.messages(whole(sessions)) if m.role == "user"]
    assert texts == ["first", "another second", "third"]
    ends = [at + 1 for at, byte in enumerate(session.data) if byte == 10]
    path = tmp_path / f"{QWEN_ID}.jsonl"
    assert read_in_steps(AGENT, path, session.data, ends) == finished(sessions)


def test_what_nobody_typed_opens_no_turn(read: Reader) -> None:
    session = Qwen()
    session.prompt("first")
    session.prompt("by the way", subtype="mid_turn_user_message")
    session.prompt("task done", subtype="notification", provenance="system")
    session.say("ok")
    [one] = read(session)
    assert one.turn is not None
    assert one.turn.prompt == "first"
    assert [m.role for m in AGENT.messages(one)] == ["user", "user", "note", "assistant"]


def test_what_a_hook_says_is_no_prompt(read: Reader, environment: Environment) -> None:
    said = "<qwen:user-prompt-submit-context>\nprivate\n</qwen:user-prompt-submit-context>"
    session = Qwen()
    message = {"role": "user", "parts": [{"text": "first"}, {"text": said}]}
    payload = {"displayText": "first", "hookContext": "private"}
    session.tree("user", provenance="real_user", message=message, systemPayload=payload)
    session.say("ok")
    [one] = read(session)
    assert one.turn is not None
    assert (one.turn.prompt, one.info.title) == ("first", "first")
    assert [part.text for part in AGENT.messages(one)[0].parts] == ["first", said]
    assert "private" in json.dumps(rows_of(one, environment))
    assert "private" not in json.dumps(rows_of(one, environment, foreign=True))


def test_compression_title_and_fork_are_known(read: Reader) -> None:
    session = Qwen()
    session.turn("first")
    history = [{"role": "user", "parts": [{"text": "so far"}]}]
    session.system("chat_compression", {"info": {"originalTokenCount": 900},
                                        "compressedHistory": history})  # fmt: skip
    session.system("custom_title", {"customTitle": "Given", "titleSource": "manual"})
    session.system("custom_title", {"customTitle": "Made up", "titleSource": "auto"})
    session.system("parent_session", {"parentSessionId": NEW_ID})
    session.turn("second")
    sessions = read(session)
    last = sessions[-1]
    assert last.turn is not None
    assert last.turn.kind == "compaction"
    assert last.info.title == "Given"
    assert last.info.parent == NEW_ID
    assert last.state.markers[0]["tokens"] == 900
    [summary] = [m for m in AGENT.messages(whole(sessions)) if m.role == "system"]
    assert summary.parts[0].text == "so far"


def test_files_todos_and_exit_codes(read: Reader) -> None:
    session = Qwen()
    session.prompt("work")
    session.tool("read_file", "hello = 1\n", file_path="/project/a.py")
    session.tool("edit", "updated", {"newContent": "hello = 2\n"}, file_path="/project/b.py")
    session.tool("run_shell_command", "Output: no\nExit Code: 3", command="false")
    session.tool("todo_write", "ok", todos=[{"content": "rest", "status": "pending", "id": "1"}])
    session.say("done")
    [one] = read(session)
    assert {f.path: f.content for f in one.files} == {
        "a.py": b"hello = 1\n",
        "b.py": b"hello = 2\n",
    }
    assert (one.state.last_command, one.state.exit_code) == ("false", 3)
    assert [todo.text for todo in one.state.todos] == ["rest"]
    assert one.usage.output == 13 * 5


def test_written_records_name_the_new_session_and_no_mode(
    read: Reader, environment: Environment
) -> None:
    session = Qwen()
    session.system("session_source", {"sourceType": "cli"})
    session.prompt("first", approvalMode="yolo")
    session.system("goal_state", {"goal": {"objective": "take over"}})
    session.say("ok")
    rows = rows_of(whole(read(session)), environment, title="T")
    assert {row["sessionId"] for row in rows} == {NEW_ID}
    assert {row["cwd"] for row in rows} == {"/elsewhere"}
    assert "approvalMode" not in json.dumps(rows)
    assert "goal" not in json.dumps(rows)
    assert rows[0]["parentUuid"] is None
    assert [row["parentUuid"] for row in rows[1:]] == [row["uuid"] for row in rows[:-1]]
    assert rows[-1]["systemPayload"]["customTitle"] == "T"


def test_calls_without_results_are_answered(read: Reader, environment: Environment) -> None:
    session = Qwen()
    session.prompt("do three")
    calls = [{"functionCall": {"id": f"c{n}", "name": "x", "args": {}}} for n in (1, 2, 3)]
    session.answer(*calls)
    session.result("c2", "x", "two")
    session.result("c2", "x", "two again")
    session.result("c9", "x", "nobody asked")
    session.turn("go on")
    written = AGENT.write(whole(read(session)), Target("/x", native_id=NEW_ID), environment)
    assert set(written.repairs) == {
        "2 tool calls without result marked as interrupted",
        "1 doubled tool result left out",
        "1 tool result without a call left out",
    }
    path = environment.home / f"{NEW_ID}.jsonl"
    path.write_bytes(written.files[written.main])
    again = AGENT.messages(whole(AGENT.read(the_source(AGENT, path))))
    parts = [part.call_id for m in again for part in m.parts if part.kind == "tool_result"]
    assert parts == ["c1", "c2", "c3"]
    assert again[-1].text == "answer to go on"


def test_a_missing_parent_does_not_cut_the_history(read: Reader, environment: Environment) -> None:
    session = Qwen()
    session.turn("first")
    session.prompt("second", "77777777-0000-4000-8000-000000000000")
    session.say("ok")
    stored = whole(read(session))
    assert [m.text for m in AGENT.messages(stored) if m.role == "user"] == ["first", "second"]
    assert any(m.extra.get("gap") for m in AGENT.messages(stored))
    rows = rows_of(stored, environment)
    names = {row["uuid"] for row in rows}
    assert all(row["parentUuid"] in names for row in rows[1:])


def test_somebody_elses_session_is_the_conversation_alone(
    read: Reader, environment: Environment
) -> None:
    session = Qwen()
    session.system("attribution_snapshot", {"snapshot": {"/home/me/a": {}}})
    session.turn("first", command="ls")
    rows = rows_of(whole(read(session)), environment, foreign=True)
    assert {row["type"] for row in rows} == {"user", "assistant", "tool_result"}
    assert "resultDisplay" not in json.dumps(rows)
    assert rows[0]["parentUuid"] is None


def test_nothing_to_continue_is_refused(read: Reader, environment: Environment) -> None:
    session = Qwen()
    session.system("session_model", {"model": "m"})
    with pytest.raises(SourceUnreadable):
        AGENT.write(whole(read(session)), Target("/x"), environment)


def test_recorded_session(samples: Path, tmp_path: Path, environment: Environment) -> None:
    [path] = (samples / "recorded" / "qwen").glob("*-*.jsonl")
    data = path.read_bytes()
    sessions = list(AGENT.read(the_source(AGENT, path)))
    assert joined(sessions) == data
    once = finished(sessions)
    assert [s.turn.prompt.split(" [[")[0] for s in once if s.turn] == [
        "First question alpha-111",
        "Second question beta-222",
        "Third question gamma-333",
    ]
    assert [s.turn.kind for s in once if s.turn] == ["turn"] * 3
    assert [(f.path, f.content) for f in once[1].files] == [("a.py", b"hello = 2\n")]
    ends = [at + 1 for at, byte in enumerate(data) if byte == 10]
    assert read_in_steps(AGENT, tmp_path / path.name, data, ends) == once
    stored = whole(sessions)
    for foreign in (False, True):
        target = Target("/x", "title", foreign, NEW_ID)
        written = AGENT.write(stored, target, environment)
        assert AGENT.write(stored, target, environment) == written
        again = environment.home / f"{NEW_ID}.jsonl"
        again.write_bytes(written.files[written.main])
        back = whole(AGENT.read(the_source(AGENT, again)))
        assert [m.text for m in AGENT.messages(back)] == [m.text for m in AGENT.messages(stored)]
