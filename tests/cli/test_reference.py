"""The reference pages are what the parsers say; `python docs/make_cli_reference.py` renews them."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from gitsession.agents import registry
from gitsession.cli.verbs import SUMMARIES

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture(scope="module")
def maker() -> ModuleType:
    spec = importlib.util.spec_from_file_location("maker", DOCS / "make_cli_reference.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_cli_page(maker: ModuleType) -> None:
    assert (DOCS / "reference" / "cli.md").read_text(encoding="utf-8") == maker.cli_page()


def test_exit_codes_page(maker: ModuleType) -> None:
    page = (DOCS / "reference" / "exit-codes.md").read_text(encoding="utf-8")
    assert page == maker.exit_codes_page()


def test_every_verb_has_a_chapter(maker: ModuleType) -> None:
    chapters = [line[4:] for line in maker.cli_page().splitlines() if line.startswith("### ")]
    assert chapters == list(SUMMARIES)


def test_the_comparison_with_git_names_only_verbs_that_exist() -> None:
    import re

    text = (DOCS / "explanation" / "git-comparison.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`gitsession ([a-z]+)", text))
    assert named and named <= set(SUMMARIES)


def test_every_json_shape_is_documented() -> None:
    import re

    package = DOCS.parent / "gitsession" / "cli"
    source = "".join(path.read_text(encoding="utf-8") for path in package.rglob("*.py"))
    printed = set(re.findall(r"answer\(\s*\"([a-z-]+)\"", source))
    page = (DOCS / "reference" / "json-output.md").read_text(encoding="utf-8")
    documented = set(re.findall(r"gitsession\.([a-z-]+)/1", page))
    assert printed == documented


def test_help_and_page_name_every_agent_that_can_take_over(maker: ModuleType) -> None:
    names = [agent.name for agent in registry.all_agents() if agent.capabilities.compose]
    assert f"continue in another agent: {', '.join(names)} |" in maker.cli_page()
    page = (DOCS / "how-to" / "roll-back.md").read_text(encoding="utf-8")
    assert ", ".join(f"`{name}`" for name in names[:-1]) + f" or `{names[-1]}`" in page
