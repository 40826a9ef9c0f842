"""Claude Code: which file is which session, and of which project."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from gitsession.agents.claude_code import AGENT
from gitsession.agents.claude_code.find import folder_name
from gitsession.environment import Environment
from tests.builders import CLAUDE_ID, Claude, a_uuid


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/a/proj.one", "-a-proj-one"),
        ("/tmp/x_y z", "-tmp-x-y-z"),
        ("/пр_x@y", "----x-y"),
        ("/🦊", "---"),  # two UTF-16 units
        ("C:\\Users\\me", "C--Users-me"),
        ("/" + "a" * 199, "-" + "a" * 199),
    ],
)
def test_folder_name_is_spelled_as_the_agent_does(path: str, name: str) -> None:
    assert folder_name(path) == name


def test_a_long_folder_name_is_cut_and_hashed() -> None:
    name = folder_name("/" + "b" * 250)
    assert len(name) > 201
    assert name[:201] == "-" + "b" * 199 + "-"
    assert name[201:].isalnum()
    assert name != folder_name("/" + "b" * 251)
    total = 0
    for letter in "/" + "b" * 250:
        total = (31 * total + ord(letter)) % (1 << 32)
    signed = total - (1 << 32) if total >= 1 << 31 else total
    assert int(name[201:], 36) == abs(signed)


def test_sessions_of_folders_with_one_encoded_name_are_told_apart(
    environment: Environment,
) -> None:
    dot, dash = a_uuid("dot"), a_uuid("dash")
    Claude(dot, "/code/a.b").turn("dot").save(environment.home)
    Claude(dash, "/code/a-b").turn("dash").save(environment.home)
    assert [s.native_id for s in AGENT.find(environment, cwd="/code/a.b")] == [dot]
    assert [s.native_id for s in AGENT.find(environment, cwd="/code/a-b")] == [dash]


def test_a_session_that_was_moved_into_the_folder_belongs_to_it(environment: Environment) -> None:
    path = Claude(cwd="/old/place").turn("moved").save(environment.home)
    folder = path.parent.parent / folder_name("/new/place")
    folder.mkdir()
    path.rename(folder / path.name)
    assert [s.native_id for s in AGENT.find(environment, cwd="/new/place")] == [CLAUDE_ID]


def test_a_project_behind_a_link_is_found_by_both_names(
    environment: Environment, tmp_path: Path
) -> None:
    real = tmp_path / "real"
    real.mkdir()
    (tmp_path / "link").symlink_to(real)
    Claude(cwd=os.path.realpath(real)).turn("hello").save(environment.home)
    for cwd in (str(real), str(tmp_path / "link")):
        assert [s.native_id for s in AGENT.find(environment, cwd=cwd)] == [CLAUDE_ID]


def test_the_newest_comes_first_and_flat_subagents_last(environment: Environment) -> None:
    old, new = a_uuid("old"), a_uuid("new")
    for number, name in enumerate((old, new, "agent-0a1b2c3d")):
        session = Claude(name)
        session.extra = {"isSidechain": name.startswith("agent")}
        os.utime(session.turn("x").save(environment.home), ns=(number, number))
    found = [s.native_id for s in AGENT.find(environment)]
    assert found == [new, old, "agent-0a1b2c3d"]


def test_configuration_folder_of_the_agent(environment: Environment, tmp_path: Path) -> None:
    Claude().turn("here").save(tmp_path)
    environment.variables["CLAUDE_CONFIG_DIR"] = str(tmp_path / ".claude")
    assert AGENT.home(environment) == tmp_path / ".claude"
    assert [s.native_id for s in AGENT.find(environment)] == [CLAUDE_ID]


def test_an_exact_id_wins_over_longer_ones_and_a_prefix_shows_all(
    environment: Environment,
) -> None:
    one, two = "aaaaaaaa" + CLAUDE_ID[8:], "aaaaaaab" + CLAUDE_ID[8:]
    for name in (one, two):
        Claude(name).turn("x").save(environment.home)
    assert [s.native_id for s in AGENT.find(environment, native_id=one)] == [one]
    assert {s.native_id for s in AGENT.find(environment, native_id="aaaaaaa")} == {one, two}


def test_the_id_of_a_file_given_by_hand(tmp_path: Path) -> None:
    data = Claude().turn("the prompt").data
    for name, native_id in {
        "01.jsonl": CLAUDE_ID,
        f"{a_uuid('x')}.jsonl": a_uuid("x"),
        "agent-12ab34cd.jsonl": "agent-12ab34cd",
    }.items():
        (tmp_path / name).write_bytes(data)
        source = AGENT.recognise(tmp_path / name)
        assert source is not None
        assert (source.native_id, source.cwd, source.title) == (
            native_id, "/project", "the prompt",
        )  # fmt: skip


def test_an_id_that_could_lead_elsewhere_is_not_taken(tmp_path: Path) -> None:
    row = {"type": "user", "uuid": "u", "message": {"role": "user", "content": "x"}}
    path = tmp_path / "evil.jsonl"
    path.write_text(json.dumps({**row, "sessionId": "../../etc/passwd"}) + "\n")
    source = AGENT.recognise(path)
    assert source is not None
    assert "/" not in source.native_id


def test_files_of_similar_agents_are_not_ours(tmp_path: Path) -> None:
    rows = {
        "qwen": {"type": "user", "uuid": "u", "sessionId": "s", "cwd": "/p",
                 "message": {"role": "user", "parts": [{"text": "hi"}]}},
        "codex": {"timestamp": "2026-01-01T00:00:00Z", "type": "session_meta", "payload": {}},
        "pi": {"type": "session", "version": 3, "id": "x", "cwd": "/p"},
        "copilot": {"type": "user.message", "data": {}, "id": "a", "parentId": None},
    }  # fmt: skip
    for name, row in rows.items():
        path = tmp_path / f"{name}.jsonl"
        path.write_text(json.dumps(row) + "\n")
        assert AGENT.recognise(path) is None, name


def test_a_prompt_larger_than_the_first_look_is_recognised(tmp_path: Path) -> None:
    path = tmp_path / "large.jsonl"
    path.write_bytes(Claude().turn("x" * 2_000_000).data)
    source = AGENT.recognise(path)
    assert source is not None
    assert source.cwd == "/project"
