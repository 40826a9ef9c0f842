"""Mistral Vibe: the contract for what is no file of lines, and what is peculiar to its store."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gitsession.agents.base import Target
from gitsession.agents.vibe import AGENT
from gitsession.environment import Environment
from gitsession.errors import SourceUnreadable
from gitsession.model.session import Session
from gitsession.redaction import Redactor
from tests.agents.contract import finished, joined, the_source, whole
from tests.agents.contract_reading import ALL, ReadCase, WholeContract
from tests.redaction.made import Made
from tests.vibe_builder import VIBE_ID, Vibe

NEW_ID = "99999999-8888-4777-8666-555555555555"


def _put(environment: Environment, data: bytes) -> Path:
    session = Vibe()
    for number in range(1, int(data) + 1):
        session.turn_of(f"question {number}")
    return session.save(environment.home)


class TestContract(WholeContract):
    case = ReadCase(
        agent=AGENT, grow=lambda turns: str(turns).encode(), put=_put, unknown=b"",
        native_id=VIBE_ID, tells=ALL - {"usage"},
    )  # fmt: skip


def _read(environment: Environment, session: Vibe) -> list[Session]:
    return list(AGENT.read(the_source(AGENT, session.save(environment.home))))


def test_what_the_journal_adds_belongs_to_it(environment: Environment) -> None:
    session = Vibe().turn_of("first").prompt("second")
    session.status = "in_progress"
    entry = {**session.entries[-1], "id": "a", "role": "assistant", "content": []}
    other = {**entry, "content": [{"type": "text", "text": "so far"}]}
    session.deltas = [
        {"op": "append_entry", "entry": entry},
        {"op": "replace_entry", "id": "a", "entry": other},
        {"op": "append_entry", "entry": {**entry, "id": "b"}},
        {"op": "remove_entry", "id": "b"},
    ]
    first, second = _read(environment, session)
    assert first.turn is not None
    assert second.turn is not None
    assert (first.turn.finished, second.turn.finished) == (True, False)
    assert [m.text for m in AGENT.messages(whole([first, second]))][-1] == "so far"
    state = {"latestTurn": {"id": session.turn, "status": "completed"}}
    session.deltas.append({"op": "set_envelope", "state": state})
    assert len(finished(_read(environment, session))) == 2
    session.deltas.append({"op": "set_history_entries", "entries": session.entries[:4]})
    assert len(_read(environment, session)) == 1


def test_files_are_followed(environment: Environment) -> None:
    whole_file = {"content": "x = 1\n", "offset": 0, "next_offset": None, "was_truncated": False}
    part = {**whole_file, "next_offset": 9, "was_truncated": True}
    edit = {"file_path": "/project/c.py", "old_string": "1", "new_string": "2"}
    session = Vibe().prompt("work").tool("read_file", {"path": "/project/a.py"}, whole_file)
    session.tool("read_file", {"path": "/project/b.py"}, part)
    session.tool("edit", edit, {"file": "/project/c.py"}, before="a = 1\n")
    session.tool("write_file", {"path": "/project/d.py", "content": "new"}, {"bytes_written": 3})
    session.tool("write_file", {"path": "/project/e.py", "content": "no"}, None, status="failed")
    session.tool("todo", {"action": "write", "todos": [{"content": "rest", "status": "pending"}]},
                 {"total_count": 1})  # fmt: skip
    [one] = _read(environment, session.said("assistant", "done"))
    assert {f.path: f.content for f in one.files} == {
        "a.py": b"x = 1\n", "c.py": b"a = 2\n", "d.py": b"new",
    }  # fmt: skip
    assert [todo.text for todo in one.state.todos] == ["rest"]


def test_a_compaction_and_a_thought_are_known(environment: Environment) -> None:
    session = Vibe().turn_of("first").prompt("second")
    session.entry("reasoning", content=[{"type": "text", "text": "hm"}])
    session.entry("checkpoint", kind="compaction", details={"error": {"code": "x"}})
    session.entry("checkpoint", kind="compaction", details={"error": None})
    sessions = _read(environment, session.said("assistant", "done"))
    assert [s.turn.kind for s in sessions if s.turn] == ["turn", "compaction"]
    kinds = [part.kind for m in AGENT.messages(whole(sessions)) for part in m.parts]
    assert kinds.count("compaction") == kinds.count("reasoning") == 1


def test_a_checkout_is_written_in_the_older_form(environment: Environment) -> None:
    session = Vibe().turn_of("first").prompt("second", {"type": "image", "mimeType": "image/png"})
    session.entry("reasoning", content=[{"type": "text", "text": "hm"}])
    session.tool("bash", {"command": "x"}, {"stdout": "no"}, status="failed")
    session.tool("bash", {"command": "y"}, None, status="running")
    stored = whole(_read(environment, session))
    written = AGENT.write(stored, Target("/new", title="T", native_id=NEW_ID), environment)
    assert written.main.parent.name == "session_20260131_120000_99999999"
    rows = [json.loads(line) for line in written.files[written.main].splitlines()]
    assert [row["role"] for row in rows] == [
        "user", "assistant", "tool", "assistant", "user", "assistant", "tool", "tool",
    ]  # fmt: skip
    assert rows[1]["content"] == "I look."
    [call] = rows[1]["tool_calls"]
    assert call["function"] == {"name": "bash", "arguments": '{"command": "ls"}'}
    told = {"command": "ls", "returncode": 0, "stderr": "", "stdout": "a.py\n"}
    assert (rows[2]["tool_call_id"], json.loads(rows[2]["content"])) == (call["id"], told)
    assert rows[6]["content"].startswith("<tool_error>")
    assert written.repairs == (
        "1 tool call without result marked as interrupted",
        "1 thought of the model left out",
    )
    note = json.loads(written.files[written.main.with_name("meta.json")])
    assert (note["session_id"], note["title"], note["total_messages"]) == (NEW_ID, "T", len(rows))
    assert note["environment"] == {"working_directory": "/new"}


def test_what_was_taken_in_is_known_by_what_was_written(environment: Environment) -> None:
    stored = whole(_read(environment, Vibe().turn_of("first").turn_of("second")))
    written = AGENT.write(stored, Target("/project", native_id=NEW_ID), environment)
    said = list(AGENT.essences(written.files[written.main]))
    assert len(said) == 6
    taken = Vibe()
    taken.taken_from = NEW_ID
    for text in ("first", "second"):
        taken.said("user", text).said("assistant", "I look.")
        taken.said("assistant", f"answer to {text}")
    sessions = _read(environment, taken.turn_of("third", command=""))
    assert {s.info.native_id for s in sessions} == {NEW_ID}
    assert sessions[-1].counts.foreign == 0
    again = [one for r in whole(sessions).stream().records for one in AGENT.essences(r.data)]
    assert again[:6] == said
    assert [s.turn.prompt for s in sessions if s.turn] == ["first", "second", "third"]


def test_nothing_said_is_nothing_to_continue(environment: Environment) -> None:
    session = Vibe().turn_of("first")
    stored = whole(_read(environment, session))
    with pytest.raises(SourceUnreadable):
        AGENT.write(stored._replace(streams=()), Target("/new"), environment)


@pytest.mark.parametrize(
    ("file", "data"),
    [
        ("generations/0000000000000034/manifest.json", b"[]"),
        ("generations/0000000000000034/manifest.json", b'{"projection_state":{"chunks":["../x"]}}'),
        ("generations/0000000000000034/projection-state.json", b"\0\0"),
        ("CURRENT", (b'{"session_id":"x","store_format":"mistral.vibe.unified-session-store/v9",'
                     b'"generation":"../../x"}')),
    ],
)  # fmt: skip
def test_a_damaged_store_is_no_crash(environment: Environment, file: str, data: bytes) -> None:
    path = Vibe().turn_of("first").save(environment.home)
    source = the_source(AGENT, path)
    (path.parent / file).write_bytes(data)
    try:
        AGENT.messages(whole(AGENT.read(source)))
    except SourceUnreadable as error:
        assert error.hint
    list(AGENT.find(environment))


def test_secrets_are_masked(environment: Environment) -> None:
    token = Made(7).vendor_tokens()["github-token"]
    told = {"stdout": f"export TOKEN={token}", "returncode": 0}
    session = Vibe().prompt(f"use {token}").tool("bash", {"command": "env"}, told)
    [stored] = _read(environment, session.said("assistant", "done"))
    masked = Redactor(b"k" * 32).redact(stored).session
    assert token.encode() not in joined([masked])
    assert "REDACTED" in AGENT.messages(masked)[0].text
