"""gc, du and doctor as a person types them; what destroys asks first."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from .scene import Scene


def everything(scene: Scene) -> tuple[object, ...]:
    """Refs and versions: what a destructive command could take."""
    store = scene.cli("dir").out.strip()
    refs = subprocess.run(
        ["git", "-C", store, "for-each-ref"], capture_output=True, text=True, check=True
    ).stdout
    return refs, scene.cli("log", "--json").json["versions"]


@pytest.mark.parametrize(
    "argv",
    [
        ["delete", "HEAD"], ["delete", "--purge", "HEAD"], ["gc", "--keep-last", "1"], ["gc"],
        ["scrub", "--stdin"], ["redact", "--rewrite"],
    ],
    ids=lambda argv: "_".join(argv),
)  # fmt: skip
def test_CL26_what_destroys_asks_and_without_an_answer_does_nothing(
    scene: Scene, argv: list[str]
) -> None:
    scene.cli("save")
    scene.cli("branch", "aside")
    scene.cli("branch", "-d", "aside")  # so that a bare gc has something to release, too
    before = everything(scene)
    done = scene.cli(*argv, stdin="cookies instead")
    if argv == ["redact", "--rewrite"] and done.code == 0:
        assert "othing" in done.out, "there was nothing to destroy"
    else:
        assert done.code != 0 and "hint: " in done.err, done
    assert everything(scene) == before


def test_CL26_the_old_state_is_reachable_by_a_printed_ref(scene: Scene) -> None:
    scene.cli("save")
    tip = scene.cli("log", "-n", "1", "--json").json["versions"][0]["id"]
    done = scene.cli("delete", "HEAD", "--yes")
    assert done.code == 0
    (ref,) = [word for word in done.out.split() if word.startswith("refs/")]
    held = scene.cli("dir").out.strip()
    found = subprocess.run(
        ["git", "-C", held, "rev-parse", ref], capture_output=True, text=True, check=True
    )
    assert found.stdout.strip() == tip
    assert scene.cli("undo").code == 0
    assert scene.cli("log", "-n", "1", "--json").json["versions"][0]["id"] == tip


def test_a_dry_run_says_what_goes_and_why_the_others_stay(scene: Scene) -> None:
    scene.cli("save")
    scene.cli("tag", "first", "HEAD~2")
    done = scene("gc", "--keep-last", "1", "--dry-run")
    lines = done.out.splitlines()
    assert sum(line.startswith("  keep") for line in lines) == 2
    (goes,) = [line for line in lines if line.startswith("  drop")]
    assert "use cookies instead" in goes
    assert any("tag " in line and "first" in line for line in lines)
    assert any("1 version would be removed" in line for line in lines)
    assert "This cannot be undone." in lines
    plan = scene("gc", "--keep-last", "1", "--dry-run", "--json").json
    assert plan["schema"] == "gitsession.gc-plan/1" and plan["going"] == 1
    assert [bool(fate["reasons"]) for fate in plan["plan"]["fates"]] == [True, False, True]
    assert len(scene.cli("log", "--json").json["versions"]) == 3


def test_gc_thins_packs_and_says_so(scene: Scene) -> None:
    scene.cli("save")
    old = scene.cli("log", "--json").json["versions"]
    done = scene("gc", "--keep-last", "1", "--yes")
    assert done.code == 0 and "Removed 2 versions" in done.out and "Packed: " in done.out
    (left,) = scene.cli("log", "--json").json["versions"]
    assert left["subject"] == old[0]["subject"] and left["id"] != old[0]["id"]
    assert scene.cli("show", old[0]["id"][:10], "--json").json["version"]["id"] == left["id"]
    gone = scene.cli("show", old[1]["id"][:10])
    assert gone.code == 12 and "removed by gc" in gone.err and left["id"][:12] in gone.err
    assert scene.cli("undo").code == 13
    assert scene.cli("fsck").code == 0


def test_gc_without_anything_to_lose_does_not_ask(scene: Scene) -> None:
    scene.cli("save")
    done = scene("gc")
    assert done.code == 0 and done.err == "" and done.out.startswith("Packed: ")
    store = Path(scene.cli("dir").out.strip())
    assert not list(store.glob("objects/[0-9a-f][0-9a-f]/*"))
    assert scene.cli("gc", "--json").json["done"]["versions"] == 0


@pytest.mark.parametrize("argv", [["--keep-last", "-1"], ["--keep-daily", "x"], ["--keep-last"]])
def test_rules_that_mean_nothing(scene: Scene, argv: list[str]) -> None:
    scene.cli("save")
    assert scene.cli("gc", *argv, "--yes").code == 2


def test_du(scene: Scene) -> None:
    scene.cli("save")
    done = scene("du")
    assert done.code == 0 and "not packed" in done.out and "1 session: " in done.out
    (use,) = scene("du", "--json").json["usage"]["sessions"]
    assert use["versions"] == 3 and use["bytes"] >= use["unique"] > use["history"] > 0


def test_reading_verbs_as_it_was_after_an_operation(scene: Scene) -> None:
    scene.cli("save")
    number = str(scene.cli("oplog", "--json").json["operations"][0]["id"])
    scene.cli("branch", "aside", "HEAD~1")
    scene.cli("tag", "later")
    scene.cli("rename", "HEAD", "quite another name")
    for verb in ("log", "list", "show", "branch", "tag", "status", "diff"):
        done = scene.cli(verb, "--at-op", number, *(["--all"] if verb == "list" else []))
        assert done.code == 0, done
        assert "quite" not in done.out and "aside" not in done.out and "later" not in done.out
    assert scene.cli("branch", "new", "--at-op", number).code == 13
    assert scene.cli("tag", "new", "--at-op", number).code == 13
    assert scene.cli("log", "--at-op", "999").code == 12


@pytest.mark.parametrize(
    "argv", [["delete"], ["delete", "--purge"], ["delete", "--purge", "--yes"]]
)
def test_CM20_a_purge_without_a_scope_is_refused(scene: Scene, argv: list[str]) -> None:
    scene.cli("save")
    before = everything(scene)
    done = scene.cli(*argv)
    assert done.code == 2 and "SESSION" in done.err
    assert everything(scene) == before


def test_CM20_doctor_prints_a_level_for_each_line(scene: Scene) -> None:
    scene.cli("save")
    scene.cli.environment.config_dir.joinpath("key").chmod(0o600)
    scene.cli.environment.config_dir.chmod(0o700)
    done = scene("doctor")
    lines = [line for line in done.out.splitlines() if line and not line.startswith(" ")]
    assert all(line.startswith(("[OK] ", "[WARN] ", "[FAIL] ")) for line in lines[:-1])
    assert done.code == ("[FAIL]" in done.out)
    store = Path(scene.cli("dir").out.strip())
    store.chmod(0o755)
    assert scene("doctor").code == 1
    store.chmod(0o700)
