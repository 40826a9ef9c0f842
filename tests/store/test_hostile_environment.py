"""What stands in GIT_* variables and in the user's git configuration reaches no local work."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from gitsession.environment import Environment
from gitsession.store import Store, care
from tests.store.conftest import KEY
from tests.store.history_builder import grow

A = "refs/heads/s-1111/main"


@pytest.fixture
def hostile(tmp_path: Path, environment: Environment) -> Environment:
    """A user whose every git command would run `trap`, write elsewhere, and print in colour."""
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\n")
    trap.chmod(0o755)
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for hook in ("reference-transaction", "post-commit", "pre-auto-gc", "fsmonitor-watchman"):
        (hooks / hook).symlink_to(trap)
    config = environment.home / ".gitconfig"
    config.write_text(
        f"[core]\n\thooksPath = {hooks}\n\tfsmonitor = {trap}\n\tpager = {trap}\n"
        "[log]\n\tshowSignature = true\n\tmailmap = true\n[color]\n\tui = always\n"
        f"[gpg]\n\tprogram = {trap}\n[commit]\n\tgpgSign = true\n"
        f"[i18n]\n\tlogOutputEncoding = UTF-16\n"
        f"[alias]\n\tlog = !{trap}\n[init]\n\ttemplateDir = {hooks}\n[gc]\n\tauto = 1\n"
    )
    elsewhere = tmp_path / "elsewhere.git"
    subprocess.run(["git", "init", "-q", "--bare", elsewhere], check=True)
    variables = {
        **environment.variables,
        "GIT_DIR": str(elsewhere), "GIT_WORK_TREE": str(tmp_path), "GIT_INDEX_FILE": "/dev/full",
        "GIT_OBJECT_DIRECTORY": str(elsewhere / "objects"), "GIT_NAMESPACE": "x",
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(elsewhere / "objects"), "GIT_PAGER": str(trap),
        "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.hooksPath",
        "GIT_CONFIG_VALUE_0": str(hooks), "GIT_CONFIG_PARAMETERS": "'log.date'='rubbish'",
        "GIT_TRACE": str(tmp_path / "trace"), "GIT_EXTERNAL_DIFF": str(trap),
        "GIT_AUTHOR_NAME": "Mallory", "GIT_COMMITTER_DATE": "1", "GIT_EXEC_PATH": "/nonexistent",
        "GIT_REPLACE_REF_BASE": "refs/heads/", "GIT_DEFAULT_HASH": "sha256",
        "GIT_CEILING_DIRECTORIES": "/", "PAGER": str(trap), "EDITOR": str(trap),
    }  # fmt: skip
    return Environment(variables, environment.home, environment.cwd)


def test_local_work_is_the_same_in_a_hostile_environment(
    tmp_path: Path, hostile: Environment, environment: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store.create(tmp_path / "calm.git", KEY, environment) as calm:
        expected = grow(calm, A, 3) + grow(calm, A, 30, bulk=True)
    for name, value in hostile.variables.items():
        if name.startswith("GIT_") or name in ("PAGER", "EDITOR"):
            monkeypatch.setenv(name, value)
    before = _times(tmp_path / "elsewhere.git")
    with Store.create(tmp_path / "store.git", KEY, hostile) as store:
        commits = grow(store, A, 3) + grow(store, A, 30, bulk=True)
        assert commits == expected
        assert [version.id for version in store.log([commits[-1]])] == commits[::-1]
        assert [version.subject for version in store.log([commits[0]])] == [f"{A} turn 0"]
        assert len(dict(store.tree(commits[-1]))) == 34
        assert store.tips()[0].id == commits[-1]
        assert care.pack(store)
        assert care.fsck(store) == []
        assert store.version(commits[5]).id == commits[5]
    assert len(before) > 5
    assert before == _times(tmp_path / "elsewhere.git")
    assert not (tmp_path / "sprung").exists()
    assert not (tmp_path / "trace").exists()


def _times(folder: Path) -> list[tuple[Path, int]]:
    return sorted((path, path.stat().st_mtime_ns) for path in folder.rglob("*"))


def test_a_replace_ref_replaces_nothing(store: Store) -> None:
    one, two = grow(store, A, 2)
    variables = {"PATH": os.environ["PATH"]}
    command = ["git", f"--git-dir={store.path}", "replace", two, one]
    subprocess.run(command, check=True, env=variables)
    assert [version.id for version in store.log([two])] == [two, one]
    store.reader.close()
    subprocess.run(["git", f"--git-dir={store.path}", "repack", "-adq"], check=True, env=variables)
    assert store.version(two).parents == (one,)


def test_a_store_whose_path_looks_like_an_option(
    tmp_path: Path, environment: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with Store.create("--upload-pack=x y'\"\n.git", KEY, environment) as store:
        commits = grow(store, A, 20, bulk=True)
        assert [version.id for version in store.log([commits[-1]])] == commits[::-1]
        assert care.pack(store)
        assert care.fsck(store) == []


def test_local_work_changes_nothing_in_this_process(store: Store) -> None:
    before, mask = dict(os.environ), os.umask(0o022)
    try:
        commits = grow(store, A, 5, bulk=True)
        assert list(store.log([commits[-1]]))
        assert care.pack(store)
        assert os.umask(0o022) == 0o022
    finally:
        os.umask(mask)
    assert dict(os.environ) == before
    for path in store.path.rglob("*"):
        assert path.stat().st_mode & 0o077 == 0, path
