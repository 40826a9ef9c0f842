"""Repositories of others (a store that was handed over, a remote on a path, a project): whatever
their configuration names, none of it runs."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from gitsession import project
from gitsession.environment import Environment
from gitsession.errors import FormatError, RemoteError
from gitsession.project import changes
from gitsession.store import Store, remotes, transfer
from tests.builders import clean
from tests.store.history_builder import grow

A = "refs/heads/s-1111/main"
_PROGRAMS = """
[core]
\tsshCommand = {trap}
\taskPass = {trap}
\tfsmonitor = {trap}
\talternateRefsCommand = {trap}
\thooksPath = {hooks}
[credential]
\thelper = "!{trap}"
[gpg]
\tprogram = {trap}
[log]
\tshowSignature = true
[diff]
\texternal = {trap}
[filter "x"]
\tclean = {trap}
\tsmudge = {trap}
[receive]
\tdenyCurrentBranch = updateInstead
[uploadpack]
\tpackObjectsHook = {trap}
[protocol]
\tallow = always
[protocol "ext"]
\tallow = always
[protocol "ssh"]
\tallow = always
[remote "{address}"]
\tuploadpack = {trap}
\treceivepack = {trap}
"""
_PROMISES = """
[extensions]
\tpartialClone = far
[remote "far"]
\turl = {url}
\tuploadpack = {trap}
\tpromisor = true
\tpartialclonefilter = blob:none
"""


class Hostile:
    """Bends the configuration of a repository so that nearly everything would run a program."""

    def __init__(self, folder: Path) -> None:
        self.sprung = folder / "sprung"
        hooks = folder / "traps"
        hooks.mkdir()
        self.trap = hooks / "trap"
        self.trap.write_text(f'#!/bin/sh\necho "$0 $@" >> {self.sprung}\nexit 1\n')
        self.trap.chmod(0o755)
        for name in ("reference-transaction", "pre-push", "post-checkout", "update", "pre-auto-gc",
                     "post-receive", "push-to-checkout", "post-index-change"):  # fmt: skip
            (hooks / name).symlink_to(self.trap)

    def bend(self, git_dir: Path, promises: str = "", address: str = "none") -> None:
        text = _PROGRAMS.format(trap=self.trap, hooks=self.trap.parent, address=address)
        config = git_dir / "config"
        told = config.read_text() + text
        if promises:
            told = told.replace("formatversion = 0", "formatversion = 1")
            told += _PROMISES.format(url=promises, trap=self.trap)
        config.write_text(told)


@pytest.fixture
def hostile(tmp_path: Path) -> Hostile:
    return Hostile(tmp_path)


def _git(folder: Path, *arguments: str) -> str:
    named = ("-c", "user.name=e", "-c", "user.email=e@e")
    variables = {"PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1", "HOME": os.devnull}
    done = subprocess.run(
        ["git", "-C", str(folder), *named, *arguments], env=variables, check=True,
        capture_output=True, text=True,
    )  # fmt: skip
    return done.stdout.strip()


def _lose(git_dir: Path, identity: str) -> None:
    (git_dir / "objects" / identity[:2] / identity[2:]).unlink()


@pytest.mark.parametrize("address", ["git@127.0.0.1:x/y", "https://127.0.0.1:9/r.git", "PATH"])
def test_a_stores_own_configuration_starts_nothing_at_a_transfer(
    store: Store, hostile: Hostile, tmp_path: Path, environment: Environment, address: str
) -> None:
    environment.variables.update(GIT_SSH_COMMAND="false", GIT_TERMINAL_PROMPT="0")
    address = address.replace("PATH", str(tmp_path / "nothing.git"))
    (one,) = grow(store, A, 1)
    remotes.add(store, clean("far"), clean(address))
    hostile.bend(store.path, address=address)
    with pytest.raises(RemoteError):
        transfer.fetch(store, "far")
    with pytest.raises(RemoteError):
        transfer.push(store, "far", [(one, A)])
    assert transfer.real_url(store, "far").endswith(address.rpartition("@")[2])
    assert not hostile.sprung.exists()


@pytest.mark.parametrize("url", ["ssh://127.0.0.1/x", "/nonexistent"])
def test_a_store_fetches_nothing_that_it_lacks(store: Store, hostile: Hostile, url: str) -> None:
    (one,) = grow(store, A, 1)
    (store.path / "damaged").touch()
    path, identity = next(store.tree(one).walk())
    _lose(store.path, identity)
    hostile.bend(store.path, url)
    with pytest.raises(FormatError):
        store.tree(one)[path]
    assert [version.id for version in store.log([one])] == [one]
    assert not hostile.sprung.exists()


def test_a_remote_on_a_path_starts_nothing_of_its_own(
    store: Store, hostile: Hostile, tmp_path: Path
) -> None:
    """It lies on a stick or in an archive, so it is served here, as this user."""
    evil = tmp_path / "evil"
    _git(tmp_path, "init", "-q", "-b", "README", str(evil))
    (evil / "a.txt").write_text("x\n")
    (evil / ".gitattributes").write_text("* filter=x\n")
    _git(evil, "add", ".")
    _git(evil, "commit", "-q", "-m", "one")
    first = _git(evil, "rev-parse", "HEAD")
    alternates = evil / ".git" / "objects" / "info" / "alternates"
    alternates.write_text(f"{store.path}/objects\n")
    commits = grow(store, A, 2)
    hostile.bend(evil / ".git", "ssh://127.0.0.1/x")
    remotes.add(store, clean("evil"), clean(str(evil)))
    transfer.accept(store, transfer.fetch(store, "evil"))
    done = transfer.push(store, "evil", [(commits[1], A)])
    assert not done.rejected
    done = transfer.push(store, "evil", [(commits[1], "refs/heads/README")], force=True)
    assert done.rejected, "what is checked out there stays"
    assert _git(evil, "rev-parse", "README") == first
    assert not hostile.sprung.exists()


@pytest.mark.parametrize("url", ["ssh://127.0.0.1/x", "/nonexistent"])
def test_a_project_starts_nothing_when_it_is_looked_at(
    environment: Environment, hostile: Hostile, tmp_path: Path, url: str
) -> None:
    """A folder that was unpacked somewhere, or one above ours that anybody may write to."""
    root = tmp_path / "unpacked"
    (root / "sub").mkdir(parents=True)
    (root / "a.txt").write_text("x\n")
    (root / "sub" / ".gitignore").write_text("*.o\n")
    (root / ".gitattributes").write_text("* filter=x diff=x\n")
    _git(tmp_path, "init", "-q", str(root))
    _git(root, "add", ".")
    _git(root, "commit", "-q", "-m", "one")
    first = _git(root, "rev-parse", "HEAD")
    ignores = _git(root, "rev-parse", "HEAD:sub/.gitignore")
    _git(root, "commit", "-q", "--allow-empty", "-m", "two")
    _lose(root / ".git", first)
    _lose(root / ".git", ignores)
    (root / "sub" / ".gitignore").unlink()
    hostile.bend(root / ".git", url)
    assert project.identify(str(root / "sub"), environment).id.startswith("path:")
    project.ignored(str(root), ("sub/x.o", "a.txt"), environment)
    assert project.has_commit(str(root), first, environment) is False
    changes.changes(str(root), _git(root, "rev-parse", "HEAD"), environment)
    changes.blobs(str(root), [ignores], 1 << 20, environment)
    assert project.remotes(str(root), environment) == (url,)
    assert not hostile.sprung.exists()
