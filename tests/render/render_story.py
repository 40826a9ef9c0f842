"""One small session with something of everything, at two moments, for the snapshots."""

from __future__ import annotations

from gitsession.model.finding import Finding
from gitsession.model.history import Version
from gitsession.model.message import Message, Part, Usage
from gitsession.model.record import File, Record, Sidecar, Stream
from gitsession.model.session import Counts, Info, Session, State, Todo

NOW = 1_770_000_000  # 2026-02-02 02:40 UTC
SESSION = "fix-the-login-redirect-3f2a"
MASKED = "__REDACTED_github-pat_1f0c2d3e4a5b6978__"


def text(words: str) -> Part:
    return Part("text", words)


def call(name: str, call_id: str, arguments: object) -> Part:
    return Part("tool_call", name=name, call_id=call_id, input=arguments)


def result(call_id: str, words: str, error: bool = False) -> Part:
    return Part("tool_result", words, call_id=call_id, error=error)


def user(words: str, native_id: str, time: str = "2026-02-01T10:00:00Z") -> Message:
    return Message("user", (text(words),), time, native_id=native_id, record=0)


def assistant(*parts: Part, native_id: str, time: str = "2026-02-01T10:00:30Z") -> Message:
    usage = Usage(input=12, output=340, cache_read=18_000, cache_write=950)
    return Message("assistant", parts, time, "claude-opus-4-5", native_id, usage=usage)


ANSWER = """The redirect is lost because `next` is read **after** the session is cleared.

| step | before | after |
|---|---|---|
| read `next` | late | early |

1. Read it first
2. Check that it is a local path

```python
target = safe_next(request)
logout(request)
```
"""

MESSAGES = (
    user("The login page forgets where I came from. Fix it.", "u1"),
    assistant(
        Part("reasoning", "The redirect target is probably lost in the session."),
        text("I look at the view first."),
        call("Read", "toolu_01", {"file_path": "/project/src/login.py"}),
        result("toolu_01", "def login(request):\n    logout(request)\n    return redirect('/')\n"),
        call("Bash", "toolu_02", {"command": "pytest -q tests/test_login.py"}),
        result("toolu_02", "\x1b[31mF\x1b[0m\n1 failed in 0.31s\n", error=True),
        native_id="a1",
    ),
    assistant(text(ANSWER), native_id="a2", time="2026-02-01T10:01:10Z"),
    user(f"Good. Use my token {MASKED} for the API test.", "u2", "2026-02-01T10:05:00Z"),
    assistant(
        call("Edit", "toolu_03", {
            "file_path": "/project/src/login.py",
            "old_string": "    logout(request)\n    return redirect('/')\n",
            "new_string": "    target = safe_next(request)\n    logout(request)\n"
                          "    return redirect(target)\n",
        }),
        result("toolu_03", "The file has been updated."),
        call("Bash", "toolu_04", {"command": "pytest -q"}),
        native_id="a3", time="2026-02-01T10:05:40Z",
    ),
)  # fmt: skip

FINDINGS = (
    Finding("github-pat", "main:7 message.content", MASKED, offset=812, length=40, mac="00" * 16),
)

INFO = Info(
    agent="claude-code",
    native_id="0b0f4e52-6a57-4a51-9e57-1f2d3c4b5a69",
    identity="claude-code/0b0f4e52-6a57-4a51-9e57-1f2d3c4b5a69",
    title="Fix the login redirect",
    cwd="/project",
    created="2026-02-01T10:00:00Z",
    updated="2026-02-01T10:05:40Z",
    models=("claude-opus-4-5",),
    agent_version="2.1.332",
    git_branch="fix/login",
    roots=("/project",),
)

LOGIN_OLD = b"def login(request):\n    logout(request)\n    return redirect('/')\n"
LOGIN_NEW = (
    b"def login(request):\n    target = safe_next(request)\n    logout(request)\n"
    b"    return redirect(target)\n"
)


def before() -> Session:
    """After the first turn."""
    return Session(
        INFO,
        streams=(Stream("main", (Record(b"{}\n"),), first=5),),
        files=(File("src/login.py", LOGIN_OLD), File(".env", None, "secret", 120)),
        state=State(
            todos=(Todo("find the cause", "completed"), Todo("fix it", "in_progress")),
            active_file="src/login.py",
            last_command="pytest -q tests/test_login.py",
            exit_code=1,
        ),
        usage=Usage(40, 1_200, 36_000, 2_000),
        counts=Counts(1, 6, 3, 9_000),
        messages=MESSAGES[:3],
    )


def after() -> Session:
    """After the second turn; its last tool call has no result yet."""
    return before()._replace(
        streams=(Stream("main", (Record(b"{}\n"),), first=10),),
        files=(
            File("src/login.py", LOGIN_NEW),
            File("src/next.py", b"def safe_next(request):\n    ...\n"),
            File(".env", None, "secret", 120),
        ),
        sidecars=(Sidecar("tool-results/1.txt", b"x" * 2_000),),
        state=State(
            todos=(
                Todo("find the cause", "completed"),
                Todo("fix it", "completed"),
                Todo("test it", "pending"),
            ),
            active_file="src/login.py",
            active_line=2,
            last_command="pytest -q",
        ),
        usage=Usage(64, 1_900, 54_000, 3_000),
        counts=Counts(2, 11, 5, 14_200),
        messages=MESSAGES,
    )


def compacted() -> Session:
    """After a compaction: a summary, and the last question kept."""
    summary = Part("compaction", "The login redirect was fixed.\nOpen: run the whole test suite.")
    messages = (
        *MESSAGES[:3],
        Message("system", (summary,), "2026-02-01T10:20:00Z", native_id="s1"),
        MESSAGES[3],
    )
    return before()._replace(messages=messages, counts=Counts(2, 9, 4, 11_000, compactions=1))


def commit(
    letter: str, parents: str, hours: float, subject: str, number: int, **trailers: str
) -> Version:
    known = {
        "Session": INFO.identity, "Native": INFO.identity, "Title": INFO.title,
        "Project": "/project", "Version": str(number), "Messages": str(number * 3),
        "Bytes": str(number * 9_000), "Tokens": str(number * 19_302), "Kind": "turn",
        "Redacted": "0", **trailers,
    }  # fmt: skip
    time = NOW - int(hours * 3600)
    return Version(letter * 40, "e" * 40, tuple(p * 40 for p in parents), time, subject, known, "")


VERSIONS = (
    commit("a", "c", 0.5, "Use my token for the API test", 3, Redacted="1", Kind="open"),
    commit("b", "f", 3, "Try it with cookies instead", 3),
    commit("f", "d", 4, "Conversation compacted", 2, Kind="compaction"),
    commit("c", "d", 30, "Write the test first", 2, Code="9f8e7d6c5b4a"),
    commit("9", "d", 60, "Rewind: the other way round", 2, Kind="interrupted"),
    commit("d", "", 24 * 20, "The login page forgets where I came from. Fix it.", 1),
)
REFS = {
    "a" * 40: [f"refs/heads/{SESSION}/main"],
    "b" * 40: [f"refs/heads/{SESSION}/cookies", f"refs/remotes/team/{SESSION}/cookies"],
    "9" * 40: [f"refs/heads/{SESSION}/rewound-1"],
    "d" * 40: [f"refs/tags/{SESSION}/cause-found"],
}
HEAD = f"{SESSION}/main"
