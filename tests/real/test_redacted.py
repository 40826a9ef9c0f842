"""Real agents go on with a redacted session: the whole history arrives, placeholders in it."""

from __future__ import annotations

import json
import re
import secrets
import string
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from . import test_claude, test_codex, test_gemini, test_pi, test_qwen
from .conftest import Model, User, conversation, first_call_of
from .test_convert import ASK

claude_user, codex_user, gemini_user, pi_user, qwen_user = (
    test_claude.claude_user, test_codex.codex_user, test_gemini.gemini_user,
    test_pi.pi_user, test_qwen.qwen_user,
)  # fmt: skip

Rows = list[dict[str, Any]]
_PLACEHOLDER = re.compile(r"__REDACTED_[a-z0-9-]+_[0-9a-f]{8}__")
_THOUGHT = re.compile(r"thinking block|reasoning")


def a_token() -> str:
    letters = string.ascii_letters + string.digits
    return "ghp_" + "".join(secrets.choice(letters) for _ in range(36))


def first_answer(rows: Rows, kind: str, place: Callable[[dict[str, Any]], Any]) -> list[Any]:
    """The parts of the first answer of the model."""
    found: list[Any] = next(place(row) for row in rows if row.get("type") == kind)
    return found


def claude_thinks(rows: Rows, text: str) -> None:
    content = first_answer(rows, "assistant", lambda row: row["message"]["content"])
    content.insert(0, {"type": "thinking", "thinking": text, "signature": "c2lnbmF0dXJl"})


def codex_thinks(rows: Rows, text: str) -> None:
    at, row = next((n, row) for n, row in enumerate(rows) if "function_call" in json.dumps(row))
    summary = [{"type": "summary_text", "text": text}]
    payload = {"type": "reasoning", "summary": summary, "encrypted_content": "gAAAAsealed"}
    rows.insert(at, {**row, "type": "response_item", "payload": payload})


def pi_thinks(rows: Rows, text: str) -> None:
    answers = (row["message"] for row in rows if row.get("type") == "message")
    answer = next(message for message in answers if message["role"] == "assistant")
    answer["content"].insert(0, {"type": "thinking", "thinking": text, "thinkingSignature": "c2ln"})


def gemini_thinks(rows: Rows, text: str) -> None:
    thought = {"subject": "Plan", "description": text, "timestamp": "2026-01-31T12:00:00.000Z"}
    for row in rows:
        if row.get("type") == "gemini":
            row["thoughts"] = [thought]


def qwen_thinks(rows: Rows, text: str) -> None:
    parts = first_answer(rows, "assistant", lambda row: row["message"]["parts"])
    parts.insert(0, {"text": text, "thought": True, "thoughtSignature": "c2ln"})


THINKS = {
    "claude-code": claude_thinks, "codex": codex_thinks, "pi": pi_thinks, "gemini": gemini_thinks,
    "qwen": qwen_thinks,
}  # fmt: skip


@pytest.mark.parametrize("agent", THINKS)
def test_a_redacted_session_goes_on(
    request: pytest.FixtureRequest, model: Model, agent: str
) -> None:
    user: User = request.getfixturevalue(f"{agent.partition('-')[0]}_user")
    tokens = [a_token() for _ in range(3)]
    typed, ran, thought = tokens
    first = ASK[agent](user, f"First alpha-111 {typed} [[shell:echo {ran}]]", "")
    ASK[agent](user, "Second beta-222", first)
    # Gemini leaves an empty file of the same name where the minute of a resume differs.
    found = [path for path in user.home.rglob("*.jsonl") if first[:8] in path.name]
    path = max(found, key=lambda path: path.stat().st_size)
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    THINKS[agent](rows, f"I shall use {thought}")
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))

    user.gitsession("save")
    done = user.json("checkout", "HEAD~1")["checkout"]
    assert any(_THOUGHT.search(repair) for repair in done["repairs"])
    written = Path(done["path"]).read_text()
    assert "I shall use" not in written
    ASK[agent](user, "Continued delta-444", done["native_id"])
    body = first_call_of(model, "Continued delta-444")
    text = json.dumps(body)
    assert not any(token in text or token in written for token in tokens)
    assert len(set(_PLACEHOLDER.findall(text))) == 2

    def without_values(turns: list[tuple[str, str, int]]) -> list[tuple[str, str, int]]:
        masked = re.compile("|".join((*tokens, _PLACEHOLDER.pattern)))
        return [(role, masked.sub("<value>", said), results) for role, said, results in turns]

    own = conversation(first_call_of(model, "Second beta-222"))
    assert without_values(conversation(body))[:-1] == without_values(own)[:-1]
