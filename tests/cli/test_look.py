"""save, list, log, show, diff, status on a real store: whole transcripts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builders import Claude, a_uuid
from tests.render.render_snapshot import same_as_file

from .scene import TOKEN, Scene

SNAPSHOTS = Path(__file__).parent / "snapshots"


def check(scene: Scene, name: str) -> None:
    same_as_file(SNAPSHOTS / f"{name}.txt", scene.transcript)


def test_before_anything_is_saved(scene: Scene) -> None:
    for verb in ("status", "list", "log", "show", "diff", "oplog", "undo"):
        scene(verb)
    check(scene, "nothing-yet")


def test_save(scene: Scene) -> None:
    scene("save", "--dry-run")
    scene("save")
    scene("save")
    scene.agent.prompt("one more thing")
    scene.live()
    scene("save", "--auto")
    scene.agent.say("Done.")
    scene.live()
    scene("save", "-m", "the last thing")
    scene("log", "--oneline")
    check(scene, "save")


def test_no_secret_is_ever_printed(scene: Scene) -> None:
    scene("save")
    typed = "log|show|show --raw|show --findings|list|diff HEAD~1 HEAD|export|show --json|status"
    for argv in typed.split("|"):
        done = scene(*argv.split())
        assert done.code == 0 and TOKEN not in done.out + done.err
        assert TOKEN[4:20] not in done.out + done.err


def test_list(scene: Scene) -> None:
    scene.cli("save")
    scene("list")
    scene("list", "--all")
    scene("list", "--search", "LOGIN")
    scene("list", "--search", "nothing like that")
    scene("list", "--agent", "codex")
    scene("list", "--open")
    scene("log", "@1")
    scene("list", "--limit", "1")
    scene("log", "@1", "-n", "1", "--oneline")
    scene("log", "@2")
    check(scene, "list")


def test_what_comes_next_is_of_the_same_kind(scene: Scene) -> None:
    """The command of the next page asks what the first one asked."""
    scene.cli("save")
    said = scene.cli("log", "--oneline", "--stat", "--grep", "o", "-n", "1").out.splitlines()
    assert said[-1] == "Older versions: gitsession log --oneline --stat --grep o -n 1 --skip 1"
    assert "messages (+" in said[1]  # what the oldest shown has grown by is known, too
    other = Claude(a_uuid("other"), cwd=str(scene.project / "shop"))
    other.turn("write a login page")
    other.save(scene.home)
    scene.cli("save", "--all")
    said = scene.cli("list", "--all", "--search", "a page", "--limit", "1").out.splitlines()
    assert said == ["No session matches."]
    said = scene.cli("list", "--all", "--search", "login page", "--limit", "1").out.splitlines()
    assert said[-1] == "Older sessions: gitsession list --all --search 'login page' --limit 0"


def test_a_dry_run_of_what_is_saved_saves_nothing(scene: Scene) -> None:
    """An unfinished turn that a person saved is a version already; doctor knows it as well."""
    scene.agent.prompt("one more thing")
    scene.live()
    assert scene.cli("doctor").out.count("1 of 1 are not completely saved") == 1
    assert scene.cli("save", "--json").json["report"]["sessions"][0]["made"] == 4
    (again,) = scene.cli("save", "--dry-run", "--json").json["report"]["sessions"]
    assert (again["outcome"], again["made"]) == ("nothing", 0)
    assert "all 1 are saved" in scene.cli("doctor").out
    scene.agent.say("Done.")
    scene.live()
    (more,) = scene.cli("save", "--dry-run", "--json").json["report"]["sessions"]
    assert (more["outcome"], more["made"]) == ("saved", 1)
    (named,) = scene.cli("save", "--dry-run", "-m", "so far", "--json").json["report"]["sessions"]
    assert named["made"] == 1


def test_log(scene: Scene) -> None:
    scene.cli("save")
    scene("log")
    scene("log", "--oneline", "--stat")
    scene("log", "-n", "1")
    scene("log", "--skip", "2", "--oneline")
    scene("log", "--grep", "cookies", "--oneline")
    scene("log", "HEAD~2..HEAD", "--oneline")
    scene("log", "HEAD~9")
    scene("log", "nobody")
    check(scene, "log")


def test_show(scene: Scene) -> None:
    scene.cli("save")
    scene("show", "HEAD~1")
    scene("show", "HEAD:3")
    scene("show", "HEAD:99")
    scene("show", "--tool-call", "toolu_1")
    scene("show", "--tool-call", "call_999")
    scene("show", "--findings")
    scene("show", "--raw", "--findings")
    check(scene, "show")


def test_show_raw_is_the_agents_file(scene: Scene) -> None:
    scene("save")
    assert scene("show", "HEAD~1", "--raw").data in scene.agent.data
    assert (
        scene("show", "--raw").data.replace(
            scene("show", "--findings", "--json").json["findings"][0]["placeholder"].encode(),
            TOKEN.encode(),
        )
        == scene.agent.data
    )


def test_diff(scene: Scene) -> None:
    scene.cli("save")
    scene("diff", "HEAD~1", "HEAD")
    scene("diff", "HEAD~2", "HEAD~1", "--files")
    scene("diff", "HEAD~2..HEAD", "--stat")
    scene("diff", "HEAD", "HEAD", "--exit-code")
    scene("diff", "HEAD~1", "HEAD", "--stat", "--exit-code")
    scene("diff", "--stat")
    scene.agent.turn("and something unsaved")
    scene.live()
    scene("diff")
    scene("diff", "HEAD~1", "--stat")
    check(scene, "diff")


def test_status(scene: Scene) -> None:
    scene.cli("save")
    scene("status")
    scene.agent.turn("and something unsaved")
    path = scene.live()
    scene("status")
    path.unlink()
    scene("status")
    check(scene, "status")


@pytest.mark.parametrize(
    ("argv", "schema", "keys"),
    [
        (["list"], "list", {"sessions"}),
        (["log"], "log", {"versions", "refs", "head", "more"}),
        (["show"], "show", {"version", "session", "refs", "head", "subagents"}),
        (["show", "HEAD:1"], "message", {"number", "message"}),
        (["show", "--findings"], "findings", {"findings"}),
        (["show", "--tool-call", "toolu_1"], "tool-call", {"call"}),
        (["diff"], "diff", {"compared", "diff"}),
        (["status"], "status", {"status"}),
        (["agents"], "agents", {"agents"}),
        (["branch"], "branches", {"branches", "head"}),
        (["tag"], "tags", {"tags"}),
        (["oplog"], "oplog", {"operations"}),
        (["remote"], "remotes", {"remotes"}),
        (["fsck"], "fsck", {"problems"}),
        (["dir"], "dir", {"store"}),
        (["save"], "save", {"report"}),
    ],
)
def test_json_shapes(scene: Scene, argv: list[str], schema: str, keys: set[str]) -> None:
    scene("save")
    done = scene(*argv, "--json")
    assert done.code == 0 and done.err == ""
    assert done.json["schema"] == f"gitsession.{schema}/1"
    assert set(done.json) == {"schema"} | keys
