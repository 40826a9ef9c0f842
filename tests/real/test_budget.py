"""Real agents started from a context: what they send is exactly what was built, and no more."""

from __future__ import annotations

from typing import Any

from . import test_claude, test_codex, test_copilot, test_pi
from .conftest import Model, User, conversation, first_call_of
from .test_claude import claude_user as claude_user
from .test_codex import codex_user as codex_user
from .test_copilot import copilot_user as copilot_user
from .test_pi import pi_user as pi_user

LONG = " words about nothing" * 30
PROMPTS = tuple(f"Prompt {number}: {name}-{number}{LONG}" for number, name in enumerate(
    ("alpha", "beta", "gamma", "delta", "epsilon", "zeta"), 1
))  # fmt: skip


def most_of(user: User) -> int:
    """A budget that is a little too small for the whole conversation."""
    whole = user.json("context", "--budget", "100000")["context"]
    return int(whole["tokens"] * 0.85)


def built(user: User, budget: int) -> list[tuple[str, str]]:
    """Role and text of what the context says, calls and results left out."""
    context: dict[str, Any] = user.json("context", "--budget", str(budget))["context"]
    assert 0 in context["numbers"], "there is nothing to show if all of it fits"
    said = []
    for message in context["messages"]:
        texts = [part["text"] for part in message["parts"] if part["kind"] == "text"]
        if message["role"] != "system" and any(texts):
            said.append((message["role"], "\n".join(texts).strip()))
    return said


def sent(model: Model, prompt: str) -> list[tuple[str, str]]:
    turns = conversation(first_call_of(model, prompt))
    return [(role, text) for role, text, _ in turns if text]


def flat(turns: list[tuple[str, str]]) -> str:
    """Neighbours of one role may be sent as one message."""
    return "\n".join(f"{role} {text}" for role, text in turns)


def check(model: Model, expected: list[tuple[str, str]], prompt: str) -> None:
    found = sent(model, prompt)
    assert prompt in found[-1][1]
    said = [text for _, text in found]
    said[-1] = said[-1].replace(prompt, "").strip()
    assert "\n".join(filter(None, said)) == "\n".join(text for _, text in expected)


def test_claude_starts_from_the_context(claude_user: User, model: Model) -> None:
    user = claude_user
    session = test_claude.ask(user, PROMPTS[0])
    for prompt in PROMPTS[1:]:
        test_claude.ask(user, prompt + " [[shell:echo out]]", "--resume", session)
    user.gitsession("save")
    budget = most_of(user)
    expected = built(user, budget)
    done = user.json("checkout", "HEAD", "--budget", str(budget))["checkout"]
    test_claude.ask(user, "Light start eta-7", "--resume", done["native_id"])
    check(model, expected, "Light start eta-7")
    user.gitsession("save")
    newest = user.json("log", "-n", "1")["versions"][0]
    assert newest["parents"] == [done["version"]["id"]]


def test_codex_starts_from_the_context(codex_user: User, model: Model) -> None:
    user = codex_user
    session = test_codex.ask(user, PROMPTS[0])
    for prompt in PROMPTS[1:]:
        test_codex.ask(user, "resume", session, prompt + LONG * 8)
    user.gitsession("save")
    budget = most_of(user)
    expected = built(user, budget)
    done = user.json("checkout", "HEAD", "--budget", str(budget))["checkout"]
    test_codex.ask(user, "resume", done["native_id"], "Light start eta-7")
    check(model, expected, "Light start eta-7")
    user.gitsession("save")
    newest = user.json("log", "-n", "1")["versions"][0]
    assert newest["parents"] == [done["version"]["id"]]


def test_pi_starts_from_the_context(pi_user: User, model: Model) -> None:
    user = pi_user
    session = test_pi.ask(user, PROMPTS[0])
    for prompt in PROMPTS[1:]:
        test_pi.ask(user, prompt + LONG * 8, "--session", session)
    user.gitsession("save")
    budget = most_of(user)
    expected = built(user, budget)
    done = user.json("checkout", "HEAD", "--budget", str(budget))["checkout"]
    test_pi.ask(user, "Light start eta-7", "--session", done["native_id"])
    check(model, expected, "Light start eta-7")
    user.gitsession("save")
    newest = user.json("log", "-n", "1")["versions"][0]
    assert newest["parents"] == [done["version"]["id"]]


def test_copilot_starts_from_the_context(copilot_user: User, model: Model) -> None:
    user = copilot_user
    session = test_copilot.ask(user, PROMPTS[0])
    for prompt in PROMPTS[1:]:
        test_copilot.ask(user, prompt + LONG * 8, f"--resume={session}")
    user.gitsession("save", "--agent", "copilot")
    budget = most_of(user)
    expected = built(user, budget)
    done = user.json("checkout", "HEAD", "--budget", str(budget))["checkout"]
    test_copilot.ask(user, "Light start eta-7", f"--resume={done['native_id']}")
    check(model, expected, "Light start eta-7")
    user.gitsession("save", done["native_id"])
    newest = user.json("log", done["branch"], "-n", "1")["versions"][0]
    assert newest["parents"] == [done["version"]["id"]]
