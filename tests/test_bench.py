"""What the benchmarks measure on: whole sessions for every adapter, and secrets planted in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.generate import Generator, Texts, session
from bench.others import Codex, Gemini, Pi
from bench.secrets import MARK, secret
from gitsession.agents import registry
from gitsession.environment import Environment
from gitsession.redaction import Redactor

KINDS = {"claude-code": Generator, "codex": Codex, "pi": Pi, "gemini": Gemini}
TURNS = 5


def test_the_same_seed_gives_the_same_bytes() -> None:
    assert list(session(3, 50_000)) == list(session(3, 50_000))
    assert list(session(3, 50_000)) != list(session(4, 50_000))


@pytest.mark.parametrize("name", KINDS)
def test_an_adapter_sees_every_turn(name: str, environment: Environment) -> None:
    made: Texts = KINDS[name](11, environment.cwd)
    path: Path = made.path(environment.home)
    path.parent.mkdir(parents=True)
    path.write_bytes(b"".join(line for _ in range(TURNS) for line in made.turn()))
    agent = registry.get(name)
    (source,) = agent.find(environment)
    parts = list(agent.read(source))
    assert len([part for part in parts if part.turn and part.turn.messages]) == TURNS
    assert source.native_id == made.session and not parts[-1].counts.damaged


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", KINDS)
def test_a_planted_secret_is_one(name: str, seed: int, environment: Environment) -> None:
    made: Texts = KINDS[name](seed, environment.cwd)
    made.planted = [secret(seed)]
    path = made.path(environment.home)
    path.parent.mkdir(parents=True)
    path.write_bytes(b"".join(made.turn()))
    assert MARK.encode() in path.read_bytes()
    agent = registry.get(name)
    (source,) = agent.find(environment)
    redactor = Redactor(b"k" * 32)
    for part in agent.read(source):
        redactor.learn(part)
    for part in agent.read(source):
        redacted = redactor.redact(part)
        assert redacted.findings
        for stream in redacted.session.streams:
            assert not any(MARK.encode() in record.data for record in stream.records)
