"""The session of a folder that changed last is found without opening what is older."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bench.others import Codex, Gemini
from gitsession.agents import registry
from gitsession.agents.base import newest_in
from gitsession.agents.codex import find as codex_find
from gitsession.agents.gemini import find as gemini_find
from gitsession.environment import Environment

SECOND = 1_000_000_000


def put(environment: Environment, kind: type[Codex | Gemini], number: int, project: str) -> Path:
    """A session that changed `number` seconds after the epoch."""
    session = kind(number, project)
    path = session.path(environment.home)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(session.turn()))
    os.utime(path, ns=(number * SECOND, number * SECOND))
    return path


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    seen: list[Path] = []
    header, look = codex_find.header, gemini_find._look
    monkeypatch.setattr(codex_find, "header", lambda path: (seen.append(path), header(path))[1])
    monkeypatch.setattr(
        gemini_find, "_look", lambda path, root: (seen.append(path), look(path, root))[1]
    )
    return seen


@pytest.mark.parametrize(("name", "kind"), [("codex", Codex), ("gemini", Gemini)])
def test_it_is_the_one_that_a_look_at_all_finds(
    environment: Environment, opened: list[Path], name: str, kind: type[Codex | Gemini]
) -> None:
    agent, here = registry.get(name), environment.cwd
    for number in range(1, 12):
        put(environment, kind, number, here if number % 4 == 0 else f"{here}-{number}")
    every = max(agent.find(environment, cwd=here), key=lambda each: each.mtime)
    assert every.mtime == 8 * SECOND
    for after in (-1, 7 * SECOND):
        assert newest_in(agent, environment, here, after) == every
    assert newest_in(agent, environment, here, 8 * SECOND) is None
    opened.clear()
    assert newest_in(agent, environment, here, 11 * SECOND) is None
    assert opened == []
    assert newest_in(agent, environment, here, 9 * SECOND) is None
    assert 0 < len(opened) <= 2


def test_an_agent_that_has_no_method_for_it_is_asked_for_all(environment: Environment) -> None:
    class Plain:
        name = "plain"

        def find(self, _: Environment, *, cwd: str) -> list[object]:
            return [row for row in rows if row.cwd == cwd]

    class Row:
        def __init__(self, mtime: int, cwd: str, size: int = 1) -> None:
            self.mtime, self.cwd, self.size = mtime, cwd, size

    # The newest holds nothing yet.
    rows = [Row(3, "a"), Row(5, "a"), Row(9, "b"), Row(8, "a", 0)]
    assert newest_in(Plain(), environment, "a", -1) is rows[1]  # type: ignore[arg-type]
    assert newest_in(Plain(), environment, "a", 5) is None  # type: ignore[arg-type]
    assert newest_in(Plain(), environment, "c", -1) is None  # type: ignore[arg-type]
