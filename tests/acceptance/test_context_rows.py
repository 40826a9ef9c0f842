"""Rows about what comes back with a session: its prompt, its state, its saving by itself."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gitsession.builder import SessionBuilder
from gitsession.compare import compare
from gitsession.context.surroundings import prompt_hash
from gitsession.model.session import Info, Session, State
from tests.acceptance.conftest import Person, a_session
from tests.codex_builder import Codex
from tests.opencode_builder import OpenCode


def saved(person: Person) -> SessionBuilder:
    """A session of one's own agent with all of its state."""
    session = SessionBuilder.new(
        "my-model", system_prompt="Be brief.", project=str(person.project), title="Login"
    )
    session.add_message("user", "Write it in JWT.")
    session.add_message("assistant", "I write.\n```python\ndef login(")
    session.tool_call("shell", {"command": "pytest"}, "1 failed")
    session.set_state(
        active_file="login.py", active_line=12, last_run_command="pytest", exit_code=1,
        working_memory=["the user likes JWT", "tests live in tests/"],
        available_tools=["shell", "read"],
        todos=[{"text": "write login", "status": "in_progress"}],
    )  # fmt: skip
    session.save(person.repository)
    (person.project / "login.py").write_text("x")
    return session


def test_G5_another_prompt_is_told_with_both_hashes_and_strict_refuses(person: Person) -> None:
    saved(person)
    same, other = person.project / "same.txt", person.project / "other.txt"
    same.write_text("Be brief.")
    other.write_text("Be funny.")
    done = person.types("checkout", "HEAD", "-b", "one", "--system-prompt", str(same), "--strict")
    assert done.code == 0 and "differs" not in done.out + done.err
    told = person.types("checkout", "HEAD", "-b", "two", "--system-prompt", str(other))
    assert told.code == 0
    line = next(line for line in told.out.splitlines() if "differs" in line)
    hashes = [word for word in line.split() if len(word) == 12 and int(word, 16)]
    assert len(set(hashes)) == 2
    refused = person.types(
        "checkout", "HEAD", "-b", "three", "--system-prompt", str(other), "--strict"
    )
    assert refused.code == 13
    assert all(digits in refused.err for digits in hashes)
    branches = person.types("branch", "--json").json["branches"]
    assert not any("three" in branch["ref"] for branch in branches)


def test_G5_the_prompt_that_a_transcript_begins_with_is_compared_too(person: Person) -> None:
    session = SessionBuilder.new("my-model", project=str(person.project))
    session.add_message("system", "You are careful.")
    session.add_message("user", "Begin.")
    session.add_message("assistant", "Begun.")
    session.save(person.repository)
    prompt = person.project / "prompt.txt"
    prompt.write_text("You are careful.")
    wanted = ("checkout", "HEAD", "--dry-run", "--strict", "--system-prompt", str(prompt))
    assert person.types(*wanted).code == 0
    prompt.write_text("You are reckless.")
    assert person.types(*wanted).code == 13


def test_G18_after_a_restore_all_messages_and_the_state_are_as_they_were(person: Person) -> None:
    saved(person)
    before = person.types("show", "HEAD", "--json").json["session"]
    done = person.types("checkout", "HEAD", "-b", "back", "--json").json["checkout"]
    again = SessionBuilder.open(done["path"])
    again.add_message("user", "And now?")
    again.add_message("assistant", "Goes on.")
    again.save(person.repository)
    after = person.types("show", "HEAD", "--json").json["session"]
    count = len(before["messages"])
    assert [m["parts"] for m in after["messages"][:count]] == [
        m["parts"] for m in before["messages"]
    ]
    names = ("active_file", "active_line", "last_command", "exit_code", "todos", "memory", "tools")
    assert {n: after["state"][n] for n in names} == {n: before["state"][n] for n in names}
    context = person.types("context", "--budget", "60", "--strategy", "recent", "--json")
    assert len(context.json["context"]["messages"]) < len(after["messages"])  # and show has all
    shown = person.types("show").out
    for told in ("login.py:12", "pytest  (exit 1)", "[~] write login", "likes JWT", "shell, read",
                 "def login(", "system prompt"):  # fmt: skip
        assert told in shown, told


def test_G20_memory_tools_and_the_active_file_stand_in_a_request_once(person: Person) -> None:
    saved(person)
    done = person.types("request", "--message", "go on", "--format", "openai")
    text = done.out
    for told in ("Active file: login.py, line 12", "Memory: the user likes JWT",
                 "Todo (in_progress): write login"):  # fmt: skip
        assert text.count(told) == 1
    assert [tool["function"]["name"] for tool in done.json["tools"]] == ["shell", "read"]
    assert done.json["tool_choice"] == "auto"


def test_G32_nothing_new_is_no_version_and_dirty_says_so(person: Person) -> None:
    session = saved(person)
    assert not session.dirty
    count = len(person.repository.log(limit=0))
    assert session.save(person.repository).sessions[0].outcome == "nothing"
    assert len(person.repository.log(limit=0)) == count
    session.set_state(active_file="login.py")  # what it is already
    assert not session.dirty
    session.set_state(active_file="other.py")
    assert session.dirty
    assert SessionBuilder.load(session.to_bytes()).dirty is False
    person.writes(a_session(person, "one", "two"))
    assert person.types("save").code == 0
    assert "nothing to save" in person.types("save").out.lower()


def test_G32_G7_autosave_by_count_and_after_a_tool(person: Person) -> None:
    session = SessionBuilder.new("my-model", project=str(person.project))
    session.autosave(person.repository, messages=5, tools=True)
    dirty = []
    for number in range(1, 13):
        session.add_message("user" if number % 2 else "assistant", f"message {number}")
        dirty.append(session.dirty)
    assert [n for n, waits in enumerate(dirty, 1) if not waits] == [5, 10]
    session.tool_call("shell", {"command": "ls"})
    assert session.dirty
    session.tool_result("call-1", "a.py")
    assert not session.dirty
    messages = person.types("show", "--json").json["session"]["messages"]
    assert [m["parts"][0].get("text") for m in messages[:12]] == [
        f"message {n}" for n in range(1, 13)
    ]
    session.autosave(person.repository)
    session.add_message("user", "not saved by itself any more")
    session.tool_call("shell", {"command": "ls"}, "a.py")
    assert session.dirty


_PROGRAM = """
import os, sys, time, gitsession
from gitsession import SessionBuilder
repository = gitsession.open()
session = SessionBuilder.new("my-model", project=os.getcwd(), session_id="session-1795000000000-9")
session.autosave(repository, seconds=0.3)
session.add_message("user", "first")
session.add_message("assistant", "answer")
print("said", flush=True)
time.sleep(60)
"""


def test_G32_killed_after_the_interval_nothing_is_lost(person: Person) -> None:
    root = Path(__file__).resolve().parents[2]
    process = subprocess.Popen(
        [sys.executable, "-c", _PROGRAM], cwd=person.project, stdout=subprocess.PIPE,
        env={**person.environment.variables, "PYTHONPATH": str(root)},
    )  # fmt: skip
    try:
        assert process.stdout is not None and process.stdout.readline() == b"said\n"
        deadline = time.monotonic() + 60
        while not person.repository.list(everything=True) and time.monotonic() < deadline:
            time.sleep(0.1)
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
    row = person.repository.list(everything=True)[0]
    messages = person.repository.session(row.session).messages
    assert [message.text for message in messages] == ["first", "answer"]
    assert person.types("fsck").code == 0


def test_a_save_that_fails_in_the_background_is_told_at_the_next_change(person: Person) -> None:
    class Broken:
        def save_source(self, source: object, *, message: str = "") -> object:
            raise OSError("disk full")

    session = SessionBuilder.new("my-model", project=str(person.project))
    session.autosave(Broken(), seconds=0.01)  # type: ignore[arg-type]
    session.add_message("user", "first")
    time.sleep(0.3)
    with pytest.raises(OSError, match="disk full"):
        session.add_message("user", "second")
    session.autosave(person.repository)
    assert session.dirty
    session.save(person.repository)
    texts = [message.text for message in person.repository.session().messages]
    assert texts == ["first", "second"]


def test_CL22_save_scan_project_stores_what_find_counts(person: Person) -> None:
    for name in ("src/a.py", "src/deep/b.py", "src/c.txt", "tests/t.py", "assets/x.png",
                 "assets/y.svg"):  # fmt: skip
        path = person.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")

    def find(*words: str) -> int:
        out = subprocess.run(["find", *words], cwd=person.project, capture_output=True, check=False)
        return len(out.stdout.split())

    def stored() -> dict[str, object]:
        state = person.types("show", "--json").json["session"]["state"]
        return next(m for m in state["markers"] if m["kind"] == "project_scan")

    person.writes(a_session(person, "one", "two"))
    assert person.types("save", "--scan-project").code == 0
    assert stored() == {
        "kind": "project_scan",
        "source_python": find("src", "-type", "f", "-name", "*.py"),
        "test_python": find("tests", "-type", "f", "-name", "*.py"),
        "assets": find("assets", "-type", "f"),
        "archive": False,
    }
    assert stored()["source_python"] == 2
    for name in ("src", "tests", "assets"):
        os.rename(person.project / name, person.project / f"{name}-gone")
    person.writes(a_session(person, "one", "two", "three"))
    assert person.types("save", "--scan-project").code == 0
    assert [stored()[n] for n in ("source_python", "test_python", "assets")] == [0, 0, 0]
    person.writes(a_session(person, "one", "two", "three", "four"))
    assert person.types("save").code == 0
    assert stored()["source_python"] == 0  # the last scan stays known


def test_OC15_the_prompt_that_opencode_makes_up_is_marked_and_no_line_of_the_log(
    person: Person,
) -> None:
    session = OpenCode(cwd=str(person.project))
    session.ask("write the login page")
    session.assistant("stop", {"type": "text", "text": "It stands."})
    session.user({"type": "compaction", "auto": True})
    session.assistant("stop", {"type": "text", "text": "## Goal\nlogin"}, summary=True)
    session.user({"type": "text", "text": "Continue if you have next steps", "synthetic": True})
    session.assistant("stop", {"type": "text", "text": "I went on."})
    path = session.save(person.project / "export.json")
    assert person.types("import", str(path)).code == 0
    list_row = person.types("list", "--all", "--json").json["sessions"][0]["session"]
    log = person.types("log", list_row).out
    assert "write the login page" in log and "Continue if you have" not in log
    messages = person.types("show", list_row, "--json").json["session"]["messages"]
    made = next(m for m in messages if "Continue if you" in str(m["parts"]))
    assert made["role"] == "note"
    context = person.types("context", list_row, "--json").json["context"]
    fates = {line["message"]: line["why"] for line in context["ledger"]}
    assert fates[made["number"]] == "a note of the agent, no part of the conversation"
    assert "I went on." in str(context["messages"])


def an_opencode(person: Person, *, failed: bool = False) -> str:
    """A session with a compaction; its name."""
    session = OpenCode(cwd=str(person.project))
    session.ask("write the login page")
    session.assistant("stop", {"type": "text", "text": "It stands."})
    session.user({"type": "compaction", "auto": True})
    text = {"type": "text", "text": "## Goal\nlogin"}
    more = {"error": {"name": "APIError", "data": {}}} if failed else {}
    session.assistant("" if failed else "stop", text, summary=True, **more)
    session.ask("and the logout")
    session.assistant("stop", {"type": "text", "text": "Done as well."})
    path = session.save(person.project / "export.json")
    assert person.types("import", str(path)).code == 0
    return str(person.types("list", "--all", "--json").json["sessions"][0]["session"])


def test_OC10_a_finished_compaction_is_one_and_the_log_shows_it(person: Person) -> None:
    name = an_opencode(person)
    messages = person.types("show", name, "--json").json["session"]["messages"]
    kinds = [part["kind"] for message in messages for part in message["parts"]]
    assert kinds.count("compaction") >= 1
    versions = person.types("log", name, "--json").json["versions"]
    assert "compaction" in [version["kind"] for version in versions]


def test_OC10_a_failed_compaction_ends_no_history(person: Person) -> None:
    name = an_opencode(person, failed=True)
    context = person.types("context", name, "--strategy", "opencode", "--json").json["context"]
    assert "write the login page" in str(context["messages"])


@pytest.mark.parametrize(("limit", "code"), [(115, 1), (116, 0)])
def test_OC8_over_at_exactly_the_border(person: Person, limit: int, code: int) -> None:
    name = an_opencode(person)  # every answer of the builder states 100 in, 10 out, 5 from cache
    done = person.types("context", name, "--check", "--budget", str(limit))
    assert done.code == code
    assert done.out == f"{'over' if code else 'under'}: 115 of {limit} usable tokens\n"
    assert person.types("context", name, "--check", "--json").json["check"]["used"] == 115


def test_CL16_a_compaction_is_made_exactly_once_at_the_crossing(person: Person) -> None:
    session = OpenCode(cwd=str(person.project))
    made = []
    for number in range(1, 13):  # every answer states 100 input tokens
        session.ask(f"question {number}")
        session.assistant("stop", {"type": "text", "text": f"answer {number}"})
        path = session.save(person.project / "export.json")
        assert person.types("import", str(path)).code == 0
        name = str(person.types("list", "--all", "--json").json["sessions"][0]["session"])
        done = person.types(
            "compact", name, "--when-due", "--threshold", "500", "--recent", "2", "--json"
        )
        assert done.code == 0, done
        if done.json["version"] is not None:
            made.append(number)
    assert made == [5, 10]
    assert "No compaction is due" in person.types("compact", name, "--when-due").out


def of_codex(person: Person, prompt: str, turns: int = 1) -> None:
    """A session that begins with that system prompt, saved."""
    session = Codex(cwd=str(person.project), base_instructions={"text": prompt})
    for number in range(turns):
        session.starts().says("user", f"question {number}").says("assistant", "Done.").ends()
    path = person.project / f"rollout-2026-11-29T19-12-39-{session.native_id}.jsonl"
    path.write_bytes(session.data)
    assert person.types("import", str(path)).code == 0


def test_G5_the_prompt_of_an_agent_s_own_transcript_is_hashed_shown_and_compared(
    person: Person,
) -> None:
    of_codex(person, "You are Codex.", turns=2)
    expected = hashlib.sha256(b"You are Codex.").hexdigest()
    name = person.types("list", "--all", "--json").json["sessions"][0]["session"]
    for revision in (name, f"{name}~1"):
        state = person.types("show", revision, "--json").json["session"]["state"]
        assert state["prompt_hash"] == expected
    shown = person.types("show", name).out
    assert f"sha256 {expected[:12]}" in shown
    prompt = person.project / "prompt.txt"
    for text, code in (("You are Codex.", 0), ("You are another.", 13)):
        prompt.write_text(text)
        wanted = ("checkout", name, "--dry-run", "--strict", "--system-prompt", str(prompt))
        assert person.types(*wanted).code == code
    # The prompt itself is none of the folder's files, and is not missed there.
    assert person.types("checkout", name, "--dry-run", "--strict").code == 0
    assert "system_instruction" not in shown  # it stands in a record, and is not stored again


def test_a_secret_in_a_prompt_is_in_no_hash(person: Person) -> None:
    secret = "ghp_" + "x7Kq2mVb9LpT4wRz8NcY1sHd6FgJ3aQe5uXo"
    text = f"The token is {secret}."
    of_codex(person, text)
    name = person.types("list", "--all", "--json").json["sessions"][0]["session"]
    stored = person.types("show", name, "--json").json["session"]["state"]["prompt_hash"]
    assert stored and stored != hashlib.sha256(text.encode()).hexdigest()
    prompt = person.project / "prompt.txt"
    prompt.write_text(text)
    wanted = ("checkout", name, "--dry-run", "--strict", "--system-prompt", str(prompt))
    assert person.types(*wanted).code == 0
    prompt.write_text(text.replace("The", "A"))
    assert person.types(*wanted).code == 13


def test_a_version_that_has_the_hash_among_its_markers_still_reads() -> None:
    marker = {"kind": "metadata", "system_prompt_hash": "sha256:" + "ab" * 32}
    old = Session(Info("generic", "one"), state=State(markers=(marker,)))
    assert prompt_hash(old) == "ab" * 32
    newer = old._replace(state=old.state._replace(prompt_hash="cd" * 32))
    assert prompt_hash(newer) == "cd" * 32
    changed = {change.name for change in compare(old, newer).fields}
    assert any("prompt_hash" in name for name in changed)


def test_G5_the_api_s_session_states_its_prompt_in_the_state(person: Person) -> None:
    saved(person)
    state = person.types("show", "HEAD", "--json").json["session"]["state"]
    assert state["prompt_hash"] == hashlib.sha256(b"Be brief.").hexdigest()
