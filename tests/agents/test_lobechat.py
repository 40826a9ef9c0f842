"""LobeChat: the contract in its forms, and the rows of its seed features."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from gitsession.agents.lobechat import AGENT
from gitsession.agents.lobechat.write import dump
from gitsession.environment import Environment
from gitsession.model.session import Session
from tests.agents.contract import finished, joined, the_source, whole
from tests.agents.contract_reading import ReadCase, WholeContract, place

Row = dict[str, Any]
_NAMELESS = "topic-" + hashlib.sha256(b"user\nquestion 1").hexdigest()[:16]
SECRET = "sk-never-looked-at-0123456789"


def _time(number: int) -> str:
    return f"2026-01-31T12:{number // 60:02}:{number % 60:02}.000Z"


def _message(number: int, role: str, content: str, parent: str | None = None, **more: Any) -> Row:
    return {"id": f"msg_{number}", "role": role, "content": content, "parentId": parent,
            "createdAt": _time(number), **more}  # fmt: skip


def _chain(turns: int, **more: Any) -> list[Row]:
    """Turns with one call each, linked by parents as LobeChat does."""
    rows: list[Row] = []
    for n in range(1, turns + 1):
        at = n * 10
        before = rows[-1]["id"] if rows else None
        call = {"id": f"call{n}", "apiName": "bash", "identifier": "shell", "type": "builtin",
                "arguments": '{"command":"ls"}'}  # fmt: skip
        spent = {"totalInputTokens": 100, "inputCachedTokens": 5, "totalOutputTokens": 10}
        rows += [
            _message(at, "user", f"question {n}", before, **more),
            _message(at + 1, "assistant", "", f"msg_{at}", tools=[call], model="m", **more),
            _message(at + 2, "tool", "a.py", f"msg_{at + 1}", tool_call_id=f"call{n}",
                     plugin={"apiName": "bash"}, **more),
            _message(at + 3, "assistant", f"answer to question {n}", f"msg_{at + 2}", model="m",
                     metadata=spent, **more),
        ]  # fmt: skip
    return rows


def _account(messages: list[Row], **tables: list[Row]) -> bytes:
    data: dict[str, Any] = {
        "sessions": [{"id": "ssn_1", "type": "agent", "slug": "s", "pinned": True}],
        "topics": [{"id": "tpc_1", "title": "", "sessionId": "ssn_1", "status": "active"}],
        "agents": [
            {"id": "agt_1", "systemRole": "Be kind.", "model": "m", "params": {"k": SECRET}}
        ],
        "agentsToSessions": [{"agentId": "agt_1", "sessionId": "ssn_1"}],
        "userSettings": [{"keyVaults": SECRET}],
        "aiProviders": [{"id": "openai", "keyVaults": SECRET}],
        "messages": messages,
        **tables,
    }
    return json.dumps({"data": data, "mode": "postgres", "schemaHash": "abc"}, indent=2).encode()


def _topic(messages: list[Row], **more: Any) -> bytes:
    value = {"version": "2.0", "exportedAt": _time(900), "title": "", "messages": messages, **more}
    return json.dumps(value, indent=2, ensure_ascii=False).encode()


def _without_ids(messages: list[Row]) -> list[Row]:
    rows = []
    for row in messages:
        kept = {k: row[k] for k in ("role", "content", "tool_call_id") if k in row}
        if "tools" in row:
            kept["tool_calls"] = [
                {"id": c["id"], "type": "function",
                 "function": {"name": c["apiName"], "arguments": c["arguments"]}}
                for c in row["tools"]
            ]  # fmt: skip
        rows.append(kept)
    return rows


def _put(environment: Environment, data: bytes) -> Path:
    return place(environment.home / "export.json", data)


class TestAccount(WholeContract):
    case = ReadCase(
        agent=AGENT,
        grow=lambda turns: _account(_chain(turns, topicId="tpc_1", sessionId="ssn_1")),
        put=_put,
        unknown=b"",
        native_id="tpc_1",
        tells=frozenset({"calls", "time", "usage"}),
        found=False,
    )


class TestTopic(WholeContract):
    case = ReadCase(
        agent=AGENT,
        grow=lambda turns: _topic(_chain(turns, topicId="tpc_1")),
        put=_put,
        unknown=b"",
        native_id="tpc_1",
        tells=frozenset({"calls", "time", "usage"}),
        found=False,
    )


class TestSimple(WholeContract):
    case = ReadCase(
        agent=AGENT,
        grow=lambda turns: json.dumps(_without_ids(_chain(turns))).encode(),
        put=_put,
        unknown=b"",
        native_id=_NAMELESS,
        tells=frozenset({"calls"}),
        found=False,
    )


def _all(path: Path, data: bytes) -> dict[str, Session]:
    file = place(path / "x.json", data)
    return {source.native_id: whole(AGENT.read(source)) for source in AGENT.recognise_all(file)}


def _texts(session: Session) -> list[str]:
    return [message.text for message in AGENT.messages(session)]


def test_LC1_every_topic_is_a_session(tmp_path: Path) -> None:
    messages = [
        _message(1, "user", "a", topicId="tpc_1", sessionId="ssn_1"),
        _message(2, "user", "b", topicId="tpc_2", sessionId="ssn_1"),
        _message(3, "user", "c", topicId=None, sessionId="ssn_1"),
        _message(4, "user", "d", topicId=None, sessionId=None),
        _message(5, "user", "e", topicId="tpc_1", sessionId="ssn_1", threadId="thd_1"),
        _message(6, "user", "f", topicId="tpc_gone", sessionId="ssn_1"),
    ]
    topics = [{"id": "tpc_1", "title": "One", "sessionId": "ssn_1", "historySummary": "short"},
              {"id": "tpc_2", "title": "Two", "sessionId": "ssn_1"}]  # fmt: skip
    threads = [{"id": "thd_1", "topicId": "tpc_1", "type": "isolation", "sourceMessageId": "msg_1"}]
    found = _all(tmp_path, _account(messages, topics=topics, threads=threads))
    assert {name: _texts(session) for name, session in found.items()} == {
        "tpc_1": ["a"], "thd_1": ["e"], "tpc_2": ["b"], "ssn_1": ["c"], "inbox": ["d"],
        "tpc_gone": ["f"],
    }  # fmt: skip
    assert (found["tpc_1"].info.title, found["tpc_2"].info.title) == ("One", "Two")
    assert found["tpc_1"].instructions[0].content == b"Be kind."
    rows = [json.loads(record.data) for record in found["tpc_1"].stream().records]
    assert rows[0] == {"table": "topics", **topics[0]}


def test_LC2_results_of_the_plugins_table_are_paired(tmp_path: Path) -> None:
    call = {"id": "c1", "apiName": "search", "identifier": "web", "arguments": "{}"}
    bad = {**call, "id": "c2"}
    messages = [
        _message(1, "user", "q", topicId="tpc_1"),
        _message(2, "assistant", "", "msg_1", topicId="tpc_1", tools=[call, bad],
                 reasoning={"content": "hm", "signature": "s"}, search={"citations": []}),
        _message(3, "tool", "found", "msg_2", topicId="tpc_1"),
        _message(4, "tool", "", "msg_2", topicId="tpc_1"),
    ]  # fmt: skip
    plugins = [{"id": "msg_3", "toolCallId": "c1", "apiName": "search", "state": {"n": 1}},
               {"id": "msg_4", "toolCallId": "c2", "error": {"message": "no"}}]  # fmt: skip
    session = _all(tmp_path, _account(messages, messagePlugins=plugins))["tpc_1"]
    [_, answer] = AGENT.messages(session)
    assert [(p.kind, p.call_id, p.text, p.error) for p in answer.parts] == [
        ("reasoning", "", "hm", False),
        ("tool_call", "c1", "", False), ("tool_result", "c1", "found", False),
        ("tool_call", "c2", "", False), ("tool_result", "c2", "", True),
    ]  # fmt: skip
    assert answer.extra["search"] == {"citations": []}


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("continuation", ["question 1", "", "answer to question 1", "aside"]),
        ("standalone", ["answer to question 1", "aside"]),
        ("isolation", ["aside"]),
    ],
)
def test_LC3_a_thread_begins_with_its_prefix(
    kind: str, expected: list[str], tmp_path: Path
) -> None:
    messages = _chain(2, topicId="tpc_1")
    messages.append(_message(50, "user", "aside", "msg_13", topicId="tpc_1", threadId="thd_1"))
    threads = [{"id": "thd_1", "topicId": "tpc_1", "type": kind, "sourceMessageId": "msg_13"}]
    found = _all(tmp_path, _account(messages, threads=threads))
    assert _texts(found["thd_1"]) == expected
    assert found["thd_1"].info.parent == "tpc_1"
    assert "aside" not in _texts(found["tpc_1"])


def test_LC3_a_thread_of_a_thread(tmp_path: Path) -> None:
    messages = _chain(1, topicId="tpc_1")
    messages += [
        _message(50, "user", "aside", "msg_13", topicId="tpc_1", threadId="thd_1"),
        _message(51, "user", "later", "msg_50", topicId="tpc_1", threadId="thd_1"),
        _message(60, "user", "inner", "msg_50", topicId="tpc_1", threadId="thd_2"),
    ]
    threads = [
        {"id": "thd_1", "topicId": "tpc_1", "type": "continuation", "sourceMessageId": "msg_13"},
        {"id": "thd_2", "topicId": "tpc_1", "type": "continuation", "sourceMessageId": "msg_50",
         "parentThreadId": "thd_1"},
    ]  # fmt: skip
    found = _all(tmp_path, _account(messages, threads=threads))
    assert _texts(found["thd_2"])[-2:] == ["aside", "inner"]
    assert "later" not in _texts(found["thd_2"])


@pytest.mark.parametrize(
    ("index", "shown", "told"),
    [(0, "first", "1 of 3"), (1, "second", "2 of 3"), (3, "third", "3 of 3"),
     (9, "third", "3 of 3"), (None, "second", "2 of 3")],
)  # fmt: skip
def test_LC4_the_branch_that_is_shown(
    index: int | None, shown: str, told: str, tmp_path: Path
) -> None:
    metadata = {} if index is None else {"metadata": {"activeBranchIndex": index}}
    rows = [
        _message(1, "user", "q", topicId="t", **metadata),
        _message(2, "assistant", "first", "msg_1", topicId="t"),
        _message(3, "assistant", "second", "msg_1", topicId="t"),
        _message(4, "assistant", "third", "msg_1", topicId="t"),
        _message(5, "user", "more", "msg_3", topicId="t"),
    ]
    session = _all(tmp_path, _topic(rows))["t"]
    expected = ["q", shown, "more"] if shown == "second" else ["q", shown]
    assert _texts(session) == expected
    assert AGENT.messages(session)[1].extra["branch"] == told
    stored = joined([session])
    assert all(word in stored for word in (b"first", b"second", b"third", b"more"))


def test_LC5_children_of_a_deleted_message_stay_reachable(tmp_path: Path) -> None:
    rows = [row for row in _chain(3, topicId="t") if row["id"] not in ("msg_13", "msg_20")]
    session = _all(tmp_path, _topic(rows))["t"]
    assert _texts(session) == ["question 1", "", "", "answer to question 2", "question 3", "",
                               "answer to question 3"]  # fmt: skip


def test_LC13_both_topic_exports_say_the_same(tmp_path: Path) -> None:
    full = next(iter(_all(tmp_path, _topic(_chain(2))).values()))
    simple = next(
        iter(_all(tmp_path, json.dumps(_without_ids(_chain(2)), indent=1).encode()).values())
    )
    said = [[(m.role, [(p.kind, p.text, p.call_id, p.input) for p in m.parts])
             for m in AGENT.messages(session)] for session in (full, simple)]  # fmt: skip
    assert said[0] == said[1]


def test_LC13_what_is_exported_has_the_same_shape(tmp_path: Path) -> None:
    [session] = _all(tmp_path, _topic(_chain(2), title="Tea")).values()
    messages = AGENT.messages(session)
    data = dump(session, messages)
    values = json.loads(data)
    assert set(values) == {"version", "exportedAt", "title", "messages"}
    names = [row["id"] for row in values["messages"]]
    assert [row["parentId"] for row in values["messages"]] == [None, *names[:-1]]
    again = next(iter(_all(tmp_path, data).values()))
    assert again.info.title == "Tea"
    assert [
        (m.role, m.text, m.usage, [p.kind for p in m.parts]) for m in AGENT.messages(again)
    ] == [(m.role, m.text, m.usage, [p.kind for p in m.parts]) for m in messages]


def test_LC14_without_parents_it_is_one_chain_with_its_system_message(tmp_path: Path) -> None:
    rows = [_message(0, "system", "be kind"), *_chain(2)]
    for row in rows:
        del row["parentId"]
        del row["createdAt"]
    session = next(iter(_all(tmp_path, _topic(rows)).values()))
    assert _texts(session) == ["be kind", "question 1", "", "answer to question 1", "question 2",
                               "", "answer to question 2"]  # fmt: skip
    assert next(m.role for m in AGENT.messages(session)) == "system"


def test_LC15_settings_and_providers_are_not_looked_at(tmp_path: Path) -> None:
    found = _all(tmp_path, _account(_chain(2, topicId="tpc_1", sessionId="ssn_1")))
    for session in found.values():
        assert SECRET.encode() not in joined([session])
    rows = [json.loads(r.data) for r in found["tpc_1"].stream().records]
    parents = {row["id"]: row["parentId"] for row in rows if row["table"] == "messages"}
    assert parents == {row["id"]: row["parentId"] for row in _chain(2)}


@pytest.mark.parametrize("nested", [True, False])
def test_LC15_version_7(nested: bool, tmp_path: Path) -> None:
    messages = [{"id": "m1", "role": "user", "content": "q", "topicId": "t1", "sessionId": "s1",
                 "createdAt": 1769860800000, "meta": {}},
                {"id": "m2", "role": "assistant", "content": "a", "topicId": "t1", "parentId": "m1",
                 "sessionId": "s1", "createdAt": 1769860801000,
                 "extra": {"fromModel": "gpt"}}]  # fmt: skip
    state = {"messages": messages, "topics": [{"id": "t1", "title": "Old", "sessionId": "s1"}],
             "sessions": [{"id": "s1", "config": {"systemRole": "Be old.", "apiKey": SECRET}}],
             "sessionGroups": [], "settings": {"key": SECRET}}  # fmt: skip
    value = {"exportType": "all", "version": 7, **({"state": state} if nested else state)}
    session = _all(tmp_path, json.dumps(value).encode())["t1"]
    assert _texts(session) == ["q", "a"]
    assert (session.info.title, session.info.models) == ("Old", ("gpt",))
    assert session.instructions[0].content == b"Be old."
    assert SECRET.encode() not in joined([session])
    assert session.info.created == "2026-01-31T12:00:00.000Z"


def test_LC16_a_copy_under_new_ids_keeps_its_pairs(tmp_path: Path) -> None:
    text = _topic(_chain(3, topicId="t")).decode()
    copy = text.replace("msg_", "msg_copy").replace('"call', '"copied').replace('"t"', '"t2"')
    for data, name in ((text, "t"), (copy, "t2")):
        parts = [p for m in AGENT.messages(_all(tmp_path, data.encode())[name]) for p in m.parts]
        assert [p.kind for p in parts].count("tool_result") == 3
        assert len({p.call_id for p in parts if p.call_id}) == 3


def test_other_lists_and_documents_are_left_alone(tmp_path: Path) -> None:
    for value in ([], [1], [{"role": "user"}], [{"a": 1}], {"version": "2.0", "messages": []},
                  {"data": {"messages": []}}, {"version": 7, "messages": [{"role": "user"}]},
                  [{"role": "user", "content": "x"}, 3]):  # fmt: skip
        assert AGENT.recognise(place(tmp_path / "x.json", json.dumps(value).encode())) is None


def test_the_last_turn_ends_with_the_file(tmp_path: Path) -> None:
    path = place(tmp_path / "x.json", _topic([_message(1, "user", "q", topicId="t")]))
    [session] = AGENT.read(the_source(AGENT, path))
    assert len(finished([session])) == 1
