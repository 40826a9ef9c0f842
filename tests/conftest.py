"""Every test lives in its own HOME, in UTC, without user git configuration or network."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

import pytest

from gitsession.environment import Environment

ROOT = Path(__file__).resolve().parent.parent
_SAMPLES = Path(os.environ.get("GITSESSION_SAMPLES", ROOT.parent / "shared" / "samples"))


# A job in a shell's background ignores interrupts, and so would all that it starts.
if threading.current_thread() is threading.main_thread():
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def _private_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith(("GIT_", "XDG_", "GITSESSION_", "CLAUDE_", "CODEX_")):
            monkeypatch.delenv(name)
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.delenv("PWD", raising=False)


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    """A user with nothing: HOME and the working directory are empty folders."""
    home = tmp_path / "home"
    project = tmp_path / "project"
    project.mkdir(exist_ok=True)
    variables = {"HOME": str(home), "PATH": os.environ.get("PATH", os.defpath), "TZ": "UTC"}
    return Environment(variables, home, str(project))


@pytest.fixture(scope="session")
def samples() -> Path:
    """Real session files; tests that need them skip where the folder is absent."""
    if not _SAMPLES.is_dir():
        pytest.skip("no folder of sample sessions")
    return _SAMPLES
