"""All events of whole sessions: their order, place and size; real sessions; how fast."""

from __future__ import annotations

import hashlib
import json
import time
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given as given_any
from hypothesis import strategies as some

from bench.generate import session as generated
from gitsession.agents import registry
from gitsession.events import events
from gitsession.events.keep import without_repeats
from gitsession.model.event import Event
from gitsession.model.message import Message, Part
from gitsession.model.record import Record, Stream
from gitsession.model.session import Info, Session
from tests.context.making import random_session
from tests.context.real_files import sessions

from .making import bash, call, edit, found, of_type, read, session, types, user

CATEGORIES = {
    "file", "rule", "cwd", "env", "git", "task", "plan", "user-prompt", "decision", "role",
    "intent", "goal", "blocked-on", "data", "error", "error-resolution", "constraint",
    "iteration-loop", "subagent", "agent-finding", "skill", "mcp", "mcp-tool-call", "external-ref",
    "rejected-approach", "latency", "redirect", "compaction",
}  # fmt: skip


def test_CM1_the_hash_is_that_of_the_data() -> None:
    for event in found(user("Use a, not b: 決定 \ud800"), read("/project/a.py"), bash("make")):
        digest = hashlib.sha256(event.data.encode("utf-8", "surrogatepass")).hexdigest()
        assert event.hash == digest[:16].upper()


def test_CM1_every_event_knows_where_it_stands() -> None:
    talk = [user("go"), read("/project/a.py", "12345"), user("on"), bash("git push", "äö")]
    told = found(*talk)
    assert [event.message for event in told] == sorted(event.message for event in told)
    assert {(event.message, event.tool) for event in told} == {
        (1, ""), (2, "Read"), (3, ""), (4, "Bash"),
    }  # fmt: skip
    assert {event.time for event in told} == {"2026-01-31T12:00:00.000Z"}
    assert {event.category for event in told} <= CATEGORIES
    assert [event.returned for event in told if event.tool] == [5, 4]


def test_CM1_bytes_count_once_for_each_call() -> None:
    told = found(bash("cd /project && git add . && git commit -m x && pip install y", "12345678"))
    assert len(told) > 3
    assert [event.returned for event in told] == [8] + [0] * (len(told) - 1)


def places(*messages: Message, roots: tuple[str, ...] = ()) -> dict[str, tuple[str, str, float]]:
    return {
        event.data: (event.project, event.attribution, event.confidence)
        for event in found(*messages, roots=roots)
    }


def test_CM1_attribution_by_path_by_folder_by_session() -> None:
    told = places(
        user("go"),
        read("/project/src/a.py"),
        read("/project/web/b.ts"),
        read("/projects/c.py"),
        read("src/d.py"),
        read("/project/../etc/e"),
        bash("git push origin"),
        call("shell", {"command": ["git", "pull"], "workdir": "/project/web/x"}, "ok"),
        bash("cd /elsewhere/api && git fetch --all"),
        call("shell", {"command": "cd docs && git stash", "workdir": "/project/web"}, "ok"),
        edit("/elsewhere/api/src/f.py"),
        roots=("/project/web",),
    )
    assert told["go"] == ("/project", "session", 0.5)
    assert told["/project/src/a.py"] == ("/project", "path", 0.95)
    assert told["/project/web/b.ts"] == ("/project/web", "path", 0.95)
    assert told["/projects/c.py"] == ("/projects", "path", 0.6)
    assert told["src/d.py"] == ("/project", "path", 0.8)
    assert told["/project/../etc/e"] == ("/etc", "path", 0.6)
    assert told["push origin"] == ("/project", "session", 0.5)
    assert told["pull"] == ("/project/web", "cwd", 0.9)
    assert told["fetch --all"] == ("/elsewhere/api", "cwd", 0.9)
    assert told["stash"] == ("/project/web", "cwd", 0.9)
    assert told["/elsewhere/api"] == ("/elsewhere/api", "cwd", 0.9)
    assert told["/elsewhere/api/src/f.py"] == ("/elsewhere/api", "path", 0.95)


def test_CM1_attribution_on_windows_and_without_a_folder() -> None:
    windows = found(read("C:\\code\\app\\src\\a.py"), cwd="C:\\code\\app")
    assert [(one.project, one.attribution) for one in windows] == [("C:/code/app", "path")]
    nowhere = found(user("go"), read("a.py"), bash("cd src && ls"), cwd="")
    assert {(one.project, one.confidence) for one in nowhere if one.type != "cwd"} >= {("", 0.0)}


def test_a_compaction_is_told_with_its_summary() -> None:
    told = found(
        user("go"),
        Message("system", (Part("compaction", "what was said before"),)),
        Message("system", (Part("compaction", ""),)),
    )
    assert of_type("compaction", among=told) == ["what was said before", "compacted"]


def test_what_a_subagent_was_told_is_no_prompt_of_the_user() -> None:
    inner = Message(
        "user", (Part("text", "Look at all files, then report"),), stream="subagents/a1"
    )
    work = read("/project/a.py").parts
    told = found(user("go"), inner, Message("assistant", work, stream="subagents/a1"))
    assert types(told) == ["user_prompt", "intent", "file_read"]


@pytest.mark.parametrize("seed", range(40))
def test_an_earlier_version_has_the_first_events_of_a_later_one(seed: int) -> None:
    messages = random_session(seed).messages
    whole = events(session(*messages))
    assert whole == events(session(*messages))
    for count in range(0, len(messages), 3):
        part = events(session(*messages[:count]))
        assert part == whole[: len(part)]
        assert all(event.message > count for event in whole[len(part) :])


def test_real_sessions_give_events_that_somebody_can_read(samples: Path) -> None:
    """Every prompt is one, nothing is empty or long, and no kind floods the others."""
    agents = set()
    for name, given in sessions(samples, every=False):
        told = events(given)
        agents.add(given.info.agent)
        check(told, given, name)
    assert len(agents) == 10


def check(told: list[Event], given: Session, name: str) -> None:
    assert {event.category for event in told} <= CATEGORIES, name
    assert all(event.data.strip() for event in told), name
    assert all(len(event.data.encode("utf-8", "surrogatepass")) <= 4_096 for event in told), name
    assert all(0 <= event.confidence <= 1 and 1 <= event.priority <= 4 for event in told), name
    assert all(1 <= event.message <= len(given.messages) for event in told), name
    counts = Counter(event.type for event in without_repeats(told))
    calls = sum(part.kind == "tool_call" for one in given.messages for part in one.parts)
    for kind in ("error_tool", "constraint_discovered", "rejected", "latency", "external_ref"):
        assert counts[kind] <= 5 + calls / 5, (name, kind)
    asked = [
        n for n, one in enumerate(given.messages, 1) if one.role == "user" and one.text.strip()
    ]
    prompts = [event.message for event in told if event.type == "user_prompt"]
    assert prompts == asked, name


def test_events_of_much_work_are_found_fast() -> None:
    """Measured against reading the messages: the machine may be slow for both."""
    records = tuple(map(Record, generated(7, 4_000_000)))
    info = Info("claude-code", "x", cwd="/home/dev/demo")
    given = Session(info, streams=(Stream("main", records),))
    begin = time.process_time()
    given = given._replace(messages=registry.get("claude-code").messages(given))
    read_at = time.process_time()
    told = events(given)
    took, reading = time.process_time() - read_at, read_at - begin
    assert len(told) > 200
    assert took < 8 * reading + 0.1


@pytest.mark.parametrize(
    "output",
    [
        "error: " + "a" * 400_000,
        "\n" * 200_000 + "error",
        " " * 300_000 + "failed",
        "1 " * 200_000 + "failed",
        "a:" * 200_000 + "error: x",
        '"a"="' * 60_000,
        "https://" * 60_000,
        "Command: x\n" * 40_000,
        "<system-reminder>" * 20_000,
        "\x1b[31m" * 60_000 + "FAIL",
        "<reminder " * 30_000,
        "<command-name>" * 20_000,
        "<result>" * 20_000,
        "." * 300_000 + "truncated",
        "error" + " " * 200_000 + "x",
        "at ::" * 60_000,
        "`" * 100_000 + "," * 100_000,
        " 2>&1 | grep 'x' | head" * 10_000 + "; y",
        " --token" * 30_000,
    ],
    ids=range(19),
)  # fmt: skip
def test_no_text_takes_long(output: str) -> None:
    asked = {"questions": [{"question": "Which?"}]}
    begin = time.process_time()
    found(
        user(output),
        Message("note", (Part("text", f"<task-notification>{output}"),)),
        bash("make | tail", output),
        bash(f"make {output}", output, error=True),
        call("Agent", {"description": output}, output),
        call("mcp__a__b", {"a": output}, output),
        call("AskUserQuestion", asked, output),
        call("WebFetch", {"url": output}, output),
        edit("/project/a.py", output, error=True),
    )
    assert time.process_time() - begin < 3


_NAMES = (
    "Bash",
    "Read",
    "Edit",
    "apply_patch",
    "AskUserQuestion",
    "Agent",
    "spawn_agent",
    "Skill",
    "wait_agent",
    "mcp__a__b",
    "WebFetch",
    "EnterWorktree",
    "ExitPlanMode",
    "TodoWrite",
    "",
)
_KEYS = ("command", "cmd", "workdir", "file_path", "questions", "question", "url", "prompt", "name",
         "skill", "todos", "plan", "token")  # fmt: skip
_TEXTS = some.text(max_size=30) | some.sampled_from((
    "error: x", "Exit code 1", "1 failed", '{"status":{"a":{"completed":"x"}}}', '{"answers":[]}',
    '{"status":[]}', "rejected by user", "cd 'a", "git commit -m \"", "https://", "\x00", "\ud800",
    "Output too large (1..2KB). Saved to: /a", "Command: x\nChunk ID", "<result>", "#1",
))  # fmt: skip
_VALUES = some.recursive(
    some.none() | some.booleans() | some.integers() | _TEXTS,
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(_TEXTS, inner, max_size=3),
    max_leaves=6,
)
_INPUTS = _VALUES | some.dictionaries(some.sampled_from(_KEYS), _VALUES, max_size=4)


@given_any(
    some.lists(
        some.builds(call, some.sampled_from(_NAMES), _INPUTS, some.none() | _TEXTS,
                    error=some.booleans(), lost=some.booleans(), native=_VALUES)
        | some.builds(user, _TEXTS),
        max_size=6,
    ),
    some.sampled_from(("", "/", "/project", "C:\\\\code", "relative")),
)  # fmt: skip
def test_nothing_that_an_agent_writes_breaks_it(messages: list[Message], cwd: str) -> None:
    told = found(*messages, cwd=cwd)
    assert told == found(*messages, cwd=cwd)
    for event in told:
        assert event.data
        assert event.category in CATEGORIES
        if event.type == "mcp_tool_call":
            assert json.loads(event.data)
