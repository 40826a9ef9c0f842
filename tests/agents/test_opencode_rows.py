"""OpenCode: forks, titles, permissions and long outputs, as rows of its features."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from gitsession.agents.base import Target
from gitsession.agents.opencode import AGENT
from gitsession.environment import Environment
from gitsession.model.record import Record
from gitsession.model.session import Session
from tests.agents.contract import finished, head, the_source, whole
from tests.opencode_builder import OPENCODE_ID, OpenCode, grown, tool


def _database(environment: Environment) -> Path:
    return environment.home / ".local" / "share" / "opencode" / "opencode.db"


def _read(session: OpenCode, environment: Environment) -> list[Session]:
    path = session.save(_database(environment))
    [source] = [s for s in AGENT.recognise_all(path) if s.native_id == session.session_id]
    return list(AGENT.read(source))


def _written(session: Session, environment: Environment, **target: Any) -> dict[str, Any]:
    written = AGENT.write(session, Target(**{"cwd": "/elsewhere", **target}), environment)
    value: dict[str, Any] = json.loads(written.files[written.main])
    return value


def _cut(session: Session, records: int) -> Session:
    """As a fork at a message sees it."""
    stream = session.stream()
    return session._replace(streams=(stream._replace(records=stream.records[:records]),))


def _compacted() -> OpenCode:
    """Two turns, a summary that keeps the second word for word, one more turn."""
    session = grown(2)
    kept = session.messages[3]["info"]["id"]
    session.user({"type": "compaction", "auto": True, "tail_start_id": kept})
    session.assistant("stop", {"type": "text", "text": "in short"}, summary=True)
    return session.turn(3)


def test_OC16_every_link_resolves_inside_the_fork(environment: Environment) -> None:
    session = _compacted()
    read = whole(_read(session, environment))
    known = {m["info"]["id"] for m in session.messages}
    for records in range(2, len(read.stream().records) + 1):
        messages = _written(_cut(read, records), environment)["messages"]
        assert len(messages) == records - 1
        names = {m["info"]["id"] for m in messages}
        assert len(names) == len(messages) and not names & known
        parents = {m["info"]["parentID"] for m in messages if "parentID" in m["info"]}
        users = {m["info"]["id"] for m in messages if m["info"]["role"] == "user"}
        assert parents <= users
        owners = {(p["messageID"], p["sessionID"]) for m in messages for p in m["parts"]}
        assert {owner for owner, _ in owners} <= names
        assert len({session for _, session in owners}) == 1
    marks = [p for m in messages for p in m["parts"] if p["type"] == "compaction"]
    assert [mark["tail_start_id"] for mark in marks] == [messages[3]["info"]["id"]]


def test_OC16_a_border_outside_of_the_fork_is_undefined(environment: Environment) -> None:
    session = _compacted()
    for part in session.messages[6]["parts"]:
        part["tail_start_id"] = "msg_000000000000notinthisfork0"
    messages = _written(whole(_read(session, environment)), environment)["messages"]
    [mark] = [p for m in messages for p in m["parts"] if p["type"] == "compaction"]
    assert "tail_start_id" not in mark


def test_OC16_ids_sort_before_what_the_agent_makes_next(environment: Environment) -> None:
    """OpenCode finds the newest message by its id, which begins anew every two years."""
    session = grown(3)
    for message in session.messages:  # of a time whose digits are greater than those of now
        message["info"]["id"] = "msg_f" + message["info"]["id"][5:]
        for part in message["parts"]:
            part["messageID"] = message["info"]["id"]
    value = _written(whole(_read(session, environment)), environment)
    newest = f"{~int(value['info']['id'][4:16], 16) & (1 << 48) - 1:012x}"
    made = [m["info"]["id"][4:16] for m in value["messages"]]
    made += [p["id"][4:16] for m in value["messages"] for p in m["parts"]]
    assert max(made) <= newest
    order = [m["info"]["id"] for m in value["messages"]]
    assert order == sorted(order)


def test_OC16_what_is_the_sessions_own_stays_with_it(environment: Environment) -> None:
    """Metadata goes along; permissions, shares, tasks and children do not, and children of the
    session that was forked can still be reached by their ids."""
    child = OpenCode("ses_ccccccccccccnewchild000000", "/project").turn(1)
    child.more = {"parentID": OPENCODE_ID}
    child.save(_database(environment))
    session = OpenCode().ask("look").assistant(
        "tool-calls", tool("t", "task", {"prompt": "x"}, "found",
                           metadata={"sessionId": child.session_id}))  # fmt: skip
    session.assistant("stop", {"type": "text", "text": "done"})
    session.more = {"metadata": {"mine": 1}, "parentID": "ses_x", "share": {"url": "https://x"},
                    "permission": [{"permission": "bash", "action": "allow"}]}  # fmt: skip
    session.todos = [("write", "pending")]
    path = _database(environment).with_name("export.json")
    path.write_bytes(session.export)
    value = _written(whole(AGENT.read(the_source(AGENT, path))), environment)
    assert value["info"]["metadata"] == {"mine": 1}
    assert not {"parentID", "share", "permission", "todos"} & value["info"].keys()
    parts = [part for message in value["messages"] for part in message["parts"]]
    [named] = [p["state"]["metadata"]["sessionId"] for p in parts if p["type"] == "tool"]
    [found] = AGENT.find(environment, native_id=named)
    assert whole(AGENT.read(found)).info.parent == OPENCODE_ID


def test_OC23_permissions_are_kept_but_never_granted_again(environment: Environment) -> None:
    rules = [{"permission": "bash", "pattern": "*", "action": "allow"},
             {"permission": "edit", "pattern": "~/x/*", "action": "deny"}]  # fmt: skip
    session = grown(1)
    session.more = {"permission": rules}
    session.user({"type": "text", "text": "q"}, tools={"bash": True})
    session.assistant("stop", {"type": "text", "text": "a"})
    path = _database(environment).with_name("export.json")
    path.parent.mkdir(parents=True)
    path.write_bytes(session.export)
    read = whole(AGENT.read(the_source(AGENT, path)))
    stored = b"".join(record.data for record in read.stream().records)
    assert json.loads(stored)["info"]["permission"] == rules
    for foreign in (False, True):
        written = AGENT.write(read, Target("/elsewhere", foreign=foreign), environment)
        assert "3 permission rules left out" in written.repairs
        text = written.files[written.main].decode()
        assert not any(word in text for word in ('"permission"', '"allow"', '"tools"'))


def test_OC25_the_whole_of_a_long_output_comes_along(
    environment: Environment, tmp_path: Path
) -> None:
    data = _database(environment).parent
    name = "tool_229bae762001WYoVPCkTihk5uj"
    place = data / "tool-output" / name
    place.parent.mkdir(parents=True)
    place.write_text("line\n" * 3000)
    shown = f"...output truncated...\n\nFull output saved to: {place}\n\nline\n"
    metadata = {"truncated": True, "outputPath": str(place)}
    session = OpenCode().ask("go")
    session.assistant("tool-calls", tool("c1", "bash", {}, shown, metadata=metadata))
    session.assistant("stop", {"type": "text", "text": "done"}).turn(2)
    first, second = finished(_read(session, environment))
    assert [(s.path, s.data) for s in first.sidecars] == [(f"tool-output/{name}", b"line\n" * 3000)]
    assert not second.sidecars and not second.state.markers

    written = AGENT.write(whole([first, second]), Target(str(tmp_path)), environment)
    [made] = [path for path in written.files if path.parent.name == "tool-output"]
    assert made != place and written.files[made] == b"line\n" * 3000
    text = written.files[written.main].decode()
    assert str(place) not in text
    assert text.count(str(made)) == 2


def test_OC25_what_is_gone_is_marked_as_cut_at_the_source(environment: Environment) -> None:
    gone = _database(environment).parent / "tool-output" / "tool_229bae762001WYoVPCkTihk5uj"
    metadata = {"truncated": True, "outputPath": str(gone)}
    session = OpenCode().ask("go")
    session.assistant("tool-calls", tool("c1", "bash", {}, "...", metadata=metadata))
    session.assistant("stop", {"type": "text", "text": "done"}).turn(2)
    turns = finished(_read(session, environment))
    assert [s.state.markers for s in turns] == [({"kind": "truncated", "calls": ["c1"]},)] * 2
    assert not any(s.sidecars for s in turns)
    path = _database(environment)
    [again] = AGENT.read(the_source(AGENT, session.turn(3).save(path)), head(turns[-1]))
    assert again.state.markers == turns[-1].state.markers


def test_OC27_the_title_that_everybody_gets_is_none(environment: Environment) -> None:
    for title, seen in (
        ("New session - 2026-11-29T19:21:16.089Z", "question 1"),
        ("Child session - 2026-11-29T19:21:16.089Z", "question 1"),
        ("New session - of my own", "New session - of my own"),
    ):
        session = grown(1)
        session.title = title
        assert whole(_read(session, environment)).info.title == seen
        [source] = AGENT.find(environment, native_id=OPENCODE_ID)
        assert source.title == ("" if seen == "question 1" else title)


def test_a_record_of_another_kind_is_left_alone() -> None:
    assert list(AGENT.essences(Record(b'{"a":1}\n').data)) == []
