"""Servers, links, worktrees, questions, refusals, waiting, subagents and skills."""

from __future__ import annotations

import json
import random
import string

import pytest

from gitsession.agents.claude_code.messages import messages
from gitsession.events import events
from gitsession.model.event import Event
from gitsession.model.record import Record, Stream
from gitsession.model.session import Info, Session
from gitsession.redaction.redactor import Redactor
from tests.builders import Claude

from .making import bash, call, found, note, of_type, types, user

REFUSED = "The user doesn't want to proceed with this tool use. The tool use was rejected."


def test_CM12_a_server_is_told_with_its_answer_and_its_call() -> None:
    given = {"query": "open bugs", "limit": 3}
    told = found(call("mcp__tracker__search", given, "bug 1\nbug 2"))
    assert of_type("mcp", among=told) == ["search: open bugs\nresponse: bug 1\nbug 2"]
    [made] = of_type("mcp_tool_call", among=told)
    assert json.loads(made) == {"tool_name": "mcp__tracker__search", "params": given}
    assert [event.priority for event in told] == [3, 4]


def test_CM12_what_a_secrets_name_holds_is_masked_at_any_depth() -> None:
    given = {
        "Authorization": "Basic aaa", "q": "x",
        "deep": [{"apiKey": {"v": "bbb"}}, {"headers": {"Set-Cookie": ["ccc"], "n": 1}}],
        "client_secret": "ddd",
    }  # fmt: skip
    told = found(call("mcp__web__get", given, "done"))
    [made] = of_type("mcp_tool_call", among=told)
    assert json.loads(made)["params"] == {
        "Authorization": "[REDACTED]", "q": "x",
        "deep": [{"apiKey": "[REDACTED]"}, {"headers": {"Set-Cookie": "[REDACTED]", "n": 1}}],
        "client_secret": "[REDACTED]",
    }  # fmt: skip
    assert not any(word in event.data for event in told for word in ("aaa", "bbb", "ccc", "ddd"))


@pytest.mark.parametrize("letter", ["x", "ä", "語", "🙂"])
def test_CM12_a_call_is_json_of_at_most_two_kilobytes(letter: str) -> None:
    [made] = of_type("mcp_tool_call", among=found(call("mcp__a__b", {"t": letter * 9_000}, "y")))
    cut = json.loads(made)
    assert cut["truncated"] is True
    assert 2_000 < len(cut["params_raw"].encode()) <= 2_048
    [whole] = of_type("mcp_tool_call", among=found(call("mcp__a__b", {"t": letter * 500}, "y")))
    assert json.loads(whole)["params"] == {"t": letter * 500}


def test_CM12_no_event_is_longer_than_a_few_kilobytes() -> None:
    long = "語 " * 200_000
    told = found(
        user(long),
        call("mcp__a__b", {"t": long}, long),
        bash("make", f"error: {long}", error=True),
        call("Agent", {"description": long, "prompt": long}, long),
        call("AskUserQuestion", {"questions": [{"question": long}]}, long),
        call("WebFetch", {"url": "https://a.dev/" + "x" * 90_000}, long),
        call("Edit", {"file_path": "/project/a.py"}, REFUSED + " the user said:\n" + long,
             error=True),
    )  # fmt: skip
    assert {event.message for event in told} == {1, 2, 3, 4, 5, 7}
    assert max(len(event.data.encode()) for event in told) <= 4_096


def test_CM12_nothing_that_the_filter_takes_out_comes_back() -> None:
    """Prompts, commands, answers of servers and of agents: events see what was saved."""
    draw = random.Random(12)
    secrets = ["ghp_" + "".join(draw.choices(string.ascii_letters, k=36)) for _ in range(8)]
    made = Claude()
    made.prompt(f"use {secrets[0]}, not the other one")
    made.bash(f"curl -H 'Authorization: token {secrets[1]}' https://api.example.dev/x", "ok")
    fails = made.call("Bash", {"command": f"deploy {secrets[2]}"})
    made.result(fails, f"error: token {secrets[3]} is not permitted", error=True)
    asked = made.call("mcp__vault__read", {"path": "a", "note": secrets[4]})
    made.result(asked, f"the token is {secrets[5]}")
    sent = made.call("Agent", {"description": "find it", "prompt": "p"})
    made.result(sent, f"found {secrets[6]} in the log")
    made.say(f"it is {secrets[7]}")
    records = tuple(map(Record, made.data.splitlines(keepends=True)))
    dirty = Session(Info("claude-code", "n", cwd="/project"), streams=(Stream("main", records),))
    clean = Redactor(b"k" * 32).redact(dirty).session
    told = events(clean._replace(messages=messages(clean)))
    wanted = {"user_prompt", "decision", "error_tool", "constraint_discovered", "mcp",
              "mcp_tool_call", "agent_finding"}  # fmt: skip
    assert wanted <= set(types(told))
    assert [one for one in secrets for event in told if one in event.data] == []
    dirty_told = events(dirty._replace(messages=messages(dirty)))
    assert any(secrets[5] in event.data for event in dirty_told)


def test_CM12_links_are_told_once_and_only_those_that_lead_out() -> None:
    told = found(
        user("see https://a.dev/x, and (https://b.dev/y(1)). Also #12 and #3."),
        bash("curl http://localhost:3000/a http://127.0.0.1/b http://10.0.0.1/c http://db/d"),
        bash("gh pr view 7", "title: fixes #12, #14 see https://a.dev/x"),
        call("WebFetch", {"url": "https://a.dev/z", "prompt": "?"}, "to https://c.dev/q."),
        call("Read", {"file_path": "/project/a.css"}, "#123456 https://d.dev/never"),
        bash("echo '#5'", "#6 https://e.dev/output"),
    )
    assert of_type("external_ref", among=told) == [
        "https://a.dev/x, https://b.dev/y(1), #12, #3",
        "#14",
        "https://a.dev/z, https://c.dev/q",
    ]


@pytest.mark.parametrize("text", ["color: #123;", "a#12", "&#39;", "page.html#4", "#0", "#12ab"])
def test_CM12_what_is_no_issue(text: str) -> None:
    assert of_type("external_ref", among=found(user(f"why is it {text}"))) == (
        ["#123"] if text.startswith("color") else []
    )


@pytest.mark.parametrize(
    ("output", "why"),
    [
        (f"{REFUSED} To tell you how, the user said:\nuse uv\n\nNote: The user's next message",
         "use uv"),
        (f"{REFUSED} The user provided the following reason for the rejection:  use uv", "use uv"),
        (REFUSED, ""),
        ("exec_command failed: rejected by user", ""),
        ("[Operation Cancelled] Reason: User cancelled the operation.",
         "User cancelled the operation."),
        ("The user rejected permission to use this tool with the following feedback: use uv",
         "use uv"),
        ("Claude requested permissions to use Bash, but you haven't granted it yet.", ""),
        ("Permission denied and could not request permission from user", ""),
    ],
)  # fmt: skip
def test_CM12_a_refusal_is_told_with_its_reason(output: str, why: str) -> None:
    told = found(bash("pip install x", output, error=True))
    assert of_type("rejected", among=told) == ["$ pip install x" + (f" → {why}" if why else "")]
    assert of_type("error_tool", among=told) == []


@pytest.mark.parametrize(
    "output", ["The user denied this operation.", "The user has declined to run this tool."]
)
def test_CM12_a_refusal_that_is_no_error_for_its_agent(output: str) -> None:
    assert types(found(bash("git push", output))) == ["rejected"]


def test_CM12_a_tool_that_only_speaks_of_refusals_was_not_refused() -> None:
    assert of_type("rejected", among=found(bash("cat log", "rejected by user"))) == []


@pytest.mark.parametrize(
    ("name", "given", "output", "expected"),
    [
        ("AskUserQuestion", {"questions": [{"question": "Which?"}, {"question": 'The "b"?'}]},
         'User has answered your questions: "Which?"="A, or so", "The "b"?"="yes". You can now',
         ["Q: Which? → A: A, or so", 'Q: The "b"? → A: yes']),
        ("ask_user", {"question": "Which?", "choices": ["A"]}, "User selected: A",
         ["Q: Which? → A: A"]),
        ("ask_user", {"question": "Which?"}, "User responded: none of them",
         ["Q: Which? → A: none of them"]),
        ("request_user_input", {"questions": [{"id": "1", "question": "Which?"}]},
         '{"answers": {"Which?": {"answers": ["A", "B"]}}}', ["Q: Which? → A: A, B"]),
        ("question", {"questions": [{"question": "Which?"}]},
         'User has answered your questions: "Which?"="A". You can now continue',
         ["Q: Which? → A: A"]),
        ("AskUserQuestion", {"questions": [{"question": "Which?"}]}, "", []),
    ],
)  # fmt: skip
def test_CM12_an_answer_is_a_decision(
    name: str, given: object, output: str, expected: list[str]
) -> None:
    told = found(call(name, given, output))
    assert of_type("decision_question", among=told) == expected


def test_CM12_no_answer_no_decision() -> None:
    asked = {"questions": [{"question": "Which?"}]}
    told = found(call("AskUserQuestion", asked, REFUSED, error=True),
                 call("AskUserQuestion", asked, None))  # fmt: skip
    assert of_type("decision_question", among=told) == []


def test_CM12_worktrees() -> None:
    told = found(
        call("EnterWorktree", {"name": "fix"}, "entered"),
        call("ExitWorktree", {"discard_changes": True}, "left"),
        call("EnterWorktree", {"name": "no"}, "it exists", error=True),
    )
    assert of_type("worktree", "worktree_exit", among=told) == [
        "entered worktree: fix",
        "exited worktree (changes discarded)",
    ]


@pytest.mark.parametrize(
    ("output", "seconds"),
    [
        ("Chunk ID: 1\nWall time: 5.2000 seconds\nProcess exited with code 0\nOutput:\n", "5.2 s"),
        ("done\n<usage>total_tokens: 1\nduration_ms: 12345</usage>", "12.3 s"),
        ("Chunk ID: 1\nWall time: 5.0000 seconds\nOutput:\n", ""),
        ("it took a while", ""),
    ],
)
def test_CM12_what_says_that_it_took_more_than_five_seconds(output: str, seconds: str) -> None:
    told = of_type("latency", among=found(bash("make", output)))
    assert told == ([f"$ make: {seconds}"] if seconds else [])


@pytest.mark.parametrize(
    ("output", "avoided", "data"),
    [
        ("<persisted-output>\nOutput too large (190.5KB). Full output saved to: /tmp/a.txt\n\nx",
         195_072, "Bash: output kept from the model, 195072 bytes, in /tmp/a.txt"),
        ("Output too large to read at once (27.2 KB). Saved to: /tmp/b.txt", 27_853,
         "Bash: output kept from the model, 27853 bytes, in /tmp/b.txt"),
        ("a\n…1,000 tokens truncated…\nb", 4_000, "Bash: output kept from the model, 4000 bytes"),
        ("[Showing lines 1-2 of 9. Full output: /tmp/c.log]", 0,
         "Bash: output kept from the model, in /tmp/c.log"),
    ],
)  # fmt: skip
def test_CM12_what_the_model_did_not_see_is_counted(output: str, avoided: int, data: str) -> None:
    told = found(bash("make", output))
    assert of_type("redirect", among=told) == [data]
    assert sum(event.avoided for event in told) == avoided
    assert sum(event.returned for event in told) == len(output.encode())


def agents(*told: Event) -> list[tuple[str, int, str]]:
    return [
        (event.type, event.priority, event.data)
        for event in told
        if event.category in ("subagent", "agent-finding")
    ]


def test_CM12_a_subagent_is_launched_or_completed() -> None:
    given = {"description": "Look at the parser", "prompt": "…", "subagent_type": "Explore"}
    assert agents(*found(call("Agent", given, None))) == [
        ("subagent_launched", 3, "[launched] Look at the parser")
    ]
    found_out = "It reads twice. " * 60
    told = agents(*found(call("Task", given, f"{found_out}\nagentId: a1b (for resuming)")))
    assert [(kind, priority) for kind, priority, _ in told] == [
        ("subagent_completed", 2),
        ("agent_finding", 2),
    ]
    assert told[0][2].startswith("[completed] Look at the parser → It reads twice.")
    assert told[1][2] == found_out.strip()[:500]


def test_CM12_the_end_of_an_agent_that_ran_beside_is_told_once() -> None:
    spawned = call("spawn_agent", {"message": "Review it"}, '{"agent_id":"a-1","nickname":"X"}')
    over = '{"agent_path":"a-1","status":{"completed":"Two findings"}}'
    waited = call(
        "wait_agent", {"targets": ["a-1"]}, '{"status":{"a-1":{"completed":"Two findings"}}}'
    )
    told = agents(*found(spawned, waited, note(f"<subagent_notification>\n{over}\n</…>")))
    assert told == [
        ("subagent_launched", 3, "[launched] Review it"),
        ("subagent_completed", 2, "[completed] Review it → Two findings"),
        ("agent_finding", 2, "Two findings"),
    ]


def test_CM12_a_background_agent_of_claude_code() -> None:
    sent = call("Agent", {"description": "Look"}, "Async agent launched successfully.\nagentId: a1")
    over = ("<task-notification>\n<task-id>a1</task-id>\n<status>completed</status>\n<summary>done"
            "</summary>\n<result>Three findings</result>\n</task-notification>")  # fmt: skip
    assert [data for _, _, data in agents(*found(sent, note(over)))] == [
        "[launched] Look",
        "[completed] Look → Three findings",
        "Three findings",
    ]


def test_CM12_skills() -> None:
    told = found(call("Skill", {"skill": "pdf", "args": "a.pdf"}, "Launching skill: pdf"),
                 call("Skill", {"skill": "none"}, "Unknown skill", error=True))  # fmt: skip
    assert [(e.type, e.priority, e.data) for e in told if e.category == "skill"] == [
        ("skill", 2, "pdf")
    ]
