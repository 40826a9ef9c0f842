"""A rollout that nobody can read is still found, so that a save of everything can name it."""

from __future__ import annotations

import pytest

from gitsession.agents import registry
from gitsession.agents.codex import messages as codex_messages
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


def test_arguments_are_cleaned_at_any_depth() -> None:
    """Of half surrogates, which nothing can encode; calls cannot go as deep as JSON."""
    deep: object = "\ud800"
    for number in range(5_000):
        deep = [deep] if number % 2 else {"\ud800": deep}
    made = codex_messages._whole(deep)
    for _ in range(5_000):
        [made] = made.values() if isinstance(made, dict) else made  # type: ignore[attr-defined]
    assert made == "\ufffd"
