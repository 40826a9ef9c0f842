"""The script behind the two sizes of the format, on a file that is quickly measured."""

from __future__ import annotations

import subprocess
from pathlib import Path

from bench.layout_measure import continuations, measure, store
from tests.builders import claude_session


def test_one_commit_a_turn_and_a_clean_repository(tmp_path: Path) -> None:
    file = tmp_path / "session.jsonl"
    file.write_bytes(claude_session(4, padding=8000))
    store(file, str(tmp_path / "git"))
    git = ["git", "-C", str(tmp_path / "git")]
    log = subprocess.run(
        [*git, "log", "--format=%s", "main"], capture_output=True, text=True, check=True
    )
    assert len(log.stdout.splitlines()) == len(list(continuations(file))) > 1
    subprocess.run([*git, "fsck", "--strict"], capture_output=True, check=True)
    loose, packed, wide = measure(file, 4, 64)
    assert loose > packed >= wide > 0
