"""Real agents, offline, against a fake model server on the loopback: run by `make test-agents`, and
with all of them by `make test-agents-all`.

Needs the folder of the agent harness (GITSESSION_HARNESS, else ../shared/harness beside the
project) and the agents that its `install_agents.sh` installs. GITSESSION_REAL_AGENTS names those
that are there, 1 stands for all; without it nothing here is collected, so that `make test` needs
none.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

THERE = os.environ.get("GITSESSION_REAL_AGENTS", "").split()
if not THERE:
    collect_ignore_glob = ["test_*.py"]
ALL = {
    "claude",
    "codex",
    "pi",
    "gemini",
    "qwen",
    "opencode",
    "copilot",
    "cline",
    "kimi",
    "vibe",
    "kilo",
    "continue",
}


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests of agents that are not there are left out, whatever names them: fixture or value."""
    missing = set() if "1" in THERE else ALL - set(THERE)
    left = [item for item in items if missing & _agents_of(item)]
    config.hook.pytest_deselected(items=left)
    items[:] = [item for item in items if item not in left]


def _agents_of(item: pytest.Item) -> set[str]:
    fixtures = {name.removesuffix("_user") for name in getattr(item, "fixturenames", ())}
    values = getattr(getattr(item, "callspec", None), "params", {}).values()
    return fixtures | {value.partition("-")[0] for value in values if isinstance(value, str)}


_ROOT = Path(__file__).resolve().parents[2]
HARNESS = Path(os.environ.get("GITSESSION_HARNESS", _ROOT.parent / "shared" / "harness"))
AGENTS = Path(os.environ.get("AGENTS_DIR", Path.home() / ".cache" / "gitsession-agents"))
NODE = AGENTS / "node22" / "node_modules" / "node" / "bin"


@dataclass
class Model:
    """The fake model server: its port, and what agents asked of it."""

    port: int
    log: Path

    def calls(self) -> list[dict[str, Any]]:
        """Model calls that offer tools, in order: side calls for titles do not."""
        entries = [json.loads(line) for line in self.log.read_text().splitlines() if line.strip()]
        bodies = [entry["body"] for entry in entries if isinstance(entry.get("body"), dict)]
        return [body for body in bodies if body.get("tools")]


@pytest.fixture
def model(tmp_path: Path) -> Iterator[Model]:
    with serving(tmp_path) as served:
        yield served


@contextmanager
def serving(folder: Path, seconds: int = 300, *, tasks: bool = False) -> Iterator[Model]:
    """A fake model server with its log in a folder, for so many seconds at most; with `tasks` one
    that can start subagents."""
    program = Path(__file__).with_name("fake_with_tasks.py") if tasks else HARNESS / "fake_llm.py"
    log, port_file = folder / "requests.jsonl", folder / "port"
    log.touch()
    server = subprocess.Popen(
        [sys.executable, program, "--log", log, "--port-file", port_file,
         "--max-seconds", str(seconds)],
        stderr=subprocess.DEVNULL,
        env={**os.environ, "GITSESSION_HARNESS": str(HARNESS)},
    )  # fmt: skip
    try:
        deadline = time.monotonic() + 20
        while not (port_file.exists() and port_file.read_text().strip()):
            assert time.monotonic() < deadline, "the fake model server did not start"
            time.sleep(0.05)
        yield Model(int(port_file.read_text()), log)
    finally:
        server.kill()
        server.wait()


@dataclass
class User:
    """A person with an empty HOME, one project and one agent."""

    home: Path
    project: Path
    variables: dict[str, str]

    def environment(self) -> dict[str, str]:
        path = os.pathsep.join([str(NODE), os.environ.get("PATH", os.defpath)])
        return {
            "HOME": str(self.home), "PATH": path, "TERM": "xterm", "LANG": "C.UTF-8",
            **self.variables,
        }  # fmt: skip

    def run(self, *command: str | Path) -> str:
        done = subprocess.run(
            [str(word) for word in command],
            cwd=self.project,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=180,
            check=False,
        )
        assert done.returncode == 0, f"{command}: {done.stdout}\n{done.stderr}"
        return done.stdout

    def gitsession(self, *arguments: str) -> str:
        return self.run(Path(sys.executable).parent / "gitsession", *arguments)

    def json(self, *arguments: str) -> Any:
        return json.loads(self.gitsession("--json", *arguments))


@pytest.fixture
def user(tmp_path: Path) -> User:
    return newcomer(tmp_path)


def newcomer(folder: Path) -> User:
    """A user whose home and project lie in a folder."""
    home, project = folder / "agent-home", folder / "code" / "demo"
    home.mkdir()
    project.mkdir(parents=True)
    (project / "a.py").write_text("hello = 1\n")
    return User(home, project, {})


def conversation(body: dict[str, Any]) -> list[tuple[str, str, int]]:
    """What a request holds of the conversation, message by message: (role, text, tool results).

    Left out is what the agent puts in by itself on every start: reminders, the environment,
    system and developer messages (permissions and skills, from its own configuration)."""
    sys.path.insert(0, str(HARNESS))
    import fake_llm

    turns, _ = fake_llm.normal(api_of(body), body)
    said = [(role, _REMINDER.sub("", text).strip(), results) for role, text, results in turns]
    own = ("developer", "system")
    return [turn for turn in said if turn[0] not in own and (turn[1] or turn[2])]


_REMINDER = re.compile(
    r"<(system-reminder|environment_context|session_context|current_datetime)>.*?</\1>", re.S
)


def api_of(body: dict[str, Any]) -> str:
    """Which service's form a request has, as the fake server names them."""
    if "contents" in body:
        return "gemini"
    if "messages" not in body:
        return "responses"
    return "chat" if any("function" in tool for tool in body["tools"]) else "anthropic"


def first_call_of(model: Model, prompt: str) -> dict[str, Any]:
    """The first request whose newest user text is this prompt."""
    for body in model.calls():
        users = [text for role, text, _ in conversation(body) if role == "user" and text]
        if users and prompt in users[-1]:
            return body
    raise AssertionError(f"no request ends in {prompt!r}")


def assert_rolled_back(model: Model, second: str, continued: str) -> None:
    """After the checkout of version 1 the agent sends what it sent for its own second turn, with
    the new prompt in place of the second: exactly version 1, nothing else."""
    own = conversation(first_call_of(model, second))
    ours = conversation(first_call_of(model, continued))
    assert ours[:-1] == own[:-1]
    assert continued in ours[-1][1]
    assert second not in ours[-1][1]


def assert_fork(user: User, session: str, turns: int = 3) -> None:
    """The turn after a checkout is a version whose parent is the version that was checked out."""
    main = user.json("log", f"{session}/main")["versions"]
    fork = user.json("log", f"{session}/main-2")["versions"]
    assert len(main) == turns
    assert len(fork) == 2
    assert fork[-1]["id"] == main[-1]["id"]
    assert fork[0]["parents"] == [main[-1]["id"]]
    store = user.gitsession("dir").strip()
    user.run("git", "-C", store, "fsck", "--strict")
