"""Rows about sessions of one's own agent: what is given is kept, shown, shared and continued."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gitsession.agents.generic.write import created_of, new_id
from gitsession.builder import SessionBuilder
from tests.acceptance.conftest import Person, a_session
from tests.acceptance.test_history import open_other

METADATA = {
    "session_id": "session-1795000000000-1",
    "created_at": "2026-11-18T11:06:40.000Z",
    "last_updated_at": "2026-11-18T11:06:41.123Z",
    "model": "my-model-4",
    "system_prompt_hash": "sha256:" + "5f1d" * 16,
    "project_context": {
        "root_path": "/home/me/проект",
        "file_tree_snapshot": ["a.py", "src/b.py", "docs/新.md"],
    },
}


@pytest.fixture
def session(person: Person) -> SessionBuilder:
    (person.project / "a.py").write_text("the content of the file\n")
    return SessionBuilder.new("my-model", system_prompt="Be brief.", project=str(person.project))


def shown(person: Person, revision: str = "HEAD") -> Any:
    return person.types("show", revision, "--json").json["session"]


def test_G1_all_metadata_comes_back_unchanged(person: Person) -> None:
    given = {
        "format": "gitsession-generic 1", "session_metadata": METADATA,
        "message_chain": [{"role": "user", "content": "hello"}],
    }  # fmt: skip
    (person.project / "s.json").write_text(json.dumps(given))
    assert person.types("import", "s.json").code == 0
    told = shown(person)
    info = told["info"]
    kept = next(m for m in told["state"]["markers"] if m["kind"] == "session_metadata")
    assert {
        "session_id": info["native_id"],
        "created_at": info["created"],
        "last_updated_at": info["updated"],
        "model": info["models"][0],
        "system_prompt_hash": kept["system_prompt_hash"],
        "project_context": kept["project_context"],
    } == METADATA


def test_G1_the_file_tree_holds_names_and_no_content(
    person: Person, session: SessionBuilder
) -> None:
    session.add_message("user", "hello")
    session.save(person.repository)
    kept = next(m for m in shown(person)["state"]["markers"] if m["kind"] == "session_metadata")
    assert kept["project_context"]["file_tree_snapshot"] == ["a.py"]
    assert b"the content of the file" not in person.everything_stored()


def test_G2_messages_and_a_large_output_are_equal_to_the_byte(
    person: Person, session: SessionBuilder
) -> None:
    line = 'row %d\tä 漢 \U0001f600 \u2028 \\ " / \x00 \x1b end\r\n'
    output = "".join(line % number for number in range(130_000))
    assert len(output.encode()) > 5_000_000
    session.add_message("user", "one\r\ntwo\x00", files=["a.py"], timestamp="2026-11-18T11:06:41Z")
    session.add_message("assistant", "I look.", timestamp="2026-11-18T11:06:42Z")
    first = session.tool_call(
        "shell", {"command": "cat", "args": ["\r\n", "\x00", 1.5, None]}, output
    )
    second = session.tool_call("shell", "plain \x00 text", {"code": 0, "text": "é\r\n"})
    session.add_message("user", "thanks", timestamp="2026-11-18T11:06:43Z")
    session.save(person.repository)
    one, two, three = shown(person)["messages"]
    assert [m["role"] for m in (one, two, three)] == ["user", "assistant", "user"]
    assert [m["time"] for m in (one, two, three)] == [
        "2026-11-18T11:06:41.000Z", "2026-11-18T11:06:42.000Z", "2026-11-18T11:06:43.000Z",
    ]  # fmt: skip
    assert one["parts"][0]["text"] == "one\r\ntwo\x00"
    assert one["files"] == ["a.py"]
    text, call, result, other, answer = two["parts"]
    assert text["text"] == "I look."
    assert (call["call_id"], call["name"]) == (first, "shell")
    assert call["input"] == {"command": "cat", "args": ["\r\n", "\x00", 1.5, None]}
    assert (result["call_id"], result["text"] == output) == (first, True)
    assert (other["call_id"], other["input"]) == (second, "plain \x00 text")
    assert json.loads(answer["text"]) == {"code": 0, "text": "é\r\n"}
    assert person.raw() == session.to_bytes()


def test_G3_one_changed_field_of_the_state_is_a_version_that_names_it(
    person: Person, session: SessionBuilder
) -> None:
    state = {
        "active_file": "a.py",
        "code_analysis_cache": {"file:a.py": {"ast_hash": "ab12", "complexity_metrics": {"m": 3}}},
        "working_memory": ["a.py holds text", "twice"],
        "available_tools": ["read", "shell"],
    }
    session.add_message("user", "look")
    session.set_state(**state)
    session.save(person.repository)
    kept = shown(person)["state"]
    assert kept["active_file"] == "a.py"
    assert kept["analysis"] == state["code_analysis_cache"]
    assert kept["memory"] == state["working_memory"]
    assert kept["tools"] == state["available_tools"]
    session.set_state(active_file="b.py")
    session.save(person.repository)
    assert len(person.repository.log("HEAD")) == 2
    difference = person.types("diff", "HEAD~1", "HEAD", "--json").json["diff"]
    changed = [field["name"] for field in difference["fields"]]
    assert [name for name in changed if "updated" not in name] == ["state.active_file"]
    assert not difference["turns"] or all(not turn["messages"] for turn in difference["turns"])
    printed = person.types("diff", "HEAD~1", "HEAD").out
    assert "a.py" in printed
    assert "b.py" in printed
    session.set_state(active_file="b.py")
    assert not session.dirty


def test_G4_the_last_command_comes_back_and_is_printed(
    person: Person, session: SessionBuilder
) -> None:
    session.add_message("user", "test it")
    session.set_state(last_run_command="make test", exit_code=2, output_snippet="1 failed\r\n")
    session.save(person.repository)
    kept = shown(person)["state"]
    assert (kept["last_command"], kept["exit_code"]) == ("make test", 2)
    assert kept["output_snippet"] == "1 failed\r\n"
    printed = person.types("show").out
    assert "make test" in printed
    assert "exit 2" in printed


def test_G12_a_tool_call_is_addressed_by_its_id(person: Person, session: SessionBuilder) -> None:
    session.add_message("user", "run")
    session.tool_call("shell", {"command": "make"}, "made", id="call_001")
    session.tool_call("shell", {"command": "ship"}, "not shipped", id="call_002", error=True)
    session.tool_call("shell", {"command": "wait"}, id="call_003")
    session.save(person.repository)
    for number, output, status in ((1, "made", "ok"), (2, "not shipped", "error")):
        call = person.types("show", "--tool-call", f"call_00{number}", "--json").json["call"]
        assert (call["output"], call["status"]) == (output, status)
        printed = person.types("show", "--tool-call", f"call_00{number}").out
        assert output in printed
        assert f"call_00{3 - number}" not in printed
    assert person.types("show", "--tool-call", "call_003", "--json").json["call"]["output"] is None
    unknown = person.types("show", "--tool-call", "call_999")
    assert unknown.code == 12
    assert "hint: " in unknown.err
    assert person.types("show", "--tool-call", "call_00").code == 12


def as_shared(person: Person, revision: str = "HEAD") -> Any:
    """What `show --json` says of the session itself, without where it stands."""
    told = shown(person, revision)
    told.pop("streams")
    told["counts"] = told["counts"]["messages"]
    for message in told["messages"]:
        message.pop("record")
    return told


def test_G25_one_file_carries_a_session_to_an_empty_store(
    person: Person, session: SessionBuilder
) -> None:
    session.add_message("user", "look at both", files=[{"path": "a.py", "content": "x = 1\r\n"}])
    session.add_message("assistant", "I look.", model="my-model-5")
    session.tool_call("read", {"path": "a.py"}, "x = 1\r\n\x00")
    session.set_state(active_file="a.py", exit_code=0, last_run_command="cat a.py",
                      todos=[{"text": "do", "status": "pending", "id": "1"}])  # fmt: skip
    session.save(person.repository)
    target = person.project / "s.json"
    assert person.types("export", "HEAD", "--format", "json", "-o", str(target)).code == 0
    other = open_other(person)
    assert other.types("import", str(target)).code == 0
    assert as_shared(other) == as_shared(person)
    again = other.types("export", "--format", "json")
    assert again.data == target.read_bytes()


def test_G25_a_session_of_another_agent_too(person: Person) -> None:
    session = a_session(person, "one", "two")
    session.bash("make", "made")
    session.edit(str(person.project / "a.py"), "a = 1\n", "1", "2")
    session.say("done")
    person.writes(session)
    person.saves()
    target = person.project / "s.json"
    assert person.types("export", "HEAD", "--format", "json", "-o", str(target)).code == 0
    other = open_other(person)
    assert other.types("import", str(target)).code == 0
    mine, theirs = shown(person), shown(other)
    for told in (mine, theirs):
        for message in told["messages"]:
            message.pop("record")
    assert theirs["messages"] == mine["messages"]
    assert theirs["files"] == mine["files"]
    assert theirs["usage"] == mine["usage"]


def test_G34_a_restored_session_goes_on_from_there(person: Person, session: SessionBuilder) -> None:
    for number in range(3):
        session.add_message("user", f"question {number}")
        session.add_message("assistant", f"answer {number}")
        session.save(person.repository)
    restored = person.repository.version("HEAD~1")
    made = person.repository.checkout("HEAD~1")
    again = SessionBuilder.load(Path(made.path).read_bytes())
    again.add_message("user", "something else")
    again.add_message("assistant", "answer to it")
    again.save(person.repository)
    new = person.repository.version(made.branch)
    assert new.parents == (restored.id,)
    line = [version.subject for version in person.repository.log(made.branch)]
    assert line == ["something else", "question 1", "question 0"]
    graph = person.types("log", "--graph", "--oneline").out
    assert "something else" in graph
    assert "question 2" in graph


def test_G34_the_same_of_claude_code(person: Person) -> None:
    person.writes(a_session(person, "one", "two", "three"))
    person.saves()
    restored = person.repository.version("HEAD~1")
    made = person.repository.checkout("HEAD~1")
    goes_on(Path(made.path))
    saved = person.saves()
    assert saved.branch == made.branch
    [new] = saved.versions
    assert new.parents == (restored.id,)
    assert [v.subject for v in person.repository.log(made.branch)] == ["one more", "two", "one"]


def goes_on(path: Path) -> None:
    """Claude Code adds a turn to one of its files."""
    rows = [json.loads(line) for line in path.read_bytes().splitlines()]
    last = next(row for row in reversed(rows) if row.get("uuid"))
    common = {key: last[key] for key in ("cwd", "sessionId", "version")}
    added = []
    parent = last["uuid"]
    for number, message in enumerate((
        {"role": "user", "content": "one more"},
        {"id": "msg_more", "type": "message", "role": "assistant", "model": "m",
         "content": [{"type": "text", "text": "done"}], "stop_reason": "end_turn"},
    )):  # fmt: skip
        uuid = f"aaaaaaaa-0000-4000-8000-00000000000{number}"
        added.append({
            **common, "parentUuid": parent, "isSidechain": False, "type": message["role"],
            "message": message, "uuid": uuid, "timestamp": f"2027-01-01T00:00:0{number}.000Z",
        })  # fmt: skip
        parent = uuid
    with path.open("ab") as stream:
        stream.write("".join(json.dumps(row) + "\n" for row in added).encode())


def test_CL8_ids_are_unique_ordered_and_tell_their_time() -> None:
    ids = [new_id() for _ in range(1000)]
    assert len(set(ids)) == 1000
    numbers = [tuple(map(int, name.split("-")[1:])) for name in ids]
    assert numbers == sorted(numbers)
    assert [first for first, _ in numbers] == sorted({first for first, _ in numbers})
    session = SessionBuilder.new("m", project="/p")
    assert created_of(session.id) == session.created_at


def test_CL8_saves_in_a_tight_loop_stay_in_order(person: Person, session: SessionBuilder) -> None:
    for number in range(60):
        session.add_message("user", f"q{number}")
        session.save(person.repository)
    versions = person.repository.log("HEAD", limit=0)
    assert len({version.id for version in versions}) == 60
    assert [version.subject for version in versions] == [f"q{n}" for n in reversed(range(60))]


@pytest.fixture
def forked(person: Person) -> Iterator[Person]:
    person.writes(a_session(person, "one", "two", "three"))
    person.saves()
    yield person


@pytest.mark.parametrize(("revision", "last"), [("HEAD~1", "two"), ("HEAD:3", "two")])
def test_CL10_a_fork_is_a_branch_with_parent_and_cut_point(
    forked: Person, revision: str, last: str
) -> None:
    source = forked.repository.version("HEAD")
    name = forked.repository.head()
    refs = forked.git("for-each-ref", "refs/heads")
    done = forked.types("fork", "x", revision)
    assert done.code == 0, done
    assert forked.repository.head().endswith("/x")
    told = forked.types("show", "--json").json
    said = [message["parts"][0]["text"] for message in told["session"]["messages"]]
    assert said[-1] == (last if ":" in revision else f"Answer to {last}")
    parents = told["version"]["parents"]
    history = [version.id for version in forked.repository.log(name, limit=0)]
    assert told["version"]["id"] in history or parents[0] in history
    assert forked.repository.version(name) == source
    assert set(refs.splitlines()) <= set(forked.git("for-each-ref", "refs/heads").splitlines())
    assert forked.types("fork", "x").code == 13
    for empty in ("", "  ", "a/b", "-x", ".."):
        assert forked.types("fork", "--", empty).code == 2


def test_CL10_an_agents_own_session_names_its_parent(
    person: Person, session: SessionBuilder
) -> None:
    session.add_message("user", "first")
    session.add_message("assistant", "answer")
    session.save(person.repository)
    source = person.repository.version("HEAD")
    made = person.repository.checkout("HEAD", branch="x")
    assert made.native_id != session.id
    again = SessionBuilder.load(Path(made.path).read_bytes())
    again.add_message("user", "second")
    again.save(person.repository)
    told = person.types("show", made.branch, "--json").json
    assert told["session"]["info"]["parent"] == session.id
    assert told["version"]["parents"] == [source.id]
    assert session.id in person.types("show", made.branch).out
