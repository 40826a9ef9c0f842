"""A name in config.yaml that is no setting is told, with what was probably meant."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import Cli
from .scene import Scene


def write(cli: Cli, text: str) -> Path:
    folder = cli.environment.config_dir
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "config.yaml"
    path.write_text(text)
    return path


def test_it_is_told_once_for_each_state_of_the_file(scene: Scene) -> None:
    cli = scene.cli
    assert cli("save").code == 0
    path = write(cli, "autosve.policy: tools\n")
    first = cli("log")
    assert first.code == 0
    assert first.err == (
        "note: config.yaml: there is no setting autosve.policy, so it is ignored; "
        "did you mean autosave.policy?\n"
    )
    assert cli("log").err == "" and cli("list").err == ""
    path.write_text("nothing.like.this: 1\nexclude: {}\n")
    told = cli("list").err
    assert "nothing.like.this, so it is ignored\n" in told
    assert "did you mean excluded?" in told


def test_a_hook_is_silent_and_the_person_hears_it_later(scene: Scene) -> None:
    cli = scene.cli
    write(cli, "author:\n  name: Ada\n")
    assert cli("save", "--auto").err == ""
    assert cli("list", "--json").err == ""
    assert "write author.name as names of their own" in cli("list").err
    assert cli("list").err == ""


def test_config_and_doctor_say_it_every_time(scene: Scene) -> None:
    cli = scene.cli
    cli("save")
    write(cli, "lock.timout: 3\n")
    for _ in range(2):
        done = cli("config")
        assert done.code == 0 and done.err.count("did you mean lock.timeout?") == 1
        assert "[WARN]  configuration: config.yaml: there is no setting lock.timout" in (
            cli("doctor").out
        )
    assert "lock.timout" in cli("config", "--json").json["unknown"][0]


def test_a_change_by_config_keeps_what_it_does_not_know(cli: Cli) -> None:
    path = write(cli, "lock.timout: 3\nauthor.name: Ada\n")
    assert cli("config", "author.name", "Bea").code == 0
    assert "lock.timout: 3" in path.read_text() and "Bea" in path.read_text()


@pytest.mark.parametrize("text", ["bindings: [a]\n", "excluded: /tmp\n", "trusted: 3\n"])
def test_a_table_that_is_none_is_an_error(cli: Cli, text: str) -> None:
    write(cli, text)
    done = cli("config")
    assert done.code == 17 and "should be a mapping" in done.err


def test_the_second_run_reads_no_yaml(cli: Cli) -> None:
    write(cli, "nope: 1\n")
    cli("list")
    lines = (
        "import sys, json", "from gitsession.environment import Environment",
        "from gitsession.config import load_config",
        f"there = Environment({cli.environment.variables!r}, {str(cli.environment.home)!r}, '/')",
        "found = load_config(there).unknown",
        "print(json.dumps(['yaml' in sys.modules, 'difflib' in sys.modules, len(found)]))",
    )  # fmt: skip
    run = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, check=True
    )
    assert json.loads(run.stdout) == [False, False, 1]
