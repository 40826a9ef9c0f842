"""Real agents: what a session says about permissions has no effect where a checkout continues it.

In Claude Code's terminal and in Codex's server a planted field does have effect, so both show the
difference; the others read none back, so there the file itself is looked at.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from . import test_claude, test_codex, test_gemini, test_pi, test_qwen
from .app_server import asked
from .conftest import User
from .terminal import terminal
from .test_convert import ASK

claude_user, codex_user, gemini_user, pi_user, qwen_user = (
    test_claude.claude_user, test_codex.codex_user, test_gemini.gemini_user,
    test_pi.pi_user, test_qwen.qwen_user,
)  # fmt: skip

ASKS_FIRST = "Do you want to"
_FORBIDDEN = re.compile(
    r'"(permission-?_?[mM]ode|permissionDecision|permission_profile|approval_?[pP]olicy|'
    r"approvalMode|approvals_reviewer|sandbox_?[a-z]*|yolo|trust[a-zA-Z]*|collaboration_mode|"
    r'permission-mode|repl-mode|agent-setting)"'
)


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def rewrite(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def checked_out(user: User) -> dict[str, Any]:
    user.gitsession("save")
    done: dict[str, Any] = user.json("checkout", "HEAD")["checkout"]
    assert _FORBIDDEN.search(Path(done["path"]).read_text()) is None
    return done


def known_to_claude(user: User) -> None:
    """Somebody who has gone through Claude Code's first start, and wants to be asked."""
    approved = {"approved": ["test-key"], "rejected": []}
    trusted = {str(user.project): {"hasTrustDialogAccepted": True, "allowedTools": []}}
    known = {"hasCompletedOnboarding": True, "theme": "dark", "lastOnboardingVersion": "9.9.9",
             "customApiKeyResponses": approved, "projects": trusted}  # fmt: skip
    (user.home / ".claude.json").write_text(json.dumps(known))
    settings = user.home / ".claude" / "settings.json"
    settings.parent.mkdir(exist_ok=True)
    settings.write_text('{"permissions": {"defaultMode": "default"}}')


def may_write_unasked(user: User, native_id: str, name: str) -> bool:
    """Whether the agent in its terminal writes a file without asking first."""
    file = user.project / name
    with terminal(user, test_claude.CLAUDE, "--resume", native_id) as screen:
        assert screen.shows("alpha-111")
        screen.waits(lambda _: False, 1)
        screen.types(f"Go on [[write:{file}|2]]")
        screen.types("\r")
        wanted = "".join(ASKS_FIRST.split())
        assert screen.waits(lambda seen: file.exists() or wanted in seen), screen.text[-2000:]
    return file.exists()


@pytest.mark.parametrize("mode", ["acceptEdits", "auto"])
def test_claude_asks_again_after_a_checkout(claude_user: User, mode: str) -> None:
    user = claude_user
    known_to_claude(user)
    first = test_claude.ask(user, "First alpha-111")
    [path] = (user.home / ".claude" / "projects").rglob(f"{first}.jsonl")
    rows = rows_of(path)
    [at] = [n for n, row in enumerate(rows) if row["type"] == "user"]
    rows[at]["permissionMode"] = mode
    kinds = {"permission-mode": {"permissionMode": mode}, "mode": {"mode": mode}}
    planted = [{"type": kind, **told, "sessionId": first} for kind, told in kinds.items()]
    rewrite(path, [*rows[: at + 1], *planted, *rows[at + 1 :]])
    done = checked_out(user)
    assert may_write_unasked(user, first, "planted.txt")
    assert not may_write_unasked(user, done["native_id"], "checked-out.txt")


def test_codex_has_the_users_own_limits_after_a_checkout(codex_user: User) -> None:
    user = codex_user
    first = test_codex.ask(user, "First alpha-111 [[shell:echo hi]]")
    config = user.home / ".codex" / "config.toml"
    careful = config.read_text().replace("danger-full-access", "read-only")
    config.write_text(careful.replace('"never"', '"on-request"'))
    done = checked_out(user)

    def limits(native_id: str) -> tuple[str, str]:
        told = asked(user, "thread/resume", {"threadId": native_id})
        return told["approvalPolicy"], told["sandbox"]["type"]

    assert limits(first) == ("never", "dangerFullAccess")
    assert limits(done["native_id"]) == ("on-request", "readOnly")


PLANTED = {"approvalMode": "yolo", "permissionMode": "yolo", "sandbox": "none", "trusted": True}


@pytest.mark.parametrize("agent", ["qwen", "gemini", "pi"])
def test_the_others_are_written_without(request: pytest.FixtureRequest, agent: str) -> None:
    user: User = request.getfixturevalue(f"{agent}_user")
    first = ASK[agent](user, "First alpha-111 [[shell:echo hi]]", "")
    [path] = [path for path in user.home.rglob("*.jsonl") if first[:8] in path.name]
    rewrite(path, [{**row, **PLANTED} for row in rows_of(path)])
    assert _FORBIDDEN.search(path.read_text())
    done = checked_out(user)
    ASK[agent](user, "Continued omega-777", done["native_id"])
