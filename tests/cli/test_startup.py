"""Start-up is a feature: what the fast commands may load, by module and not by the clock."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gitsession.agents import registry
from tests.builders import Claude

from .conftest import Cli
from .scene import Scene

ROOT = Path(__file__).resolve().parents[2]
HEAVY = (
    "dataclasses", "typing", "inspect", "yaml", "pygit2", "dulwich", "detect_secrets", "tiktoken",
    "zstandard", "platformdirs", "shtab", "importlib.metadata", "gitsession.redaction",
    "gitsession.agents", "gitsession.snapshot", "gitsession.compare", "gitsession.model.session",
)  # fmt: skip
"""Each costs a tenth of a bare start or more, or leads to one that does."""
_PROGRAM = """
import sys
from gitsession.cli.main import main
code = main(sys.argv[1:])
sys.stdout.flush()
print("\\n".join(sorted(sys.modules)), file=sys.stderr)
sys.exit(code)
"""


def modules(cli: Cli, *argv: str, said: str = "") -> set[str]:
    """Every module that one run of the program has loaded at its end."""
    variables = {**cli.environment.variables, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-S", "-c", _PROGRAM, *argv],
        env=variables, cwd=cli.environment.cwd, input=said, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return set(done.stderr.splitlines())


def heavy(loaded: set[str]) -> set[str]:
    return {name for name in loaded for prefix in HEAVY if (name + ".").startswith(prefix + ".")}


@pytest.mark.parametrize("argv", [["--help"], [], ["-h"]])
def test_help_loads_next_to_nothing(cli: Cli, argv: list[str]) -> None:
    loaded = modules(cli, *argv)
    assert heavy(loaded) == set()
    assert not loaded & {"argparse", "re", "pathlib", "json", "subprocess", "hashlib"}
    assert not any(name.startswith("gitsession.cli.commands") for name in loaded)


@pytest.mark.parametrize("verb", ["log", "save", "checkout"])
def test_help_of_a_verb_loads_no_store(cli: Cli, verb: str) -> None:
    loaded = modules(cli, verb, "--help")
    assert heavy(loaded) == set() and "gitsession.repository" not in loaded
    commands = {name for name in loaded if name.startswith("gitsession.cli.commands.")}
    assert commands == {f"gitsession.cli.commands.{verb}"}


@pytest.mark.parametrize(
    "argv",
    [
        ["log"],
        ["log", "-n", "50", "--oneline"],
        ["log", "--json"],
        ["list"],
        ["list", "--all"],
        ["list", "--json"],
    ],
)
def test_log_and_list_load_nothing_heavy(scene: Scene, argv: list[str]) -> None:
    assert scene.cli("save").code == 0
    assert heavy(modules(scene.cli, *argv)) == set()


def test_drawing_a_graph_loads_no_session(scene: Scene) -> None:
    assert scene.cli("save").code == 0
    loaded = heavy(modules(scene.cli, "log", "--graph"))
    assert loaded <= {"typing", "typing.io", "typing.re"}


def test_the_package_itself_is_empty() -> None:
    done = subprocess.run(
        [sys.executable, "-S", "-c", "import sys, gitsession; print(*sorted(sys.modules))"],
        env={"PYTHONPATH": str(ROOT), "PATH": os.defpath},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    loaded = [name for name in done.stdout.split() if name.startswith("gitsession")]
    assert loaded == ["gitsession"] and heavy(set(done.stdout.split())) == set()


def test_a_save_loads_only_what_it_needs(cli: Cli) -> None:
    """No dataclass, no adapter of another agent, nothing that only reading needs."""
    session = Claude(cwd=cli.environment.cwd).turn("first", "done")
    session.save(cli.environment.home)
    assert modules(cli, "save")
    session.turn("second", "done").save(cli.environment.home)
    loaded = modules(cli, "save")
    assert not loaded & {
        "dataclasses", "typing", "inspect", "subprocess", "datetime", "uuid", "pathlib", "struct",
        "ipaddress", "urllib.parse", "unicodedata", "hashlib",
    }  # fmt: skip
    agents = {name for name in loaded if name.startswith("gitsession.agents.")}
    assert not any(name in agent for agent in agents for name in registry.names()[1:])
    assert not loaded & {
        "gitsession.snapshot.decoding", "gitsession.model.report", "gitsession.model.message",
        "gitsession.operations.saving.past_records", "gitsession.operations.native_files",
        "gitsession.store.revisions", "gitsession.redaction.settings", "gitsession.render.listing",
        "gitsession.model.listed", "gitsession.operations.marking.sessions",
        "gitsession.agents.written", "gitsession.operations.placeholders",
        "gitsession.agents.claude_code.patch",
        "gitsession.agents.lookback", "gitsession.agents.side_streams",
    }  # fmt: skip


def test_a_save_loads_the_judges_of_what_it_meets_only(cli: Cli) -> None:
    """The usage of every answer speaks of tokens, and that alone is no candidate."""
    judges = {"keyvalue", "assignment", "second", "carriers", "commands", "keyfiles", "bare"}
    session = Claude(cwd=cli.environment.cwd)
    for number, said in enumerate(("plainly", "a cookie")):
        session.turn(f"request {number}", said).save(cli.environment.home)
        loaded = modules(cli, "save")
        assert "gitsession.redaction.engine" in loaded
        met = {name for name in judges if f"gitsession.redaction.{name}" in loaded}
        assert met == (set() if said == "plainly" else {"carriers"})


def test_a_hook_loads_what_a_save_does(cli: Cli) -> None:
    session = Claude(cwd=cli.environment.cwd).turn("first", "done")
    path = session.save(cli.environment.home)
    call = {
        "session_id": session.session_id,
        "transcript_path": str(path),
        "hook_event_name": "Stop",
    }
    loaded = modules(cli, "save", "--hook", "claude-code", said=json.dumps(call))
    assert "gitsession.store.transaction" in loaded, "it has saved"
    assert not loaded & {
        "dataclasses", "typing", "pathlib", "gitsession.agents.hooks", "gitsession.model.report",
        "gitsession.operations.hooking.hooks", "gitsession.operations.hooking.hook_parts",
    }  # fmt: skip


@pytest.mark.parametrize("source", ["startup", "clear"])
def test_a_start_that_is_given_nothing_opens_no_store(cli: Cli, source: str) -> None:
    call = {"session_id": "abc", "hook_event_name": "SessionStart", "source": source}
    loaded = modules(cli, "snapshot", "--hook", "claude-code", said=json.dumps(call))
    assert heavy(loaded) == set()
    assert "gitsession.operations.hooking.start_cases" in loaded
    assert not {name for name in loaded if name.startswith("gitsession.store")}


def test_a_start_that_was_made_ahead_derives_nothing(cli: Cli) -> None:
    session = Claude(cwd=cli.environment.cwd).turn("first", "done")
    session.save(cli.environment.home)
    cli("save")
    call = {"session_id": session.session_id, "hook_event_name": "SessionStart",
            "source": "compact"}  # fmt: skip
    assert cli("snapshot", "--hook", "claude-code", stdin=json.dumps(call)).out
    loaded = modules(cli, "snapshot", "--hook", "claude-code", said=json.dumps(call))
    assert "gitsession.operations.hooking.ahead" in loaded
    made = (
        "gitsession.render",
        "gitsession.events",
        "gitsession.operations.hooking.resume_snapshot",
    )
    assert not {name for name in loaded if name.startswith(made)}
