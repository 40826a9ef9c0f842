"""A rollout that nobody can read is still found, so that a save of everything can name it."""

from __future__ import annotations

import pytest

from gitsession.agents import registry
from gitsession.environment import Environment
from gitsession.errors import SourceUnreadable
from tests.codex_builder import CODEX_ID, Codex


def test_a_damaged_rollout_is_found_by_its_name(environment: Environment) -> None:
    agent = registry.get("codex")
    path = Codex(cwd=environment.cwd).save(environment.home)
    path.unlink()
    damaged = path.with_suffix(".jsonl.zst")
    damaged.write_bytes(b"")
    assert list(agent.find(environment)) == []  # only just begun
    damaged.write_bytes(b"\x28\xb5\x2f\xfd not what it seems")
    (source,) = agent.find(environment)
    assert (source.native_id, source.path) == (CODEX_ID, damaged)
    assert [found.path for found in agent.find(environment, native_id=CODEX_ID[:8])] == [damaged]
    assert list(agent.find(environment, cwd=environment.cwd)) == []
    assert agent.recognise(damaged) is None
    with pytest.raises(SourceUnreadable):
        list(agent.read(source))
