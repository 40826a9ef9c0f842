"""A subagent's conversation at the prompt: found, shown, counted, its records printed."""

from __future__ import annotations

import pytest

from tests.builders import Claude

from .scene import Scene


@pytest.fixture
def helped(scene: Scene) -> Scene:
    """A saved session with one subagent, which said three things."""
    path = scene.live()
    side = Claude(session_id=scene.agent.session_id, cwd=scene.agent.cwd)
    side.turn("where does the walrus lie", "In tusks.txt.", command="ls tusks")
    folder = path.with_suffix("") / "subagents"
    folder.mkdir(parents=True)
    (folder / "agent-a1f0.jsonl").write_bytes(
        side.data.replace(b'"isSidechain":false', b'"isSidechain":true')
    )
    scene.cli("save")
    return scene


def test_found_and_shown(helped: Scene) -> None:
    found = helped.cli("search", "walrus", "lie").out
    assert " · in subagents/a1f0\n" in found
    [hint] = [line for line in found.splitlines() if line.startswith("gitsession show ")]
    words = hint.partition("  ")[0].split()[1:]
    assert words[-2:] == ["--stream", "subagents/a1f0"]
    assert "[1] user" in helped.cli(*words).out
    whole = helped.cli("show").out
    assert "subagents       1, shown with --stream\n  subagents/a1f0\n" in whole
    assert "walrus" not in whole
    assert "walrus" in helped.cli("show", "HEAD", "--stream", "a1").out
    assert "walrus" in helped.cli("show", "HEAD:1", "--stream", "a1").out


def test_counted_listed_and_raw(helped: Scene) -> None:
    assert "subagents  1, not counted above" in helped.cli("stats").out
    alone = helped.cli("stats", "HEAD", "--stream", "a1").out
    assert "1 turn, " in alone
    assert "subagents" not in alone
    assert helped.cli("events", "--stream", "a1").code == 0
    raw = helped.cli("show", "--raw", "--stream", "a1").out
    assert raw.count("walrus") >= 1
    assert '"isSidechain":true' in raw
    shown = helped.cli("show", "--stream", "a1", "--json").json["session"]["messages"]
    assert {message["stream"] for message in shown} == {"subagents/a1f0"}
    assert helped.cli("show", "--json").json["subagents"] == ["subagents/a1f0"]


def test_what_there_is_not(helped: Scene) -> None:
    for verb in ("show", "stats", "events"):
        done = helped.cli(verb, "HEAD", "--stream", "zz")
        assert done.code == 12
        assert "one of main, subagents/a1f0" in done.err
    assert helped.cli("show", "--stream", "a1", "--findings").code == 2
