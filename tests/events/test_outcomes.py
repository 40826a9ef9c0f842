"""Errors, what they teach, what resolves them, and loops."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from gitsession.model.message import Message

from .making import bash, call, edit, found, of_type, read, session, user

FAILED = "FAILED tests/test_a.py::test_x\n1 failed, 3 passed in 0.1s"


def errors(*messages: Message) -> list[str]:
    return of_type("error_tool", among=found(*messages))


@pytest.mark.parametrize(
    "output",
    [
        "0 failed, 12 passed",
        "Tests: 12 passed, 12 total\nTime: 3 s",
        "Error: expected in this test\n0 failures, 3 passed",
        "test result: ok. 30 passed; 0 failed; 0 ignored",
        "Failures: 0, Errors: 0",
        "0 errors, 0 warnings",
        "exit code: 0",
        "Build succeeded.",
        "",
    ],
)
def test_CM11_what_went_well_is_no_error(output: str) -> None:
    assert errors(bash("make check 2>&1 | tail -5", output)) == []


@pytest.mark.parametrize(
    "output",
    [
        "2 failed, 12 passed",
        "10 failed, 0 passed",
        "test result: FAILED. 3 passed; 1 failed",
        "src/a.c:3:1: error: expected ';'",
        "src/a.ts(3,1): error TS2304: Cannot find name 'x'.",
        "Traceback (most recent call last):\n  File",
        "ModuleNotFoundError: No module named 'x'",
        "make: *** [all] Error 2",
        "npm ERR! code ELIFECYCLE",
        "--- FAIL: TestX (0.00s)",
        "\x1b[31mFAIL\x1b[39m src/a.test.ts",
        "fatal: not a git repository",
        "bash: line 1: pytst: command not found",
        "exited with code 3",
        "Failures: 2",
        "Found 3 errors in 1 file",
    ],
)
def test_CM11_a_failure_behind_a_pipe_is_read(output: str) -> None:
    assert len(errors(bash("make check 2>&1 | tail -5", output))) == 1


def test_CM11_the_agents_own_flag_counts_first() -> None:
    assert errors(read("/project/a.py", "EISDIR: illegal operation", error=True)) == [
        "Read /project/a.py\nEISDIR: illegal operation"
    ]
    assert errors(read("/project/a.log", "Error: this is what the file says")) == []
    assert errors(bash("false", "", error=True)) == ["$ false\nfailed without a word"]


@pytest.mark.parametrize("command", ["cat build.log", "git log | head", "rg -n 'error:' src"])
def test_CM11_an_error_that_is_only_shown_is_none(command: str) -> None:
    assert errors(bash(command, "error: it broke\n3 failed, 1 passed")) == []


def test_CM11_what_cannot_be_shown_is_one() -> None:
    told = errors(bash("cat build.log", "cat: build.log: No such file or directory"))
    assert told == ["$ cat build.log\ncat: build.log: No such file or directory"]


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("grep -n x a.py", "Exit code 1"),
        ("cd src && rg x", "Process exited with code 1\nOutput:\n"),
        ("diff a b", "Exit code 1\n1c1\n< a\n---\n> b"),
        ("test -f x", "(no output)\n\nCommand exited with code 1"),
        ("which node", ""),
        (
            "rg x",
            "failed in sandbox X with execution error: no, exit code: 1, stdout: , stderr: ",
        ),
    ],
)
def test_CM11_a_no_is_no_error(command: str, output: str) -> None:
    assert errors(bash(command, output, error=True)) == []


def test_CM11_but_a_search_that_breaks_is() -> None:
    assert (
        len(errors(bash("grep x a.py", "grep: a.py: No such file or directory", error=True))) == 1
    )


@pytest.mark.parametrize(
    ("output", "native", "errors_of_make", "errors_of_grep"),
    [
        ("x", {"exit": 2}, ["$ make\nx"], ["$ grep -n x a.py\nx"]),
        ("x", {"exit": 1}, ["$ make\nx"], []),
        ("x", {"exit": 0}, [], []),
        ("x", {"shellExecution": {"exitCode": 1}}, ["$ make\nx"], []),
        ("x\n<exited with exit code 1>", None, ["$ make\nx"], []),
    ],
)
def test_CM11_an_exit_code_counts_wherever_the_agent_keeps_it(
    output: str, native: object, errors_of_make: list[str], errors_of_grep: list[str]
) -> None:
    assert errors(call("bash", {"command": "make"}, output, native=native)) == errors_of_make
    assert (
        errors(call("bash", {"command": "grep -n x a.py"}, output, native=native)) == errors_of_grep
    )


def test_CM11_what_failed_by_its_exit_code_did_not_happen() -> None:
    told = found(call("bash", {"command": "git push"}, "no", native={"exit": 1}))
    assert [event.type for event in told] == ["error_tool"]


@pytest.mark.parametrize("output", ["Command aborted", "aborted by user after 2 s", "Interrupted"])
def test_CM11_what_the_user_stopped_is_no_error(output: str) -> None:
    assert errors(bash("sleep 100", output, error=True)) == []


def test_CM11_what_only_picks_lines_is_no_part_of_what_was_tried() -> None:
    told = found(
        bash("make all 2>&1 | grep -E '(error|a)' | head -3", "error: one"),
        bash("make all | tail -5", "error: two"),
        bash("make all && cat log | grep x", "error: three", error=True),
        bash("make all", "done"),
    )
    assert [data.split("\n")[0] for data in of_type("error_tool", among=told)] == [
        "$ make all",
        "$ make all",
        "$ make all && cat log",
    ]
    assert of_type("error_resolved", among=told) == ["$ make all: error: two → works now"]


def test_CM11_a_refusal_or_a_lost_result_is_no_error() -> None:
    refused = "The user doesn't want to proceed with this tool use. The tool use was rejected"
    told = found(
        edit("/project/a.py", refused, error=True),
        call("Bash", {"command": "sleep 9"}, "[interrupted]", error=True, lost=True),
        call("Bash", {"command": "sleep 9"}, None),
    )
    assert of_type("error_tool", among=told) == []


def test_CM11_an_error_is_told_without_the_envelopes_of_agents() -> None:
    codex = "Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 2\nOutput:\nit broke\n"
    form = (
        "Command: make\nDirectory: (root)\nOutput: it broke\nError: (none)\nExit Code: 2\nSignal: 0"
    )
    claude = "<tool_use_error>it broke</tool_use_error>"
    for output in (
        codex,
        claude,
        "Exit code 2\nit broke",
        "it broke\n\nCommand exited with code 2",
        "failed in sandbox X with execution error: no, exit code: 2, stdout: , stderr: it broke",
    ):
        assert errors(bash("make", output, error=True)) == ["$ make\nit broke"]
    assert errors(bash("make", form)) == ["$ make\nit broke"]
    assert errors(bash("make", form.replace("Code: 2", "Code: 0"))) == []


def test_CM11_a_long_error_shows_where_it_begins_and_how_it_ends() -> None:
    output = "ok\n" * 5_000 + "ValueError: here\n" + "frame\n" * 400 + "the end"
    told = errors(bash("python run.py", output, error=True))[0]
    assert len(told.encode()) <= 1_500
    assert "\nValueError: here\n" in told
    assert told.endswith("the end")


def test_CM11_values_that_a_command_sets_are_not_told() -> None:
    told = errors(bash('TOKEN=hunter2 A="b c" npm test', "1 failed", error=True))
    assert told == ["$ TOKEN=*** A=*** npm test\n1 failed"]


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("deploy --token abc x", "deploy --token *** x"),
        ("deploy --api-key='a b' -v", "deploy --api-key=*** -v"),
        ("deploy --auth --force", "deploy --auth --force"),
        ("git commit --author me", "git commit --author me"),
        ("git clone https://me:pw@a.dev/x", "git clone https://***@a.dev/x"),
        ("X=1 make && Y=2 make", "X=*** make && Y=*** make"),
    ],
)
def test_CM11_secrets_that_a_command_is_given_are_not_told(command: str, shown: str) -> None:
    assert errors(bash(command, "error: no", error=True)) == [f"$ {shown}\nerror: no"]


@pytest.mark.parametrize(
    "output",
    ["EACCES: permission denied, open '/etc/x'", "this option is not supported on Windows",
     "npm requires node >= 20"],
)  # fmt: skip
def test_CM11_a_constraint_is_told_with_its_surroundings(output: str) -> None:
    long = f"{'before ' * 40}{output}{' after' * 60}"
    [told] = of_type("constraint_discovered", among=found(bash("make", long, error=True)))
    assert output in told
    assert len(told) < 330
    assert of_type("constraint_discovered", among=found(bash("make", output))) == []


def test_CM11_an_error_is_resolved_by_the_same_program_later() -> None:
    told = found(
        bash("uv run pytest -q", FAILED, error=True),
        *(read(f"/project/{n}.py") for n in range(30)),
        bash("ls"),
        bash("cd /project && python -m pytest tests -q", "4 passed"),
        bash("pytest", "4 passed"),
    )
    assert of_type("error_resolved", among=told) == [
        "$ uv run pytest -q: FAILED tests/test_a.py::test_x 1 failed, 3 passed in 0.1s → works now"
    ]


def test_CM11_another_program_or_file_resolves_nothing() -> None:
    told = found(
        bash("pytest", FAILED, error=True),
        bash("git status", "clean"),
        edit("/project/a.py", "String to replace not found", error=True),
        read("/project/a.py"),
        edit("/project/b.py"),
    )
    assert of_type("error_resolved", among=told) == []


def test_CM11_a_file_is_resolved_by_its_change() -> None:
    told = found(
        read("/project/new.py", "File does not exist.", error=True),
        call("Write", {"file_path": "/project/new.py", "content": "x"}, "created"),
        edit("/project/a.py", "String to replace not found", error=True),
        edit("/project/a.py"),
    )
    assert len(of_type("error_resolved", among=told)) == 2


def test_CM11_an_error_is_resolved_once_and_by_its_newest_words() -> None:
    told = found(
        bash("make", "error: one", error=True),
        bash("make", "error: two", error=True),
        bash("make", "done"),
        bash("make", "done"),
    )
    assert of_type("error_resolved", among=told) == ["$ make: error: two → works now"]


def test_CM11_three_equal_calls_in_a_row_are_a_loop() -> None:
    told = found(bash("make"), bash("make"), bash("make"), bash("make"))
    assert of_type("retry_detected", among=told) == [
        "Bash called 3 times in a row with the same input: $ make"
    ]
    assert [event.message for event in told if event.type == "retry_detected"] == [3]


def test_CM11_work_in_between_or_waiting_is_no_loop() -> None:
    between = (
        bash("make"),
        edit("/project/a.py"),
        bash("make"),
        edit("/project/a.py"),
        bash("make"),
    )
    waits = [call("BashOutput", {"bash_id": "1"}, "running") for _ in range(5)]
    told = found(*between, *waits, bash("make a"), bash("make b"), bash("make c"))
    assert of_type("retry_detected", among=told) == []


_IN_ANOTHER_PROCESS = """
import json, sys
from gitsession.events import events
from gitsession.model.message import Message, Part
from gitsession.model.session import Info, Session
told = json.load(sys.stdin)
messages = tuple(
    Message(m["role"], tuple(Part(**part) for part in m["parts"]), m["time"]) for m in told
)
session = Session(Info("claude-code", "native-1", cwd="/project"), messages=messages)
print(json.dumps([[e.type, e.data, e.message, e.hash, e.project] for e in events(session)]))
"""


def test_CM11_separate_processes_find_the_same() -> None:
    """The error is in what the first process sees, its end only in what the second one does."""
    talk = session(
        user("run the tests, then fix them"),
        bash("pytest", FAILED, error=True),
        bash("pytest", FAILED, error=True),
        bash("pytest", FAILED, error=True),
        edit("/project/a.py"),
        bash("pytest", "4 passed"),
    ).messages
    before, after = (_elsewhere(talk[:3], "1"), _elsewhere(talk, "2"))
    assert after == _elsewhere(talk, "3")
    assert after[: len(before)] == before
    assert "error_resolved" not in [one[0] for one in before]
    assert [one[0] for one in after if one[0] in ("error_resolved", "retry_detected")] == [
        "retry_detected",
        "error_resolved",
    ]


def _elsewhere(messages: tuple[Message, ...], seed: str) -> list[list[object]]:
    told = [
        {
            "role": message.role,
            "time": message.time,
            "parts": [
                {name: getattr(part, name) for name in ("kind", "text", "name", "call_id", "input",
                                                        "error")}
                for part in message.parts
            ],
        }
        for message in messages
    ]  # fmt: skip
    run = subprocess.run(
        [sys.executable, "-c", _IN_ANOTHER_PROCESS],
        input=json.dumps(told),
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=True,
    )
    made: list[list[object]] = json.loads(run.stdout)
    return made
