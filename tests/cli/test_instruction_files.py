"""Instruction files of a version: saved, compared where a session goes on; and the hints there."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from .conftest import Done
from .scene import Scene

THEN = 1_500_000_000
"""Long before the sessions of the builder."""


def ok(done: Done) -> Done:
    assert done.code == 0, done
    return done


def write(path: Path, text: str, changed_at: int = THEN) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    os.utime(path, (changed_at, changed_at))


@pytest.fixture
def told(scene: Scene) -> Scene:
    """A session of three turns in a project with two instruction files."""
    (scene.project / ".git").mkdir()
    write(scene.project / "CLAUDE.md", "Always write tests.\n")
    write(scene.project / ".claude/rules/style.md", "Tabs, never spaces.\n")
    scene.three_turns()
    (scene.project / "login.py").write_text("the active file")
    ok(scene.cli("save"))
    return scene


def files(scene: Scene, revision: str = "HEAD") -> dict[str, str]:
    """What plain git reads of a version's instruction files."""
    store = ok(scene.cli("dir")).out.strip()
    version = ok(scene.cli("log", revision, "-n", "1", "--json")).json["versions"][0]["id"]

    def git(*words: str) -> str:
        return subprocess.run(
            ["git", "-C", store, *words], capture_output=True, text=True, check=True
        ).stdout

    names = git("ls-tree", "-r", "--name-only", version, "instructions/").split()
    return {n.removeprefix("instructions/"): git("show", f"{version}:{n}") for n in names}


def test_CL23_the_files_in_force_are_saved_with_the_version(told: Scene) -> None:
    assert files(told) == {
        "CLAUDE.md": "Always write tests.\n",
        ".claude/rules/style.md": "Tabs, never spaces.\n",
    }
    assert files(told, "HEAD~2") == files(told)


def test_a_changed_and_a_removed_file_are_in_the_next_version_only(told: Scene) -> None:
    before = ok(told.cli("log", "--json")).json["versions"][0]["id"]
    write(told.project / "CLAUDE.md", "Never write tests.\n")
    (told.project / ".claude/rules/style.md").unlink()
    told.agent.turn("go on", "done")
    told.live()
    ok(told.cli("save"))
    assert files(told) == {"CLAUDE.md": "Never write tests.\n"}
    assert files(told, before)["CLAUDE.md"] == "Always write tests.\n"
    said = ok(told.cli("diff", before, "HEAD")).out
    assert "Instructions" in said and "CLAUDE.md" in said


def test_a_file_changed_after_the_turns_is_not_said_to_have_been_in_force(scene: Scene) -> None:
    write(scene.project / "CLAUDE.md", "of now", 1_900_000_000)
    scene.three_turns()
    ok(scene.cli("save"))
    assert files(scene) == {}


def test_an_unchanged_file_makes_no_difference_to_the_trees(told: Scene) -> None:
    ok(told.cli("save", "--dry-run"))
    told.agent.turn("go on", "done")
    told.live()
    ok(told.cli("save"))
    assert files(told) == files(told, "HEAD~1")
    assert "Instructions" not in ok(told.cli("diff", "HEAD~1", "HEAD")).out


def test_a_secret_in_an_instruction_file_is_masked_and_still_no_difference(scene: Scene) -> None:
    from .scene import TOKEN

    write(scene.project / "CLAUDE.md", f"Deploy with {TOKEN}, then rest.\n")
    scene.three_turns()
    (scene.project / "login.py").write_text("the active file")
    ok(scene.cli("save"))
    assert "__REDACTED_" in files(scene)["CLAUDE.md"]
    assert TOKEN not in ok(scene.cli("show", "--json")).out
    assert "warnings" in ok(scene.cli("checkout", "HEAD~1", "--json")).json["checkout"]
    assert ok(scene.cli("checkout", "HEAD~1", "--strict", "--json")).json["checkout"][
        "warnings"
    ] == []  # fmt: skip


def test_checkout_warns_of_other_instructions_and_strict_refuses(told: Scene) -> None:
    assert "differs" not in ok(told.cli("checkout", "HEAD~1", "--dry-run", "--strict")).out
    write(told.project / "CLAUDE.md", "Never write tests.\n")
    write(told.project / "AGENTS.md", "new here")
    (told.project / ".claude/rules/style.md").unlink()
    done = ok(told.cli("checkout", "HEAD~1", "--json")).json["checkout"]
    assert len(done["warnings"]) == 3
    assert done["warnings"][0].startswith("the instruction file .claude/rules/style.md is gone")
    assert "CLAUDE.md has changed: " in done["warnings"][1]
    assert done["warnings"][2] == "the instruction file AGENTS.md is new"
    count = len(list(told.home.rglob("*.jsonl")))
    refused = told.cli("checkout", "HEAD~2", "--strict")
    assert refused.code == 13 and "instruction files" in refused.err
    assert len(list(told.home.rglob("*.jsonl"))) == count


def test_blank_lines_alone_are_no_difference(told: Scene) -> None:
    write(told.project / "CLAUDE.md", "\nAlways write tests.\n\n\n")
    assert ok(told.cli("checkout", "HEAD~1", "--strict", "--json")).json["checkout"][
        "warnings"
    ] == []  # fmt: skip


def test_G17_a_folder_that_is_gone_a_missing_dependency_and_another_branch(scene: Scene) -> None:
    (scene.project / ".git").mkdir()
    (scene.project / ".git/HEAD").write_text("ref: refs/heads/main\n")
    scene.agent.prompt("install it")
    scene.agent.bash("npm install", "added 12 packages")
    scene.agent.say("Installed.")
    scene.live()
    ok(scene.cli("save"))
    said = ok(scene.cli("checkout", "HEAD", "-b", "here", "--dry-run")).out
    assert "npm install was run, but there is no node_modules" in said
    (scene.project / "node_modules").mkdir()
    assert "node_modules" not in ok(scene.cli("checkout", "HEAD", "-b", "there", "--dry-run")).out
    other = scene.root / "other"
    other.mkdir()
    (scene.project / "node_modules").rmdir()
    scene.project.rename(scene.root / "moved")
    session = ok(scene.cli("list", "--all", "--json")).json["sessions"][0]["session"]
    done = ok(
        scene.cli("checkout", session, "--project", str(other), "-b", "new", "--json")
    ).json["checkout"]  # fmt: skip
    assert done["cwd"] == str(other)
    assert done["warnings"][0] == f"the project folder {scene.project} is not here"


def system(scene: Scene, *words: str) -> str:
    """The system part of a request, whichever version it goes on from."""
    return str(ok(scene.cli("request", *words, "--message", "go on")).json.get("system", ""))


def test_G20_CL23_the_files_of_then_stand_in_a_request_once(told: Scene) -> None:
    write(told.project / "CLAUDE.md", "Never write tests.\n", 4_000_000_000)
    said = system(told)
    assert said.count("Always write tests.") == said.count("Tabs, never spaces.") == 1
    assert "Never write tests." not in said
    assert said.index("# CLAUDE.md") < said.index("# .claude/rules/style.md")
    assert said.index("Tabs") < said.index("Working state of the session:")
    assert "Always write tests." not in system(told, "--no-instructions")
    prompt = told.project / "prompt.txt"
    prompt.write_text("You help.\nAlways write tests.\n")
    said = system(told, "--system-prompt", str(prompt))
    assert said.count("Always write tests.") == said.count("Tabs, never spaces.") == 1


@pytest.mark.parametrize("form", ["anthropic", "openai", "gemini"])
def test_every_form_of_a_request_has_them_and_keeps_its_budget(told: Scene, form: str) -> None:
    write(told.project / "CLAUDE.md", "Always write tests. " * 2_000)
    told.agent.turn("one more", "Yes.")
    told.live()
    ok(told.cli("save"))
    words = ("--message", "go on", "--format", form, "--budget")
    large = ok(told.cli("request", *words, "20000")).out
    assert 150 < large.count("Always write tests.") <= 200 and "[truncated]" in large
    small = ok(told.cli("request", *words, "1000")).out
    assert 0 < small.count("Always write tests.") < 60


def test_what_somebody_else_wrote_is_no_instruction_here(
    told: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gitsession.store import Store

    monkeypatch.setattr(Store, "is_own", lambda *_: False)
    assert "Always write tests." not in system(told)


def test_G17_where_the_project_went_its_files_are_found(scene: Scene) -> None:
    scene.three_turns()
    (scene.project / "login.py").write_text("the file as it is now")
    ok(scene.cli("save"))
    session = ok(scene.cli("list", "--all", "--json")).json["sessions"][0]["session"]
    moved = scene.root / "moved"
    scene.project.rename(moved)
    words = ("checkout", session, "--project", str(moved), "-b", "new", "--json")
    done = ok(scene.cli(*words)).json["checkout"]
    assert done["warnings"] == [f"the project folder {scene.project} is not here"]
    rows = [json.loads(line) for line in Path(done["path"]).read_bytes().splitlines()]
    assert {row["cwd"] for row in rows if "cwd" in row} == {str(moved)}
    state = ok(scene.cli("show", done["branch"], "--json")).json["session"]["state"]
    assert (moved / state["active_file"]).read_text() == "the file as it is now"
