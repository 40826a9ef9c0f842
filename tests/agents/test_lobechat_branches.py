"""Nothing that was answered in a LobeChat topic is hidden: each line is a session of its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitsession.agents.entries import Draft
from gitsession.agents.lobechat import AGENT
from gitsession.agents.lobechat import branches as lobechat_branches
from gitsession.agents.lobechat.form import active_path, message_entry
from gitsession.environment import Environment
from gitsession.errors import Ambiguous
from gitsession.repository import open_repository

from .test_lobechat import Row, _account, _all, _chain, _message, _texts, _topic

ROWS = [
    _message(1, "user", "q", topicId="tpc_1"),
    _message(2, "assistant", "first", "msg_1", topicId="tpc_1"),
    _message(3, "assistant", "second", "msg_1", topicId="tpc_1"),
    _message(4, "assistant", "third", "msg_1", topicId="tpc_1"),
    _message(5, "user", "more", "msg_3", topicId="tpc_1"),
    _message(6, "assistant", "most", "msg_5", topicId="tpc_1"),
]


@pytest.mark.parametrize("form", ["account", "topic"])
def test_LC4_all_siblings_are_there_and_none_is_hidden(form: str, tmp_path: Path) -> None:
    data = _account(ROWS) if form == "account" else _topic(ROWS)
    found = _all(tmp_path, data)
    assert {name: _texts(session) for name, session in found.items()} == {
        "tpc_1": ["q", "second", "more", "most"],
        "tpc_1.msg_2": ["q", "first"],
        "tpc_1.msg_4": ["q", "third"],
    }
    if form == "account":
        assert found["tpc_1.msg_2"].info.parent == "tpc_1"
    assert all(session.counts.foreign == 0 for session in found.values())


def test_LC4_another_line_that_is_shown_now_hides_none_either(
    environment: Environment, tmp_path: Path
) -> None:
    repository = open_repository(environment)
    path = tmp_path / "export.json"
    path.write_bytes(_account(ROWS))
    first = repository.import_files([path])
    assert [one.native_id for one in first.sessions] == ["tpc_1", "tpc_1.msg_2", "tpc_1.msg_4"]
    assert {one.outcome for one in repository.import_files([path]).sessions} == {"nothing"}
    branches = {one.native_id: one.branch for one in first.sessions}
    for name, branch in branches.items():  # in full, also where another one begins so
        assert repository.resolve(name).branch == branch
    with pytest.raises(Ambiguous):
        repository.resolve("tpc_1.msg")
    for record in list(repository._store.records.items("native")):
        repository._store.records.remove("native", record[0])
    assert repository.resolve("lobechat/tpc_1").branch == branches["tpc_1"]  # by the trailers
    rows = [dict(row) for row in ROWS]
    rows[0]["metadata"] = {"activeBranchIndex": 0}
    path.write_bytes(_account(rows))
    repository.import_files([path])
    said = {
        message.text
        for row in repository.list(everything=True)
        for message in repository.session(row.session).messages
    }
    assert said == {"q", "first", "second", "third", "more", "most"}
    assert len(repository.list(everything=True)) == 4
    repository.close()


def test_LC4_calls_in_parallel_are_no_branches(tmp_path: Path) -> None:
    calls = [{"id": f"c{n}", "apiName": "bash", "arguments": "{}"} for n in (1, 2)]
    rows = [
        _message(1, "user", "q", topicId="t"),
        _message(2, "assistant", "", "msg_1", topicId="t", tools=calls),
        _message(3, "tool", "one", "msg_2", topicId="t", tool_call_id="c1"),
        _message(4, "tool", "two", "msg_2", topicId="t", tool_call_id="c2"),
        _message(5, "assistant", "done", "msg_4", topicId="t"),
        _message(6, "assistant", "done again", "msg_4", topicId="t"),
    ]
    found = _all(tmp_path, _topic(rows))
    assert list(found) == ["t", "t.msg_6"]
    parts = [part for message in AGENT.messages(found["t.msg_6"]) for part in message.parts]
    assert [part.text for part in parts if part.kind == "tool_result"] == ["one", "two"]
    assert _texts(found["t.msg_6"])[-1] == "done again"
    assert list(_all(tmp_path, _topic(_chain(3, topicId="t")))) == ["t"]


@st.composite
def trees(draw: st.DrawFn) -> list[Row]:
    rows = [_message(0, "user", "0", topicId="t")]
    for number in range(1, draw(st.integers(1, 14))):
        above = draw(st.integers(0, number - 1))
        rows.append(_message(number, "assistant", str(number), f"msg_{above}", topicId="t"))
    for row in rows:
        index = draw(st.one_of(st.none(), st.integers(-1, 4)))
        if index is not None:
            row["metadata"] = {"activeBranchIndex": index}
    return rows


@settings(max_examples=150, deadline=None)
@given(trees())
def test_LC4_every_message_of_any_tree_stands_in_a_line(rows: list[Row]) -> None:
    shown = active_path([Draft(message_entry(row), 0, []) for row in rows], {})
    lines = [[row["id"] for row in line.rows] for line in lobechat_branches.hidden(rows)]
    main = [draft.entry.native_id for draft in shown]
    assert {name for line in (main, *lines) for name in line} == {row["id"] for row in rows}
    parents = {row["id"]: row["parentId"] for row in rows}
    for line in lines:
        assert all(parents[name] in line for name in line if parents[name])
        assert line != main
    assert len({tuple(line) for line in lines}) == len(lines)


def test_LC4_a_circle_of_parents_ends(tmp_path: Path) -> None:
    rows = [
        _message(1, "user", "a", "msg_3", topicId="t"),
        _message(2, "assistant", "b", "msg_1", topicId="t"),
        _message(3, "assistant", "c", "msg_2", topicId="t"),
        _message(4, "assistant", "d", "msg_2", topicId="t"),
        _message(5, "tool", "e", "msg_5", topicId="t"),
    ]
    assert "t" in _all(tmp_path, _topic(rows))
