"""Gemini CLI: the contract, and what is peculiar to its two forms."""

from __future__ import annotations

import datetime
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gitsession.agents.base import Target, native_bytes, settled, superseded
from gitsession.agents.gemini import AGENT
from gitsession.agents.gemini import find as gemini_find
from gitsession.agents.gemini.form import object_records
from gitsession.environment import Environment
from gitsession.errors import SourceUnreadable
from gitsession.model.session import Session
from tests.agents.contract import (
    Case,
    Contract,
    finished,
    head,
    joined,
    read_in_steps,
    the_source,
    whole,
)
from tests.gemini_builder import GEMINI_ID, Gemini, gemini_object, gemini_session

NEW_ID = "99999999-8888-4777-8666-555555555555"
Reader = Callable[[Gemini], list[Session]]


def _put(environment: Environment, data: bytes) -> Path:
    path = Gemini().save(environment.home)
    path.write_bytes(data)
    return path


class TestContract(Contract):
    case = Case(
        agent=AGENT,
        grow=gemini_session,
        put=_put,
        unknown=b'{"$newThing":{"a":[1]}}\n',
        native_id=GEMINI_ID,
    )


@pytest.fixture
def read(tmp_path: Path) -> Reader:
    def reader(session: Gemini) -> list[Session]:
        path = tmp_path / "session-a.jsonl"
        path.write_bytes(session.data)
        return list(AGENT.read(the_source(AGENT, path)))

    return reader


def rows_of(session: Session, environment: Environment, **target: Any) -> list[dict[str, Any]]:
    wanted = Target(**{"cwd": "/elsewhere", "native_id": NEW_ID, **target})
    written = AGENT.write(session, wanted, environment)
    return [json.loads(line) for line in written.files[written.main].splitlines()]


def test_a_resumed_session_is_one_conversation(read: Reader) -> None:
    session = Gemini().turn("first", command="ls").resume().turn("second").resume()
    session.turn("third")
    sessions = read(session)
    assert [s.turn.prompt for s in sessions if s.turn and s.turn.finished] == [
        "first",
        "second",
        "third",
    ]
    messages = AGENT.messages(whole(sessions))
    assert [m.text for m in messages if m.role == "user"] == ["first", "second", "third"]
    kinds = [part.kind for m in messages for part in m.parts]
    assert kinds.count("tool_call") == kinds.count("tool_result") == 1
    assert messages[0].role == "note"
    assert len({m.native_id for m in messages}) == len(messages)
    assert sessions[-1].counts.messages == len(messages)
    first = next(m for m in messages if m.text == "first")
    assert first.time < messages[-1].time


def test_words_before_a_call_do_not_end_the_turn(read: Reader) -> None:
    session = Gemini()
    session.prompt("look")
    session.tool("run_shell_command", "Output: x", "x", words="I look.", command="ls")
    session.say("done")
    [one, rest] = read(session)
    assert one.turn is not None
    assert (one.turn.kind, one.turn.messages) == ("turn", 5)
    assert rest.turn is not None
    assert rest.turn.messages == 0


def test_a_save_in_the_middle_of_a_turn_loses_nothing(tmp_path: Path) -> None:
    """While a tool runs its words look like the last ones; then the turn comes in two parts."""
    session = Gemini()
    session.prompt("look")
    session.tool("run_shell_command", "Output: x", "x", words="I look.", command="ls")
    session.say("done")
    data = session.data
    ends = [at + 1 for at, byte in enumerate(data) if byte == 10]
    parts = read_in_steps(AGENT, tmp_path / "session-a.jsonl", data, ends)
    assert data.startswith(joined(parts))
    assert [s.turn.prompt for s in parts if s.turn] == ["look", ""]
    assert AGENT.messages(whole(parts))[-1].text == "done"


def test_a_native_rewind_is_one(read: Reader) -> None:
    session = Gemini().turn("first")
    gone = session.prompt("second")
    session.say("answer to second")
    session.raw({"$rewindTo": gone})
    session.turn("another second").turn("third")
    sessions = read(session)
    assert [s.turn.rewound for s in sessions if s.turn and s.turn.finished] == [
        False,
        False,
        True,
        False,
    ]
    texts = [m.text for m in AGENT.messages(whole(sessions)) if m.role == "user"]
    assert texts == ["first", "another second", "third"]


def test_an_unknown_rewind_empties_the_conversation(read: Reader) -> None:
    session = Gemini().turn("first").raw({"$rewindTo": "nowhere"}).turn("second")
    assert [m.text for m in AGENT.messages(whole(read(session)))] == ["second", "answer to second"]


def test_a_compression_is_marked_once(read: Reader) -> None:
    session = Gemini().turn("first")
    session.history = [
        {"id": "s1", "type": "user", "content": [{"text": "<state_snapshot>so far"}]},
        {"id": "s2", "type": "gemini", "content": [{"text": "Got it."}]},
    ]
    session.set(messages=session.history, lastUpdated=session.time())
    session.turn("second").resume().turn("third")
    sessions = finished(read(session))
    assert [s.turn.kind for s in sessions if s.turn] == ["turn", "compaction", "turn"]
    messages = AGENT.messages(whole(sessions))
    assert [m.role for m in messages][:3] == ["note", "system", "assistant"]
    assert "first" not in [m.text for m in messages]


def test_tokens_of_an_answer_that_is_written_twice_count_once(read: Reader) -> None:
    session = Gemini()
    session.prompt("look")
    session.tool("run_shell_command", "Output: x", "x", command="ls")
    session.say("done")
    last = read(session)[-1]
    assert (last.usage.input, last.usage.output, last.usage.cache_read) == (190, 20, 10)


def test_files_and_state(read: Reader) -> None:
    session = Gemini()
    session.prompt("work")
    session.tool("read_file", "hello = 1\n", file_path="/project/a.py")
    session.tool("replace", "ok", {"newContent": "hello = 2\n"}, file_path="/project/b.py")
    session.tool("write_file", "ok", file_path="c.py", content="c\n")
    session.tool("read_file", "Binary content provided (1 item(s)).", file_path="c.PNG")
    session.tool("write_file", "ok", file_path="c.py", content="c\n")
    session.say("done")
    one = read(session)[0]
    assert {f.path: f.content for f in one.files} == {
        "a.py": b"hello = 1\n",
        "b.py": b"hello = 2\n",
        "c.py": b"c\n",
    }
    assert one.state.active_file == "c.py"
    assert one.info.cwd == "/project"


def test_stubs_and_the_older_form_of_the_same_session_are_not_listed(
    environment: Environment,
) -> None:
    path = Gemini().turn("first").save(environment.home)
    stub = path.with_name("session-2026-01-31T12-09-9159418e.jsonl")
    stub.write_bytes(Gemini().data)
    old = path.with_name("session-2026-01-31T11-00-9159418e.json")
    old.write_bytes(gemini_object(["a"] * 30))
    assert [s.path for s in AGENT.find(environment)] == [path]


def test_folders_are_named_as_the_agent_names_them(environment: Environment) -> None:
    top = environment.home / ".gemini"
    assert gemini_find.folder_for(environment, "/code/My.Project").name == "my-project"
    taken = top / "tmp" / "my-project"
    taken.mkdir(parents=True)
    (taken / ".project_root").write_text("/other/my-project\n")
    assert gemini_find.folder_for(environment, "/code/My.Project").name == "my-project-1"
    (top / "projects.json").write_text(json.dumps({"projects": {"/code/My.Project": "named"}}))
    assert gemini_find.folder_for(environment, "/code/My.Project").name == "named"
    (top / "projects.json").write_text("[broken")
    assert gemini_find.folder_for(environment, "/other/my-project").name == "my-project"


def test_sessions_in_a_folder_named_by_hash_are_found(environment: Environment) -> None:
    digest = gemini_find.project_hash("/project")
    path = environment.home / ".gemini" / "tmp" / digest / "chats" / "session-x.json"
    path.parent.mkdir(parents=True)
    path.write_bytes(gemini_object(["first"]))
    [found] = AGENT.find(environment, cwd="/project")
    assert (found.path, found.cwd) == (path, "/project")


def test_the_single_object_grows_by_turns_although_it_is_rewritten(tmp_path: Path) -> None:
    path = tmp_path / "session-a.json"
    prompts = ["first", "second", "third"]
    once: list[Session] = []
    since: Session | None = None
    steps: list[Session] = []
    past = b""
    for count in (1, 2, 3):
        data = gemini_object(prompts[:count], changed=f"2026-01-31T13:0{count}:00.000Z")
        path.write_bytes(data)
        source = the_source(AGENT, path)
        once = list(AGENT.read(source))
        assert joined(once) == data
        offset = since.stream().offset if since else 0
        assert native_bytes(AGENT, source, 0, offset) == past
        new = finished(AGENT.read(source, since))
        steps += new
        since = head(new[-1])
        past = native_bytes(AGENT, source, 0, since.stream().offset)
    assert [s.turn.prompt for s in steps if s.turn] == prompts
    assert [s.stream() for s in steps[1:]] == [s.stream() for s in finished(once)[1:]]
    first, again = steps[0].stream().records[0].data, once[0].stream().records[0].data
    assert first != again
    assert settled(AGENT, first) == settled(AGENT, again)
    assert steps[0].stream().records[1:] == once[0].stream().records[1:]
    messages = AGENT.messages(whole(once))
    assert [m.role for m in messages] == ["user", "assistant", "assistant"] * 3
    assert once[-1].counts.messages == len(messages)


@pytest.mark.parametrize("cut", [1, 30, 200, 900])
def test_a_torn_object_is_kept_as_it_is(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "session-a.json"
    data = gemini_object(["first", "second"], tail="a name")
    path.write_bytes(data[:-cut])
    sessions = list(AGENT.read(the_source(AGENT, path)))
    assert joined(sessions) == data[:-cut]
    assert AGENT.messages(whole(sessions))[0].text == "first"


def test_the_name_of_an_object_stands_in_its_tail(tmp_path: Path) -> None:
    path = tmp_path / "session-a.json"
    path.write_bytes(gemini_object(["first"], tail="a name"))
    assert list(AGENT.read(the_source(AGENT, path)))[-1].info.title == "a name"


def test_written_log_is_short_and_names_the_new_session(
    read: Reader, environment: Environment
) -> None:
    session = Gemini().turn("first", command="ls").resume().turn("second")
    stored = whole(read(session))
    written = AGENT.write(stored, Target("/elsewhere", "T", native_id=NEW_ID), environment)
    rows = [json.loads(line) for line in written.files[written.main].splitlines()]
    assert rows[0]["summary"] == "T"
    assert rows[0]["projectHash"] == gemini_find.project_hash("/elsewhere")
    assert not any("$set" in row for row in rows)
    assert written.main.name == f"session-2026-01-31T12-00-{NEW_ID}.jsonl"
    folder = environment.home / ".gemini" / "tmp" / "elsewhere"
    assert written.files[folder / ".project_root"] == b"/elsewhere"
    folder.mkdir(parents=True)
    (folder / ".project_root").write_text("/elsewhere")
    again = AGENT.write(stored, Target("/elsewhere"), environment)
    assert list(again.files) == [again.main]
    changed = json.loads(again.files[again.main].split(b"\n")[0])["lastUpdated"]
    assert abs(datetime.datetime.fromisoformat(changed).timestamp() - time.time()) < 60


def test_calls_without_results_are_answered(read: Reader, environment: Environment) -> None:
    session = Gemini()
    session.prompt("do two")
    row = session.say("")
    calls = [{"id": f"c{n}", "name": "x", "args": {}, "status": "executing"} for n in (1, 2)]
    session.raw({**row, "toolCalls": calls})
    made = {"functionCall": {"id": "c3", "name": "y", "args": {}}}
    session.message("gemini", [{"text": "and"}, made])
    session.message("user", [{"functionResponse": {"id": "c9", "name": "z", "response": {}}}])
    session.turn("go on")
    stored = whole(read(session))
    written = AGENT.write(stored, Target("/x", native_id=NEW_ID), environment)
    assert set(written.repairs) == {
        "3 tool calls without result marked as interrupted",
        "1 tool result without a call left out",
    }
    path = environment.home / "session-b.jsonl"
    path.write_bytes(written.files[written.main])
    messages = AGENT.messages(whole(AGENT.read(the_source(AGENT, path))))
    kinds = [(p.kind, p.call_id) for m in messages for p in m.parts if p.call_id]
    assert kinds == [
        (kind, name) for name in ("c1", "c2", "c3") for kind in ("tool_call", "tool_result")
    ]


def test_somebody_elses_session_is_the_conversation_alone(
    read: Reader, environment: Environment
) -> None:
    session = Gemini().turn("first", command="ls")
    session.message("info", "switched the model")
    rows = rows_of(whole(read(session)), environment, foreign=True)
    text = json.dumps(rows)
    assert "session_context" not in text
    assert "resultDisplay" not in text
    assert "switched" not in text
    assert len(rows) == len(rows_of(whole(read(session)), environment)) - 2


def _hooked(text: str) -> list[dict[str, str]]:
    """A prompt as the agent records it when hooks speak at the start and before the answer."""
    return [{"text": f"<hook_context>at the start</hook_context>\n\n{text}"},
            {"text": "<hook_context>before</hook_context>"}]  # fmt: skip


def _forgetful(session: Gemini, *prompts: str) -> Gemini:
    """A turn for each prompt, and a resume that leaves them all out, as the real agent does."""
    for prompt in prompts:
        session.message("user", _hooked(prompt) if prompt[0].isalpha() else [{"text": prompt}])
        session.history.pop()
        session.tool("run_shell_command", "Output: x", "x", command="ls")
        session.say("done")
    return session.resume()


PROMPTS = ("first", "/project/a.py explain", "? second")


def test_what_was_asked_stays_though_the_agent_forgets_it(read: Reader) -> None:
    session = _forgetful(Gemini(), *PROMPTS).turn("last")
    sessions = read(session)
    asked = [s.turn.prompt for s in sessions if s.turn and s.turn.finished]
    assert asked == [*PROMPTS, "last"]
    assert sessions[-1].info.title == "first"
    messages = AGENT.messages(whole(sessions))
    shown = [m for m in messages if m.role == "user"]
    assert [m.parts[0].text.rpartition("\n")[2] for m in shown] == [*PROMPTS, "last"]
    assert [m.role for m in messages][:4] == ["note", "user", "assistant", "assistant"]


def test_a_prompt_that_was_gone_back_for_stays_away(read: Reader) -> None:
    session = Gemini().turn("first")
    gone = session.prompt("/gone")
    session.raw({"$rewindTo": gone})
    session.history.pop()
    session.turn("second").resume()
    texts = [m.text for m in AGENT.messages(whole(read(session))) if m.role == "user"]
    assert texts == ["first", "second"]


def test_what_a_compression_replaced_stays_away(read: Reader) -> None:
    session = _forgetful(Gemini(), "/old")
    session.history = [
        {"id": "s1", "type": "user", "content": [{"text": "<state_snapshot>so far"}]},
        *session.history[-1:],
    ]
    session.set(messages=session.history)
    _forgetful(session, "/new")
    messages = AGENT.messages(whole(read(session)))
    assert [m.text for m in messages if m.role == "user"] == ["/new"]


def test_only_hooks_that_speak_ask_nothing(read: Reader) -> None:
    session = Gemini()
    session.message("user", [{"text": "<hook_context>hello</hook_context>"}])
    session.turn("first")
    one, *_ = read(session)
    assert one.turn is not None
    assert one.turn.prompt == "first"
    assert [m.role for m in AGENT.messages(one)] == ["note", "note", "user", "assistant"]


def test_what_would_be_forgotten_is_written_so_that_it_is_sent(
    read: Reader, environment: Environment, tmp_path: Path
) -> None:
    stored = whole(read(_forgetful(Gemini(), *PROMPTS)))
    target = Target("/elsewhere", native_id=NEW_ID)
    written = AGENT.write(stored, target, environment)
    assert "3 prompts put so that the agent does not leave them out" in written.repairs
    data = written.files[written.main]
    asked = [row for row in map(json.loads, data.splitlines()) if row.get("type") == "user"]
    texts = ["".join(part.get("text", "") for part in row["content"]) for row in asked[1:]]
    assert not [text for text in texts if text.startswith(("/", "?", "<hook_context>"))]
    path = tmp_path / "session-b.jsonl"
    path.write_bytes(data)
    again = whole(AGENT.read(the_source(AGENT, path)))
    assert [m.parts for m in AGENT.messages(again)] == [m.parts for m in AGENT.messages(stored)]

    shared = json.dumps(rows_of(stored, environment, foreign=True))
    assert "hook_context" not in shared
    assert all(prompt in shared for prompt in PROMPTS)


def test_a_masked_signature_is_not_sent(read: Reader, environment: Environment) -> None:
    session = Gemini()
    session.prompt("think")
    masked = "__REDACTED_token_0123456789ab__"
    thought = {"text": "hm", "thought": True, "thoughtSignature": masked}
    session.message("gemini", [thought, {"text": "yes", "thoughtSignature": masked}])
    rows = rows_of(whole(read(session)), environment)
    assert rows[-1]["content"] == [{"text": "yes"}]


def test_nothing_to_continue_is_refused(read: Reader, environment: Environment) -> None:
    with pytest.raises(SourceUnreadable):
        AGENT.write(whole(read(Gemini())), Target("/x"), environment)


def test_real_files(samples: Path, environment: Environment) -> None:
    real = sorted((samples / "gemini").glob("*.json")) + sorted(
        (samples / "recorded" / "gemini").glob("session-*.jsonl")
    )
    assert len(real) == 7
    for path in real:
        sessions = list(AGENT.read(the_source(AGENT, path)))
        assert joined(sessions) == path.read_bytes(), path
        assert sessions[-1].counts.damaged == 0
        stored = whole(sessions)
        messages = AGENT.messages(stored)
        assert sessions[-1].counts.messages == len(messages)
        calls = [p.call_id for m in messages for p in m.parts if p.kind == "tool_call"]
        results = [p.call_id for m in messages for p in m.parts if p.kind == "tool_result"]
        assert calls == results
        for foreign in (False, True):
            target = Target("/x", "title", foreign, NEW_ID)
            written = AGENT.write(stored, target, environment)
            assert AGENT.write(stored, target, environment) == written
            again = environment.home / "session-b.jsonl"
            again.write_bytes(written.files[written.main])
            back = whole(AGENT.read(the_source(AGENT, again)))
            spoken = [m.text for m in AGENT.messages(back) if m.role in ("user", "assistant")]
            assert spoken == [m.text for m in messages if m.role in ("user", "assistant")]


def test_growing_snapshots_of_a_real_object_are_turns(samples: Path, tmp_path: Path) -> None:
    """They were taken while the agent worked: an answer is there again with the tools it called."""
    path = tmp_path / "session-a.json"
    since: Session | None = None
    seen: list[Session] = []
    for name in sorted((samples / "gemini").glob("2026-*.json")):
        path.write_bytes(name.read_bytes())
        source = the_source(AGENT, path)
        if since is not None:
            last, native = seen[-1].stream().records[-1].data, joined(AGENT.read(source))
            [again] = [r for r in object_records(native) if superseded(AGENT, last, r)]
            assert again not in [r.data for s in seen for r in s.stream().records]
        new = finished(AGENT.read(source, since))
        assert new
        seen += new
        since = head(new[-1])
    whole_file = whole(AGENT.read(the_source(AGENT, path)))
    steps = [(m.native_id, m.parts) for m in AGENT.messages(whole(seen))]
    assert steps == [(m.native_id, m.parts) for m in AGENT.messages(whole_file)]
    assert all(s.turn.kind == "turn" for s in seen if s.turn)
    assert seen[-1].usage == whole_file.usage
    assert seen[-1].counts.messages == whole_file.counts.messages


def test_recorded_session_has_a_version_a_turn(samples: Path) -> None:
    [path] = (samples / "recorded" / "gemini").glob("session-*.jsonl")
    once = finished(AGENT.read(the_source(AGENT, path)))
    assert [s.turn.prompt.split(" [[")[0] for s in once if s.turn] == [
        "First question alpha-111",
        "Second question beta-222",
        "Third question gamma-333",
    ]
    assert [s.turn.kind for s in once if s.turn] == ["turn"] * 3
    assert [(f.path, f.content) for f in once[1].files] == [("a.py", b"hello = 2\n")]
    assert once[0].info.cwd == "/tmp/demo/tmp/gem-projA"
