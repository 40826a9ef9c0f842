"""Which agents there are, ours and those of other packages."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from gitsession.agents import registry
from gitsession.environment import Environment
from gitsession.errors import NotFound
from tests.builders import claude_session


def _offer(monkeypatch: pytest.MonkeyPatch, agent: object) -> None:
    entry = SimpleNamespace(name="theirs", load=lambda: agent)
    ours = SimpleNamespace(name="codex", load=lambda: pytest.fail("ours come first"))
    monkeypatch.setattr(registry, "_entry_points", lambda: (ours, entry))


def test_ours_are_known_by_name() -> None:
    for name in registry.names():
        assert registry.get(name).name == name
    assert [agent.name for agent in registry.all_agents()] == list(registry.names())


def test_an_agent_is_looked_for_where_it_keeps_its_sessions(environment: Environment) -> None:
    assert list(registry.HOMES) == list(registry.names())
    places = {"home": environment.home, "cwd": environment.cwd, "data": environment.data_dir}
    for agent in registry.all_agents():
        for mark in registry.HOMES[agent.name][:1]:
            assert agent.home(environment) == Path(mark.format(**places))


def test_an_agent_without_a_folder_is_not_loaded(environment: Environment) -> None:
    assert not list(registry.agents_at_home(environment))
    (environment.home / ".pi" / "agent").mkdir(parents=True)
    assert [agent.name for agent in registry.agents_at_home(environment)] == ["pi"]
    environment.variables["CODEX_HOME"] = str(environment.home / "elsewhere")
    assert [agent.name for agent in registry.agents_at_home(environment)] == ["codex", "pi"]


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(NotFound) as caught:
        registry.get("clod")
    assert "claude-code" in caught.value.candidates


def test_adapters_of_other_packages(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    agent = SimpleNamespace(name="theirs", recognise=lambda path: "a source")
    _offer(monkeypatch, SimpleNamespace(AGENT=agent))
    assert registry.get("theirs") is agent
    _offer(monkeypatch, agent)
    assert registry.get("theirs") is agent
    assert [a.name for a in registry.all_agents(installed=True)] == [*registry.names(), "theirs"]
    (tmp_path / "x").write_text("nothing of ours")
    assert registry.recognise(tmp_path / "x") == "a source"


def test_a_file_is_shown_to_all(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(claude_session(1))
    source = registry.recognise(path)
    assert source is not None
    assert source.agent == "claude-code"
    path.write_bytes(b"nothing\n")
    assert registry.recognise(path) is None


def test_importing_the_registry_loads_no_adapter_and_lists_no_packages() -> None:
    code = (
        "import sys; from gitsession.agents import registry; registry.get('claude-code');"
        "print([m for m in ('importlib.metadata', 'gitsession.agents.codex') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
