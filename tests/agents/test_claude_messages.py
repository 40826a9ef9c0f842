"""Claude Code: the conversation along the active path."""

from __future__ import annotations

from gitsession.agents.claude_code import AGENT
from gitsession.model.message import Message
from gitsession.model.record import Record, Stream
from gitsession.model.session import Info, Session
from tests.builders import CLAUDE_ID, Claude, a_uuid


def messages(session: Claude) -> tuple[Message, ...]:
    records = tuple(Record(line) for line in session.data.splitlines(keepends=True))
    return AGENT.messages(Session(Info("claude-code", CLAUDE_ID), (Stream("main", records),)))


def said(session: Claude) -> list[str]:
    return [message.text for message in messages(session)]


def test_one_message_per_api_message_results_after_their_calls() -> None:
    session = Claude()
    session.prompt("do both")
    session.say("on it", stop="tool_use", message="m")
    first = session.call("Bash", {"command": "a"}, message="m")
    beside = session.tip
    second = session.call("Read", {"file_path": "/x"}, message="m")
    session.result(second, [{"type": "text", "text": "content"}])
    session.tip = beside  # results of parallel calls hang beside the path
    session.result(first, "no", error=True)
    session.tip = a_uuid(CLAUDE_ID, 4)
    session.say("done")
    prompt, work, end = messages(session)
    assert [(p.kind, p.call_id, p.error) for p in work.parts] == [
        ("text", "", False),
        ("tool_call", first, False), ("tool_result", first, True),
        ("tool_call", second, False), ("tool_result", second, False),
    ]  # fmt: skip
    assert (work.parts[1].name, work.parts[1].input) == ("Bash", {"command": "a"})
    assert work.parts[4].text == "content"
    assert (prompt.role, end.role) == ("user", "assistant")
    assert work.usage is not None
    assert (work.usage.total, work.model, work.record) == (115, "claude-opus-5-5", 1)


def test_every_kind_of_block() -> None:
    session = Claude()
    session.prompt([
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA"}},
        {"type": "document", "title": "a.pdf", "source": {"media_type": "application/pdf"}},
        {"type": "hologram", "shape": [1]},
        {"type": "text", "text": "see"},
    ])  # fmt: skip
    session.think("let me see")
    session.say("ok")
    asked, thought, _ = messages(session)
    assert [(p.kind, p.name) for p in asked.parts] == [
        ("image", "image/png"), ("file", "a.pdf"), ("opaque", "hologram"), ("text", ""),
    ]  # fmt: skip
    assert asked.parts[2].native == {"type": "hologram", "shape": [1]}
    assert (thought.parts[0].kind, thought.parts[0].text) == ("reasoning", "let me see")


def test_A16_a_path_holds_no_rewound_messages() -> None:
    session = Claude().turn("one").turn("two").turn("three")
    two = a_uuid(CLAUDE_ID, 4)
    session.tip = two
    assert said(session.turn("three again")) == [
        "one", "answer to one", "two", "answer to two", "three again", "answer to three again",
    ]  # fmt: skip
    session.tip = a_uuid(CLAUDE_ID, 1)
    assert said(session.turn("two again")) == [
        "one", "answer to one", "two again", "answer to two again",
    ]  # fmt: skip


def test_a_later_last_prompt_row_names_the_leaf() -> None:
    session = Claude().turn("one").turn("two")
    assert len(messages(session)) == 4
    session.row(type="last-prompt", lastPrompt="one", leafUuid=a_uuid(CLAUDE_ID, 1))
    assert said(session) == ["one", "answer to one"]


def test_a_compaction_is_a_message_and_hides_nothing() -> None:
    session = Claude().turn("one").compact("so far").turn("two")
    seen = messages(session)
    assert [m.role for m in seen] == ["user", "assistant", "system", "user", "assistant"]
    [part] = seen[2].parts
    assert (part.kind, part.text, seen[2].extra) == ("compaction", "so far", {})
    assert part.native == {"trigger": "auto", "preTokens": 1000}


def test_a_broken_link_is_joined_and_noted() -> None:
    session = Claude().turn("one")
    session.tip = a_uuid("nowhere")
    session.turn("two")
    session.tip = None
    session.turn("three")
    seen = messages(session)
    assert [m.text for m in seen if m.role == "user"] == ["one", "two", "three"]
    assert [m.text for m in seen if m.extra.get("gap")] == ["two", "three"]


def test_a_cycle_ends() -> None:
    session = Claude()
    session.prompt("one", parent=a_uuid(CLAUDE_ID, 1))
    session.say("answer")
    assert said(session) == ["one", "answer"]


def test_results_that_stand_before_their_calls_find_them() -> None:
    session = Claude()
    session.prompt("x")
    session.bash("ls", "out")
    session.rows[1], session.rows[2] = session.rows[2], session.rows[1]
    session.say("done")
    assert [p.kind for m in messages(session) for p in m.parts] == [
        "text", "tool_call", "tool_result", "text",
    ]  # fmt: skip


def test_a_result_without_call_is_shown_as_it_is() -> None:
    session = Claude().turn("one")
    session.result("toolu_unknown", "lost")
    last = messages(session)[-1]
    assert (last.role, last.parts[0].kind, last.parts[0].text) == ("note", "tool_result", "lost")


def test_prompts_typed_meanwhile_are_the_users() -> None:
    session = Claude()
    session.prompt("one")
    session.bash("ls")
    session.tree("attachment", attachment={"type": "queued_command", "prompt": "faster"})
    session.say("done")
    assert [(m.role, m.text) for m in messages(session)] == [
        ("user", "one"), ("assistant", ""), ("user", "faster"), ("assistant", "done"),
    ]  # fmt: skip


def test_a_subagents_own_file_is_a_conversation() -> None:
    session = Claude()
    session.extra = {"isSidechain": True}
    assert said(session.turn("look")) == ["look", "answer to look"]
