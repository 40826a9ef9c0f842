"""Real agents whose hooks give the model something beside a prompt: the prompt stays the prompt."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from . import test_claude, test_codex, test_copilot, test_gemini, test_qwen
from .conftest import Model, User, conversation, first_call_of
from .test_hooks import TRUST

claude_user, codex_user = test_claude.claude_user, test_codex.codex_user
gemini_user, qwen_user = test_gemini.gemini_user, test_qwen.qwen_user
copilot_user = test_copilot.copilot_user


def _said(event: str, *, bare: bool = False) -> str:
    told = {"hookEventName": event, "additionalContext": f"context-of-{event}"}
    text = json.dumps(told if bare else {"hookSpecificOutput": told})
    return f"printf %s {shlex.quote(text)}"


def _add(path: Path, events: tuple[str, ...]) -> None:
    """Hooks in the shape that most agents have taken over from Claude Code."""
    settings: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    hooks = {event: [{"hooks": [{"type": "command", "command": _said(event)}]}] for event in events}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({**settings, "hooks": hooks}))


def _of_claude(user: User) -> None:
    _add(user.home / ".claude" / "settings.json", ("SessionStart", "UserPromptSubmit"))


def _of_codex(user: User) -> None:
    _add(user.home / ".codex" / "hooks.json", ("SessionStart", "UserPromptSubmit"))


def _of_gemini(user: User) -> None:
    _add(user.home / ".gemini" / "settings.json", ("SessionStart", "BeforeAgent"))


def _of_qwen(user: User) -> None:
    _add(user.home / ".qwen" / "settings.json", ("SessionStart", "UserPromptSubmit"))


def _of_copilot(user: User) -> None:
    path = user.home / ".copilot" / "hooks" / "context.json"
    path.parent.mkdir(parents=True)
    hooks = {
        event: [{"type": "command", "bash": _said(event, bare=True), "timeoutSec": 10}]
        for event in ("sessionStart", "userPromptSubmitted")
    }
    path.write_text(json.dumps({"version": 1, "hooks": hooks}))


def _resume(session: str) -> tuple[str, ...]:
    return ("--resume", session)


AGENTS: dict[str, tuple[Callable[[User], None], Callable[..., str], Callable[[str], Any]]] = {
    "claude": (_of_claude, test_claude.ask, _resume),
    "codex": (
        _of_codex,
        lambda u, p, *o: test_codex.ask(u, TRUST, *o, p),
        lambda session: ("resume", session),
    ),
    "gemini": (_of_gemini, test_gemini.ask, lambda session: ("-r", session)),
    "qwen": (_of_qwen, test_qwen.ask, _resume),
    "copilot": (_of_copilot, test_copilot.ask, lambda session: (f"--resume={session}",)),
}
"""Of each agent: hooks that say something, one turn, the words that go on with a session."""


@pytest.mark.parametrize("name", AGENTS)
def test_a_prompt_with_hook_context_stays_a_prompt(
    name: str, request: pytest.FixtureRequest, model: Model
) -> None:
    user: User = request.getfixturevalue(f"{name}_user")
    hook, ask, resume = AGENTS[name]
    hook(user)
    first = ask(user, "First alpha-111 [[shell:echo shell-says-hi]]")
    ask(user, "Second beta-222", *resume(first))
    assert "context-of-" in json.dumps(model.calls()), "no hook added anything"
    _asked_and_sent(user, model, name, ("First alpha-111", "Second beta-222"))


def test_a_prompt_that_looks_like_a_command_stays_one(gemini_user: User, model: Model) -> None:
    """Gemini CLI sends it, records it, and forgets it when it resumes."""
    user = gemini_user
    prompts = (f"{user.project}/a.py alpha-111", "? beta-222 really", "Third gamma-333")
    first = test_gemini.ask(user, prompts[0])
    for prompt in prompts[1:]:
        test_gemini.ask(user, prompt, "-r", first)
    _asked_and_sent(user, model, "gemini", prompts)


def _asked_and_sent(user: User, model: Model, name: str, prompts: tuple[str, ...]) -> None:
    """Every prompt is the start of a turn, and is sent again after a checkout."""
    _, ask, resume = AGENTS[name]
    user.gitsession("save", "--agent", {"claude": "claude-code"}.get(name, name))
    versions = user.json("log")["versions"]
    assert [v["subject"].startswith(p) for v, p in zip(versions[::-1], prompts, strict=True)]
    assert prompts[0] in versions[0]["title"] and "context-of" not in versions[0]["title"]
    shown = user.json("show", versions[0]["id"])["session"]["messages"]
    asked = [str(message["parts"]) for message in shown if message["role"] == "user"]
    assert len(asked) == len(prompts)
    assert all(prompt in text for prompt, text in zip(prompts, asked, strict=True))

    done = user.json("checkout", "HEAD")["checkout"]
    ask(user, "Continued delta-444", *resume(done["native_id"]))
    sent = [text for role, text, _ in conversation(first_call_of(model, "Continued delta-444"))
            if role == "user"]  # fmt: skip
    assert all(any(prompt in text for text in sent) for prompt in prompts), sent
