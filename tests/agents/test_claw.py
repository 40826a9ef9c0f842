"""Claw Code: the contract in its three forms, and the rows of its seed features."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gitsession.agents.claw import AGENT
from gitsession.agents.claw.form import message_entry
from gitsession.environment import Environment
from gitsession.errors import SourceUnreadable
from gitsession.model.session import Session
from tests.agents.contract import finished, joined, the_source, whole
from tests.agents.contract_reading import LinesContract, ReadCase, WholeContract, place

_ID = "session-1775386832313-0"


def _user(text: str) -> dict[str, Any]:
    return {"role": "user", "blocks": [{"type": "text", "text": text}]}


def _messages(turns: int) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    usage = {"input_tokens": 100, "output_tokens": 10, "cache_creation_input_tokens": 1,
             "cache_read_input_tokens": 2}  # fmt: skip
    for n in range(1, turns + 1):
        call = {"type": "tool_use", "id": f"c{n}", "name": "bash", "input": '{"command":"ls"}'}
        done = {"type": "tool_result", "tool_use_id": f"c{n}", "tool_name": "bash",
                "output": "a.py", "is_error": False}  # fmt: skip
        found += [
            _user(f"question {n}"),
            {"role": "assistant", "blocks": [call], "usage": usage},
            {"role": "tool", "blocks": [done]},
            {"role": "assistant", "usage": usage,
             "blocks": [{"type": "text", "text": f"answer to question {n}"}]},
        ]  # fmt: skip
    return found


def _line(value: dict[str, Any]) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


def _lines(messages: list[dict[str, Any]], **meta: Any) -> bytes:
    head = {"created_at_ms": 1775386832313, "session_id": _ID, "type": "session_meta",
            "updated_at_ms": 1775386832313, "version": 1, "workspace_root": "/project",
            **meta}  # fmt: skip
    return _line(head) + b"".join(_line({"message": m, "type": "message"}) for m in messages)


def _grow(turns: int) -> bytes:
    data = _lines([])
    for n in range(turns):
        data += _line({"type": "prompt_history", "timestamp_ms": 1775386832313 + n, "text": "q"})
        for message in _messages(turns)[n * 4 : n * 4 + 4]:
            data += _line({"message": message, "type": "message"})
    return data


def _document(messages: list[Any], **more: Any) -> bytes:
    return json.dumps({"version": 1, "messages": messages, **more}, indent=2).encode()


class TestLines(LinesContract):
    case = ReadCase(
        agent=AGENT,
        grow=_grow,
        put=lambda environment, data: place(
            Path(environment.cwd) / ".claw" / "sessions" / "0a1b" / f"{_ID}.jsonl", data
        ),
        unknown=b'{"type":"hologram","depth":3}\n',
        native_id=_ID,
    )

    def test_ignores_but_keeps_what_it_does_not_know(self, environment: Environment) -> None:
        """A line of an unknown type is kept, too, but named: Claw refuses the whole file for it."""
        data = _grow(1) + self.case.unknown + _grow(2)[len(_grow(1)) :]
        sessions = self.read_bytes(environment, data)
        assert joined(sessions) == data
        assert len(finished(sessions)) == 2
        assert sessions[-1].counts.damaged == 1

    def test_finds_by_folder_id_prefix_and_all(self, environment: Environment) -> None:
        """They lie in the project, so only there they can be found."""
        path = self.case.put(environment, _lines(_messages(1), workspace_root=environment.cwd))
        for query in ({"cwd": environment.cwd}, {"native_id": _ID}, {}):
            assert [s.path for s in AGENT.find(environment, **query)] == [path]
        assert not list(AGENT.find(environment, cwd="/other"))


class TestDocument(WholeContract):
    case = ReadCase(
        agent=AGENT,
        grow=lambda turns: _document(_messages(turns)),
        put=lambda environment, data: place(environment.home / f"{_ID}.json", data),
        unknown=b"",
        native_id=_ID,
        tells=frozenset({"calls", "usage"}),
        found=False,
    )


def _read(path: Path, data: bytes, name: str = "s.json") -> list[Session]:
    return list(AGENT.read(the_source(AGENT, place(path / name, data))))


def test_CL1_a_folder_of_stored_sessions(tmp_path: Path, environment: Environment) -> None:
    folder = Path(environment.cwd) / ".port_sessions"
    for name in ("aa11", "bb22"):
        value = {"session_id": name, "messages": [f"{name} one", "two"], "input_tokens": 7,
                 "output_tokens": 3}  # fmt: skip
        place(folder / f"{name}.json", json.dumps(value, indent=2).encode())
    found = sorted(AGENT.find(environment, cwd=environment.cwd), key=lambda s: s.native_id)
    assert [s.native_id for s in found] == ["aa11", "bb22"]
    for source in found:
        sessions = list(AGENT.read(source))
        assert joined(sessions) == source.path.read_bytes()
        session = whole(sessions)
        assert [m.text for m in AGENT.messages(session)] == [f"{source.native_id} one", "two"]
        assert (session.usage.input, session.usage.output) == (7, 3)
        assert session.turn is None
    for bad in ("../evil", "a/b", "..", ""):
        value = {"session_id": bad, "messages": ["x"], "input_tokens": 0, "output_tokens": 0}
        path = place(tmp_path / "evil.json", json.dumps(value).encode())
        refused = AGENT.recognise(path)
        assert refused is None if not bad else refused is not None and refused.native_id == "evil"
        if refused is not None:  # said, not passed over: who imports a folder counts the sessions
            with pytest.raises(SourceUnreadable, match="could lead out of a folder"):
                list(AGENT.read(refused))


def test_CL2_the_document_of_version_1(tmp_path: Path) -> None:
    messages: list[dict[str, Any]] = [{"role": "system", "blocks": [{"type": "text", "text": "s"}]}]
    for n in range(20):
        if n % 4 == 0:
            messages.append(_user(f"q{n}"))
        call = {"type": "tool_use", "id": f"c{n}", "name": "bash", "input": '{"command":"ls"}'}
        done = {"type": "tool_result", "tool_use_id": f"c{n}", "tool_name": "bash", "output": "x",
                "is_error": n == 3}  # fmt: skip
        messages += [{"role": "assistant", "blocks": [call]}, {"role": "tool", "blocks": [done]}]
    session = whole(_read(tmp_path, _document(messages)))
    parts = [part for m in AGENT.messages(session) for part in m.parts]
    assert sum(part.kind == "tool_call" for part in parts) == 20
    assert sum(part.kind == "tool_result" for part in parts) == 20
    assert sum(part.error for part in parts) == 1
    for version in ({"version": 99}, {"version": None}, {"version": "1"}):
        with pytest.raises(SourceUnreadable, match="version"):
            _read(tmp_path, _document(_messages(1), **version))
    missing = json.dumps({"messages": _messages(1)}).encode()
    with pytest.raises(SourceUnreadable, match="version"):
        _read(tmp_path, missing)


def test_CL3_a_bad_line_does_not_take_the_rest(tmp_path: Path) -> None:
    good = _grow(2)
    data = good + _line({"type": "hologram"}) + _line(
        {"type": "compaction", "count": 1, "removed_message_count": 4, "summary": "in short"}
    )  # fmt: skip
    torn = data + b'{"message":{"role":"us'
    sessions = _read(tmp_path, torn, "s.jsonl")
    assert joined(sessions) == torn
    assert len(finished(sessions)) == 2
    session = whole(sessions)
    assert session.counts.damaged == 2  # the unknown type, too: Claw itself would read none of it
    assert session.counts.compactions == 1
    assert AGENT.messages(session)[-1].parts[0].text == "in short"
    with pytest.raises(SourceUnreadable, match="version"):
        _read(tmp_path, _lines(_messages(1), version=99), "s.jsonl")


def test_CL4_the_four_kinds_of_blocks(tmp_path: Path) -> None:
    blocks = [
        {"type": "text", "text": "t"},
        {"type": "thinking", "thinking": "hm", "signature": "c2lnbmF0dXJl=="},
        {"type": "tool_use", "id": "1", "name": "bash", "input": '{"command": "ls"}'},
        {"type": "tool_use", "id": "2", "name": "odd", "input": "no {json"},
        {"type": "tool_result", "tool_use_id": "1", "tool_name": "bash", "output": "a",
         "is_error": True},
    ]  # fmt: skip
    entry = message_entry({"role": "assistant", "blocks": blocks})
    text, thought, call, odd, result = entry.parts
    assert (text.kind, text.text) == ("text", "t")
    assert (thought.kind, thought.text, thought.native) == ("reasoning", "hm", blocks[1])
    assert (call.input, odd.input) == ({"command": "ls"}, "no {json")
    assert (result.kind, result.text, result.error) == ("tool_result", "a", True)
    data = _lines([_user("q"), {"role": "assistant", "blocks": blocks}])
    assert joined(_read(tmp_path, data, "s.jsonl")) == data


def test_CL5_usage_is_summed_where_it_is_stated(tmp_path: Path) -> None:
    messages = _messages(2)
    del messages[1]["usage"]
    session = whole(_read(tmp_path, _lines(messages), "s.jsonl"))
    assert session.usage == (300, 30, 6, 3)
    stated = [m.usage for m in AGENT.messages(session) if m.role == "assistant"]
    assert stated[0] is None
    assert stated[1] is not None


def test_CL6_a_large_field_is_not_cut(tmp_path: Path) -> None:
    text = "x" * 200_000
    data = _lines([_user(text), {"role": "assistant", "blocks": [{"type": "text", "text": text}]}])
    session = whole(_read(tmp_path, data, "s.jsonl"))
    assert [len(m.text) for m in AGENT.messages(session)] == [200_000, 200_000]


def test_a_fork_names_its_parent(tmp_path: Path) -> None:
    fork = {"parent_session_id": "session-1-0", "branch_name": "b"}
    session = whole(_read(tmp_path, _lines(_messages(1), fork=fork), "s.jsonl"))
    assert session.info.parent == "session-1-0"


def test_real_files(samples: Path) -> None:
    prompts = {"session-1775386832313-0": [], "session-1775386852257-0": ["doctor --help"],
               "session-1775386853666-0": ["status --help"]}  # fmt: skip
    paths = sorted(samples.glob("claw/*.jsonl"))
    assert len(paths) == len(prompts)
    for path in paths:
        sessions = list(AGENT.read(the_source(AGENT, path)))
        assert joined(sessions) == path.read_bytes()
        texts = [m.text for m in AGENT.messages(whole(sessions)) if m.role == "user"]
        assert texts == prompts[path.stem]
