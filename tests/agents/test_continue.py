"""Continue CLI: the contract, and what is peculiar to its files."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from gitsession.agents.base import Target, newest_in, settled, start_command
from gitsession.agents.continue_cli import AGENT
from gitsession.environment import Environment
from gitsession.errors import SourceUnreadable
from gitsession.model.session import Session, Todo
from tests.agents.contract import finished, head, the_source, whole
from tests.agents.contract_reading import ReadCase, WholeContract, place
from tests.continue_builder import CONTINUE_ID, Continue, call, grown, put

OTHER_ID = "a5983f94-be5c-456c-a9b2-01a22dccacba"


class TestContract(WholeContract):
    case = ReadCase(
        agent=AGENT,
        grow=grown,
        put=lambda environment, data: put(environment.home, data),
        unknown=b"",
        native_id=CONTINUE_ID,
        tells=frozenset({"calls", "cwd", "usage"}),
    )


def _read(session: Continue, home: Path) -> list[Session]:
    return list(AGENT.read(the_source(AGENT, session.save(home))))


def test_a_session_is_dated_by_the_list_beside(environment: Environment) -> None:
    path = put(environment.home, grown(1))
    [first] = finished(AGENT.read(the_source(AGENT, path)))
    assert (first.info.created, first.info.updated) == ("2026-11-30T18:44:46.455Z",) * 2
    put(environment.home, grown(2))
    [second] = finished(AGENT.read(the_source(AGENT, path), head(first)))
    assert second.info.created == first.info.created
    for damaged in (b"", b"{}", b"[1]", b'[{"sessionId": "%s"}]' % CONTINUE_ID.encode(),
                    b'[{"sessionId": "%s", "dateCreated": "9999999999999999"}]'
                    % CONTINUE_ID.encode(), b"[" * 100_000):  # fmt: skip
        (path.parent / "sessions.json").write_bytes(damaged)
        [undated, _] = finished(AGENT.read(the_source(AGENT, path)))
        assert undated.info.created == ""


def test_another_folder_is_named_by_a_variable(environment: Environment, tmp_path: Path) -> None:
    path = place(tmp_path / "mine/sessions/x.json", grown(1))
    named = Environment({"CONTINUE_GLOBAL_DIR": str(tmp_path / "mine")}, environment.home,
                        environment.cwd)  # fmt: skip
    assert [source.path for source in AGENT.find(named)] == [path]


def test_the_newest_of_a_folder_opens_nothing_older(
    environment: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[Path] = []
    look = AGENT.look
    monkeypatch.setattr(AGENT, "look", lambda path: (opened.append(path), look(path))[1])
    for number in range(1, 9):
        name = f"{number}{CONTINUE_ID[1:]}"
        path = Continue(name, "/here" if number == 5 else "/there").turn(1).save(environment.home)
        os.utime(path, (number, number))
    found = newest_in(AGENT, environment, "/here")
    assert found is not None and found.native_id.startswith("5")
    assert len(opened) == 4
    assert newest_in(AGENT, environment, "/here", 6_000_000_000) is None
    assert len(opened) == 6


def test_an_editor_tells_the_folder_as_an_address(environment: Environment) -> None:
    Continue(cwd="file:///my%20project").turn(1).save(environment.home)
    [source] = AGENT.find(environment, cwd="/my project")
    assert whole(AGENT.read(source)).info.cwd == "/my project"


def test_a_title_that_comes_later_is_no_other_past(environment: Environment) -> None:
    session = Continue().turn(1)
    [first, *_] = _read(session, environment.home)
    session.title = "Better named"
    [again, *_] = _read(session, environment.home)
    assert (first.info.title, again.info.title) == ("question 1", "Better named")
    before, after = (s.stream().records[0].data for s in (first, again))
    assert before != after
    assert settled(AGENT, before) == settled(AGENT, after)
    session.cwd = "/elsewhere"
    [moved, *_] = _read(session, environment.home)
    assert settled(AGENT, moved.stream().records[0].data) != settled(AGENT, before)


def test_a_compaction_begins_anew_with_its_summary(environment: Environment) -> None:
    session = Continue().turn(1).turn(2).compact("in short").turn(3)
    [turn] = finished(_read(session, environment.home))
    assert turn.turn is not None
    assert (turn.turn.kind, turn.turn.prompt) == ("compaction", "question 3")
    first, *_ = AGENT.messages(turn)
    assert [(part.kind, part.text) for part in first.parts] == [("compaction", "in short")]


def test_what_tools_did(environment: Environment) -> None:
    read = call("c1", "Read", {"filepath": "/project/a.py"}, "Content of /project/a.py:\none = 1\n")
    edit = call("c2", "Edit", {"file_path": "/project/a.py", "old_string": "one", "new_string": "1",
                               "replace_all": False}, "Edited")  # fmt: skip
    many = call("c3", "MultiEdit", {"file_path": "/project/a.py", "edits": [
        {"old_string": "= 1", "new_string": "= 2"}]}, "Edited")  # fmt: skip
    new = call("c4", "Write", {"filepath": "/project/b.py", "content": "b"}, "Created")
    failed = call("c5", "Write", {"filepath": "/project/c.py", "content": "c"}, "no", "errored")
    tasks = call("c6", "Checklist", {"checklist": "# do\n- [x] one\n  - [ ] two\n"}, "Task list")
    session = Continue().ask("go").answer("", read).answer("", edit, many, new).answer("", failed)
    [turn] = finished(_read(session.answer("", tasks).answer("done"), environment.home))
    assert {file.path: file.content for file in turn.files} == {"a.py": b"1 = 2\n", "b.py": b"b"}
    assert turn.state.todos == (Todo("one", "completed"), Todo("two", "pending"))
    assert turn.state.active_file == "b.py"


def test_a_call_that_runs_is_open_and_one_that_was_refused_is_not(
    environment: Environment,
) -> None:
    refused = call("c1", "Bash", {"command": "rm x"}, None, "canceled")
    runs = call("c2", "Bash", {"command": "sleep 9"}, None, "calling")
    session = Continue().ask("go").answer("", refused).answer("", runs)
    [turn] = _read(session, environment.home)
    assert turn.turn is not None and turn.turn.kind == "open"
    kinds = [(p.kind, p.error) for m in AGENT.messages(turn) for p in m.parts]
    assert kinds == [("text", False), ("tool_call", False), ("tool_result", True),
                     ("tool_call", False)]  # fmt: skip
    prompts = [s.turn.kind for s in _read(session.turn(2), environment.home) if s.turn]
    assert prompts[:2] == ["interrupted", "turn"]


def test_everything_beside_the_words(environment: Environment) -> None:
    url = "data:image/png;base64,AAAA"
    beside = {"content": "text of it", "name": "a.py", "description": "x/a.py"}
    session = Continue().ask(
        [{"type": "text", "text": "look"}, {"type": "imageUrl", "imageUrl": {"url": url}},
         {"type": "hologram"}], contextItems=[beside])  # fmt: skip
    session.item({"role": "thinking", "content": "hm", "signature": "c2ln"})
    session.item({"role": "assistant", "content": "", "toolCalls": [
        call("c1", "ls", {}, "")["toolCall"]]})  # fmt: skip
    session.item({"role": "tool", "content": "a.py", "toolCallId": "c1"}).answer("done")
    [turn] = finished(_read(session, environment.home))
    parts = [(p.kind, p.text or p.name) for m in AGENT.messages(turn) for p in m.parts]
    assert parts == [
        ("file", "text of it"), ("text", "look"), ("image", "image/png"), ("opaque", "hologram"),
        ("reasoning", "hm"), ("tool_call", "ls"), ("tool_result", "a.py"), ("text", "done"),
    ]  # fmt: skip


def _written(session: Session, environment: Environment, **target: Any) -> dict[str, Any]:
    wanted = Target(**{"cwd": "/elsewhere", "native_id": OTHER_ID, **target})
    written = AGENT.write(session, wanted, environment)
    value: dict[str, Any] = json.loads(written.files[written.main])
    return value


def test_written_sessions_say_the_same(environment: Environment, tmp_path: Path) -> None:
    session = whole(AGENT.read(the_source(AGENT, put(environment.home, grown(3)))))
    cwd = str(tmp_path / "elsewhere")
    written = AGENT.write(session, Target(cwd, title="other main@1234"), environment)
    assert written.main == environment.home / f".continue/sessions/{written.native_id}.json"
    for path, data in written.files.items():
        place(path, data)
    [found] = AGENT.find(environment, cwd=cwd)
    assert (found.native_id, found.title) == (written.native_id, "other main@1234")
    again = whole(AGENT.read(found))
    assert AGENT.messages(again) == AGENT.messages(session)
    assert again.counts.foreign == 0
    assert start_command(AGENT, written.native_id, cwd, str(written.main))[-1] == str(written.main)
    assert AGENT.resume_command(written.native_id, cwd)[-1] == written.native_id
    target = Target(cwd, native_id=written.native_id)
    assert AGENT.write(session, target, environment) == AGENT.write(session, target, environment)


def test_every_call_has_one_result(environment: Environment) -> None:
    one, again = (call("c1", "Bash", {"command": "ls"}, text) for text in ("one", "again"))
    runs = call("c2", "Bash", {}, None, "calling")
    session = Continue().ask("go \N{MEDIUM WHITE CIRCLE}")
    session.answer("", one, again, call("c9", "Bash", {}, "of nobody"), runs)
    apart = call("c3", "ls", {}, None)
    session.history[1]["message"]["toolCalls"] = [c["toolCall"] for c in (one, runs, apart)]
    session.item({"role": "tool", "content": "apart", "toolCallId": "c3"})
    session.item({"role": "thinking", "content": "hm", "signature": "__REDACTED_x_1__"})
    data = session.data.replace("\N{MEDIUM WHITE CIRCLE}".encode(), b"\\ud83d")
    path = place(environment.home / "x.json", data)
    read = whole(AGENT.read(the_source(AGENT, path)))
    written = AGENT.write(read, Target("/elsewhere"), environment)
    assert set(written.repairs) == {
        "2 half surrogates replaced",
        "1 thinking block without a valid signature left out",
        "1 tool call without result marked as interrupted",
        "2 tool results without a call left out",
    }
    asked, answered = json.loads(written.files[written.main])["history"]
    assert asked["message"]["content"] == asked["editorState"] == "go \ufffd"
    outputs = [(state["toolCallId"], state["status"], state["output"][0]["content"])
               for state in answered["toolCallStates"]]  # fmt: skip
    assert outputs[0] == ("c1", "done", "one")
    assert outputs[1][:2] == ("c2", "errored") and "interrupted" in outputs[1][2]
    assert outputs[2] == ("c3", "done", "apart")


def test_nothing_of_mode_and_cost_is_written(environment: Environment) -> None:
    value = json.loads(grown(1))
    value |= {"mode": "auto", "chatModelTitle": "mine"}
    path = place(environment.home / "x.json", json.dumps(value).encode())
    written = _written(whole(AGENT.read(the_source(AGENT, path))), environment)
    assert list(written) == ["sessionId", "title", "workspaceDirectory", "history"]


@pytest.mark.parametrize("named", [True, False])
def test_what_goes_on_is_the_session_that_is_meant(
    environment: Environment, tmp_path: Path, named: bool
) -> None:
    """The program takes the file that changed last; a stand-in for it says which one that is."""
    cn = place(tmp_path / "bin/cn", b'#!/bin/sh\nls -t "$PLACE" | head -1; echo "$@"\n')
    cn.chmod(0o755)
    paths = [Continue(f"{n}{CONTINUE_ID[1:]}").turn(1).save(environment.home) for n in (1, 2)]
    for moment, path in enumerate(paths):
        os.utime(path, (moment, moment))
    folder = paths[0].parent
    os.utime(folder / "sessions.json", (0, 0))
    variables = {"PATH": f"{cn.parent}:/usr/bin:/bin", "PLACE": str(folder),
                 "HOME": "/nowhere" if named else str(environment.home)}  # fmt: skip
    if named:
        variables["CONTINUE_GLOBAL_DIR"] = str(folder.parent)
    for command in (AGENT.resume_command(paths[0].stem, "/project"),
                    AGENT.start_command(paths[1].stem, "/project", str(paths[1]))):  # fmt: skip
        said = subprocess.run(command, env=variables, capture_output=True, text=True, check=True)
        newest = paths[0].name if command[-1] == paths[0].stem else paths[1].name
        assert said.stdout.splitlines() == [newest, "--resume"]
        os.utime(folder / newest, (9, 9))


@pytest.mark.parametrize("foreign", [False, True])
def test_of_somebody_else_only_what_was_said_goes_along(
    environment: Environment, foreign: bool
) -> None:
    beside = {"name": "a.py", "content": "text", "description": "x/a.py", "id": {"itemId": "1"},
              "uri": {"type": "file", "value": "file:///home/bob/a.py"}}  # fmt: skip
    session = Continue().ask("go", contextItems=[beside], permissionMode="auto")
    session.answer("done").history[1]["promptLogs"] = [{"prompt": "be kind"}]
    read = whole(AGENT.read(the_source(AGENT, session.save(environment.home))))
    asked, answered = _written(read, environment, foreign=foreign)["history"]
    assert "permissionMode" not in asked
    assert ("promptLogs" in answered, "/home/bob" in str(asked)) == (not foreign, not foreign)
    assert (asked["contextItems"][0]["content"], answered["message"]["content"]) == ("text", "done")
    written = AGENT.write(read, Target("/elsewhere", foreign=foreign), environment)
    told = ("2 records of another user's settings and prompts left out",)
    assert written.repairs == (told if foreign else ())


def test_nothing_said_is_nothing_to_continue(environment: Environment) -> None:
    path = place(environment.home / "x.json", Continue().data)
    with pytest.raises(SourceUnreadable):
        _written(whole(AGENT.read(the_source(AGENT, path))), environment)


def test_a_file_written_anew_says_the_same(environment: Environment) -> None:
    data = grown(2)
    records = whole(AGENT.read(the_source(AGENT, put(environment.home, data)))).stream().records
    said = [one for record in records for one in AGENT.essences(record.data)]
    assert said == list(AGENT.essences(data)) == list(AGENT.essences(grown(3)))[:6]
    assert said == list(AGENT.essences(json.dumps(json.loads(data), indent=None).encode()))
