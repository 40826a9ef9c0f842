"""What the real Codex tells the programs that are built on it: its threads, and a resumed one."""

from __future__ import annotations

import json
import subprocess
from typing import Any

from .conftest import AGENTS, User

CODEX = AGENTS / "codex" / "node_modules" / ".bin" / "codex"


def asked(user: User, method: str, params: dict[str, Any]) -> Any:
    """The result of one call."""
    client = {"name": "gitsession-test", "title": "test", "version": "0"}
    told: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": {"clientInfo": client}},
        {"method": "initialized"},
        {"id": 2, "method": method, "params": params},
    ]
    with subprocess.Popen(
        [CODEX, "app-server"], cwd=user.project, env=user.environment(), text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    ) as server:  # fmt: skip
        assert server.stdin is not None and server.stdout is not None
        try:
            for words in told:
                server.stdin.write(json.dumps(words) + "\n")
                server.stdin.flush()
            for line in server.stdout:
                answer = json.loads(line)
                if answer.get("id") == 2:
                    assert "result" in answer, answer
                    return answer["result"]
        finally:
            server.kill()
    raise AssertionError(f"no answer to {method}")
