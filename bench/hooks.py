"""The cost of a hook to its agent: turns of real agents with and without it, alternating."""

from __future__ import annotations

import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.measure import GITSESSION, ms, table

_ROOT = Path(__file__).resolve().parents[1]
HARNESS = Path(os.environ.get("GITSESSION_HARNESS", _ROOT.parent / "shared" / "harness"))
AGENTS = Path(os.environ.get("AGENTS_DIR", Path.home() / ".cache" / "gitsession-agents"))
TURNS = 20
_PROMPT = "Say hello [[shell:echo hello]]"
_CODEX = """\
model = "gpt-5"
model_provider = "fake"
check_for_update_on_startup = false
approval_policy = "never"
sandbox_mode = "danger-full-access"
[model_providers.fake]
name = "fake"
base_url = "http://127.0.0.1:{port}/v1"
env_key = "FAKE_KEY"
wire_api = "responses"
[analytics]
enabled = false
[projects."{project}"]
trust_level = "trusted"
"""


@dataclass(frozen=True)
class Client:
    """An agent: its name, the command for one turn, its environment variables."""

    name: str
    command: Sequence[str]
    variables: Mapping[str, str]


def clients(port: int) -> tuple[Client, ...]:
    claude = {
        "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{port}", "ANTHROPIC_API_KEY": "test-key",
        "DISABLE_AUTOUPDATER": "1", "DISABLE_TELEMETRY": "1", "DISABLE_ERROR_REPORTING": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }  # fmt: skip
    ask_claude = ("-p", "--output-format", "json", "--allowedTools=Bash", "--", _PROMPT)
    ask_codex = ("exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", _PROMPT)
    return (
        Client("claude-code", (_program("claude"), *ask_claude), claude),
        Client("codex", (_program("codex"), *ask_codex), {"FAKE_KEY": "test-key"}),
    )


def _program(name: str) -> str:
    return str(AGENTS / name / "node_modules" / ".bin" / name)


@contextmanager
def model(scratch: Path) -> Iterator[int]:
    """Run a fake model server for the length of the block; yield its port."""
    file = scratch / "port"
    words: list[str | Path] = [
        sys.executable, HARNESS / "fake_llm.py", "--log", os.devnull, "--port-file", file,
        "--max-seconds", "1200",
    ]  # fmt: skip
    server = subprocess.Popen(words, stderr=subprocess.DEVNULL)
    try:
        while not (file.exists() and file.read_text().strip()):
            time.sleep(0.05)
        yield int(file.read_text())
    finally:
        server.kill()
        server.wait()


@dataclass(frozen=True)
class Cost:
    """Seconds until the agent ended, and CPU seconds of the agent and the processes it waited for.
    The save in the background is no child of the agent, so a busy machine changes the first figure
    but not the second."""

    wall: float
    cpu: float


class Home:
    """A user's HOME with one agent in it."""

    def __init__(self, folder: Path, client: Client, port: int) -> None:
        self.client, self.home, self.project = client, folder / "home", folder / "project"
        self.project.mkdir(parents=True)
        (self.home / ".codex").mkdir(parents=True)
        config = _CODEX.format(port=port, project=self.project)
        (self.home / ".codex" / "config.toml").write_text(config)

    def run(self, *words: str) -> Cost:
        """Run a command to its end."""
        node = AGENTS / "node22" / "node_modules" / "node" / "bin"
        path = f"{node}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
        variables = {"HOME": str(self.home), "PATH": path, "TERM": "xterm", "LANG": "C.UTF-8"}
        started = time.perf_counter()
        process = subprocess.Popen(
            words, cwd=self.project, env={**variables, **self.client.variables},
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise subprocess.CalledProcessError(process.returncode, words)
        return Cost(time.perf_counter() - started, usage.ru_utime + usage.ru_stime)

    def turn(self) -> Cost:
        return self.run(*self.client.command)

    def settle(self) -> None:
        """Wait until the saves in the background have ended, since they belong to no turn."""
        log, seen, since = self.home / ".local/state/gitsession/hooks/log", -1, time.monotonic()
        while time.monotonic() - since < 1:
            size = log.stat().st_size if log.exists() else 0
            seen, since = (seen, since) if size == seen else (size, time.monotonic())
            time.sleep(0.05)


def turns(scratch: Path, client: Client, port: int, times: int) -> tuple[Cost, Cost]:
    """Return the median costs of a turn without and with the hook, interleaved."""
    plain, hooked = (Home(scratch / name, client, port) for name in ("plain", "hooked"))
    hooked.run(GITSESSION, "hooks", "install", client.name)
    for home in (plain, hooked):  # what an agent does once in a new home
        home.turn()
        home.settle()
    taken: dict[Home, list[Cost]] = {plain: [], hooked: []}
    for number in range(times):
        for home in (plain, hooked)[:: -1 if number % 2 else 1]:
            taken[home].append(home.turn())
            hooked.settle()
    return _median(taken[plain]), _median(taken[hooked])


def _median(costs: Sequence[Cost]) -> Cost:
    walls, cpus = ([getattr(cost, name) for cost in costs] for name in ("wall", "cpu"))
    return Cost(statistics.median(walls), statistics.median(cpus))


def in_front(scratch: Path, client: Client, times: int) -> tuple[float, float]:
    """Return the wall and CPU seconds of the hook's own command line, which is what the agent waits
    for. A program that does nothing replaces the save that it starts."""
    from gitsession.agents.hooks import command

    nothing = shutil.which("true") or "/bin/true"
    line, told = command(nothing, client.name), json.dumps({"session_id": "0" * 32}).encode()
    walls, before = [], resource.getrusage(resource.RUSAGE_CHILDREN)
    for _ in range(times):
        started = time.perf_counter()
        subprocess.run(["sh", "-c", line], cwd=scratch, input=told, check=True)
        walls.append(time.perf_counter() - started)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return statistics.median(walls), spent / times


def main(scratch: Path, times: int = TURNS) -> str:
    scratch.mkdir(parents=True)
    rows = []
    with model(scratch) as port:
        for client in clients(port):
            if not Path(client.command[0]).exists():
                continue
            plain, hooked = turns(scratch / client.name, client, port, times)
            wall, spent = in_front(scratch, client, 10 * times)
            rows.append(
                (
                    client.name, ms(plain.wall), ms(hooked.wall),
                    f"{hooked.wall / plain.wall:.3f}", ms(plain.cpu), ms(hooked.cpu),
                    f"{hooked.cpu / plain.cpu:.3f}", f"{wall * 1000:.1f} / {spent * 1000:.1f} ms",
                )
            )  # fmt: skip
    columns = ("agent", "turn without", "with hook", "ratio", "CPU without", "with hook", "ratio",
               "the line alone: wall / CPU")  # fmt: skip
    return table(f"Hooks, a turn of the real agent (median of {times}, interleaved)", columns, rows)
