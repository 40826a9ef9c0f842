"""CODESESSv1: read with and without its header, and written so that its own loader takes it."""

from __future__ import annotations

import base64
import json
import zlib
from pathlib import Path
from typing import Any

import pytest

from gitsession.agents.codesess import AGENT, HEADER, dump
from gitsession.environment import Environment
from gitsession.errors import FormatError
from gitsession.model.message import Message, Part
from gitsession.model.session import Info, Session, State
from tests.agents.contract import the_source, whole
from tests.agents.contract_reading import ReadCase, WholeContract, place

_ID = "a1b2c3d4e5f6"


def _values(turns: int) -> dict[str, Any]:
    messages = []
    for n in range(1, turns + 1):
        for role, text in (("user", f"question {n}"), ("assistant", f"answer to question {n}")):
            messages.append({"role": role, "content": text, "files": ["src/a.py"] * (n == 2),
                             "timestamp": f"2026-01-31T12:0{n}:00"})  # fmt: skip
    return {
        "version": "1.0",
        "session_id": _ID,
        "created_at": "2026-01-31T12:00:00",
        "last_updated": "2026-01-31T12:09:00",
        "message_count": len(messages),
        "messages": messages,
        "context": {
            "working_directory": "/project",
            "active_file": "src/é.py",
            "system_instruction": "Be kind. 한국어",
        },
    }


def _packed(values: dict[str, Any], header: bytes = HEADER) -> bytes:
    text = json.dumps(values, indent=2, ensure_ascii=False)
    return header + base64.b64encode(zlib.compress(text.encode("utf-8")))


def _load(data: bytes) -> dict[str, Any]:
    """What the form's own programs do with a file."""
    text = data.decode("utf-8")
    body = text[len("CODESESSv1\n") :] if text.startswith("CODESESSv1\n") else text
    loaded: dict[str, Any] = json.loads(zlib.decompress(base64.b64decode(body)).decode("utf-8"))
    for message in loaded["messages"]:
        assert set(message) == {"role", "content", "files", "timestamp"}
    assert set(loaded["context"]) == {"working_directory", "active_file", "system_instruction"}
    return loaded


class TestContract(WholeContract):
    case = ReadCase(
        agent=AGENT,
        grow=lambda turns: _packed(_values(turns)),
        put=lambda environment, data: place(
            environment.home / ".code_sessions" / f"{_ID}_2026-01-31T12-00-00.session", data
        ),
        unknown=b"",
        native_id=_ID,
        tells=frozenset({"cwd", "time"}),
    )


@pytest.mark.parametrize("kind", ["header", "no header", "plain"])
def test_G29_reads_with_and_without_header(kind: str, tmp_path: Path) -> None:
    values = _values(2)
    data = {
        "header": _packed(values),
        "no header": _packed(values, b""),
        "plain": json.dumps(values, indent=2, ensure_ascii=False).encode(),
    }[kind]
    session = whole(AGENT.read(the_source(AGENT, place(tmp_path / "s.session", data))))
    messages = AGENT.messages(session)
    assert [(m.role, m.text) for m in messages] == [
        (m["role"], m["content"]) for m in values["messages"]
    ]
    assert [m.extra.get("files", []) for m in messages] == [m["files"] for m in values["messages"]]
    assert session.info.cwd == "/project"
    assert session.state.active_file == "src/é.py"
    assert session.instructions[0].content == "Be kind. 한국어".encode()


def test_G31_a_form_of_the_future_is_refused_by_name(tmp_path: Path) -> None:
    """Whether the header says it, the document in it, or both."""
    newer = {**_values(1), "version": "99.1"}
    for number, data in enumerate((
        _packed(_values(1), b"CODESESSv10\n"), b"CODESESSv99\n\0what it may be", _packed(newer),
        json.dumps(newer).encode(),
    )):  # fmt: skip
        source = AGENT.recognise(place(tmp_path / f"{number}.session", data))
        assert source is not None
        with pytest.raises(FormatError, match=r"CODESESSv(10|99); this release reads v1"):
            list(AGENT.read(source))
    today = place(tmp_path / "x.session", _packed({**_values(1), "version": "1.7"}))
    assert AGENT.messages(whole(AGENT.read(the_source(AGENT, today))))


def test_G29_what_is_written_is_read_by_its_own_loader(tmp_path: Path) -> None:
    values = _values(3)
    path = place(tmp_path / "s.session", _packed(values))
    session = whole(AGENT.read(the_source(AGENT, path)))
    loaded = _load(dump(session, AGENT.messages(session)))
    assert loaded["context"] == values["context"]
    assert loaded["message_count"] == 6
    assert [(m["role"], m["content"], m["files"]) for m in loaded["messages"]] == [
        (m["role"], m["content"], m["files"]) for m in values["messages"]
    ]
    assert (loaded["session_id"], loaded["version"]) == (_ID, "1.0")


def test_tools_of_other_agents_are_told_in_the_text() -> None:
    said = (
        Part("text", "I look."),
        Part("tool_call", name="bash", call_id="1", input={"command": "ls"}),
        Part("tool_result", "a.py", call_id="1"),
        Part("reasoning", "hidden"),
    )
    messages = (Message("user", (Part("text", "why?"),)), Message("assistant", said))
    session = Session(Info("codex", "x", cwd="/p"), state=State(), messages=messages)
    loaded = _load(dump(session, messages))
    content = loaded["messages"][1]["content"]
    assert content == 'I look.\n[bash] {"command": "ls"}\n[result] a.py'


def test_a_packed_secret_is_seen(tmp_path: Path) -> None:
    values = _values(1)
    values["messages"][0]["content"] = "key sk-ant-api03-" + "aB3" * 20
    path = place(tmp_path / "s.session", _packed(values))
    [first, *_] = AGENT.read(the_source(AGENT, path))
    assert b"sk-ant-api03" in b"".join(record.data for record in first.stream().records)


def test_a_bomb_or_a_torn_file_is_none(tmp_path: Path, environment: Environment) -> None:
    del environment
    data = _packed(_values(2))
    assert AGENT.recognise(place(tmp_path / "torn.session", data[:-40])) is None
    assert AGENT.recognise(place(tmp_path / "other.session", HEADER + b"!!")) is None
