"""Damaged records are named by their number, so that a person finds the line in the file."""

from __future__ import annotations

from pathlib import Path

from gitsession.environment import Environment
from gitsession.repository import Repository
from tests.agents.test_claw import _grow
from tests.builders import Claude

from .conftest import LiveSession


def test_CL3_the_lines_that_are_not_understood_are_named(
    repository: Repository, environment: Environment
) -> None:
    lines = _grow(2).splitlines(keepends=True)
    lines.insert(4, b'{"type":"hologram","depth":3}\n')
    path = Path(environment.cwd) / "session.jsonl"
    path.write_bytes(b"".join(lines) + b'{"message":{"role":"us')
    [saved] = repository.import_files([path]).sessions
    assert saved.outcome == "saved"
    assert saved.damaged_at == ("main:5", f"main:{len(lines) + 1}")


def test_a_later_save_names_only_what_is_new(live: LiveSession, repository: Repository) -> None:
    live.turn("one")
    with live.path.open("ab") as stream:
        stream.write(b'{"type":"user","mess\n')
    live.turn("two")
    [first] = repository.save().sessions
    assert first.damaged_at == ("main:3",)
    live.turn("three")
    [second] = repository.save().sessions
    assert (second.damaged, second.damaged_at) == (1, ())
    with live.path.open("ab") as stream:
        stream.write(b"\0\0\0\n")
    live.turn("four")
    [third] = repository.save().sessions
    assert third.damaged_at == ("main:8",)


def test_a_subagent_s_record_is_named_with_its_stream(
    live: LiveSession, repository: Repository
) -> None:
    side = live.path.with_suffix("") / "subagents" / "agent-abc.jsonl"
    side.parent.mkdir(parents=True)
    whole = Claude(live.native_id, cwd=live.cwd)
    whole.tree("user", message={"role": "user", "content": "go"}, isSidechain=True)
    side.write_bytes(whole.data + b'{"torn"\n')
    live.turn("one")
    [saved] = repository.save().sessions
    assert len(saved.damaged_at) == 1
    assert saved.damaged_at[0].startswith("subagents/") and saved.damaged_at[0].endswith(":2")


def test_very_many_are_named_as_a_range(live: LiveSession, repository: Repository) -> None:
    live.prompt("one")
    with live.path.open("ab") as stream:
        stream.write(b"{torn\n" * 60)
    live.assistant([{"type": "text", "text": "done"}], "end_turn")
    [saved] = repository.save().sessions
    assert saved.damaged == 60
    assert saved.damaged_at == ("main:1-62",)
