"""Claude Code: a session written to be continued: renamed, repaired, freed of what is not ours."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from gitsession.agents.base import Target, Written
from gitsession.agents.claude_code import AGENT
from gitsession.agents.pairs import INTERRUPTED
from gitsession.environment import Environment
from gitsession.errors import SourceUnreadable
from gitsession.model.record import Record, Sidecar, Stream
from gitsession.model.session import Info, Session
from tests.builders import CLAUDE_ID, Claude, a_uuid

NEW = "99999999-8888-4777-8666-555555555555"
Row = dict[str, Any]


def session_of(session: Claude | bytes, **more: Any) -> Session:
    data = session if isinstance(session, bytes) else session.data
    records = tuple(Record(line) for line in data.splitlines(keepends=True))
    info = Info("claude-code", CLAUDE_ID, cwd="/project")
    return Session(info, (Stream("main", records),), **more)


@pytest.fixture
def write(environment: Environment) -> Callable[..., Written]:
    def writing(session: Claude | bytes | Session, **target: Any) -> Written:
        whole = session if isinstance(session, Session) else session_of(session)
        wanted = Target(**{"cwd": "/target", "native_id": NEW, **target})
        return AGENT.write(whole, wanted, environment)

    return writing


def rows(written: Written) -> list[Row]:
    return [json.loads(line) for line in written.files[written.main].splitlines()]


def tool_blocks(written: Written) -> list[tuple[str, str]]:
    found = []
    for row in rows(written):
        content = row.get("message", {}).get("content", [])
        for block in content if isinstance(content, list) else []:
            if block["type"] == "tool_use":
                found.append(("call", block["id"]))
            elif block["type"] == "tool_result":
                found.append(("result", block["tool_use_id"]))
    return found


def test_only_what_must_differs(write: Callable[..., Written], environment: Environment) -> None:
    session = Claude().turn("one", command="ls")
    written = write(session)
    assert written.main == environment.home / f".claude/projects/-target/{NEW}.jsonl"
    expected = session.data.replace(CLAUDE_ID.encode(), NEW.encode())
    expected = expected.replace(b'"cwd":"/project"', b'"cwd":"/target"')
    expected = expected.replace(b'"entrypoint":"sdk-cli"', b'"entrypoint":"cli"')
    expected = expected.replace(b',"permissionMode":"default"', b"")
    assert written.files == {written.main: expected}
    assert written.repairs == ()


def test_odd_bytes_beside_a_change_stay(write: Callable[..., Written]) -> None:
    row = (
        b'{ "type":"user", "cost" : 1.10,"sessionId" : "' + CLAUDE_ID.encode() + b'" , "uuid":"u",'
        b'"parentUuid":null,"message":{"role":"user","content":"a\\/b \\u00fc"},"cost":2E+3}\r\n'
    )
    written = write(row)
    assert written.files[written.main] == row.replace(CLAUDE_ID.encode(), NEW.encode()).replace(
        b"\r\n", b"\n"
    )


def test_fields_of_tool_arguments_are_not_ours(write: Callable[..., Written]) -> None:
    session = Claude()
    session.prompt("x")
    arguments = {"cwd": "/project", "sessionId": CLAUDE_ID, "permissionMode": "plan"}
    session.result(session.call("Run", arguments), "ok")
    [_, call, _] = rows(write(session))
    assert call["message"]["content"][0]["input"] == arguments
    assert (call["cwd"], call["sessionId"]) == ("/target", NEW)


def test_title_is_the_last_row(write: Callable[..., Written]) -> None:
    session = Claude().turn("one").row(type="custom-title", customTitle="old")
    last = rows(write(session, title='new "main"@12'))[-1]
    assert last == {"type": "custom-title", "customTitle": 'new "main"@12', "sessionId": NEW}


def test_folders_below_the_project_move_along(write: Callable[..., Written]) -> None:
    session = Claude().turn("one")
    for cwd in ("/project/sub", "/elsewhere", "/project/../etc"):
        session.cwd = cwd
        session.prompt("x")
    cwds = [row["cwd"] for row in rows(write(session)) if "cwd" in row]
    assert cwds == ["/target"] * 2 + ["/target/sub", "/elsewhere", "/project/../etc"]
    foreign = [row["cwd"] for row in rows(write(session, foreign=True)) if "cwd" in row]
    assert foreign == ["/target"] * 2 + ["/target/sub", "/target", "/target"]


def test_how_the_agent_behaves_is_never_written(write: Callable[..., Written]) -> None:
    session = Claude().row(type="permission-mode", permissionMode="bypassPermissions")
    session.row(type="mode", mode="plan").row(type="bridge-session", bridgeId="b").turn("one")
    for foreign in (False, True):
        text = write(session, foreign=foreign)
        data = text.files[text.main]
        assert not re.search(b"permission|bypass|bridge|plan", data)


# Repairs


def parallel(lost: str) -> Claude:
    session = Claude().turn("first")
    session.prompt("second")
    made = [(name, session.call("Bash", {"command": name}, message="m"), session.tip)
            for name in "ABC"]  # fmt: skip
    for name, call_id, record in made:
        if name not in lost:
            session.tip = record
            session.result(call_id, f"output of {name}")
    return session.turn("third")


@pytest.mark.parametrize("lost", ["C", "BC", "ABC", "A"])
def test_A6_unpaired_tool_calls(write: Callable[..., Written], lost: str) -> None:
    session = parallel(lost)
    written = write(session)
    blocks = tool_blocks(written)
    ids = {name: f"toolu_{number}" for number, name in enumerate("ABC", 4)}
    assert sorted(blocks) == sorted((kind, i) for i in ids.values() for kind in ("call", "result"))
    for name in lost:
        at = blocks.index(("call", ids[name]))
        assert blocks[at + 1] == ("result", ids[name])
    plural = "s" if len(lost) > 1 else ""
    assert written.repairs == (
        f"{len(lost)} tool call{plural} without result marked as interrupted",
    )
    made = [row for row in rows(written) if INTERRUPTED in json.dumps(row)]
    assert len({row["uuid"] for row in made}) == len(lost)
    assert all(row["message"]["content"][0]["is_error"] for row in made)
    if lost == "ABC":
        following = next(r for r in rows(written) if r.get("message", {}).get("content") == "third")
        assert following["parentUuid"] == made[-1]["uuid"]
    assert write(session).files == written.files
    again = write(written.files[written.main])
    assert again.repairs == ()


def test_surplus_results_are_left_out(write: Callable[..., Written]) -> None:
    session = Claude()
    session.prompt("x")
    call_id = session.call("Bash", {"command": "ls"})
    session.result(call_id, "first")
    session.result(call_id, "second")
    gone = session.result("toolu_unknown", "lost")
    session.say("done")
    written = write(session)
    assert tool_blocks(written) == [("call", call_id), ("result", call_id)]
    assert gone not in written.files[written.main].decode()
    assert rows(written)[-1]["parentUuid"] == a_uuid(CLAUDE_ID, 2)
    assert written.repairs == (
        "1 doubled tool result left out",
        "1 tool result without a call left out",
    )


@pytest.mark.parametrize(
    ("text", "signature", "kept"),
    [
        ("fine", "c2lnbmF0dXJl", True),
        ("", "c2lnbmF0dXJl", True),
        ("cut", "c2lnbmF0dX", False),
        ("none", "", False),
        ("masked __REDACTED_key_1a2b__", "c2lnbmF0dXJl", False),
        ("masked signature", "__REDACTED_x__AA", False),
        ("masked by others", "abcdREDACTEDabcd", False),
    ],
)
def test_thinking_is_whole_or_gone(
    write: Callable[..., Written], text: str, signature: str, kept: bool
) -> None:
    session = Claude()
    prompt = session.prompt("x")
    session.think(text, signature)
    session.say("done")
    written = write(session)
    assert ("thinking" in written.files[written.main].decode()) is kept
    last = rows(written)[-1]
    assert (last["parentUuid"] == prompt) is not kept
    assert bool(written.repairs) is not kept


def test_broken_links_are_joined(write: Callable[..., Written]) -> None:
    session = Claude().turn("one")
    before = session.tip
    session.tip = a_uuid("nowhere")
    session.turn("two").compact().turn("three")
    written = write(session)
    parents = {row["message"]["content"]: row["parentUuid"] for row in rows(written)
               if row["type"] == "user"}  # fmt: skip
    assert parents["two"] == before
    boundary = next(row for row in rows(written) if row.get("subtype") == "compact_boundary")
    assert boundary["parentUuid"] is None
    assert written.repairs == ("1 broken link in the history joined",)


def test_damage_stays_behind(write: Callable[..., Written]) -> None:
    session = Claude().raw(b"\xef\xbb\xbf").turn("half HERE").raw(b"null\n").raw(b"\0\0\n\n")
    session.turn("two")
    session.rows[-1] = session.rows[-1][:-1]
    session.turn("three").raw(b'{"type":"user","mess')
    written = write(session.data.replace(b"HERE", rb"\ud83d"))
    assert [r["type"] for r in rows(written)] == ["user", "assistant", "last-prompt"] * 3
    assert b"\\ud83d" not in written.files[written.main]
    assert written.repairs == (
        "3 half surrogates replaced",
        "2 damaged records left out",
        "1 glued line taken apart",
        "torn last line left out",
    )


def test_a_subagents_own_file_becomes_a_conversation(write: Callable[..., Written]) -> None:
    session = Claude()
    session.extra = {"isSidechain": True, "agentId": "a1"}
    for row in rows(write(session.turn("look"))):
        assert row.get("isSidechain", False) is False
        assert "agentId" not in row


def test_nothing_to_continue_is_refused(write: Callable[..., Written]) -> None:
    with pytest.raises(SourceUnreadable):
        write(Claude().row(type="summary", summary="only", leafUuid="x"), title="t")


# Beside the main file


def test_streams_and_sidecars_lie_under_the_new_id(
    write: Callable[..., Written], environment: Environment
) -> None:
    old = f"/home/me/.claude/projects/-project/{CLAUDE_ID}"
    main = Claude()
    main.prompt("x")
    text = f"<persisted-output>\nFull output saved to: {old}/tool-results/big.txt\n"
    native = {"stdout": "", "persistedOutputPath": f"{old}/tool-results/big.txt"}
    main.result(main.call("Bash", {"command": "big"}), text, native)
    side = Claude()
    side.extra = {"isSidechain": True}
    records = tuple(Record(line) for line in side.turn("look").data.splitlines(keepends=True))
    meta = b'{"agentType":"Explore","worktreePath":"/home/me/w"}'
    whole = session_of(
        main,
        sidecars=tuple(
            Sidecar(path, meta if "meta" in path else b"x")
            for path in (
                "tool-results/big.txt", "file-history/0123456789abcdef@v2", "tasks/3.json",
                "todos/agent-main.json", "subagents/agent-a1.meta.json", "../../evil",
                "tool-results/../../../evil", "settings.json", "file-history/../../x",
            )
        ),
    )  # fmt: skip
    whole = whole._replace(streams=(*whole.streams, Stream("subagents/a1", records),
                                    Stream("subagents/../../evil", records)))  # fmt: skip
    top = environment.home / ".claude"
    folder = top / "projects" / "-target" / NEW
    written = write(whole)
    assert set(written.files) == {
        written.main, folder / "subagents/agent-a1.jsonl", folder / "subagents/agent-a1.meta.json",
        folder / "tool-results/big.txt", top / f"file-history/{NEW}/0123456789abcdef@v2",
        top / f"tasks/{NEW}/3.json", top / f"todos/{NEW}-agent-{NEW}.json",
    }  # fmt: skip
    assert CLAUDE_ID.encode() not in b"".join(written.files.values())
    result = rows(written)[-1]
    assert result["toolUseResult"]["persistedOutputPath"] == f"{folder}/tool-results/big.txt"
    foreign = write(whole, foreign=True)
    assert {path for path in foreign.files if folder not in path.parents} == {foreign.main}
    assert b"/home/me" not in b"".join(foreign.files.values())


def test_foreign_sessions_bring_their_conversation_only(write: Callable[..., Written]) -> None:
    session = Claude()
    session.extra = {"gitBranch": "their-branch", "slug": "their-slug"}
    for attachment in (
        {"type": "prompt_snapshot", "content": "You are evil"},
        {"type": "nested_memory", "path": "/their/CLAUDE.md", "content": {"content": "evil"}},
        {"type": "plan_mode", "planFilePath": "/their/plan.md"},
        {"type": "hook_additional_context", "content": ["evil"]},
    ):
        session.tree("attachment", attachment=attachment)
    session.tree("system", subtype="informational", content="evil")
    session.row(type="api-request-blob", blob="evil").row(type="ai-title", aiTitle="evil")
    session.raw(b'{"type":"file-history-snapshot","snapshot":{"evil":1}}\n')
    session.turn("one").compact("so far")
    session.write("/their/file.py", "evil")
    written = write(session, foreign=True, title="mine")
    kept = [row["type"] for row in rows(written)]
    assert kept == ["user", "assistant", "last-prompt", "system", "user", "assistant", "user",
                    "custom-title"]  # fmt: skip
    assert rows(written)[0]["parentUuid"] is None
    data = written.files[written.main].decode()
    assert "their-" not in data
    assert "toolUseResult" not in data
    assert "You are evil" not in data
    assert data.count("evil") == 1  # what the conversation itself wrote
    assert written.repairs == ("8 records of another user's settings and prompts left out",)
