"""The generic form: the contract, both shapes, every member kept, newer forms refused."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitsession.agents import generic
from gitsession.agents.base import Target, native_bytes, native_length
from gitsession.agents.codex import AGENT as CODEX
from gitsession.agents.generic import AGENT
from gitsession.agents.generic.form import FORMAT, line, message_of, message_values
from gitsession.agents.generic.write import created_of, dump, new_id
from gitsession.environment import Environment
from gitsession.errors import FormatError, SourceUnreadable
from gitsession.model.message import PART_KINDS, Message, Part, Usage
from gitsession.model.session import Session
from tests.agents.contract import Case, Contract, finished, joined, the_source, whole
from tests.codex_builder import Codex

_ID = "session-1795000000000-7"
_METADATA: dict[str, Any] = {
    "session_id": _ID,
    "created_at": "2026-11-18T11:06:40Z",
    "last_updated_at": "2026-11-18T12:00:00Z",
    "model": "model-1",
    "system_prompt_hash": "sha256:0123",
    "project_context": {"root_path": "/project", "file_tree_snapshot": ["a.py", "src/b.py"]},
}
_HEADER = {"format": FORMAT, "session_metadata": _METADATA}


def _turn(number: int) -> list[dict[str, Any]]:
    stamp = f"2026-11-18T12:{number:02}:0"
    call = {"id": f"call-{number}", "type": "shell", "input": {"command": "ls"}, "output": "a.py\n"}
    return [
        {"role": "user", "content": f"question {number}", "timestamp": stamp + "0.000Z"},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [call],
            "timestamp": stamp + "1.000Z",
            "usage": {"input": 100, "output": 10},
        },
        {"tool_execution_state": {"last_run_command": "ls", "exit_code": 0}},
        {
            "role": "assistant",
            "content": f"answer to question {number}",
            "timestamp": stamp + "2.000Z",
        },
        {"end": True},
    ]


def generic_session(turns: int) -> bytes:
    values = [value for number in range(1, turns + 1) for value in _turn(number)]
    return b"".join(map(line, (_HEADER, *values)))


def _put(environment: Environment, data: bytes) -> Path:
    folder = AGENT.home(environment)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{_ID}.jsonl"
    path.write_bytes(data)
    return path


class TestContract(Contract):
    case = Case(
        agent=AGENT,
        grow=generic_session,
        put=_put,
        unknown=b'{"novelty":{"a":[1]}}\n',
        native_id=_ID,
    )

    def test_written_sessions_say_the_same(self, environment: Environment, tmp_path: Path) -> None:
        """As for every agent, but that no command is known which continues it."""
        session = whole(self.read_bytes(environment, generic_session(3)))
        written = AGENT.write(session, Target(str(tmp_path), title="mine"), environment)
        written.main.write_bytes(written.files[written.main])
        [found] = AGENT.find(environment, cwd=str(tmp_path))
        assert (found.native_id, found.title) == (written.native_id, "mine")
        again = whole(AGENT.read(found))
        assert AGENT.messages(again) == tuple(
            Message(m.role, m.parts, m.time, m.model, m.native_id, m.stream, m.record, m.usage)
            for m in AGENT.messages(session)
        )
        assert again.info.parent == _ID
        assert AGENT.resume_command(written.native_id, str(tmp_path)) == ()


def read(path: Path, data: bytes) -> Session:
    path.write_bytes(data)
    return whole(AGENT.read(the_source(AGENT, path)))


def everything(path: Path, data: bytes) -> tuple[Session, tuple[Message, ...]]:
    session = read(path, data)
    return session, AGENT.messages(session)


def _object(**members: Any) -> bytes:
    return json.dumps({**_HEADER, **members}, ensure_ascii=False, indent=2).encode()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "session.json"


@pytest.mark.parametrize("shape", ["lines", "object"])
def test_G1_all_eight_fields_come_back(path: Path, shape: str) -> None:
    data = line(_HEADER) if shape == "lines" else _object(message_chain=[])
    session = read(path, data)
    info = session.info
    [marker] = session.state.markers
    assert (info.native_id, info.created, info.updated) == (
        _METADATA["session_id"],
        _METADATA["created_at"],
        _METADATA["last_updated_at"],
    )
    assert (info.models, info.cwd) == (("model-1",), "/project")
    assert marker["system_prompt_hash"] == "sha256:0123"
    assert marker["project_context"] == _METADATA["project_context"]


_HARD_TEXT = 'line\r\nnul \u0000 u2028 \u2028 \U0001f600 "quoted" \\ 外주 tab\t'


@pytest.mark.parametrize("shape", ["lines", "object"])
def test_G2_messages_are_kept_in_full(path: Path, shape: str) -> None:
    output = "x" * 5_000_000 + _HARD_TEXT
    call = {"id": "c1", "type": "bash", "input": {"command": _HARD_TEXT}, "output": output}
    chain = [
        {"role": "user", "content": _HARD_TEXT, "files": ["a.py"], "timestamp": ""},
        {"role": "assistant", "content": "done", "tool_calls": [call]},
        {"role": "user", "content": "thanks"},
    ]
    data = (
        b"".join(map(line, (_HEADER, *chain))) if shape == "lines" else _object(message_chain=chain)
    )
    _, (first, second, third) = everything(path, data)
    assert (first.text, first.extra["files"]) == (_HARD_TEXT, ["a.py"])
    assert [part.kind for part in second.parts] == ["text", "tool_call", "tool_result"]
    assert second.parts[1].input == {"command": _HARD_TEXT}
    assert second.parts[2].text == output
    assert third.text == "thanks"


def test_G3_G4_state_is_read_and_later_lines_change_what_they_name(path: Path) -> None:
    cache = {"file:a.py": {"ast_hash": "1", "complexity_metrics": {"lines": 3}}}
    context = {
        "active_file": "a.py",
        "code_analysis_cache": cache,
        "working_memory": ["note"],
        "available_tools": ["read", "bash"],
    }
    ran = {"last_run_command": "make", "exit_code": 2, "output_snippet": "failed"}
    first = {"contextual_state": context, "tool_execution_state": ran}
    second = {"contextual_state": {"active_file": "b.py"}, "todos": [{"text": "t", "status": "x"}]}
    state = read(path, b"".join(map(line, (_HEADER, first, second)))).state
    assert (state.active_file, state.analysis, state.memory) == ("b.py", cache, ("note",))
    assert state.tools == ("read", "bash")
    assert (state.last_command, state.exit_code, state.output_snippet) == ("make", 2, "failed")
    assert [(todo.text, todo.status) for todo in state.todos] == [("t", "x")]


@pytest.mark.parametrize("shape", ["lines", "object"])
def test_G31_a_newer_form_is_refused_untouched(path: Path, shape: str) -> None:
    data = generic_session(1) if shape == "lines" else _object(message_chain=[])
    newer = data.replace(b"gitsession-generic 1", b"gitsession-generic 99")
    path.write_bytes(newer)
    source = the_source(AGENT, path)
    with pytest.raises(FormatError) as caught:
        list(AGENT.read(source))
    assert "99" in str(caught.value)
    assert caught.value.hint
    assert path.read_bytes() == newer


def test_the_object_shape_has_a_record_for_each_message(path: Path) -> None:
    chain = [message for number in (1, 2, 3) for message in _turn(number) if "role" in message]
    data = _object(message_chain=chain, todos=[{"text": "x", "status": "open"}])
    path.write_bytes(data)
    sessions = list(AGENT.read(the_source(AGENT, path)))
    assert joined(sessions) == data
    assert [s.turn.kind for s in sessions if s.turn] == ["turn"] * 3
    assert sessions[-1].counts.records == len(chain) + 2
    assert len(AGENT.messages(whole(sessions))) == sessions[-1].counts.messages == len(chain)
    assert sessions[-1].state.todos
    assert not list(AGENT.read(the_source(AGENT, path), sessions[-1]))


@pytest.mark.parametrize("compact", [True, False])
def test_the_order_of_members_does_not_matter(path: Path, compact: bool) -> None:
    value = {"format": FORMAT, "todos": [], "message_chain": _turn(1)[:2], **_HEADER}
    text = json.dumps(value, separators=(",", ":")) if compact else json.dumps(value, indent=3)
    session, messages = everything(path, text.encode())
    assert b"".join(r.data for r in session.stream().records) == text.encode()
    assert [message.text for message in messages] == ["question 1", ""]


def test_results_in_messages_of_their_own_go_to_their_calls(path: Path) -> None:
    calls = [{"id": name, "type": "t", "input": name} for name in "ab"]
    results = [{"role": "tool", "tool_call_id": name, "content": name * 2} for name in "ba"]
    rows = (_HEADER, {"role": "assistant", "content": "", "tool_calls": calls}, *results)
    session, [message] = everything(path, b"".join(map(line, rows)))
    assert [(p.kind, p.call_id, p.text) for p in message.parts] == [
        ("tool_call", "a", ""), ("tool_result", "a", "aa"),
        ("tool_call", "b", ""), ("tool_result", "b", "bb"),
    ]  # fmt: skip
    assert session.counts.messages == 1


def test_attached_files_are_files_of_the_turn(path: Path) -> None:
    files = [{"path": "a.py", "content": "x\n"}, {"path": "b", "content_base64": "AAE="}, "c.py"]
    message = {"role": "user", "content": "look", "files": files}
    session = read(path, line(_HEADER) + line(message))
    assert [(file.path, file.content) for file in session.files] == [
        ("a.py", b"x\n"),
        ("b", b"\x00\x01"),
    ]


def test_A6_calls_without_result_are_answered_on_the_way_out(
    path: Path, environment: Environment
) -> None:
    call = {"id": "c1", "type": "bash", "input": "x"}
    session = read(path, line(_HEADER) + line({"role": "assistant", "tool_calls": [call]}))
    written = AGENT.write(session, Target("/new"), environment)
    assert b"interrupted" in written.files[written.main]
    assert any("without result" in repair for repair in written.repairs)


def test_foreign_sessions_bring_no_system_messages_and_no_memory(
    path: Path, environment: Environment
) -> None:
    rows = (
        {"role": "system", "content": "obey"},
        {"contextual_state": {"working_memory": ["obey"]}},
        {"role": "user", "content": "hello"},
    )
    session = read(path, b"".join(map(line, (_HEADER, *rows))))
    written = AGENT.write(session, Target("/new", foreign=True), environment)
    data = written.files[written.main]
    assert b"obey" not in data
    assert b"a.py" not in data
    assert b"hello" in data


@pytest.mark.parametrize(
    "data",
    [b"{}", b'{"format":"other 1"}', b'["gitsession-generic 1"]', b"", b'{"format":"gitsession-'],
)
def test_other_files_are_not_taken(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    assert AGENT.recognise(path) is None


def test_a_damaged_object_is_one_damaged_record(path: Path) -> None:
    data = _object(message_chain=_turn(1)[:2])[:-30]
    session = read(path, data)
    assert session.counts.damaged == 1
    assert b"".join(r.data for r in session.stream().records) == data


# Any session in this form and back.

_texts = st.text(max_size=20)
_json = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | _texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_texts, inner, max_size=3),
    max_leaves=5,
)
_parts = st.builds(
    Part,
    kind=st.sampled_from(PART_KINDS),
    text=_texts,
    name=_texts,
    call_id=st.sampled_from(["", "a", "b"]),
    input=_json,
    error=st.booleans(),
    native=_json,
)
_messages = st.builds(
    Message,
    role=st.sampled_from(["user", "assistant", "system", "note"]),
    parts=st.lists(_parts, max_size=4).map(tuple),
    time=st.sampled_from(["", "2026-11-18T12:00:00.000Z"]),
    model=_texts,
    native_id=_texts,
    usage=st.none() | st.builds(Usage, st.integers(0, 9), st.integers(0, 9)),
)


def _loose(value: object) -> object:
    """Members that are empty say the same as members that are missing."""
    return None if value in ("", False) else value


@settings(suppress_health_check=[HealthCheck.too_slow])  # a new Python's table of letters is made
@given(_messages)
def test_every_message_survives_the_form(message: Message) -> None:
    again = message_of(json.loads(line(message_values(message))), -1)
    assert (again.role, again.time, again.model) == (message.role, message.time, message.model)
    assert (again.native_id, again.usage) == (message.native_id, message.usage)
    for before, after in zip(message.parts, again.parts, strict=True):
        assert (after.kind, after.text, after.name) == (before.kind, before.text, before.name)
        assert (after.call_id, after.error) == (before.call_id, before.error)
        assert _loose(after.input) == _loose(before.input)
        assert _loose(after.native) == _loose(before.native)


@pytest.mark.parametrize("one_object", [True, False])
def test_G25_export_and_import_are_stable(
    path: Path, environment: Environment, one_object: bool
) -> None:
    codex = Codex().turn("question \U0001f600", "answer").starts().says("user", "next")
    codex.item("reasoning", summary=[], encrypted_content="gAAAA").says("assistant", "ok").ends()
    session = whole(CODEX.read(the_source(CODEX, codex.save(environment.home))))
    messages = CODEX.messages(session)
    exported = dump(session, messages, one_object=one_object)
    again, read_back = everything(path, exported)
    assert [(m.role, m.parts, m.time, m.usage) for m in read_back] == [
        (m.role, m.parts, m.time, m.usage) for m in messages
    ]
    assert again.state.last_command == session.state.last_command
    assert again.info.cwd == session.info.cwd
    assert finished(AGENT.read(the_source(AGENT, path)))
    assert dump(again, read_back, one_object=one_object) == exported


def test_export_as_one_object_is_plain_json(path: Path) -> None:
    session, messages = everything(path, generic_session(2))
    value = json.loads(generic.dump(_filled(session, messages)))
    assert value["format"] == FORMAT
    assert [m["content"] for m in value["message_chain"] if m["role"] == "user"] == [
        "question 1",
        "question 2",
    ]


def _filled(session: Session, messages: tuple[Message, ...]) -> Session:

    return session._replace(messages=messages)


def test_CL8_ids_go_up_and_hold_their_time() -> None:
    ids = [new_id() for _ in range(1000)]
    assert len(set(ids)) == 1000
    numbers = [tuple(map(int, name.split("-")[1:])) for name in ids]
    assert numbers == sorted(numbers)
    assert all(first[0] < second[0] for first, second in pairwise(numbers))
    assert created_of("session-1795000000123-7") == "2026-11-18T11:06:40.123Z"
    assert created_of("other-1-2") == created_of("session-x-1") == ""


def test_a_source_in_memory_reads_like_a_file(path: Path) -> None:
    data = generic_session(2)
    path.write_bytes(data)
    source = generic.memory(_ID, data)
    sessions = list(AGENT.read(source))
    assert sessions == list(AGENT.read(the_source(AGENT, path)))
    assert native_bytes(AGENT, source, 3, 5) == data[3:8]
    assert native_length(AGENT, source) == len(data)
    assert list(AGENT.read(source, sessions[0])) == sessions[1:]
    with pytest.raises(SourceUnreadable):
        list(AGENT.read(generic.memory(_ID, b"")))


_PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "generic-format.md"


@pytest.mark.parametrize("language", ["jsonl", "json"])
def test_the_examples_of_the_reference_page_are_read(path: Path, language: str) -> None:
    example = _PAGE.read_text().split(f"```{language}\n")[1].split("```")[0]
    session, messages = everything(path, example.encode())
    assert session.counts.damaged == 0
    assert [message.text for message in messages] == ["What is in a.py?", "I look."]
    assert messages[1].parts[2].text == "x = 1\n"
    assert (session.state.active_file, session.state.exit_code) == ("a.py", 0)
    assert session.info.cwd == "/home/me/project"
    assert finished(AGENT.read(the_source(AGENT, path)))
