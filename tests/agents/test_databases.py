"""Goose and Crush: agents that keep their sessions in one database."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any

from gitsession.agents import crush, goose
from gitsession.agents.base import settled
from gitsession.environment import Environment
from tests.agents.contract import finished, joined, the_source, whole
from tests.agents.contract_reading import ReadCase, WholeContract

_START = 1_769_860_800


def _goose(environment: Environment, data: bytes) -> Path:
    path = environment.home / ".local/share/goose/sessions/sessions.db"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    rows: list[tuple[str, list[dict[str, Any]], dict[str, int]]] = []
    for n in range(1, int(data) + 1):
        call = {"type": "toolRequest", "id": f"c{n}", "toolCall": {"status": "success", "value": {
            "name": "developer__shell", "arguments": {"command": "ls"}}}}  # fmt: skip
        done = {"type": "toolResponse", "id": f"c{n}", "toolResult": {"status": "success",
                "value": [{"type": "text", "text": "a.py"}]}}  # fmt: skip
        rows += [
            ("user", [{"type": "text", "text": f"question {n}"}], {}),
            ("assistant", [{"type": "thinking", "thinking": "hm"}, call], {"output": 12}),
            ("user", [done], {}),
            ("assistant", [{"type": "text", "text": f"answer to question {n}"}], {"output": 12}),
        ]
    with sqlite3.connect(path) as connection:
        connection.execute(
            "CREATE TABLE sessions (id, name, description, working_dir, created_at, updated_at,"
            " model_config_json, parent_session_id)"
        )
        connection.execute(
            "CREATE TABLE messages (id INTEGER PRIMARY KEY, message_id, session_id, role,"
            " content_json, created_timestamp, tokens, metadata_json)"
        )
        connection.execute("INSERT INTO sessions VALUES ('20260131_1', '', '', '/project',"
                           " '2026-01-31T12:00:00Z', '2026-01-31T12:09:00Z', '{}',"
                           " NULL)")  # fmt: skip
        for n, (role, content, tokens) in enumerate(rows, 1):
            values = (n, f"m{n}", "20260131_1", role, json.dumps(content), _START + n,
                      json.dumps(tokens) if tokens else None, "{}")  # fmt: skip
            connection.execute("INSERT INTO messages VALUES (?,?,?,?,?,?,?,?)", values)
    connection.close()
    return path


def _crush(environment: Environment, data: bytes) -> Path:
    path = Path(environment.cwd) / ".crush" / "crush.db"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE sessions (id, parent_session_id, title, todos, created_at,"
                           " updated_at)")  # fmt: skip
        connection.execute("CREATE TABLE messages (id, session_id, role, parts, model, created_at,"
                           " is_summary_message)")  # fmt: skip
        connection.execute(
            "CREATE TABLE files (id, session_id, path, content, version, created_at)"
        )
        todos = json.dumps([{"content": "write", "status": "completed"}])
        connection.execute("INSERT INTO sessions VALUES ('crush-1', NULL, '', ?, ?, ?)",
                           (todos, _START, _START))  # fmt: skip
        for n in range(1, int(data) + 1):
            at = _START + n * 10
            call = {"type": "tool_call", "data": {"id": f"c{n}", "name": "bash",
                    "input": '{"command":"ls"}', "finished": True}}  # fmt: skip
            done = {"type": "tool_result", "data": {"tool_call_id": f"c{n}", "content": "a.py"}}
            for k, (role, parts) in enumerate([
                ("user", [{"type": "text", "data": {"text": f"question {n}"}}]),
                ("assistant", [call, {"type": "finish", "data": {"reason": "tool_use"}}]),
                ("tool", [done]),
                ("assistant", [{"type": "text", "data": {"text": f"answer to question {n}"}},
                               {"type": "finish", "data": {"reason": "end_turn"}}]),
            ]):  # fmt: skip
                values = (f"m{n}{k}", "crush-1", role, json.dumps(parts), "m", at + k, 0)
                connection.execute("INSERT INTO messages VALUES (?,?,?,?,?,?,?)", values)
            connection.execute("INSERT INTO files VALUES (?, 'crush-1', ?, ?, ?, ?)",
                               (f"f{n}", f"{environment.cwd}/a.py", f"version {n}\n", n,
                                at + 1))  # fmt: skip
    connection.close()
    return path


class TestGoose(WholeContract):
    case = ReadCase(
        agent=goose.AGENT,
        grow=lambda turns: b"%d" % turns,
        put=_goose,
        unknown=b"",
        native_id="20260131_1",
    )


class TestCrush(WholeContract):
    case = ReadCase(
        agent=crush.AGENT,
        grow=lambda turns: b"%d" % turns,
        put=_crush,
        unknown=b"",
        native_id="crush-1",
        tells=frozenset({"calls", "time"}),
    )

    def check_what_it_tells(self, done: list[Any]) -> None:
        """It lies in the project, whose name is the folder's."""
        assert Path(done[-1].info.cwd).name == "project"
        assert done[-1].state.last_command == "ls"
        assert done[-1].turn.time


def test_crush_keeps_whole_files(environment: Environment) -> None:
    path = _crush(environment, b"2")
    done = finished(crush.AGENT.read(the_source(crush.AGENT, path)))
    assert [{f.path: f.content for f in s.files} for s in done] == [
        {"a.py": b"version 1\n"}, {"a.py": b"version 2\n"}
    ]  # fmt: skip
    assert done[-1].state.todos[0].text == "write"


def test_a_session_that_went_on_has_the_same_past(environment: Environment) -> None:
    for agent, make in ((goose.AGENT, _goose), (crush.AGENT, _crush)):
        path = make(environment, b"1")
        before = next(iter(agent.read(the_source(agent, path)))).stream().records
        with sqlite3.connect(path) as connection:
            connection.execute("UPDATE sessions SET updated_at = 'later'")
        connection.close()
        after = next(iter(agent.read(the_source(agent, path)))).stream().records
        assert before != after
        assert [settled(agent, r.data) for r in before] == [settled(agent, r.data) for r in after]


def test_each_is_shown_only_its_own_database(environment: Environment) -> None:
    assert crush.AGENT.recognise(_goose(environment, b"1")) is None
    assert goose.AGENT.recognise(_crush(environment, b"1")) is None


def test_a_goose_database_of_schema_15(samples: Path, tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    shutil.copyfile(samples / "goose/goose-v15.db", path)
    source = the_source(goose.AGENT, path)
    assert (source.native_id, source.cwd) == ("goose-root", "/workspace/goose")
    sessions = list(goose.AGENT.read(source))
    session = whole(sessions)
    messages = goose.AGENT.messages(session)
    assert [m.role for m in messages] == ["user", "assistant"]
    assert messages[0].text == "goose sqlite search oracle request"
    assert [(p.kind, p.text) for p in messages[1].parts] == [
        ("reasoning", "looking at goose schema v15"), ("tool_call", ""),
        ("tool_result", "goose tool output oracle"),
    ]  # fmt: skip
    assert session.info.title == "native schema-v15 sessions fixture"
    assert session.state.last_command == "rg goose"
    assert len(joined(sessions).splitlines()) == 4
