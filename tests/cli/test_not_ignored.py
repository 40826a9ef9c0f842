"""What a person types counts: a name that nothing has, or an option without effect, is refused."""

from __future__ import annotations

import shlex

import pytest

from tests.builders import Claude

from .conftest import Cli
from .scene import Scene


@pytest.mark.parametrize(
    ("typed", "code", "says"),
    [
        ("list --agent claude-cod", 12, "did you mean claude-code?"),
        ("search x --agent nope", 12, "no agent of that name"),
        ("list --project /nowhere", 12, "there is no folder /nowhere"),
        ("search x --project /nowhere", 12, "there is no folder /nowhere"),
        ("checkout HEAD --project /nowhere --dry-run", 12, "there is no folder /nowhere"),
        ("events --type file_edits", 2, "did you mean file_edit? one of user_prompt, "),
        ("events --type git-commit", 2, "did you mean git_commit?"),
        ("events --category file_edit", 2, "it is a type: --type file_edit"),
        ("events --type file", 2, "it is a category: --category file"),
        ("events --category nope", 2, "one of user-prompt, decision, "),
        ("hooks status nope", 12, "no hooks for that agent"),
        ("config author.nme x", 2, "did you mean author.name?"),
        ("context --key 99", 12, "there is no message 99"),
    ],
)
def test_a_name_that_nothing_has(scene: Scene, typed: str, code: int, says: str) -> None:
    scene.cli("save")
    done = scene.cli(*shlex.split(typed))
    assert done.code == code and says in done.err, done
    assert not done.out


@pytest.mark.parametrize(
    "typed",
    [
        "list --all --project .", "search x --all --project .", "search x --all --session HEAD",
        "search x --project . --session HEAD", "diff --stat --files", "diff --stat --messages",
        "context --last 3", "context --last 3 --strategy recent", "scan . --all",
        "checkout HEAD --strategy recent", "checkout HEAD --continue -b other",
        "redact --rewrite some.txt", "redact --dry-run some.txt", "compact --undo --recent 3",
        "compact --undo --when-due", "compact --threshold 9", "gc --keep-last 0",
        "search x --since 2030-01-01 --until 2020-01-01", "watch --once --interval -1",
        "watch --once --interval 0", "--store other.git hooks install claude-code",
        "checkout HEAD --raw out --strict", "checkout HEAD --clean --strategy recent",
        "context --check --explain", "context --check --format openai",
        "context --explain --format openai", "scan --pre-push origin .",
        "scan --pre-push origin --all",
    ],
)  # fmt: skip
def test_options_without_effect(scene: Scene, typed: str) -> None:
    scene.cli("save")
    before = scene.cli("log", "--json").out
    done = scene.cli(*shlex.split(typed))
    assert done.code == 2 and not done.out, done
    assert "hint: " in done.err
    assert scene.cli("log", "--json").out == before


@pytest.mark.parametrize(
    "typed",
    [
        "--store '' list",
        "--store= list",
        "list --store ''",
        "init --name ''",
        "list --agent=",
        "events --stream ''",
        "export -o ''",
        "checkout HEAD --raw ''",
        "save --agent ''",
    ],
)
def test_an_empty_value_is_no_missing_option(cli: Cli, typed: str) -> None:
    """A variable that is not set must not lead to another store than the one that was meant."""
    done = cli(*shlex.split(typed))
    assert done.code == 2 and "is given an empty value" in done.err, done
    assert not cli.environment.data_dir.exists()


def test_empty_values_that_mean_something(scene: Scene) -> None:
    scene.cli("save")
    for typed in ("-C '' log", "log --grep ''", "list --search ''", "config redaction.key_file ''"):
        assert scene.cli(*shlex.split(typed)).code == 0, typed


def test_a_tool_that_nothing_calls(scene: Scene) -> None:
    scene.cli("save")
    done = scene.cli("search", "cookies", "--tool", "Edits")
    assert done.code == 1
    assert "no tool is called Edits; did you mean Edit? there are: Bash, Edit, Write" in done.err
    assert "no tool" not in scene.cli("search", "nothinglikethat", "--tool", "edit").err


def test_a_project_that_was_deleted_still_has_its_sessions(cli: Cli, tmp_path: object) -> None:
    import os
    from pathlib import Path

    assert isinstance(tmp_path, Path)
    gone = tmp_path / "gone"
    gone.mkdir()
    agent = Claude(cwd=str(gone))
    agent.prompt("what was here")
    agent.say("This.")
    agent.save(Path(cli.environment.home))
    assert cli("-C", str(gone), "save").code == 0
    os.rmdir(gone)
    assert "what was here" in cli("list", "--project", str(gone)).out
    assert cli("search", "This", "--project", str(gone)).code == 0


def test_0_is_no_limit_for_any_list(scene: Scene) -> None:
    """As `list`, `search` and `events` have it: 0 means all, and no next page."""
    scene.cli("save")
    everything = scene.cli("log", "-n", "1000").out
    assert everything.count("version ") > 1
    assert scene.cli("log", "-n", "0").out == everything
    assert scene.cli("log", "-n", "0", "--json").json["more"] is False
    assert scene.cli("log", "-n", "1").out.count("Older versions: ") == 1
    assert scene.cli("oplog", "-n", "0").out == scene.cli("oplog", "-n", "1000").out != ""
