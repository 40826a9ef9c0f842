"""Law 12: everything derived can be deleted; what is shown and what is saved next stay the same."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.builders import Claude, a_uuid
from tests.robustness.conftest import Shell

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1500)]

DERIVED = ("state", "native", "listed", "findings", "failures", "running", "locks")
OTHER = a_uuid("other")
WORD = "Zebra" + "Tulpe" + "93xQ"
"""A password that nothing but its first place gives away."""


class Scene:
    """Two sessions, one of them forked by a checkout that its agent has continued."""

    def __init__(self, shell: Shell) -> None:
        self.shell = shell
        self.main = shell.session("one", "two")
        self.main.prompt("connect")
        self.main.bash("cat .env", f"DB_PASSWORD={WORD}\n")
        self.main.say("connected")
        self.other = shell.session("uno", "due", session_id=OTHER)
        for session in (self.main, self.other):
            shell.writes(session)
            shell.does("save", session.session_id)
        before = set(shell.path().parent.iterdir())
        shell.does("checkout", f"{self.main.session_id}~1", "-b", "fork")
        [self.fork] = set(shell.path().parent.iterdir()) - before
        self.goes_on(self.fork, "on the fork")
        shell.does("save", self.fork.stem)

    def goes_on(self, path: Path, prompt: str) -> None:
        session = Claude(path.stem, cwd=str(self.shell.project))
        session.rows = [b""] * 500  # ids and times behind all that stands there
        session.prompt(prompt)
        knows = path == self.shell.path()
        session.say(f"The word was {WORD}." if knows else "No word.")
        with path.open("ab") as stream:
            stream.write(session.data)

    def shows(self) -> list[bytes]:
        """What the reading commands say, and the bytes they give back."""
        seen = [
            self.shell.does(*verb).out
            for verb in (
                ("list", "--all", "--json"),
                ("branch", "--json"),
                ("tag", "--json"),
                ("oplog", "--json"),
                *(
                    (verb, *rest, name, "--json")
                    for name in (self.main.session_id, OTHER, "HEAD")
                    for verb, *rest in (
                        ("log",),
                        ("show",),
                        ("show", "--findings"),
                        ("diff", f"{name}~1"),
                    )
                ),
            )
        ]
        return [*seen, *(self.shell.raw(name) for name in (self.main.session_id, OTHER, "HEAD"))]

    def saves_more(self) -> dict[str, str]:
        """A turn more in every native session; the tree of every branch after that."""
        for path in (self.shell.path(), self.shell.path(OTHER), self.fork):
            self.goes_on(path, f"more in {path.stem}")
            self.shell.does("save", path.stem)
        self.shell.is_sound()
        lines = self.shell.git("for-each-ref", "--format=%(refname) %(tree)", "refs/heads")
        return dict(line.split() for line in lines.splitlines())


def restore(shell: Shell, kept: Path) -> None:
    """HOME as it was when it was put aside."""
    shutil.rmtree(shell.home)
    shutil.copytree(kept, shell.home, symlinks=True)


def delete(shell: Shell, kinds: tuple[str, ...]) -> None:
    for kind in kinds:
        shutil.rmtree(shell.store / "gitsession" / kind, ignore_errors=True)
    if kinds in (("caches",), DERIVED):
        shutil.rmtree(shell.home / ".cache", ignore_errors=True)


def test_deleting_what_is_derived_changes_nothing(tmp_path: Path) -> None:
    scene = Scene(Shell(tmp_path / "person"))
    for kind in ("state", "native", "findings"):
        assert list((scene.shell.store / "gitsession" / kind).iterdir()), kind
    kept = tmp_path / "kept"
    shutil.copytree(scene.shell.home, kept, symlinks=True)
    shown = scene.shows()
    restore(scene.shell, kept)
    wanted = scene.saves_more()
    assert len(wanted) == 3
    for kinds in (*((kind,) for kind in DERIVED), ("caches",), DERIVED):
        restore(scene.shell, kept)
        delete(scene.shell, kinds)
        for before, now in zip(shown, scene.shows(), strict=True):
            assert now == before, kinds
        delete(scene.shell, kinds)
        now = scene.saves_more()
        if {"state", "native"} <= set(kinds):
            # What a checkout changed on the way out is known to nobody any more: the fork gets one
            # version of kind rewrite. Nothing of it is lost.
            fork = next(ref for ref in now if ref.endswith("/fork"))
            assert now.pop(fork) and scene.shell.raw(scene.fork.stem) == scene.fork.read_bytes()
            assert now == {ref: tree for ref, tree in wanted.items() if ref != fork}
        else:
            assert now == wanted, kinds
        everything = scene.shell.git("log", "-p", "--branches").encode()
        assert WORD.encode() not in everything, kinds
