"""Subagents of Claude Code up to 2.0, whose records stand among those of the session."""

from __future__ import annotations

from pathlib import Path

from gitsession.agents.base import mixes
from gitsession.agents.claude_code import AGENT
from gitsession.model.session import Info
from tests.agents.contract import the_source, whole
from tests.builders import Claude


def _mixed() -> Claude:
    """Two subagents at once, their records between each other's and the session's."""
    session = Claude(version="1.0.98")
    session.prompt("do two things")
    main = session.tip
    tips: dict[str, str | None] = {"one": None, "two": None}
    for name in ("one", "two"):
        tips[name] = session.tree("user", None, isSidechain=True,
                                  message={"role": "user", "content": f"do {name}"})  # fmt: skip
    for name in ("one", "two", "one", "two"):
        content = [{"type": "text", "text": f"{name} goes on"}]
        message = {"role": "assistant", "id": f"msg_{len(session.rows)}", "content": content}
        tips[name] = session.tree("assistant", tips[name], isSidechain=True, message=message)
    session.tip = main
    session.say("both done")
    return session


def test_each_is_a_conversation_of_its_own(tmp_path: Path) -> None:
    path = _mixed().save(tmp_path)
    session = whole(AGENT.read(the_source(AGENT, path)))
    assert [m.text for m in AGENT.messages(session)] == ["do two things", "both done"]
    assert [s.name for s in session.streams] == ["main"]
    found = AGENT.within(session)
    assert [[m.text for m in told] for told in found.values()] == [
        ["do one", "one goes on", "one goes on"], ["do two", "two goes on", "two goes on"],
    ]  # fmt: skip
    for stream, told in found.items():
        assert {message.stream for message in told} == {stream}
        assert stream == f"subagents/{told[0].native_id[:8]}"
        assert told[0].native_id.encode() in session.stream().records[told[0].record].data


def test_a_subagents_own_file_holds_no_others(tmp_path: Path) -> None:
    rows = [row for row in _mixed().rows if b'"isSidechain":true' in row]
    path = tmp_path / "agent-1.jsonl"
    path.write_bytes(b"".join(rows))
    assert AGENT.within(whole(AGENT.read(the_source(AGENT, path)))) == {}


def test_newer_versions_need_not_be_read_for_it() -> None:
    answers = {version: mixes(AGENT, Info("claude-code", "x", agent_version=version))
               for version in ("1.0.98", "2.0.76", "2.1.0", "3.0", "", "dev")}  # fmt: skip
    assert answers == {
        "1.0.98": True, "2.0.76": True, "2.1.0": False, "3.0": False, "": True, "dev": True,
    }  # fmt: skip


def test_a_real_session(samples: Path) -> None:
    path = samples / "claude" / "fe5e1c67-53e7-4862-81ae-d0e013e3270b.jsonl"
    session = whole(AGENT.read(the_source(AGENT, path)))
    found = AGENT.within(session)
    assert len(found) == 5
    assert all(told[0].role == "user" for told in found.values())
    calls = [p.name for told in found.values() for m in told for p in m.parts
             if p.kind == "tool_call"]  # fmt: skip
    assert calls.count("Write") > 20
