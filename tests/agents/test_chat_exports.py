"""Exports of ChatGPT and Claude.ai: several conversations in one file."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

from gitsession.agents import chatgpt, claude_ai
from gitsession.environment import Environment
from tests.agents.contract import finished, joined, the_source, whole
from tests.agents.contract_reading import ReadCase, WholeContract, place

Row = dict[str, Any]
_START = 1_769_860_800.25


def _node(name: str, parent: str | None, role: str, text: str, **more: Any) -> Row:
    message = {"id": name, "author": {"role": role}, "create_time": _START,
               "content": {"content_type": "text", "parts": [text]}, "recipient": "all",
               "metadata": {"model_slug": "gpt-4"}, **more}  # fmt: skip
    return {"id": name, "parent": parent, "children": [], "message": message}


def _gpt(turns: int, name: str = "conv-1", current: str = "", *more: Row) -> Row:
    nodes: list[Row] = [{"id": "root", "parent": None, "children": [], "message": None},
                        _node("sys", "root", "system", "")]  # fmt: skip
    before = "sys"
    for n in range(1, turns + 1):
        steps: list[tuple[str, str, str, Row]] = [
            (f"u{n}", "user", f"question {n}", {}),
            (f"c{n}", "assistant", "print(1)", {"recipient": "python"}),
            (f"t{n}", "tool", "1", {}),
            (f"a{n}", "assistant", f"answer to question {n}", {}),
        ]
        for node, role, text, extra in steps:
            nodes.append(_node(node, before, role, text, **extra))
            before = node
    nodes += more
    return {"title": "", "create_time": _START, "mapping": {node["id"]: node for node in nodes},
            "current_node": current or before, "conversation_id": name}  # fmt: skip


def _claude(turns: int, name: str = "conv-1") -> Row:
    messages: list[Row] = []
    for n in range(1, turns + 1):
        call = {"type": "tool_use", "name": "repl", "input": {"code": "1"}}
        done = {"type": "tool_result", "name": "repl", "content": [{"type": "text", "text": "1"}]}
        messages += [
            {"uuid": f"u{n}", "text": f"question {n}", "sender": "human", "content": [],
             "created_at": "2026-01-31T12:00:00.000000Z", "attachments": [], "files": []},
            {"uuid": f"a{n}", "text": "", "sender": "assistant",
             "content": [call, done, {"type": "text", "text": f"answer to question {n}"}],
             "created_at": "2026-01-31T12:00:01.000000Z"},
        ]  # fmt: skip
    return {"uuid": name, "name": "", "created_at": "2026-01-31T12:00:00.000000Z",
            "account": {"uuid": "me"}, "chat_messages": messages}  # fmt: skip


def _put(environment: Environment, data: bytes) -> Path:
    return place(environment.home / "conversations.json", data)


class _Export(WholeContract):
    def check_what_it_tells(self, done: list[Any]) -> None:
        assert done[-1].turn.time.startswith("2026-01-31T12:00:0")


class TestChatGPT(_Export):
    case = ReadCase(
        agent=chatgpt.AGENT,
        grow=lambda turns: json.dumps([_gpt(turns)]).encode(),
        put=_put,
        unknown=b"",
        native_id="conv-1",
        tells=frozenset({"calls"}),
        found=False,
    )


class TestClaudeAi(_Export):
    case = ReadCase(
        agent=claude_ai.AGENT,
        grow=lambda turns: json.dumps([_claude(turns)], indent=1).encode(),
        put=_put,
        unknown=b"",
        native_id="conv-1",
        tells=frozenset({"calls"}),
        found=False,
    )


def test_every_conversation_is_a_session(tmp_path: Path) -> None:
    for agent, make in ((chatgpt.AGENT, _gpt), (claude_ai.AGENT, _claude)):
        values = [make(n, f"conv-{n}") for n in (1, 2, 3)]
        path = place(tmp_path / "c.json", json.dumps(values, indent=2).encode())
        sources = agent.recognise_all(path)
        assert [source.native_id for source in sources] == ["conv-1", "conv-2", "conv-3"]
        for number, source in enumerate(sources, 1):
            sessions = list(agent.read(source))
            assert json.loads(joined(sessions)) == values[number - 1]
            assert len(finished(sessions)) == number
        packed = tmp_path / "export.zip"
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr("export/conversations.json", json.dumps(values))
            archive.writestr("user.json", "{}")
        assert [source.native_id for source in agent.recognise_all(packed)] == [
            "conv-1", "conv-2", "conv-3"]  # fmt: skip


def test_the_branch_that_is_shown(tmp_path: Path) -> None:
    other = _node("b2", "u2", "assistant", "another answer")
    for current, last in (("b2", "another answer"), ("", "answer to question 2"),
                          ("gone", "another answer")):  # fmt: skip
        value = [_gpt(2, "conv-1", current, other)]
        path = place(tmp_path / f"{current}.json", json.dumps(value).encode())
        session = whole(chatgpt.AGENT.read(the_source(chatgpt.AGENT, path)))
        assert chatgpt.AGENT.messages(session)[-1].text == last
        assert b"another answer" in joined([session])


def test_content_of_many_kinds(tmp_path: Path) -> None:
    contents: list[Row] = [
        {"content_type": "multimodal_text", "parts": ["look", {"content_type":
         "image_asset_pointer", "asset_pointer": "file-service://x"}]},
        {"content_type": "thoughts", "thoughts": [{"summary": "s", "content": "c"}]},
        {"content_type": "code", "text": "x = 1"},
        {"content_type": "hologram", "depth": 3},
    ]  # fmt: skip
    nodes = [{"id": str(n), "parent": str(n - 1) if n else None, "children": [], "message": {
        "author": {"role": "assistant"}, "content": content}}
        for n, content in enumerate(contents)]  # fmt: skip
    value = [{"conversation_id": "x", "mapping": {n["id"]: n for n in nodes}, "current_node": "3"}]
    path = place(tmp_path / "c.json", json.dumps(value).encode())
    session = whole(chatgpt.AGENT.read(the_source(chatgpt.AGENT, path)))
    kinds = [[part.kind for part in m.parts] for m in chatgpt.AGENT.messages(session)]
    assert kinds == [["text", "image"], ["reasoning"], ["text"], ["opaque"]]


def test_attachments_of_claude(tmp_path: Path) -> None:
    value = _claude(1)
    value["chat_messages"][0]["attachments"] = [{"file_name": "a.txt", "extracted_content": "in"}]
    value["chat_messages"][0]["files"] = [{"file_name": "b.png"}]
    path = place(tmp_path / "c.json", json.dumps([value]).encode())
    session = whole(claude_ai.AGENT.read(the_source(claude_ai.AGENT, path)))
    assert [(p.kind, p.name, p.text) for p in claude_ai.AGENT.messages(session)[0].parts] == [
        ("text", "", "question 1"), ("file", "a.txt", "in"), ("file", "b.png", "")
    ]  # fmt: skip


def test_what_a_conversation_does_not_show_is_a_session_of_its_own(tmp_path: Path) -> None:
    again = _node("a1b", "t1", "assistant", "another answer")
    more = _node("u1c", "a1b", "user", "more of that")
    edited = _node("u2b", "a1", "user", "an edited question")
    silent = _node("x", "a1", "system", "")
    value = [_gpt(2, "conv-1", "", again, more, edited, silent), _gpt(1, "conv-2")]
    value[0]["title"] = "Numbers"
    path = place(tmp_path / "c.json", json.dumps(value).encode())
    found = {source.native_id: source for source in chatgpt.AGENT.recognise_all(path)}
    assert list(found) == ["conv-1", "conv-1.a1b", "conv-1.u2b", "conv-2"]
    assert found["conv-1.a1b"].title == "Numbers (2 of 2)"
    said = {}
    for name, source in found.items():
        session = whole(chatgpt.AGENT.read(source))
        assert (session.counts.damaged, session.counts.foreign) == (0, 0)
        said[name] = [m.text for m in chatgpt.AGENT.messages(session) if m.text]
    assert said["conv-1"][-1] == "answer to question 2"
    assert said["conv-1.a1b"] == ["question 1", "another answer", "more of that"]
    assert said["conv-1.u2b"] == ["question 1", "answer to question 1", "an edited question"]
