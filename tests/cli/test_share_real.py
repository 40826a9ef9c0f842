"""push, fetch, pull and clone between two people over a bare repository in the file system."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from gitsession.environment import Environment

from .conftest import Cli
from .scene import TOKEN, Scene


@pytest.fixture
def hub(tmp_path: Path) -> str:
    path = tmp_path / "hub.git"
    subprocess.run(["git", "init", "-q", "--bare", str(path)], check=True)
    return str(path)


@pytest.fixture
def bob(scene: Scene, tmp_path: Path) -> Cli:
    home, project = tmp_path / "bob", tmp_path / "bobs-project"
    home.mkdir()
    project.mkdir()
    variables = {**scene.cli.environment.variables, "HOME": str(home)}
    return Cli(Environment(variables, home, str(project)))


def test_push_and_clone(scene: Scene, hub: str, bob: Cli) -> None:
    scene.cli("save")
    assert scene("push").code == 12
    assert scene("remote", "add", "origin", hub).code == 0
    assert scene("push").code == 2  # the first push asks, and nobody is there
    looked = scene("push", "--dry-run")
    assert looked.code == 0 and hub in looked.out and str(scene.project) in looked.out
    pushed = scene("push", "--yes")
    assert pushed.code == 0, pushed
    assert "up to date" in scene("push").out
    cloned = bob("clone", hub, "team")
    assert cloned.code == 0, cloned
    store = str(Path(bob.environment.data_dir) / "team.git")
    assert store in cloned.out
    shown = bob("--store", store, "list", "--all")
    assert "write a login page" in shown.out
    assert bob("clone", hub, "team").code == 13
    everything = b"".join(path.read_bytes() for path in Path(hub).rglob("*") if path.is_file())
    assert TOKEN.encode() not in everything


def test_fetch_and_pull(scene: Scene, hub: str, bob: Cli) -> None:
    scene.cli("save")
    scene("remote", "add", "origin", hub)
    assert scene("push", "--yes").code == 0
    bob("clone", hub, "team")
    bob.environment.variables["GITSESSION_DIR"] = str(Path(bob.environment.data_dir) / "team.git")
    scene.agent.turn("one more turn")
    scene.live()
    scene.cli("save")
    assert scene("push").code == 0
    fetched = bob("fetch")
    assert fetched.code == 0 and "origin" in fetched.out
    pulled = bob("pull")
    assert pulled.code == 0, pulled
    name = bob("list", "--all", "--json").json["sessions"][0]["session"]
    subjects = [version["subject"] for version in bob("log", name, "--json").json["versions"]]
    assert subjects[0] == "one more turn" and len(subjects) == 4


def test_a_push_cannot_be_undone_and_says_so(scene: Scene, hub: str) -> None:
    scene.cli("save")
    scene("remote", "add", "origin", hub)
    scene("push", "--yes")
    done = scene("undo")
    assert done.code == 13 and "push" in done.err


def test_a_url_with_a_password_is_refused(scene: Scene) -> None:
    url = "https://me:" + TOKEN + "@host.example/s.git"
    done = scene("remote", "add", "origin", url)
    assert done.code == 14 and TOKEN not in done.out + done.err
    assert scene("remote", "-v").out == ""


def test_an_unreachable_remote(scene: Scene, tmp_path: Path) -> None:
    scene.cli("save")
    scene("remote", "add", "origin", str(tmp_path / "gone.git"))
    assert scene("fetch").code == 15
    assert scene("push", "--yes").code == 15
    assert scene("clone", str(tmp_path / "gone.git")).code == 15


def test_a_session_that_is_deleted_here_can_be_taken_away_there(scene: Scene, hub: str) -> None:
    scene.cli("save")
    scene.cli("remote", "add", "origin", hub)
    scene.cli("push", "--yes")
    name = scene.cli("list", "--json").json["sessions"][0]["session"]
    told = scene.cli("delete", name, "--yes").out
    assert f"`gitsession push --delete {name}` deletes it there." in told
    done = scene.cli("push", "--delete", name, "--yes")
    assert done.code == 0 and "Delete on origin" in done.out, done
    again = scene.cli("push", "--delete", name, "--yes")
    assert again.code == 12 and "gitsession fetch origin" in again.err


def test_a_list_of_nothing_but_archived_sessions_says_so(scene: Scene) -> None:
    scene.cli("save")
    scene.cli("archive", "HEAD")
    assert "gitsession list --archived" in scene.cli("list").out
    assert scene.cli("list", "--json").json["sessions"] == []


def test_what_was_fetched_is_listed_under_its_remote(scene: Scene, hub: str, bob: Cli) -> None:
    scene.cli("save")
    scene.cli("remote", "add", "origin", hub)
    scene.cli("push", "--yes")
    name = scene.cli("list", "--json").json["sessions"][0]["session"]
    bob("init")
    bob("remote", "add", "team", hub)
    assert bob("fetch").code == 0
    rows = bob("branch", "-l", "--json").json["branches"]
    assert [row["ref"] for row in rows] == [f"refs/remotes/team/{name}/main"]
    assert bob("branch", "-l").out.strip().startswith(f"team/{name}/main")
    assert "team/" not in scene.cli("branch").out
