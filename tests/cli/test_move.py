"""branch, fork, tag, checkout, rename, archive, delete, undo, redo, oplog: whole transcripts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.render.render_snapshot import same_as_file

from .scene import TOKEN, Scene

SNAPSHOTS = Path(__file__).parent / "snapshots"


@pytest.fixture
def saved(scene: Scene) -> Scene:
    assert scene.cli("save").code == 0
    return scene


def check(scene: Scene, name: str) -> None:
    same_as_file(SNAPSHOTS / f"{name}.txt", scene.transcript)


def test_branch(saved: Scene) -> None:
    saved("branch")
    saved("branch", "try-cookies", "HEAD~1")
    saved("branch", "try-cookies")
    saved("branch", "a/b")
    saved("branch")
    saved("branch", "-m", "try-cookies", "cookies")
    saved("branch", "-d", "cookies")
    saved("branch", "-d", "main")
    saved("branch", "-d", "nothing")
    saved("undo")
    saved("branch", "-l")
    saved("branch", "x", "-d", "y")
    check(saved, "branch")


def test_fork(saved: Scene) -> None:
    saved("fork", "again", "HEAD~1")
    saved("log", "--oneline")
    saved("fork", "inside", "write-a-login-page-fe68/main:7")
    saved("log", "--oneline")
    saved("log", "--graph", "--oneline")
    saved("fork")
    check(saved, "fork")


def test_tag(saved: Scene) -> None:
    saved("tag")
    saved("tag", "decision-jwt", "HEAD~1", "-m", "cookies, not JWT")
    saved("tag", "requirement", "HEAD:1", "--key", "-m", f"with {TOKEN}")
    saved("tag", "decision-jwt")
    saved("tag")
    saved("log", "decision-jwt", "-n", "1", "--oneline")
    saved("tag", "-d", "decision-jwt")
    saved("undo")
    saved("tag", "-m", "without a name")
    check(saved, "tag")


def test_checkout(saved: Scene) -> None:
    saved("checkout", "HEAD~1", "--dry-run")
    saved("checkout", "HEAD~1")
    saved("checkout", "HEAD")
    saved("branch")
    saved("checkout", "main", "-b", "main")
    saved("checkout", "--clean", "HEAD")
    saved("branch")
    saved.agent.turn("something unsaved")
    saved.live()
    saved("checkout", "HEAD~2", "-b", "back")
    saved("log", "--graph", "--oneline")
    saved("checkout", "HEAD", "--raw", "x", "-b", "y")
    check(saved, "checkout")


def test_checkout_raw_gives_the_bytes_and_overwrites_nothing(saved: Scene) -> None:
    assert saved("checkout", "HEAD~1", "--raw", "old.jsonl").code == 0
    written = saved.project / "old.jsonl"
    assert written.read_bytes() and saved.agent.data.startswith(written.read_bytes())
    again = saved("checkout", "HEAD~1", "--raw", "old.jsonl")
    assert again.code == 13 and "already exists" in again.err


def test_sessions(saved: Scene) -> None:
    saved("list")
    saved("rename", "@1", "login with cookies")
    saved("list")
    saved("archive", "@1")
    saved("list")
    saved("list", "--archived")
    saved("archive", "login-with-cookies-fe68", "--undo")
    saved("list")
    saved("delete", "@1")
    saved.cli.terminal = True
    saved("delete", "@1", stdin="n\n")
    saved("delete", "@1", stdin="y\n")
    saved.cli.terminal = False
    saved("list")
    saved("save", "--all")
    saved("undo")
    saved("list")
    saved("rename", "nobody", "x")
    check(saved, "sessions")


def test_undo(saved: Scene) -> None:
    saved("tag", "one")
    saved("branch", "two")
    saved("oplog")
    saved("undo")
    saved("undo")
    saved("redo")
    saved("redo")
    saved("redo")
    saved("undo", "999")
    saved("oplog", "-n", "2")
    check(saved, "undo")


def test_exclude(saved: Scene) -> None:
    saved("exclude", ".")
    saved.agent.turn("private")
    saved.live()
    saved("save")
    saved("exclude", "--undo", ".")
    saved("save")
    saved("exclude", "nothing-here")
    check(saved, "exclude")


def test_checkout_to_another_agent(saved: Scene) -> None:
    answer = saved.cli("checkout", "HEAD", "--to", "codex", "--dry-run", "--json")
    told = json.loads(answer.out)["checkout"]
    assert (told["agent"], told["command"][:2]) == ("codex", ["codex", "resume"])
    assert told["lost"] == {"permissions": 3, "screen": 3, "usage": 6}
    assert told["losses"] == ["3 copies for display by the agent",
                              "3 records with permissions or modes",
                              "6 records of token usage"]  # fmt: skip
    done = saved.cli("checkout", "HEAD", "--to", "qwen", "-b", "other")
    assert "lost     3 copies for display by the agent" in done.out
    assert "&& qwen --resume" in done.out
    assert saved.cli("checkout", "HEAD", "--to", "nobody").code == 12
    assert saved.cli("checkout", "HEAD", "--to", "pi", "--reveal").code == 2
    assert saved.cli("checkout", "HEAD", "--to", "pi", "--raw", "x").code == 2
    assert TOKEN not in done.out
