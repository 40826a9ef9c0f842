"""Whatever the locale says: names of files are UTF-8, and no character is an error."""

from __future__ import annotations

import os
import subprocess

import pytest

from .scene import Scene
from .test_process import COMMAND, run, variables

PLAIN = {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
"""A locale that knows ASCII alone, and an interpreter that is told to heed it."""
WAYS = {"ascii locale": PLAIN, "cp1252": {"PYTHONIOENCODING": "cp1252:strict"}}


def fed(scene: Scene, data: bytes, *argv: str, **more: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*COMMAND, *argv], env=variables(scene.cli, **more), cwd=scene.cli.environment.cwd,
        input=data, capture_output=True, check=False, timeout=60,
    )  # fmt: skip


@pytest.fixture
def spoken(scene: Scene) -> Scene:
    """A session that no old encoding can spell, in a folder that none can name."""
    project = scene.root / "größe 中"
    project.mkdir()
    scene.cli.environment = scene.cli.environment.at(str(project))
    scene.agent = type(scene.agent)(cwd=str(project))
    scene.agent.turn("die größte Seite → 中文 😀")
    scene.agent.turn("noch eine “Seite” …")
    scene.live()
    return scene


@pytest.mark.parametrize("way", WAYS)
def test_refs_and_paths_are_the_same_everywhere(spoken: Scene, way: str) -> None:
    def does(*argv: str) -> bytes:
        done = run(spoken.cli, *argv, **WAYS[way])
        assert done.returncode == 0, (argv, done)
        return done.stdout

    does("save")
    does("tag", "Märk", "-m", "größer")
    does("branch", "äst", "HEAD~1")
    for verb in (
        ("list",), ("log",), ("show",), ("diff",), ("status",), ("context",), ("export",),
        ("search", "größte"), ("show", "äst"), ("fsck",),
    ):  # fmt: skip
        does(*verb)
    here = run(spoken.cli, "branch", "--json").stdout
    assert b"\\u00e4st" in here
    store = does("dir").decode().strip()
    refs = subprocess.run(
        ["git", "-C", store, "for-each-ref", "--format=%(refname)"],
        capture_output=True, check=True,
    ).stdout.decode()  # fmt: skip
    assert "/äst\n" in refs and "/Märk\n" in refs
    assert "die-größte-seite-中文" in refs


def test_what_is_printed_stays_in_the_locale(spoken: Scene) -> None:
    run(spoken.cli, "save", **PLAIN)
    assert run(spoken.cli, "log", "--oneline", **PLAIN).stdout.isascii()
    assert "größte" in run(spoken.cli, "log", "--oneline").stdout.decode()


@pytest.mark.parametrize("argv", [("scrub", "--stdin", "--dry-run"), ("verify-facts", "-")])
def test_input_of_another_encoding_is_no_error(spoken: Scene, argv: tuple[str, ...]) -> None:
    run(spoken.cli, "save")
    for more in ({}, {"PYTHONIOENCODING": "ascii"}, PLAIN):
        done = fed(spoken, b"caf\xe9 \xff\n", *argv, **more)
        assert done.returncode in (0, 1), done


def test_the_interpreter_is_started_again_only_where_it_must(spoken: Scene) -> None:
    """Otherwise each save would cost two starts."""
    code = (
        "import os, sys\n"
        "os.execve = lambda *_: print('again')\n"
        "from gitsession.cli.main import _name_files_as_git_does as name\n"
        "name()\n"
    )
    for more, again in ((PLAIN, os.name == "posix"), ({"LC_ALL": "C.UTF-8"}, False)):
        done = subprocess.run(
            [COMMAND[0], "-c", code], env=variables(spoken.cli, **more), capture_output=True,
            check=True,
        )  # fmt: skip
        assert (b"again" in done.stdout) == (again and not _names_are_utf8())


def _names_are_utf8() -> bool:
    """On macOS they are, whatever the locale is."""
    import sys

    return sys.platform == "darwin"
