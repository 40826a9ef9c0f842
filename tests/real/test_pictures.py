"""Real agents that look at a picture: what they say of it is not taken for the file's content."""

from __future__ import annotations

import base64

import pytest

from tests.operations.test_convert import PICTURE

from . import test_claude, test_codex, test_copilot, test_gemini, test_opencode, test_pi, test_qwen
from .conftest import User
from .test_convert import ASK

claude_user, codex_user = test_claude.claude_user, test_codex.codex_user
pi_user, gemini_user = test_pi.pi_user, test_gemini.gemini_user
qwen_user, opencode_user = test_qwen.qwen_user, test_opencode.opencode_user
copilot_user = test_copilot.copilot_user


@pytest.mark.parametrize("agent", [name for name in ASK if name != "codex"])
def test_a_picture_that_was_read_is_no_text(agent: str, request: pytest.FixtureRequest) -> None:
    user: User = request.getfixturevalue(f"{agent.partition('-')[0]}_user")
    path = user.project / "x.png"
    path.write_bytes(base64.b64decode(PICTURE))
    ASK[agent](user, f"Look [[read:{user.project / 'a.py'}]][[read:{path}]]", "")
    user.gitsession("save", "--agent", agent)
    files = user.json("show", "HEAD")["session"]["files"]
    kept = [file["path"] for file in files if file["kept"]]
    assert kept == ([] if agent == "opencode" else ["a.py"])  # OpenCode shows lines with numbers
