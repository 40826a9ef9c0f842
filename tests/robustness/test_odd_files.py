"""What lies in agents' folders and is no session: it is not waited for, and hides no other."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.builders import a_uuid
from tests.robustness.conftest import Shell

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no FIFOs here")


def _socket(path: Path) -> None:
    here = Path.cwd()
    os.chdir(path.parent)  # the whole path may be too long for an address
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.chdir(here)


KINDS: dict[str, Callable[[Path], object]] = {
    "fifo": os.mkfifo,
    "socket": _socket,
    "folder": Path.mkdir,
    "link to itself": lambda path: path.symlink_to(path),
    "link to nothing": lambda path: path.symlink_to("/no/such/file"),
    "endless device": lambda path: path.symlink_to("/dev/zero"),
    "link to its folder": lambda path: path.symlink_to(path.parent),
    "empty": Path.touch,
}
FOLDERS = (
    ".claude/projects", ".codex/sessions/2026/01/01", ".gemini/tmp", ".gemini/tmp/x/chats",
    ".qwen/projects", ".qwen/projects/x/chats", ".pi/agent/sessions", ".pi/agent/sessions/--x--",
    ".copilot/session-state", ".cline/data/sessions", ".code_sessions", ".local/share/opencode",
    ".local/share/kilo", ".continue/sessions",
    ".local/share/goose/sessions",
)  # fmt: skip
NAMES = (
    "{id}.jsonl", "rollout-2026-01-01T00-00-00-{id}.jsonl", "session-2026-01-01T00-00-ab12.json",
    "events.jsonl", "x.messages.json", "opencode.db", "kilo.db", "sessions.db", "projects.json",
    "x.session",
)  # fmt: skip
NOTES = (
    ".gemini/projects.json", ".codex/session_index.jsonl", ".codex/config.toml",
    ".claude/settings.json", ".claude/history.jsonl",
)  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_no_odd_file_holds_up_or_hides_a_session(shell: Shell, kind: str) -> None:
    make = KINDS[kind]
    shell.writes(shell.session("the good one"))
    project = str(shell.path().parent.relative_to(shell.home))
    places = [Path(folder) / name.format(id=a_uuid(kind, folder)) for folder in (project, *FOLDERS)
              for name in NAMES]  # fmt: skip
    for place in (*places, *map(Path, NOTES)):
        path = shell.home / place
        path.parent.mkdir(parents=True, exist_ok=True)
        if not os.path.lexists(path):
            make(path)
    for folder in (".git", ".crush", ".claw/sessions"):
        (shell.project / folder).mkdir(parents=True)
    for name in (".git/HEAD", ".git/packed-refs", ".aider.chat.history.md", ".crush/crush.db"):
        make(shell.project / name)
    for verb in ("agents", "doctor", "status", "hooks status", "watch --once", "scan"):
        done = shell(*verb.split())
        assert done.code in (0, 1), (verb, done)
    assert shell("save").code == 0
    assert shell("save", "--all").code == 0
    assert b"the good one" in shell.does("list", "--all").out


@pytest.mark.parametrize("kind", ["fifo", "socket", "folder", "endless device", "link to itself"])
def test_rules_of_a_project_that_are_no_file_are_refused(shell: Shell, kind: str) -> None:
    shell.writes(shell.session("one"))
    (shell.project / ".gitsession").mkdir()
    KINDS[kind](shell.project / ".gitsession" / "redaction.yaml")
    done = shell("save")
    assert done.code in (0, 17), done
