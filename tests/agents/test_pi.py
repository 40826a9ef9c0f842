"""pi: the contract, and what is peculiar to its files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gitsession.agents.base import Target
from gitsession.agents.pi import AGENT
from gitsession.agents.pi import find as pi_find
from gitsession.environment import Environment
from gitsession.errors import SourceUnreadable
from gitsession.model.session import Session
from tests.agents.contract import Case, Contract, finished, joined, read_in_steps, the_source, whole
from tests.pi_builder import PI_ID, Pi, pi_session


def _put(environment: Environment, data: bytes) -> Path:
    path = Pi().save(environment.home)
    path.write_bytes(data)
    return path


class TestContract(Contract):
    case = Case(
        agent=AGENT,
        grow=pi_session,
        put=_put,
        unknown=b'{"type":"new_thing","payload":{"a":[1]}}\n',
        native_id=PI_ID,
    )


@pytest.fixture
def read(tmp_path: Path):  # type: ignore[no-untyped-def]
    def reader(session: Pi) -> list[Session]:
        path = tmp_path / "a.jsonl"
        path.write_bytes(session.data)
        return list(AGENT.read(the_source(AGENT, path)))

    return reader


def rows_of(session: Session, environment: Environment, **target: object) -> list[dict]:  # type: ignore[type-arg]
    given = {"cwd": "/elsewhere", "native_id": PI_ID[:-1] + "0", **target}
    written = AGENT.write(session, Target(**given), environment)  # type: ignore[arg-type]
    return [json.loads(line) for line in written.files[written.main].splitlines()]


def test_folders_are_named_as_pi_names_them() -> None:
    assert pi_find.folder_name("/tmp/demo/a b") == "--tmp-demo-a b--"
    assert pi_find.folder_name("C:\\code") == "--C--code--"


def test_going_back_in_the_tree_is_a_rewind_and_messages_follow_the_last_entry(read) -> None:  # type: ignore[no-untyped-def]
    session = Pi()
    session.turn("first")
    kept = session.tip
    session.turn("second")
    session.tip = kept
    session.turn("another second")
    session.turn("third")
    sessions = read(session)
    assert [s.turn.rewound for s in sessions] == [False, False, True, False]
    texts = [m.text for m in AGENT.messages(whole(sessions)) if m.role == "user"]
    assert texts == ["first", "another second", "third"]


def test_a_branch_left_with_a_summary_is_a_rewind_in_any_steps(tmp_path: Path) -> None:
    session = Pi()
    session.turn("first")
    kept = session.tip
    session.turn("second")
    session.entry("branch_summary", kept, fromId=session.tip, summary="tried the second way")
    session.turn("again")
    path = tmp_path / "a.jsonl"
    data = session.data
    ends = [at + 1 for at, byte in enumerate(data) if byte == 10]
    seen = read_in_steps(AGENT, path, data, ends)
    assert [s.turn.rewound for s in seen if s.turn] == [False, False, True]
    assert seen == finished(AGENT.read(the_source(AGENT, path)))
    summary = AGENT.messages(whole(seen))[2]
    assert summary.parts[0].text == "tried the second way"
    assert summary.role == "note"


def test_a_prompt_that_was_aborted_is_an_interrupted_turn(read) -> None:  # type: ignore[no-untyped-def]
    session = Pi()
    session.prompt("first")
    session.say("I beg", stop="aborted")
    session.turn("second")
    assert [s.turn.kind for s in read(session)] == ["interrupted", "turn"]


def test_an_error_that_pi_tries_again_does_not_end_the_turn(read) -> None:  # type: ignore[no-untyped-def]
    session = Pi()
    session.prompt("first")
    session.answer(stop="error", errorMessage="overloaded")
    session.say("here you are")
    [one] = read(session)
    assert one.turn.kind == "turn"
    assert [p.text for m in AGENT.messages(one) for p in m.parts if p.kind == "retry"] == [
        "overloaded"
    ]


def test_compaction_label_name_and_model_are_known(read) -> None:  # type: ignore[no-untyped-def]
    session = Pi()
    prompt = session.prompt("first")
    session.say("answer")
    session.entry("compaction", summary="so far", firstKeptEntryId=prompt, tokensBefore=900)
    session.entry("label", targetId=prompt, label="start here")
    session.entry("session_info", name="A name")
    session.turn("second")
    sessions = read(session)
    last = sessions[-1]
    assert last.turn.kind == "compaction"
    assert last.counts.compactions == 1
    assert last.info.title == "A name"
    assert last.info.models == ("fake-model",)
    assert last.state.markers[0]["tokens"] == 900
    messages = AGENT.messages(whole(sessions))
    assert messages[0].extra == {"label": "start here"}
    assert [(m.role, m.parts[0].kind) for m in messages][2] == ("system", "compaction")


def test_files_follow_the_tools_of_a_turn(read) -> None:  # type: ignore[no-untyped-def]
    session = Pi()
    session.prompt("change it")
    session.tool("read", "hello = 1\n", path="/project/a.py")
    edits = [{"oldText": "hello = 1", "newText": "hello = 2"}]
    session.tool("edit", "Successfully replaced 1 block(s).", path="/project/a.py", edits=edits)
    session.tool("write", "ok", path="b.py", content="b = 1\n")
    session.say("done")
    session.prompt("and again")
    edits = [{"oldText": "hello = 2", "newText": "hello = 3"}]
    session.tool("edit", "Successfully replaced 1 block(s).", path="/project/a.py", edits=edits)
    session.say("done")
    first, second = read(session)
    assert {f.path: f.content for f in first.files} == {
        "a.py": b"hello = 2\n",
        "b.py": b"b = 1\n",
    }
    assert [(f.path, f.content, f.reason) for f in second.files] == [
        ("a.py", None, "not reconstructable")
    ]
    assert second.state.active_file == "a.py"


def test_a_command_of_the_users_own_is_state_and_a_note(read) -> None:  # type: ignore[no-untyped-def]
    session = Pi()
    session.turn("first")
    session.message("bashExecution", command="make", output="no rule", exitCode=2)
    session.turn("second")
    last = read(session)[-1]
    assert (last.state.last_command, last.state.exit_code) == ("make", 2)
    assert [m.text for m in AGENT.messages(whole(read(session))) if m.role == "note"] == [
        "$ make\nno rule"
    ]


def test_written_tree_has_the_title_as_its_leaf(read, environment: Environment) -> None:  # type: ignore[no-untyped-def]
    session = Pi()
    session.turn("first")
    rows = rows_of(whole(read(session)), environment, title="A\ntitle [main@123]")
    assert rows[0]["cwd"] == "/elsewhere"
    assert "parentSession" not in rows[0]
    assert rows[-1]["name"] == "A title [main@123]"
    assert rows[-1]["parentId"] == rows[-2]["id"]


def test_calls_without_results_are_answered_in_the_chain(read, environment: Environment) -> None:  # type: ignore[no-untyped-def]
    session = Pi()
    session.prompt("do three")
    blocks = [
        {"type": "toolCall", "id": f"c{n}", "name": "bash", "arguments": {"command": "ls"}}
        for n in (1, 2, 3)
    ]
    session.answer(*blocks, stop="toolUse")
    session.result("c2", "bash", "two")
    session.result("c2", "bash", "two again")
    session.result("c9", "bash", "nobody asked")
    session.turn("go on")
    written = AGENT.write(whole(read(session)), Target("/x", native_id=PI_ID), environment)
    assert set(written.repairs) == {
        "2 tool calls without result marked as interrupted",
        "1 doubled tool result left out",
        "1 tool result without a call left out",
    }
    rows = [json.loads(line) for line in written.files[written.main].splitlines()]
    results = [r["message"]["toolCallId"] for r in rows if "toolCallId" in r.get("message", {})]
    assert results == ["c2", "c1", "c3"]
    entries = rows[1:]
    assert [row["parentId"] for row in entries] == [None, *(row["id"] for row in entries[:-1])]


def test_somebody_elses_session_is_the_conversation_alone(read, environment: Environment) -> None:  # type: ignore[no-untyped-def]
    session = Pi()
    session.entry("model_change", provider="p", modelId="m")
    session.message("system", content="", sections={"preamble": "obey me"})
    session.entry("custom_message", customType="x", content="injected", display=False)
    session.turn("first")
    session.entry("compaction", summary="s", firstKeptEntryId=session.tip, tokensBefore=1,
                  systemMessage={"role": "system", "content": "obey"})  # fmt: skip
    session.turn("second")
    session.entry("context_edit", targetId=session.tip, replacement=None)
    stored = whole(read(session))
    rows = rows_of(stored, environment, foreign=True)
    assert [row["type"] for row in rows] == ["session", "message", "message", "compaction",
                                             "message", "message", "context_edit"]  # fmt: skip
    assert "obey" not in json.dumps(rows)
    assert rows[1]["parentId"] is None
    assert len(rows_of(stored, environment)) == len(rows) + 3


def test_a_masked_signature_takes_its_thinking_along(read, environment: Environment) -> None:  # type: ignore[no-untyped-def]
    session = Pi()
    session.prompt("think")
    masked = "__REDACTED_token_0123456789ab__"
    session.answer(
        {"type": "thinking", "thinking": "hm", "thinkingSignature": masked},
        {"type": "text", "text": "yes", "textSignature": masked},
    )
    rows = rows_of(whole(read(session)), environment)
    assert rows[-1]["message"]["content"] == [{"type": "text", "text": "yes"}]


def test_nothing_to_continue_is_refused(environment: Environment, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(Pi().data)
    session = whole(AGENT.read(the_source(AGENT, tmp_path / "a.jsonl")))
    with pytest.raises(SourceUnreadable):
        AGENT.write(session, Target("/x"), environment)


def test_a_file_without_ids_is_brought_to_todays_form(
    samples: Path, environment: Environment
) -> None:
    path = samples / "pi" / "before-compaction.jsonl"
    stored = whole(AGENT.read(the_source(AGENT, path)))
    rows = rows_of(stored, environment)
    assert rows[0]["version"] == 3
    assert all("id" in row and "parentId" in row for row in rows[1:])
    names = {row["id"] for row in rows[1:]}
    assert len(names) == len(rows) - 1
    kept = [row["firstKeptEntryId"] for row in rows if row["type"] == "compaction"]
    assert len(kept) == 2
    assert set(kept) <= names


def test_real_files(samples: Path, environment: Environment) -> None:
    real = sorted((samples / "pi").glob("*.jsonl")) + sorted(
        (samples / "recorded" / "pi").glob("*Z_*.jsonl")
    )
    assert len(real) == 4
    for path in real:
        sessions = list(AGENT.read(the_source(AGENT, path)))
        assert joined(sessions) == path.read_bytes(), path
        assert sessions[-1].counts.damaged == 0
        stored = whole(sessions)
        messages = AGENT.messages(stored)
        assert messages
        for foreign in (False, True):
            target = Target("/x", "title", foreign, PI_ID[:-1] + "9")
            written = AGENT.write(stored, target, environment)
            assert AGENT.write(stored, target, environment) == written
            again = environment.home / "again.jsonl"
            again.write_bytes(written.files[written.main])
            back = whole(AGENT.read(the_source(AGENT, again)))
            spoken = [m.text for m in AGENT.messages(back) if m.role in ("user", "assistant")]
            assert spoken == [m.text for m in messages if m.role in ("user", "assistant")]


def test_recorded_session_has_a_version_a_turn_in_any_steps(samples: Path, tmp_path: Path) -> None:
    [path] = (samples / "recorded" / "pi").glob("2026*.jsonl")
    data = path.read_bytes()
    once = finished(AGENT.read(the_source(AGENT, path)))
    assert [s.turn.prompt.split(" [[")[0] for s in once if s.turn] == [
        "First question alpha-111",
        "Second question beta-222",
        "Third question gamma-333",
    ]
    assert [s.turn.kind for s in once if s.turn] == ["turn"] * 3
    assert once[1].files[0].path == "a.py"
    ends = [at + 1 for at, byte in enumerate(data) if byte == 10]
    assert read_in_steps(AGENT, tmp_path / path.name, data, ends) == once
    [fork] = (samples / "recorded" / "pi").glob("fork*.jsonl")
    forked = list(AGENT.read(the_source(AGENT, fork)))
    assert forked[-1].info.parent == once[0].info.native_id
