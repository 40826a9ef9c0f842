"""Codex: what checkout writes can be continued; it holds no permission and no broken pair."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from gitsession.agents.base import Target, Written
from gitsession.agents.codex import AGENT
from gitsession.agents.codex.write import new_id
from gitsession.environment import Environment
from gitsession.errors import SourceUnreadable
from gitsession.model.session import Session
from tests.agents.contract import finished, head, joined, the_source, whole
from tests.agents.test_codex import _FORK, _SAMPLES, read
from tests.codex_builder import CODEX_ID, PARENT_ID, Codex

_ABOUT_PERMISSION = ("approval", "sandbox", "permission", "approvals_reviewer", "network_access")


def session_of(session: Codex, path: Path) -> Session:
    return whole(read(session.save(path)))


def write(session: Session, environment: Environment, **target: Any) -> Written:
    return AGENT.write(session, Target("/new", **target), environment)


def rows(written: Written) -> list[dict[str, Any]]:
    data = written.files[written.main]
    assert data.endswith(b"\n")
    return [json.loads(line) for line in data.decode("utf-8").splitlines() if line]


def keys(value: object) -> set[str]:
    if isinstance(value, dict):
        return set(value) | {name for one in value.values() for name in keys(one)}
    return {name for one in value for name in keys(one)} if isinstance(value, list) else set()


def test_a_new_id_names_file_header_and_events(environment: Environment) -> None:
    time.tzset()
    session = Codex().turn("first", "one")
    session.event("item_completed", thread_id=CODEX_ID)
    written = write(session_of(session, environment.home), environment, title="mine")
    first, *others = rows(written)
    assert first["type"] == "session_meta"
    assert first["payload"]["id"] == first["payload"]["session_id"] == written.native_id
    assert (first["payload"]["cwd"], first["payload"]["source"]) == ("/new", "cli")
    assert CODEX_ID not in written.files[written.main].decode()
    assert others[-1]["payload"]["thread_id"] == written.native_id
    started = first["payload"]["timestamp"]
    folder = environment.home / ".codex" / "sessions" / started[:10].replace("-", "/")
    stamp = started[:19].replace(":", "-")
    assert written.main == folder / f"rollout-{stamp}-{written.native_id}.jsonl"


def test_the_title_is_what_lists_show_and_nothing_that_is_sent(environment: Environment) -> None:
    session = session_of(Codex().turn("first", "one"), environment.home)
    plain, named = (write(session, environment, title=title) for title in ("", "a\nname [b@1]"))
    first, event, *others = rows(named)
    assert event["type"] == "event_msg"
    assert event["payload"] == {"type": "user_message", "message": "a name [b@1]", "images": []}
    sent = [row["payload"] for row in (first, *others) if row["type"] == "response_item"]
    assert sent == [row["payload"] for row in rows(plain) if row["type"] == "response_item"]


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ("", "openai"),
        ('model_provider = "mine"\n', "mine"),
        ('profile = "p"\nmodel_provider = "a"\n[profiles.p]\nmodel_provider = "b"\n', "b"),
        ("no = [toml", "openai"),
    ],
)
def test_the_provider_is_the_one_that_this_user_has(
    environment: Environment, settings: str, expected: str
) -> None:
    config = environment.home / ".codex" / "config.toml"
    config.parent.mkdir(exist_ok=True)
    config.write_text(settings)
    written = write(session_of(Codex().turn("first", "one"), environment.home), environment)
    assert rows(written)[0]["payload"]["model_provider"] == expected


def test_ids_are_version_7_and_hold_the_time(environment: Environment) -> None:
    name = new_id(1_795_000_000_000)
    assert name.startswith("01a1ee4c-7e00-7") or name[14] == "7"
    session = session_of(Codex().turn("first", "one"), environment.home)
    written = write(session, environment, native_id=name)
    assert rows(written)[0]["payload"]["timestamp"] == "2026-11-18T11:06:40.000Z"


@pytest.mark.parametrize("foreign", [False, True])
def test_nothing_about_permission_is_written(environment: Environment, foreign: bool) -> None:
    session = Codex().turn("first", "one")
    settings = {"approval_policy": "never", "approvals_reviewer": "user", "cwd": "/project"}
    session.event("thread_settings_applied", thread_settings=settings)
    state = {"permissions": {"approved_command_prefixes": [["rm"]]}, "skills": {}}
    session.add("world_state", full=True, state=state)
    written = write(session_of(session, environment.home), environment, foreign=foreign)
    names = keys(rows(written))
    assert not [name for name in names if name.startswith(_ABOUT_PERMISSION)]
    assert b"/project" not in written.files[written.main]


def test_lines_that_need_no_change_keep_their_bytes(environment: Environment) -> None:
    session = Codex().starts().says("user", "x")
    odd = '{"timestamp": "2026-11-29T19:13:00.000Z",  "ordinal": 90, "type":"response_item",'
    odd += ' "payload":{"type":"message","role":"assistant","n":1.10,"content":[]}}'
    session.raw(odd).ends()
    written = write(session_of(session, environment.home), environment)
    assert odd.encode() in written.files[written.main]


def test_A6_every_call_has_exactly_one_result(environment: Environment) -> None:
    session = Codex().starts().says("user", "x")
    session.call("exec_command", {"cmd": "a"}, "1").call("exec_command", {"cmd": "b"}, None)
    session.item("function_call_output", call_id="call_1", output="again")
    session.item("function_call_output", call_id="nobody", output="lost")
    session.item("custom_tool_call", name="apply_patch", call_id="p", input="x").ends()
    written = write(session_of(session, environment.home), environment)
    items = [row["payload"] for row in rows(written) if row["type"] == "response_item"]
    calls = [one["call_id"] for one in items if one["type"].endswith("_call")]
    results = [one["call_id"] for one in items if one["type"].endswith("_output")]
    assert calls == results == ["call_1", "call_2", "p"]
    made = [one for one in items if "interrupted" in str(one.get("output"))]
    assert [one["type"] for one in made] == ["function_call_output", "custom_tool_call_output"]
    assert "2 × tool call without result marked as interrupted" in written.repairs
    again = AGENT.write(
        whole(_placed(written)), Target("/new", native_id=written.native_id), environment
    )
    assert rows(again)[1:] == rows(written)[1:]


def _placed(written: Written) -> list[Session]:
    written.main.parent.mkdir(parents=True, exist_ok=True)
    written.main.write_bytes(written.files[written.main])
    return read(written.main)


def test_ordinals_go_up_and_the_last_line_has_one(environment: Environment) -> None:
    session = Codex().turn("first", "one").starts().says("user", "x")
    session.call("exec_command", {"cmd": "a"}, None)
    written = write(session_of(session, environment.home), environment)
    ordinals = [row["ordinal"] for row in rows(written)]
    assert ordinals == sorted(set(ordinals))


def test_reasoning_is_kept_whole_or_not_at_all(environment: Environment) -> None:
    session = Codex().starts().says("user", "x")
    session.item("reasoning", summary=[], encrypted_content="gAAAAsealed")
    session.item("reasoning", summary=[], encrypted_content="__REDACTED_generic_0123abcd__")
    masked = {"type": "summary_text", "text": "use __REDACTED_generic_0123abcd__"}
    session.item("reasoning", summary=[masked], encrypted_content="gAAAAsealed")
    session.item("reasoning", summary=[], encrypted_content=None).ends()
    stored = session_of(session, environment.home)
    for foreign, kept in ((False, 1), (True, 0)):
        written = write(stored, environment, foreign=foreign)
        reasons = [row for row in rows(written) if row["payload"].get("type") == "reasoning"]
        assert len(reasons) == kept


def test_foreign_sessions_bring_no_instructions(environment: Environment) -> None:
    session = Codex(base_instructions={"text": "obey me"}, git={"repository_url": "u"}).starts()
    session.says("developer", "obey me too").says(
        "user", "<user_instructions>obey</user_instructions>"
    )
    session.add("world_state", full=True, state={"skills": "obey"})
    session.add("turn_context", cwd="/project", user_instructions="obey", model="m")
    session.says("user", "hello").says("assistant", "hi")
    inner = [
        {"type": "message", "role": "developer", "content": "obey"},
        {"type": "message", "role": "user", "content": "kept"},
    ]
    session.add("compacted", message="", replacement_history=inner).ends()
    stored = session_of(session, environment.home)
    foreign = write(stored, environment, foreign=True)
    text = foreign.files[foreign.main].decode()
    assert "obey" not in text
    assert '"git"' not in text
    assert all(word in text for word in ("hello", "hi", "kept"))
    own = write(stored, environment)
    assert "obey me" in own.files[own.main].decode()


def test_a_flattened_fork_needs_no_parent(environment: Environment) -> None:
    parent = Codex(PARENT_ID).turn("question 1", "one")
    parent.save(environment.home)
    base = {"thread_id": PARENT_ID, "end_ordinal_exclusive": 9, "end_byte_offset": len(parent.data)}
    child = Codex(history_base=base, forked_from_id=PARENT_ID).turn("question 2", "two")
    written = write(session_of(child, environment.home), environment)
    header = rows(written)[0]["payload"]
    assert not {"history_base", "forked_from_id", "parent_thread_id"} & set(header)
    text = written.files[written.main].decode()
    assert PARENT_ID not in text
    assert "question 1" in text
    assert [row["type"] for row in rows(written)].count("session_meta") == 1


def test_damage_and_half_surrogates_stay_behind(environment: Environment) -> None:
    session = Codex().turn("first", "one")
    session.lines.insert(4, b'\xff\xfe\0{"half":\n')
    session.raw(
        '{"timestamp":"2026-11-29T19:13:00.000Z","type":"event_msg",'
        '"payload":{"type":"x","text":"half \\ud83d"}}'
    )
    session.lines.append(
        b'{"timestamp":"2026-11-29T19:13:01.000Z","type":"event_msg","payload":{"t":"caf\xe9"}}\n'
    )
    written = write(session_of(session, environment.home), environment)
    text = written.files[written.main].decode("utf-8")
    assert "\\ud83d" not in text
    assert "half \ufffd" in text
    assert "caf\ufffd" in text
    assert {"2 × damaged line left out or mended", "1 × half surrogate replaced"} <= {
        *written.repairs
    }


def test_the_bare_form_is_brought_to_todays(samples: Path, environment: Environment) -> None:
    stored = whole(read(samples / _SAMPLES[1]))
    written = write(stored, environment)
    kinds = [(row["type"], row["payload"].get("type")) for row in rows(written)]
    assert kinds[0][0] == "session_meta"
    assert ("event_msg", "user_message") in kinds
    assert all("timestamp" in row for row in rows(written))
    assert [m.text for m in AGENT.messages(stored) if m.role == "user"] == [
        m.text for m in AGENT.messages(whole(_placed(written))) if m.role == "user"
    ]


def test_a_version_without_messages_is_refused(environment: Environment) -> None:
    with pytest.raises(SourceUnreadable) as caught:
        write(session_of(Codex(), environment.home), environment)
    assert caught.value.hint


@pytest.mark.parametrize("name", [*_SAMPLES[:4], *_SAMPLES[5:], _FORK])
def test_real_sessions_are_written_with_the_same_conversation(
    samples: Path, environment: Environment, name: str
) -> None:
    stored = whole(read(samples / name))
    written = write(stored, environment)
    again = whole(_placed(written))
    assert again.counts.damaged == again.counts.foreign == 0
    assert (again.info.native_id, again.info.cwd) == (written.native_id, "/new")
    before, after = (
        [(m.role, m.text) for m in AGENT.messages(one) if m.text] for one in (stored, again)
    )
    assert after == before
    assert set(written.files) == {written.main}


def test_a_continued_checkout_goes_on_from_the_stored_version(environment: Environment) -> None:
    """The next save reads only what came after, and still knows the files from before."""
    add = "*** Begin Patch\n*** Add File: a.py\n+one\n*** End Patch"
    change = "*** Begin Patch\n*** Update File: a.py\n@@\n-one\n+ONE\n*** End Patch"
    session = Codex().starts().says("user", "add").patches(add).ends()
    [stored] = read(session.save(environment.home))
    written = write(whole([stored]), environment)
    _placed(written)
    more = Codex(written.native_id).starts().says("user", "change").patches(change).ends()
    addition = b"".join(more.lines[1:])
    size = written.main.stat().st_size
    with open(written.main, "ab") as stream:
        stream.write(addition)
    position = stored.stream()._replace(records=(), first=stored.stream().count, offset=size)
    since = head(stored)._replace(streams=(position,))
    new = list(AGENT.read(the_source(AGENT, written.main), since))
    assert joined(new) == addition
    assert [(file.path, file.content) for file in new[0].files] == [("a.py", b"ONE\n")]
    assert new[0].counts.turns == 2
    assert new[0].info.native_id == written.native_id
    assert finished(new) == new
