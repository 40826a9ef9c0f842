"""Claude Code: turns, facts, state, files and sidecars out of the transcript."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitsession.agents.claude_code import AGENT
from gitsession.environment import Environment
from gitsession.model.session import Session, Todo
from tests.agents.contract import finished, head, joined, read_in_steps, the_source
from tests.builders import CLAUDE_ID, Claude, a_uuid


def read(tmp_path: Path, session: Claude | bytes) -> list[Session]:
    path = tmp_path / "session.jsonl"
    path.write_bytes(session if isinstance(session, bytes) else session.data)
    return list(AGENT.read(the_source(AGENT, path)))


def kinds(sessions: list[Session]) -> list[str]:
    return [session.turn.kind for session in sessions if session.turn]


# Where a turn ends


def test_a_thinking_record_of_the_last_message_does_not_end_the_turn(tmp_path: Path) -> None:
    session = Claude()
    session.prompt("why")
    block = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
    session.assistant(block, "end_turn", message="m")
    session.say("because", message="m")
    [only] = read(tmp_path, session)
    assert only.turn is not None
    assert (only.turn.kind, only.turn.messages, only.counts.messages) == ("turn", 3, 2)


def test_more_text_of_an_ended_message_is_no_turn_of_its_own(tmp_path: Path) -> None:
    session = Claude()
    session.prompt("why")
    session.say("one", message="m")
    session.say("two", message="m")
    session.turn("next")
    sessions = read(tmp_path, session)
    assert kinds(sessions) == ["turn", "turn", "open"]
    assert [s.usage.total for s in sessions[:2]] == [115, 230]


def test_a_prompt_closes_an_unanswered_turn_as_interrupted(tmp_path: Path) -> None:
    session = Claude()
    session.prompt("first")
    session.bash("sleep 9")
    session.prompt([{"type": "text", "text": "[Request interrupted by user]"}])
    session.turn("second")
    sessions = read(tmp_path, session)
    assert kinds(sessions) == ["interrupted", "turn", "open"]
    assert len(sessions[0].stream().records) == 4


def test_an_open_call_keeps_the_turn_open(tmp_path: Path) -> None:
    session = Claude()
    session.prompt("first")
    session.call("Bash", {"command": "make"})
    session.say("started")
    assert kinds(read(tmp_path, session)) == ["open"]


def test_versions_without_stop_reasons_end_by_their_closing_rows(tmp_path: Path) -> None:
    session = Claude(version="2.1.7")
    session.prompt("first")
    session.say("done", stop=None)
    session.tree("system", subtype="turn_duration")
    session.prompt("second")
    session.say("done too", stop=None)
    session.prompt("third")
    assert kinds(read(tmp_path, session)) == ["turn", "turn", "open"]


def test_local_commands_and_notes_are_no_prompts(tmp_path: Path) -> None:
    session = Claude().turn("first")
    session.prompt("<command-name>/theme</command-name>\n<command-message>theme</command-message>")
    session.prompt("<local-command-stdout>Theme set</local-command-stdout>")
    message = {"role": "user", "content": "injected"}
    session.tree("user", message=message, isMeta=True)
    command = "<command-name>/init</command-name>\n<command-args>fast</command-args>"
    session.turn(f"<command-message>init is running</command-message>\n{command}")
    sessions = read(tmp_path, session)
    assert kinds(sessions) == ["turn", "turn", "open"]
    assert sessions[1].turn is not None
    assert sessions[1].turn.prompt == "/init fast"


def test_what_an_editor_adds_is_not_the_prompt(tmp_path: Path) -> None:
    said = [
        {"type": "text", "text": "<ide_opened_file>The user opened /x</ide_opened_file>"},
        {"type": "text", "text": "why is this slow?"},
    ]
    session = Claude()
    session.prompt(said)
    [only] = read(tmp_path, session)
    assert only.turn is not None
    assert (only.turn.prompt, only.info.title) == ("why is this slow?",) * 2


def test_a_complete_last_line_without_newline_stays_open(tmp_path: Path) -> None:
    session = Claude()
    session.prompt("first")
    session.say("done")
    assert kinds(read(tmp_path, session.data[:-1])) == ["open"]
    assert kinds(read(tmp_path, session.data)) == ["turn"]


def test_sidechain_records_in_the_main_file_end_nothing(tmp_path: Path) -> None:
    session = Claude().turn("first")
    session.prompt("second")
    tip = session.tip
    session.extra = {"isSidechain": True}
    session.prompt("do this, subagent", parent=None)
    session.say("subagent done")
    session.extra, session.tip = {}, tip
    session.say("all done")
    sessions = read(tmp_path, session)
    assert kinds(sessions) == ["turn", "turn"]
    assert [m.text for m in AGENT.messages(sessions[1])] == ["second", "all done"]


# Rewinds and compactions


def test_A16_two_rewinds_in_one_file(tmp_path: Path) -> None:
    session = Claude().turn("one").turn("two")
    before_four = session.turn("three").tip
    session.turn("four")
    session.tip = before_four
    session.turn("four again")
    before_two = a_uuid(CLAUDE_ID, 1)
    session.tip = before_two
    session.turn("two at last")
    sessions = finished(read(tmp_path, session))
    assert [(s.turn.prompt, s.turn.rewound) for s in sessions if s.turn] == [
        ("one", False), ("two", False), ("three", False), ("four", False),
        ("four again", True), ("two at last", True),
    ]  # fmt: skip


@pytest.mark.parametrize("parent", [None, a_uuid("nowhere"), "", 7])
def test_an_unknown_parent_is_no_rewind(tmp_path: Path, parent: str | None) -> None:
    session = Claude().turn("one")
    session.tip = parent
    session.turn("two")
    assert not any(s.turn and s.turn.rewound for s in read(tmp_path, session))


def test_any_record_of_the_previous_answer_may_be_the_parent(tmp_path: Path) -> None:
    session = Claude()
    session.turn("one").prompt("two")
    session.bash("ls")
    inside = session.tip
    session.say("done")
    session.tip = inside
    session.turn("three")
    assert not any(s.turn and s.turn.rewound for s in read(tmp_path, session))


def test_a_turn_with_a_compaction_is_of_that_kind(tmp_path: Path) -> None:
    session = Claude().turn("one").compact("so far: one").turn("two")
    sessions = read(tmp_path, session)
    assert kinds(sessions) == ["turn", "compaction", "open"]
    assert sessions[1].counts.compactions == 1
    assert sessions[1].state.markers[0]["tokens"] == 1000
    assert not any(s.turn and s.turn.rewound for s in sessions)


# Facts and state


def test_titles_the_users_wins(tmp_path: Path) -> None:
    session = Claude().turn("the prompt\nmore of it")
    assert read(tmp_path, session)[-1].info.title == "the prompt"
    session.raw(b'{"type":"summary","summary":"Foreign","leafUuid":"' + b"0" * 36 + b'"}\n')
    assert read(tmp_path, session)[-1].info.title == "the prompt"
    leaf = a_uuid(CLAUDE_ID, 1).encode()
    session.raw(b'{"type":"summary","summary":"Summed up","leafUuid":"' + leaf + b'"}\n')
    assert read(tmp_path, session)[-1].info.title == "Summed up"
    session.row(type="ai-title", aiTitle="By the agent")
    assert read(tmp_path, session)[-1].info.title == "By the agent"
    session.row(type="custom-title", customTitle="Mine").row(type="ai-title", aiTitle="Again")
    assert read(tmp_path, session)[-1].info.title == "Mine"


def test_info_collects_places_models_versions_and_times(tmp_path: Path) -> None:
    session = Claude().turn("one")
    session.cwd, session.version = "/project/sub", "2.2.0"
    session.turn("two")
    session.extra = {"timestamp": "2020-01-01T00:00:00.000Z", "gitBranch": "fix"}
    info = read(tmp_path, session.turn("three"))[-1].info
    assert (info.cwd, info.roots) == ("/project", ("/project", "/project/sub"))
    assert (info.agent_version, info.git_branch) == ("2.2.0", "fix")
    assert (info.created, info.updated) == ("2026-01-31T12:00:00.000Z", "2026-01-31T12:00:04.000Z")
    assert info.models == ("claude-opus-5-5",)


def test_tokens_count_each_api_message_once(tmp_path: Path) -> None:
    session = Claude()
    session.prompt("x")
    for text in ("a", "b", "c"):
        session.say(text, stop="tool_use", message="m")
    session.say("end")
    used = read(tmp_path, session)[-1].usage
    assert (used.input, used.output, used.cache_read, used.cache_write) == (200, 20, 10, 0)


def test_records_of_other_sessions_are_counted(tmp_path: Path) -> None:
    session = Claude().turn("one")
    session.session_id = a_uuid("other")
    session.turn("two")
    assert read(tmp_path, session)[-1].counts.foreign == 3


def test_todos_by_list_and_by_task(tmp_path: Path) -> None:
    session = Claude()
    session.prompt("x")
    todos = [{"content": "a", "status": "completed"}, {"content": "b", "status": "pending"}]
    session.result(session.call("TodoWrite", {"todos": todos}), "ok")
    assert read(tmp_path, session)[-1].state.todos == (Todo("a", "completed"), Todo("b", "pending"))
    session.result(session.call("TodoWrite", {"todos": []}), "ok")
    for number, subject in enumerate(("one", "two"), 1):
        native = {"task": {"id": str(number), "subject": subject}}
        session.result(session.call("TaskCreate", {"subject": subject}), "ok", native)
    session.result(session.call("TaskUpdate", {"taskId": "2", "status": "in_progress"}), "ok")
    session.result(session.call("TaskUpdate", {"taskId": "1", "status": "deleted"}), "ok")
    assert read(tmp_path, session)[-1].state.todos == (Todo("two", "in_progress", "2"),)


def test_last_command_exit_code_and_active_file(tmp_path: Path) -> None:
    session = Claude()
    session.prompt("x")
    session.bash("make test", "fine")
    state = read(tmp_path, session)[-1].state
    assert (state.last_command, state.exit_code, state.output_snippet) == ("make test", 0, "fine")
    text = "Error: Exit code 2\nno rule"
    session.result(session.call("Bash", {"command": "make"}), text[7:], text, error=True)
    session.write("/project/src/a.py", "x = 1\n")
    state = read(tmp_path, session)[-1].state
    assert (state.last_command, state.exit_code) == ("make", 2)
    assert state.active_file == "src/a.py"
    assert state.tools == ("Bash", "Write")


def test_a_long_output_is_cut_at_a_line_never_inside_a_key(tmp_path: Path) -> None:
    session = Claude()
    session.prompt("x")
    session.bash("cat", "\n".join(f"line {n}" for n in range(1000)))
    snippet = read(tmp_path, session)[-1].state.output_snippet
    assert snippet.endswith("line 999")
    assert 1000 < len(snippet) <= 2000
    assert snippet.startswith("line ")
    session.bash("cat", "-----BEGIN RSA PRIVATE KEY-----\n" + "M" * 3000)
    assert read(tmp_path, session)[-1].state.output_snippet == ""


# Files


def test_files_are_rebuilt_relative_to_the_project(tmp_path: Path) -> None:
    session = Claude()
    session.prompt("x")
    session.write("/project/new.py", "a\nb\n").write("/elsewhere/c.txt", "c")
    session.edit("/project/old.py", "one two one\n", "one", "1")
    [only] = read(tmp_path, session)
    assert {f.path: f.content for f in only.files} == {
        "new.py": b"a\nb\n",
        "/elsewhere/c.txt": b"c",
        "old.py": b"1 two one\n",
    }
    assert all(f.size == len(f.content or b"") for f in only.files)


def _read_result(path: str, content: str, start: int, total: int) -> dict[str, object]:
    lines = content.count("\n") + 1
    file = {"filePath": path, "content": content, "numLines": lines, "startLine": start,
            "totalLines": total}  # fmt: skip
    return {"type": "text", "file": file}


def test_only_what_was_read_in_full_is_a_file(tmp_path: Path) -> None:
    session = Claude()
    session.prompt("x")
    for path, start, total in (("/project/a", 1, 2), ("/project/b", 1, 9), ("/project/c", 5, 2)):
        call = session.call("Read", {"file_path": path})
        session.result(call, "1 x", _read_result(path, "x\ny", start, total))
    assert [f.path for f in read(tmp_path, session)[-1].files] == ["a"]


def _blind_edit(session: Claude, path: str, old: str, new: str, shown: str) -> None:
    """An edit as newer versions write it for larger files: without the original."""
    hunk = {"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1, "lines": [f"-{shown}"]}
    native = {"filePath": path, "oldString": old, "newString": new, "originalFile": None,
              "structuredPatch": [hunk], "userModified": False, "replaceAll": False}  # fmt: skip
    call = session.call("Edit", {"file_path": path, "old_string": old, "new_string": new})
    session.result(call, "ok", native)


def test_an_edit_without_original_is_rebuilt_from_earlier_turns(tmp_path: Path) -> None:
    session = Claude()
    session.prompt("one")
    session.write("/project/a", "first\nlast\n")
    session.say("done")
    session.prompt("two")
    _blind_edit(session, "/project/a", "first", "\tsecond", "first")
    session.say("done")
    session.prompt("three")
    _blind_edit(session, "/project/a", "second", "third", "  second")
    session.say("done")
    path = tmp_path / "session.jsonl"
    once = read(tmp_path, session)
    assert [s.files[0].content for s in once] == [
        b"first\nlast\n", b"\tsecond\nlast\n", b"\tthird\nlast\n",
    ]  # fmt: skip
    [third] = AGENT.read(the_source(AGENT, path), head(once[1]))
    assert third == once[2]


def test_a_file_changed_by_others_in_between_is_not_guessed(tmp_path: Path) -> None:
    session = Claude()
    session.prompt("one")
    session.write("/project/a", "first\n")
    _blind_edit(session, "/project/a", "first", "second", "zeroth first")
    [only] = read(tmp_path, session)
    [file] = only.files
    assert (file.content, file.reason) == (None, "not reconstructable")


def test_instruction_files_are_kept_apart(tmp_path: Path) -> None:
    session = Claude()
    session.prompt("one")
    content = {"path": "/project/CLAUDE.md", "type": "Project", "content": "be kind"}
    attachment = {"type": "nested_memory", "path": "/project/CLAUDE.md", "content": content}
    session.tree("attachment", attachment=attachment)
    [only] = read(tmp_path, session)
    assert [(f.path, f.content) for f in only.instructions] == [("CLAUDE.md", b"be kind")]


# Beside the main file


def _with_subagent(environment: Environment) -> tuple[Path, Claude, Claude]:
    main = Claude().turn("one", command="ls")
    path = main.save(environment.home)
    folder = path.with_suffix("") / "subagents"
    folder.mkdir(parents=True)
    side = Claude()
    side.extra = {"isSidechain": True, "agentId": "a1", "sessionId": CLAUDE_ID}
    side.turn("look around")
    (folder / "agent-a1.jsonl").write_bytes(side.data)
    (folder / "agent-a1.meta.json").write_text('{"agentType":"Explore"}')
    return path, main, side


def test_subagents_are_streams_with_their_description(environment: Environment) -> None:
    _, main, side = _with_subagent(environment)
    [source] = AGENT.find(environment)
    sessions = list(AGENT.read(source))
    assert joined(sessions) == main.data
    assert joined(sessions, "subagents/a1") == side.data
    first = sessions[0]
    assert len(first.stream("subagents/a1").records) == 3  # the last one has no time of its own
    assert [s.path for s in first.sidecars] == ["subagents/agent-a1.meta.json"]
    assert first.counts.bytes == sum(
        len(r.data) for stream in first.streams for r in stream.records
    )


def test_what_a_subagent_wrote_after_the_end_is_open(environment: Environment) -> None:
    path, main, side = _with_subagent(environment)
    path.write_bytes(b"".join(main.rows[:-1]))
    late = path.with_suffix("") / "subagents" / "agent-a1.jsonl"
    side.extra["timestamp"] = "2027-01-01T00:00:00.000Z"
    late.write_bytes(side.turn("later").data)
    [source] = AGENT.find(environment)
    sessions = list(AGENT.read(source))
    assert kinds(sessions) == ["turn", "open"]
    assert joined(sessions, "subagents/a1") == side.data
    again = list(AGENT.read(source, head(sessions[0])))
    assert again == sessions[1:]


def test_sidecars_go_with_the_turn_that_names_them(environment: Environment) -> None:
    session = Claude().turn("one")
    backup = {"backupFileName": "0123456789abcdef@v1", "version": 1,
              "backupTime": session.time(4)}  # fmt: skip
    session.row(type="file-history-snapshot", snapshot={"trackedFileBackups": {"a.py": backup}})
    session.prompt("two")
    where = environment.home / ".claude"
    folder = session.save(environment.home).with_suffix("") / "tool-results"
    spilled = {"stdout": "big", "persistedOutputPath": f"{folder}/big.txt"}
    session.result(session.call("Bash", {"command": "big"}), "preview", spilled)
    session.say("done")
    session.save(environment.home)
    for path, text in {
        folder / "big.txt": "all of it",
        folder / "unnamed.txt": "no",
        where / "file-history" / CLAUDE_ID / "0123456789abcdef@v1": "backup",
        where / "tasks" / CLAUDE_ID / "1.json": '{"id":"1"}',
        where / "tasks" / CLAUDE_ID / ".lock": "",
        where / "todos" / f"{CLAUDE_ID}-agent-{CLAUDE_ID}.json": "[]",
        where / "history.jsonl": "secret history",
    }.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    [source] = AGENT.find(environment)
    first, second = AGENT.read(source)
    assert not first.sidecars
    assert {s.path: s.data for s in second.sidecars} == {
        "tool-results/big.txt": b"all of it",
        "file-history/0123456789abcdef@v1": b"backup",
        "tasks/1.json": b'{"id":"1"}',
        "todos/agent-main.json": b"[]",
    }


def test_a_link_among_the_spilled_outputs_is_not_followed(
    environment: Environment, tmp_path: Path
) -> None:
    session = Claude()
    session.prompt("x")
    (tmp_path / "secret").write_text("private")
    folder = session.save(environment.home).with_suffix("") / "tool-results"
    folder.mkdir(parents=True)
    (folder / "out.txt").symlink_to(tmp_path / "secret")
    named = {"persistedOutputPath": f"{folder}/out.txt"}
    session.result(session.call("Bash", {"command": "x"}), "x", named)
    session.save(environment.home)
    [source] = AGENT.find(environment)
    [only] = AGENT.read(source)
    assert not only.sidecars


# Damage


def test_A3_torn_tail(tmp_path: Path) -> None:
    session = Claude().turn("one").turn("two")
    torn, path = session.data[:-30], tmp_path / "session.jsonl"
    first = read(tmp_path, torn)
    assert joined(first) == torn
    assert first[-1].counts.damaged == 1
    since = head(finished(first)[-1])
    session.turn("three")
    path.write_bytes(session.data)
    rest = list(AGENT.read(the_source(AGENT, path), since))
    assert joined(finished(first)) + joined(rest) == session.data
    assert rest[-1].counts.damaged == 0
    assert rest[-1].counts.records == session.data.count(b"\n")


def test_A4_damaged_middle(tmp_path: Path) -> None:
    session = Claude().raw(b"\xef\xbb\xbf")
    session.turn("first\u2028line").raw(b"\n").raw(b"\0" * 4096 + b"\n").turn("second")
    session.rows[-1] = session.rows[-1].rstrip(b"\n")  # the next record lands on the same line
    session.turn("third")
    session.rows[-1] = session.rows[-1].replace(b"\n", b"\r\n")
    session.raw(b"null\n").turn("fourth").raw(b"\0" * 99)
    sessions = read(tmp_path, session)
    assert joined(sessions) == session.data
    assert [s.turn.prompt for s in finished(sessions) if s.turn] == [
        "first\u2028line", "second", "third", "fourth",
    ]  # fmt: skip
    assert sessions[-1].counts.damaged == 3
    assert sessions[-1].counts.messages == 8


def test_A5_half_surrogates_and_exact_bytes(tmp_path: Path) -> None:
    session = Claude()
    session.prompt("HERE")
    session.say("answer")
    odd = rb"half \ud83d, pair \ud83d\ude00, slash \/, escaped \u00fc, text \\ud83d \u4f60"
    data = session.data.replace(b"HERE", odd).replace(
        b'"isSidechain":false', b'"cost":1.10,"isSidechain":true,"isSidechain":false', 1
    )
    [only] = read(tmp_path, data)
    assert joined([only]) == data
    assert only.turn is not None
    assert only.turn.prompt.encode().decode() == (
        "half \ufffd, pair \U0001f600, slash /, escaped ü, text \\ud83d 你"
    )
    assert AGENT.messages(only)[0].text == only.turn.prompt


def test_invalid_utf8_is_read_and_counted(tmp_path: Path) -> None:
    session = Claude().turn("HERE")
    [done, tail] = read(tmp_path, session.data.replace(b"HERE", b"caf\xe9 \xed\xa0\x80"))
    assert done.turn is not None
    assert done.turn.prompt.startswith("caf\ufffd")
    assert tail.counts.damaged == 3  # prompt, answer and the row that repeats the prompt


@pytest.mark.parametrize("row", [
    {"type": "user"}, {"type": "user", "message": None}, {"type": "assistant", "message": []},
    {"type": "user", "message": {"content": {"a": 1}}}, {"type": 5}, {"type": ["x"]},
    {"type": "assistant", "message": {"content": [None, 3, {"type": "tool_use"}], "usage": 5}},
    {"type": "user", "message": {"content": [{"type": "tool_result"}]}, "toolUseResult": [1]},
    {"type": "system", "subtype": "compact_boundary", "compactMetadata": 3},
    {"type": "user", "toolUseResult": {"filePath": "/a", "oldString": 1, "edits": "x"}},
    {"type": "user", "toolUseResult": {"filePath": "/a", "edits": [1, {"old_string": 3}]}},
    {"type": "file-history-snapshot", "snapshot": {"trackedFileBackups": {"a": None}}},
    {"type": "attachment", "attachment": {"type": "queued_command", "prompt": [1, {}]}},
    {"type": "last-prompt", "leafUuid": {}}, {"uuid": 3, "timestamp": 1e99, "cwd": 7}, {},
])  # fmt: skip
def test_records_of_strange_shape_crash_nothing(tmp_path: Path, row: dict[str, object]) -> None:
    session = Claude().turn("one").raw(json.dumps(row).encode() + b"\n").turn("two")
    sessions = read(tmp_path, session)
    assert joined(sessions) == session.data
    assert len(finished(sessions)) == 2
    assert [m.text for m in AGENT.messages(sessions[1])][-2:] == ["two", "answer to two"]


# History is a function of content

_PLAYS: dict[str, Callable[[Claude, int], object]] = {
    "turn": lambda s, n: s.turn(f"turn {n}", command="ls"),
    "prompt": lambda s, n: s.prompt(f"prompt {n}"),
    "say": lambda s, n: s.say(f"say {n}"),
    "bash": lambda s, n: s.bash(f"run {n}"),
    "call": lambda s, n: s.call("Bash", {"command": "never"}),
    "compact": lambda s, n: s.compact(),
    "rewind": lambda s, n: setattr(s, "tip", a_uuid(CLAUDE_ID, n % 7)),
    "title": lambda s, n: s.row(type="custom-title", customTitle=f"title {n}"),
    "junk": lambda s, n: s.raw(b"\0\0 junk\n"),
    "edit": lambda s, n: s.edit("/project/f", "a b", "a", str(n)),
    "blind": lambda s, n: _blind_edit(s, "/project/f", "b", str(n), "a b"),
    "glue": lambda s, n: s.rows.append(s.rows.pop().rstrip(b"\n")),
    "note": lambda s, n: s.prompt("<local-command-stdout>note</local-command-stdout>"),
}
_steps = st.lists(st.sampled_from(sorted(_PLAYS)), min_size=1, max_size=25)


def _play(steps: list[str]) -> Claude:
    session = Claude().turn("start")
    for number, step in enumerate(steps):
        _PLAYS[step](session, number)
    return session


@given(steps=_steps, data=st.data())
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_any_steps_give_the_history_of_one_go(
    tmp_path: Path, steps: list[str], data: st.DataObject
) -> None:
    session = _play(steps)
    path = tmp_path / "session.jsonl"
    # A step never ends between two glued records: there the agent itself made another history.
    cuts = [len(b"".join(session.rows[:n])) for n in range(len(session.rows) + 1)]
    cuts = [at for at in cuts if session.data[at - 1 : at] == b"\n"]
    ends = sorted(data.draw(st.sets(st.sampled_from(cuts), max_size=8))) if cuts else []
    torn = sorted(data.draw(st.sets(st.integers(0, len(session.data)), max_size=3)))
    torn = [at for at in torn if session.data[at - 1 : at + 1] != b"}{"]
    once = finished(read(tmp_path, session))
    assert read_in_steps(AGENT, path, session.data, sorted({*ends, *torn})) == once
