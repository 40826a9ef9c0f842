"""An empty store in a temporary folder, and git's own opinion of it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from gitsession.environment import Environment
from gitsession.store import Store

KEY = b"k" * 32


def git(store: Store, *arguments: str) -> str:
    """What the git program says about the store; fails the test if git does."""
    result = subprocess.run(
        ["git", f"--git-dir={store.path}", *arguments],
        capture_output=True, text=True, check=False,
        env={"PATH": os.environ["PATH"], "HOME": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"},
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.fixture
def store(environment: Environment, tmp_path: Path) -> Iterator[Store]:
    """Every test ends with `git fsck --strict`, unless it damaged the store on purpose."""
    with Store.create(tmp_path / "data" / "store.git", KEY, environment) as opened:
        yield opened
        if (opened.path / "damaged").exists():
            return
        with opened.lock("maintenance", timeout=60):  # a packing in the background may still run
            assert git(opened, "fsck", "--strict", "--full", "--no-dangling") == ""
            assert not list(opened.path.rglob("tmp_*"))
