"""Kimi Code CLI: the contract, and what is peculiar to its logs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gitsession.agents.base import Target
from gitsession.agents.kimi import AGENT
from gitsession.agents.kimi.find import folder_name
from gitsession.agents.pictures import LARGEST
from gitsession.agents.speech import image_of
from gitsession.environment import Environment
from gitsession.errors import SourceUnreadable
from gitsession.model.session import Session
from gitsession.redaction import Redactor
from tests.agents.contract import Case, Contract, finished, joined, read_in_steps, the_source, whole
from tests.kimi_builder import KIMI_ID, Kimi, kimi_session, put
from tests.redaction.made import Made

NEW_ID = "session_99999999-8888-4777-8666-555555555555"
HASH = "8f14e45fceea167a" * 4
Reader = Callable[[Kimi], list[Session]]


class TestContract(Contract):
    case = Case(
        agent=AGENT,
        grow=kimi_session,
        put=lambda environment, data: put(environment.home, data),
        unknown=b'{"type":"new.thing","agentId":"main","payload":{"a":[1]}}\n',
        native_id=KIMI_ID,
    )


@pytest.fixture
def read(environment: Environment) -> Reader:
    def reader(session: Kimi) -> list[Session]:
        path = put(environment.home, session.data)
        return list(AGENT.read(the_source(AGENT, path)))

    return reader


def rows_of(session: Session, environment: Environment, **target: Any) -> list[dict[str, Any]]:
    wanted = Target(**{"cwd": "/elsewhere", "native_id": NEW_ID, **target})
    written = AGENT.write(session, wanted, environment)
    return [json.loads(line) for line in written.files[written.main].splitlines()]


def texts(session: Session, role: str = "user") -> list[str]:
    return [m.text for m in AGENT.messages(session) if m.role == role]


def test_folders_are_named_as_the_agent_names_them() -> None:
    assert folder_name("/home/you/notes-api/") == "wd_notes-api_bfde533f9ccf"
    assert folder_name("/home/x/My Änderung!").startswith("wd_my-nderung_")
    assert folder_name("/").startswith("wd_workspace_")
    assert len(folder_name("/x/" + "a" * 90)) == len("wd__") + 40 + 12


def test_what_was_undone_is_left_and_its_messages_are_gone(
    read: Reader, environment: Environment
) -> None:
    session = Kimi().turn("first")
    line = len(session.rows)
    session.turn("second").undo(line).turn("another second").turn("third")
    sessions = read(session)
    assert [s.turn.rewound for s in sessions if s.turn] == [False, False, True, False]
    stored = whole(sessions)
    assert texts(stored) == ["first", "another second", "third"]
    out = rows_of(stored, environment)
    assert not {"agent.switched", "context.undo"} & {row["type"] for row in out}
    assert "answer to second" not in json.dumps(out)
    path = put(environment.home, session.data)
    ends = [at + 1 for at, byte in enumerate(session.data) if byte == 10]
    assert read_in_steps(AGENT, path, session.data, ends) == finished(sessions)


def test_an_undo_of_an_undo_and_the_way_of_older_releases(read: Reader) -> None:
    session = Kimi().turn("first")
    one = len(session.rows)
    session.turn("second").undo(one).turn("third")
    three = len(session.rows)
    session.turn("fourth").undo(three, base="b1", branch="b2").turn("fifth")
    assert texts(whole(read(session))) == ["first", "third", "fifth"]
    session.add("context.undo", count=2)
    assert texts(whole(read(session.turn("sixth")))) == ["first", "sixth"]


@pytest.mark.parametrize(
    "base", [{"branch": "b1", "line": 3}, {"branch": "nowhere", "line": 3}, {"line": "x"}, None]
)
def test_a_branch_from_nowhere_hides_nothing(read: Reader, base: object) -> None:
    session = Kimi().turn("first").add("agent.switched", branch="b1", base=base).turn("second")
    assert texts(whole(read(session))) == ["first", "second"]


def test_what_nobody_typed_opens_no_turn(read: Reader) -> None:
    session = Kimi().prompt("first")
    session.put_in("by the way", kind="user", inTurn=True)
    session.put_in("task is done", kind="system_trigger", name="task").step("ok").done().end()
    session.add("turn.prompt", input=[], origin={"kind": "system_trigger", "name": "cron"})
    session.put_in("every morning", kind="system_trigger", name="cron").step("morning").done()
    sessions = read(session.end())
    assert [s.turn.prompt for s in sessions if s.turn] == ["first", ""]
    roles = [m.role for m in AGENT.messages(whole(sessions))]
    assert roles == ["user", "note", "user", "note", "assistant", "note", "assistant"]
    assert whole(sessions).counts.messages == len(roles)


def test_a_log_without_announced_prompts_has_turns_too(read: Reader) -> None:
    session = Kimi()
    for text in ("first", "second"):
        session.put_in(text, kind="user").step(f"answer to {text}").done()
    sessions = read(session)
    assert [s.turn.prompt for s in sessions if s.turn] == ["first", "second"]
    assert [s.turn.kind for s in sessions if s.turn] == ["turn", "open"]


@pytest.mark.parametrize("reason", ["cancelled", "failed"])
def test_a_turn_that_was_stopped_is_interrupted(read: Reader, reason: str) -> None:
    [session] = read(Kimi().prompt("wait").step("I").end(reason))
    assert session.turn is not None
    assert session.turn.kind == "interrupted"


def test_a_compaction_is_known_and_what_it_kept(read: Reader, environment: Environment) -> None:
    session = Kimi().turn("first").turn("second").compact("the summary", kept=1).turn("third")
    sessions = read(session)
    assert [s.turn.kind for s in sessions if s.turn] == ["turn", "turn", "compaction"]
    [told] = [m for m in AGENT.messages(whole(sessions)) if m.role == "system"]
    assert (told.parts[0].text, told.extra["kept"]) == ("the summary", ("second",))
    assert sessions[-1].state.markers[0]["tokens"] == 900
    for foreign in (False, True):
        out = rows_of(whole(sessions), environment, foreign=foreign)
        [row] = [row for row in out if row["type"] == "context.apply_compaction"]
        assert "wireLines" not in row
        assert ("contextSummary" in row) is not foreign


def test_an_older_compaction_counts_messages(read: Reader, environment: Environment) -> None:
    session = Kimi().turn("first").turn("second").compact("s")
    del session.rows[-1]["keptUserMessageCount"]
    out = rows_of(whole(read(session.turn("third"))), environment, foreign=True)
    [row] = [row for row in out if row["type"] == "context.apply_compaction"]
    assert row["compactedCount"] == 2  # two of the four were notes that stay behind


def test_files_todos_and_commands(read: Reader) -> None:
    session = Kimi().prompt("work")
    session.read("/project/a.py", "hello = 1\n\n# end\n")
    session.tool("Edit", "Replaced", path="/project/a.py", old_string="= 1", new_string="= 2")
    session.tool("Write", "Wrote", path="/project/b.py", content="x")
    session.tool("Write", "Wrote", path="/project/c.py", content="more", mode="append")
    session.tool("Read", "7\tpart of it", path="/project/d.py", line_offset=7, note="")
    session.tool("Bash", "no\nCommand exited with code 3", command="false")
    session.tool("TodoList", "ok", todos=[{"title": "rest", "status": "done"}])
    session.tool("TodoList", "- rest")
    [one] = read(session.step("done").done().end())
    assert {f.path: f.content for f in one.files} == {
        "a.py": b"hello = 2\n\n# end\n", "b.py": b"x", "c.py": None,
    }  # fmt: skip
    assert (one.state.last_command, one.state.active_file) == ("false", "d.py")
    [todo] = one.state.todos
    assert (todo.text, todo.status) == ("rest", "completed")


def test_every_call_has_one_result(read: Reader, environment: Environment) -> None:
    session = Kimi().prompt("go \ud83d")
    session.step("", *((name, "Bash", {"command": "ls"}) for name in ("c1", "c2", "c3")))
    session.result("c2", "two").result("c9", "whose?").result("c2", "again")
    stored = whole(read(session))
    target = Target("/elsewhere", native_id=NEW_ID)
    assert set(AGENT.write(stored, target, environment).repairs) == {
        "2 half surrogates replaced",
        "2 tool results without a call left out",
        "2 tool calls without result marked as interrupted",
    }
    told = [row["event"] for row in rows_of(stored, environment) if "event" in row]
    assert [e["toolCallId"] for e in told if e["type"] == "tool.result"] == ["c2", "c1", "c3"]


def test_nothing_of_what_it_may_do_is_written(read: Reader, environment: Environment) -> None:
    session = Kimi().put_in("<system-reminder>all yours</system-reminder>", kind="injection",
                            variant="permission_mode")  # fmt: skip
    session.add("permission.record_approval_result", sessionApprovalRule="Bash")
    session.add("goal.set", objective="take over").turn("first", command="ls")
    stored = whole(read(session))
    for foreign, cwd in ((False, "/project"), (False, "/elsewhere"), (True, "/project")):
        out = rows_of(stored, environment, foreign=foreign, cwd=cwd)
        stays = cwd == "/project" and not foreign
        assert ("profile.bind" in {row["type"] for row in out}) is stays
        text = json.dumps(out)
        assert not any(word in text for word in ("permission", "all yours", "take over"))
        assert ('"/project"' in text) is stays


def test_the_model_of_a_new_start_is_the_users_own(read: Reader, environment: Environment) -> None:
    stored = whole(read(Kimi().turn("first")))
    commands = []
    for cwd in ("/project", "/elsewhere"):
        written = AGENT.write(stored, Target(cwd, native_id=NEW_ID), environment)
        for path, data in written.files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        commands.append((cwd, str(written.main)))
    start = [AGENT.start_command(NEW_ID, *one) for one in commands]
    assert start == [("kimi", "--session", NEW_ID)] * 2
    settings = AGENT.home(environment) / "config.toml"
    for text, named in (('default_model = "mine"', ("--model", "mine")), ("default_model =", ())):
        settings.write_text(text)
        assert AGENT.start_command(NEW_ID, *commands[0]) == ("kimi", "--session", NEW_ID)
        assert AGENT.start_command(NEW_ID, *commands[1]) == ("kimi", *named, "--session", NEW_ID)


def test_subagents_come_with_their_turn(environment: Environment) -> None:
    session = Kimi().turn("first").prompt("ask").step("", ("t", "Agent", {"prompt": "find it"}))
    helper = Kimi("agent-0", session.start + len(session.rows) * 1000)
    origin = {"kind": "system_trigger", "name": "subagent"}
    helper.put_in("find it", **origin).read("/project/a.py", "hello\n").step("it is there").done()
    session.add("subagent.spawned", subagentId="agent-0", subagentName="explore",
                parentAgentId="main", parentToolCallId="t")  # fmt: skip
    for _ in helper.rows:
        session.add("token_counting.measured", length=1)
    session.result("t", "it is there").done("tool_use").step("there").done().end()
    path = put(environment.home, session.data, **{"agent-0": helper.data})
    first, second = list(AGENT.read(the_source(AGENT, path)))
    assert not first.stream("subagents/agent-0").records
    assert joined([second], "subagents/agent-0") == helper.data
    alone = second._replace(streams=(second.stream("subagents/agent-0")._replace(name="main"),))
    assert [(m.role, m.text) for m in AGENT.messages(alone)] == [
        ("user", "find it"), ("assistant", "I use Read."), ("assistant", "it is there"),
    ]  # fmt: skip
    stored = whole([first, second])
    written = AGENT.write(stored, Target("/elsewhere", native_id=NEW_ID), environment)
    folder = written.main.parents[2]
    state = json.loads(written.files[folder / "state.json"])
    assert state["agents"]["agent-0"]["labels"] == {
        "parentAgentId": "main", "profileName": "explore",
    }  # fmt: skip
    assert b"it is there" in written.files[folder / "agents" / "agent-0" / "wire.jsonl"]
    own = the_source(AGENT, path.parents[1] / "agent-0" / "wire.jsonl")
    assert own.native_id == f"{KIMI_ID}.agent-0"


@pytest.mark.parametrize(
    "name", ["subagents/../../../x", "subagents/a/b", "base/main", "a", "subagents/main"]
)
def test_no_name_of_a_stream_leads_elsewhere(
    read: Reader, environment: Environment, name: str
) -> None:
    stored = whole(read(Kimi().turn("first")))
    other = stored.stream()._replace(name=name, records=stored.stream().records[:2])
    stored = stored._replace(streams=(stored.stream(), other))
    written = AGENT.write(stored, Target("/elsewhere", native_id=NEW_ID), environment)
    folder = written.main.parents[2]
    assert set(written.files) == {folder / "state.json", folder / "agents/main/wire.jsonl"}
    assert b"answer to first" in written.files[written.main]


def test_pictures_are_kept_beside_and_go_along(environment: Environment) -> None:
    shown = {"type": "image_url", "imageUrl": {"url": f"blobref:image/png;{HASH}"}}
    session = Kimi().prompt("look", shown).step("", ("c", "ReadMediaFile", {"path": "x.png"}))
    session.result("c", [{"type": "text", "text": "x.png"}, shown]).done().end()
    path = put(environment.home, session.data)
    (path.parent / "blobs").mkdir()
    (path.parent / "blobs" / HASH).write_bytes(b"hello")
    stored = whole(AGENT.read(the_source(AGENT, path)))
    assert [(s.path, s.data) for s in stored.sidecars] == [(f"blobs/{HASH}", b"hello")]
    prompt, _, answer = AGENT.messages(stored)
    image = image_of(prompt.parts[1].native)
    assert image is not None
    assert (image.media, image.data) == ("image/png", "aGVsbG8=")
    assert image_of(answer.parts[1].native[0]) == image  # type: ignore[index]
    written = AGENT.write(stored, Target("/elsewhere", native_id=NEW_ID), environment)
    assert written.files[written.main.parent / "blobs" / HASH] == b"hello"


def test_pictures_that_are_too_much_are_noted(environment: Environment) -> None:
    beside = {"type": "image_url", "imageUrl": {"url": f"blobref:image/png;{HASH}"}}
    url = "data:image/jpeg;base64," + "A" * (LARGEST + 4)
    inline = {"type": "image_url", "imageUrl": {"url": url}}
    small = {"type": "image_url", "imageUrl": {"url": "data:image/png;base64,aGVsbG8="}}
    session = Kimi().prompt("look", beside, inline).step("", ("c", "ReadMediaFile", {}))
    session.result("c", [small, inline]).done().end()
    path = put(environment.home, session.data)
    (path.parent / "blobs").mkdir()
    (path.parent / "blobs" / HASH).write_bytes(b"x" * LARGEST)
    stored = whole(AGENT.read(the_source(AGENT, path)))
    written = AGENT.write(stored, Target("/elsewhere", native_id=NEW_ID), environment)
    [told] = written.repairs
    assert told.startswith("3 images of 4 over the limits of a request")
    log = written.files[written.main]
    assert len(log) < 10_000 + LARGEST  # the event that only announces the prompt has it
    shown = [row for row in map(json.loads, log.splitlines()) if row["type"] != "turn.prompt"]
    assert json.dumps(shown).count("image_url") == 1


def test_masked_and_sealed_thoughts_are_left_out(read: Reader, environment: Environment) -> None:
    thoughts = ("fine", "my __REDACTED_password_0123abcd__")
    session = Kimi().prompt("go").step()
    for number, thought in enumerate(thoughts):
        part = {"type": "think", "think": thought, "encrypted": f"seal-{number}"}
        session.event("content.part", stepUuid="s", part=part)
    stored = whole(read(session.done().end()))
    for foreign in (False, True):
        text = json.dumps(rows_of(stored, environment, foreign=foreign))
        assert "REDACTED" not in text
        assert "fine" in text
        assert ("seal-0" in text) is not foreign


def test_a_log_given_by_hand_needs_nothing_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(kimi_session(1))
    source = the_source(AGENT, path)
    assert (source.native_id, source.cwd, source.title) == ("kimi-1769860800000", "", "question 1")
    assert len(finished(AGENT.read(source))) == 1


def test_nothing_said_is_nothing_to_continue(read: Reader, environment: Environment) -> None:
    with pytest.raises(SourceUnreadable):
        AGENT.write(whole(read(Kimi())), Target("/elsewhere"), environment)


def test_the_first_releases_put_messages_in_whole(read: Reader) -> None:
    session = Kimi().put_in("first", kind="user")
    call = {"id": "c1", "type": "function", "function": {"name": "Bash", "arguments": '{"a": 1}'}}
    told = {"role": "assistant", "content": [{"type": "think", "think": "hm"}], "toolCalls": [call]}
    session.add("context.append_message", message=told)
    answer = {"role": "tool", "toolCallId": "c1", "content": "out", "toolCalls": []}
    session.add("context.append_message", message=answer)
    stored = whole(read(session))
    _, said = AGENT.messages(stored)
    assert [(p.kind, p.text) for p in said.parts] == [
        ("reasoning", "hm"), ("tool_call", ""), ("tool_result", "out"),
    ]  # fmt: skip
    assert said.parts[1].input == {"a": 1}
    assert stored.counts.messages == 2


def test_secrets_are_masked_and_pictures_and_seals_are_not(read: Reader) -> None:
    token = Made(7).vendor_tokens()["github-token"]
    part = {"type": "think", "think": "hm", "encrypted": "QUJD" * 90}
    session = Kimi().prompt(f"use {token}").step().event("content.part", stepUuid="s", part=part)
    session.done().tool("Bash", f"export TOKEN={token}\n", command="env").end()
    [stored] = read(session)
    masked = Redactor(b"k" * 32).redact(stored).session
    data = joined([masked])
    assert token.encode() not in data
    assert b"QUJD" * 90 in data
    assert len(data.splitlines()) == len(session.rows)
    assert all(isinstance(json.loads(line), dict) for line in data.splitlines())
