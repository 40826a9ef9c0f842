"""OpenCode: the contract in both forms, and the rows of its seed features."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from gitsession.agents.base import (
    Target,
    native_bytes,
    native_length,
    settled,
    start_command,
    superseded,
)
from gitsession.agents.databases import opened, rows_of
from gitsession.agents.opencode import AGENT
from gitsession.agents.opencode.form import document
from gitsession.agents.opencode.rows import TABLES
from gitsession.environment import Environment
from gitsession.model.session import Session, Todo
from tests.agents.contract import finished, head, joined, the_source, whole
from tests.agents.contract_reading import ReadCase, WholeContract, place
from tests.opencode_builder import OPENCODE_ID, SECRET, OpenCode, compact, grown, tool

NEW_ID = "ses_0123456789abABCDEFGHIJKLMN"


def _put_database(environment: Environment, data: bytes) -> Path:
    path = environment.home / ".local/share/opencode/opencode.db"
    path.unlink(missing_ok=True)
    return grown(int(data)).save(path)


class TestDatabase(WholeContract):
    case = ReadCase(
        agent=AGENT,
        grow=lambda turns: b"%d" % turns,
        put=_put_database,
        unknown=b"",
        native_id=OPENCODE_ID,
    )


class TestExport(WholeContract):
    case = ReadCase(
        agent=AGENT,
        grow=lambda turns: grown(turns).export,
        put=lambda environment, data: place(environment.home / "x.json", data),
        unknown=b"",
        native_id=OPENCODE_ID,
        found=False,
    )


def _read(path: Path, session: OpenCode, form: str) -> list[Session]:
    if form == "db":
        path = session.save(path / "opencode.db")
    else:
        path = place(path / "session.json", session.export)
    return list(AGENT.read(the_source(AGENT, path)))


@pytest.fixture(params=["export", "db"])
def form(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def _rewritten(session: Session, environment: Environment, **target: Any) -> dict[str, Any]:
    wanted = Target(**{"cwd": "/elsewhere", "native_id": NEW_ID, **target})
    written = AGENT.write(session, wanted, environment)
    values: dict[str, Any] = json.loads(written.files[written.main])
    return values


ALL_PARTS: tuple[dict[str, Any], ...] = (
    {"type": "text", "text": "said", "synthetic": False},
    {"type": "subtask", "prompt": "look", "description": "d", "agent": "explore"},
    {"type": "reasoning", "text": "hm", "time": {"start": 1}},
    {"type": "file", "mime": "image/png", "filename": "a.png", "url": "data:image/png;base64,AA==",
     "source": {"type": "file", "path": "a.png"}},
    tool("c1", "bash", {"command": "ls"}, "x"),
    {"type": "step-start", "snapshot": "ab"},
    {"type": "step-finish", "reason": "tool-calls", "cost": 0, "tokens": {}, "snapshot": "ab"},
    {"type": "snapshot", "snapshot": "ab"},
    {"type": "patch", "hash": "ab", "files": ["/project/a.py"]},
    {"type": "agent", "name": "build"},
    {"type": "retry", "attempt": 1, "error": {"name": "APIError", "data": {"message": "busy"}}},
    {"type": "compaction", "auto": True, "overflow": True},
    {"type": "hologram", "depth": 3},
)  # fmt: skip


def test_OC1_every_field_of_the_session_is_kept(tmp_path: Path) -> None:
    session = grown(1)
    session.title = "A title"
    session.more = {
        "workspaceID": "w", "path": "sub", "parentID": "ses_parent", "cost": 0.5,
        "tokens": {"input": 1, "output": 2, "reasoning": 3, "cache": {"read": 4, "write": 5}},
        "share": {"url": "https://x.test/s"}, "summary": {"additions": 1}, "permission": [],
        "model": {"id": "m", "providerID": "p"}, "metadata": {"a": 1}, "newThing": [1],
    }  # fmt: skip
    read = whole(_read(tmp_path, session, "export"))
    assert document(read).info == session.info()
    assert (read.info.title, read.info.parent, read.info.agent_version) == (
        "A title", "ses_parent", "1.18.33")  # fmt: skip


def test_OC2_both_roles_come_back(tmp_path: Path, form: str, environment: Environment) -> None:
    session = grown(1)
    session.user({"type": "text", "text": "q"}, system="be kind", tools={"bash": True},
                 format={"type": "text"}, summary={"title": "t", "diffs": []})  # fmt: skip
    session.assistant("stop", {"type": "text", "text": "a"}, structured={"a": 1}, variant="high",
                      error={"name": "UnknownError", "data": {}})  # fmt: skip
    read = whole(_read(tmp_path, session, form))
    assert [m["info"] for m in document(read).messages] == [m["info"] for m in session.messages]
    back = [m["info"] for m in _rewritten(read, environment)["messages"]]
    assert [m["role"] for m in back] == [m["info"]["role"] for m in session.messages]
    assert back[-1]["parentID"] == back[-2]["id"]
    assert back[-1]["structured"] == {"a": 1}
    assert "tools" not in back[-2]  # a permission of a kind
    assert back[-1]["path"] == {"cwd": "/elsewhere", "root": "/elsewhere"}


def test_OC3_all_parts_and_an_unknown_one(
    tmp_path: Path, form: str, environment: Environment
) -> None:
    session = OpenCode().ask("go").assistant("stop", *ALL_PARTS)
    read = whole(_read(tmp_path, session, form))
    assert document(read).messages == session.messages
    kinds = [part.kind for part in AGENT.messages(read)[1].parts]
    assert kinds == ["text", "subtask", "reasoning", "image", "tool_call", "tool_result", "step",
                     "step", "step", "patch", "opaque", "retry", "compaction",
                     "opaque"]  # fmt: skip
    back = _rewritten(read, environment)["messages"][1]["parts"]
    own = ("id", "sessionID", "messageID")
    assert [{k: v for k, v in part.items() if k not in own} for part in back] == list(ALL_PARTS)


def test_OC4_all_states_of_a_tool(tmp_path: Path, form: str, environment: Environment) -> None:
    states: list[dict[str, Any]] = [
        {"status": "pending", "input": {}, "raw": "{"},
        {"status": "running", "input": {"a": 1}, "title": "t", "time": {"start": 1}},
        {"status": "completed", "input": {}, "output": "o", "title": "t", "metadata": {"m": 1},
         "time": {"start": 1, "end": 2, "compacted": 3}, "attachments": [{"mime": "x"}]},
        {"status": "error", "input": {}, "error": "bad", "metadata": {}, "time": {"start": 1}},
    ]  # fmt: skip
    parts = [{"type": "tool", "tool": "bash", "callID": f"c{n}", "state": state}
             for n, state in enumerate(states)]  # fmt: skip
    session = OpenCode().ask("go").assistant("tool-calls", *parts)
    read = whole(_read(tmp_path, session, form))
    assert [p["state"] for p in document(read).messages[1]["parts"]] == states
    found = AGENT.messages(read)[1].parts
    assert [(p.kind, p.error) for p in found if p.call_id in ("c2", "c3")] == [
        ("tool_call", False), ("tool_result", False), ("tool_call", False), ("tool_result", True)
    ]  # fmt: skip
    assert sum(p.kind == "tool_result" for p in found) == 2
    target = Target("/elsewhere", native_id=NEW_ID)
    written = AGENT.write(read, target, environment)
    assert written.repairs == ("2 tool calls without result marked as interrupted",)
    back = [p["state"] for p in json.loads(written.files[written.main])["messages"][1]["parts"]]
    assert [state["status"] for state in back] == ["error", "error", "completed", "error"]
    assert back[2:] == states[2:]


def test_OC5_a_killed_call_is_seen_as_open(tmp_path: Path, form: str) -> None:
    running = {"type": "tool", "tool": "bash", "callID": "c", "state": {"status": "running",
               "input": {"command": "sleep"}, "time": {"start": 1}}}  # fmt: skip
    session = OpenCode().ask("go").assistant("", running).turn(2)
    sessions = _read(tmp_path, session, form)
    assert [s.turn.kind for s in finished(sessions) if s.turn] == ["interrupted", "turn"]


def test_OC6_reads_what_stands_in_the_log_while_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    grown(1).save(path)
    writer = sqlite3.connect(path, isolation_level=None)
    try:
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("PRAGMA wal_autocheckpoint = 0")
        writer.execute("BEGIN IMMEDIATE")
        grown(2).insert(writer)
        writer.execute("COMMIT")
        before = path.read_bytes()
        writer.execute("BEGIN IMMEDIATE")  # a writer at work holds nobody up
        grown(3).insert(writer)
        sessions = list(AGENT.read(the_source(AGENT, path)))
        writer.execute("ROLLBACK")
    finally:
        assert path.read_bytes() == before
        writer.close()
    assert [s.turn.prompt for s in finished(sessions) if s.turn] == ["question 1", "question 2"]


def test_OC6_credentials_are_never_read(tmp_path: Path) -> None:
    path = grown(2).save(tmp_path / "opencode.db")
    sessions = list(AGENT.read(the_source(AGENT, path)))
    assert SECRET.encode() not in joined(sessions)
    for table in ("credential", "account", "session_share"):
        with pytest.raises(OSError), opened(path, TABLES) as connection:
            list(rows_of(connection, f"SELECT * FROM {table}"))
    with pytest.raises(OSError), opened(path, TABLES) as connection:
        connection.execute("DELETE FROM session")


def test_OC6_no_file_is_left_beside(tmp_path: Path) -> None:
    path = grown(1).save(tmp_path / "data" / "opencode.db")
    names = sorted(p.name for p in path.parent.iterdir())
    path.parent.chmod(0o500)
    try:
        assert list(AGENT.read(the_source(AGENT, path)))
    finally:
        path.parent.chmod(0o700)
    assert sorted(p.name for p in path.parent.iterdir()) == names


def test_OC7_todos_come_from_the_database_only(tmp_path: Path) -> None:
    session = grown(2)
    session.todos = [("write", "completed"), ("test", "in_progress"), ("ship", "pending")]
    [first, last] = finished(_read(tmp_path, session, "db"))
    assert last.state.todos == tuple(Todo(text, status) for text, status in session.todos)
    assert not first.state.todos
    assert not whole(_read(tmp_path, session, "export")).state.todos


def test_todos_of_a_turn_come_from_its_tool(tmp_path: Path, form: str) -> None:
    todos = [{"content": "write", "status": "pending", "priority": "high", "id": "1"}]
    session = OpenCode().ask("plan").assistant("tool-calls", tool("c", "todowrite",
                                                                  {"todos": todos}))  # fmt: skip
    session.assistant("stop", {"type": "text", "text": "done"}).turn(2)
    [first, _] = finished(_read(tmp_path, session, form))
    assert first.state.todos == (Todo("write", "pending", "1"),)


def test_what_was_undone_is_not_in_the_conversation(
    tmp_path: Path, form: str, environment: Environment
) -> None:
    session = grown(3)
    session.more = {"revert": {"messageID": session.messages[6]["info"]["id"]}}
    read = whole(_read(tmp_path, session, form))
    assert len(read.stream().records) >= len(session.messages)
    assert [m.text for m in AGENT.messages(read) if m.role == "user"] == [
        "question 1", "question 2"]  # fmt: skip
    back = _rewritten(read, environment)
    assert len(back["messages"]) == 6
    assert "revert" not in back["info"]


def test_compaction_is_no_prompt(tmp_path: Path, form: str) -> None:
    session = grown(1).user({"type": "compaction", "auto": False})
    session.assistant("stop", {"type": "text", "text": "in short"}, summary=True)
    session.user({"type": "text", "text": "Continue", "synthetic": True})
    session.assistant("stop", {"type": "text", "text": "going on"}).turn(2)
    done = finished(_read(tmp_path, session, form))
    assert [(s.turn.kind, s.turn.prompt) for s in done if s.turn] == [
        ("turn", "question 1"), ("compaction", ""), ("turn", ""), ("turn", "question 2")
    ]  # fmt: skip
    roles = [m.role for m in AGENT.messages(whole(_read(tmp_path, session, form)))]
    assert roles == ["user", "assistant", "assistant", "system", "assistant", "note", "assistant",
                     "user", "assistant", "assistant"]  # fmt: skip


def test_later_changes_of_the_agent_are_no_other_past(tmp_path: Path, form: str) -> None:
    session = grown(2)
    before = whole(_read(tmp_path, session, form)).stream().records
    session.title = "Named later"
    session.messages[0]["info"]["summary"] = {"diffs": [{"file": "a.py"}]}
    session.messages[1]["parts"][1]["state"]["time"]["compacted"] = 5
    session.more = {"cost": 1, "tokens": {"input": 9}}
    after = whole(_read(tmp_path, session, form)).stream().records
    assert before != after
    assert [settled(AGENT, r.data) for r in before] == [settled(AGENT, r.data) for r in after]
    session.messages[0]["parts"][0]["text"] = "another question"
    changed = whole(_read(tmp_path, session, form)).stream().records
    assert settled(AGENT, changed[1].data) != settled(AGENT, before[1].data)


def test_a_message_that_grew_replaces_its_shorter_self(tmp_path: Path, form: str) -> None:
    call = tool("c", "bash", {"command": "ls"}, "")
    session = OpenCode().ask("go").assistant("", {**call, "state": {"status": "pending"}})
    short = whole(_read(tmp_path, session, form)).stream().records[2].data
    session.messages[1]["parts"][0] = {**session.messages[1]["parts"][0], "state": call["state"]}
    long = whole(_read(tmp_path, session, form)).stream().records[2].data
    assert superseded(AGENT, short, long)
    assert not superseded(AGENT, long, short)
    assert not superseded(AGENT, long, long)


def test_children_are_found_by_id_but_not_as_the_folders_own(
    environment: Environment, tmp_path: Path
) -> None:
    path = environment.home / ".local/share/opencode/opencode.db"
    grown(1).save(path)
    child = OpenCode("ses_ccccccccccccnewchild000000", "/project").turn(1)
    child.more = {"parentID": OPENCODE_ID}
    child.save(path)
    assert [s.native_id for s in AGENT.find(environment, cwd="/project")] == [OPENCODE_ID]
    assert len(list(AGENT.find(environment))) == 2
    [found] = AGENT.find(environment, native_id=child.session_id)
    assert whole(AGENT.read(found)).info.parent == OPENCODE_ID
    del tmp_path


def test_written_sessions_have_ids_never_seen(
    tmp_path: Path, form: str, environment: Environment
) -> None:
    session = grown(3)
    session.more = {"permission": [{"permission": "bash", "action": "allow"}], "share": {"url": ""}}
    read = whole(_read(tmp_path, session, form))
    cwd = str(tmp_path / "elsewhere")
    written = AGENT.write(read, Target(cwd, title="other main@1234"), environment)
    assert written.native_id.startswith("ses_")
    assert AGENT.resume_command(written.native_id, cwd)[-1].endswith(written.native_id)
    data = written.files[written.main]
    assert data.endswith(b"\n")
    command = start_command(AGENT, written.native_id, cwd, str(written.main))
    assert command[-2:] == (str(written.main), written.native_id)
    assert start_command(AGENT, "ses_x", cwd, "") == AGENT.resume_command("ses_x", cwd)
    path = place(tmp_path / "import.json", data)
    again = whole(AGENT.read(the_source(AGENT, path)))
    assert (again.info.native_id, again.info.cwd) == (written.native_id, cwd)
    assert again.info.title == "other main@1234"
    assert [(m.role, m.text) for m in AGENT.messages(again)] == [
        (m.role, m.text) for m in AGENT.messages(read)
    ]
    values = json.loads(data)
    assert not {"permission", "share"} & values["info"].keys()
    new = [m["info"]["id"] for m in values["messages"]]
    new += [p["id"] for m in values["messages"] for p in m["parts"]]
    old = [m["info"]["id"] for m in session.messages]
    old += [p["id"] for m in session.messages for p in m["parts"]]
    assert not set(new) & set(old)
    assert len(set(new)) == len(old)
    assert sorted(new[:9]) == new[:9]
    target = Target(cwd, native_id=written.native_id)
    assert AGENT.write(read, target, environment) == AGENT.write(read, target, environment)


def test_real_sessions_of_both_forms_say_the_same(samples: Path, tmp_path: Path) -> None:
    folder = samples / "recorded/opencode"
    path = tmp_path / "opencode.db"
    shutil.copyfile(folder / "opencode.db", path)
    [first, second] = sorted(AGENT.recognise_all(path), key=lambda source: source.native_id)
    exports = {source.native_id: source for source in (
        the_source(AGENT, folder / name) for name in (
            "ses_dd745f1f0ffeny1hbVdfgwAlv1.export.json",
            "ses_dd745a613ffe6auUpEfOG5JUqn.fork.export.json"))}  # fmt: skip
    for source in (first, second):
        exported = exports[source.native_id]
        sessions = list(AGENT.read(exported))
        assert joined(sessions) == exported.path.read_bytes()
        from_rows = whole(AGENT.read(source))
        from_export = whole(sessions)
        assert document(from_rows).messages == document(from_export).messages
        assert AGENT.messages(from_rows) == tuple(AGENT.messages(from_export))
        assert len(finished(sessions)) == len(finished(AGENT.read(source))) >= 3
        assert from_rows.usage == from_export.usage
        assert native_length(AGENT, source) == len(native_bytes(AGENT, source, 0, 1 << 30))
    session = whole(AGENT.read(exports[OPENCODE_ID]))
    assert (session.usage.input, session.usage.output) == (6000, 120)
    assert session.state.active_file == "a.py"
    assert session.state.last_command == "echo shell-says-hi"


def test_rows_that_are_no_plain_json_stay_text(tmp_path: Path) -> None:
    path = grown(1).save(tmp_path / "opencode.db")
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE part SET data = ? WHERE data LIKE '%answer%'",
                           ('{ "type": "text",  "text": "odd \\ud800" }',))  # fmt: skip
    connection.close()
    sessions = list(AGENT.read(the_source(AGENT, path)))
    row = json.loads(joined(sessions).splitlines()[-1])
    assert row["parts"][0]["data"] == '{ "type": "text",  "text": "odd \\ud800" }'
    assert AGENT.messages(whole(sessions))[-1].text == "odd \ufffd"
    assert head(sessions[-1]).counts.records == 4
    assert compact({"a": 1}) == '{"a":1}'
