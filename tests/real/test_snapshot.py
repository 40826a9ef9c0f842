"""Real agents that ask for a snapshot when a session starts: what they send to the model holds it,
when it should and only then."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from . import test_claude, test_codex, test_qwen
from .conftest import Model, User
from .hooked import log_of, versions
from .test_hooks import TRUST

claude_user, codex_user, qwen_user = (
    test_claude.claude_user, test_codex.codex_user, test_qwen.qwen_user,
)  # fmt: skip
_RESUMED = "where this conversation stood when it was last saved"
_COMPACTED = "where this conversation stood when it was compacted"


def newest(model: Model) -> str:
    """What the newest call of the model holds, as text."""
    return json.dumps(model.calls()[-1], ensure_ascii=False)


def given(user: User) -> list[str]:
    """What the log says that became of each start, with the reason of the start."""
    starts = [words[2:] for words in log_of(user) if "SessionStart" in " ".join(words)]
    return [next(f"{word.partition(':')[2]} {words[place + 1]}"
                 for place, word in enumerate(words) if word.startswith("SessionStart:"))
            for words in starts]  # fmt: skip


def made_ahead(user: User, number: int) -> None:
    """Wait until the saves behind the turns have made so many snapshots."""
    folder = user.home / ".cache" / "gitsession" / "messages"
    deadline = time.monotonic() + 30
    while not folder.exists() or len(list(folder.iterdir())) < number:
        assert time.monotonic() < deadline, log_of(user)
        time.sleep(0.1)


def test_claude_is_told_when_it_resumes_and_after_a_compaction(
    claude_user: User, model: Model
) -> None:
    user = claude_user
    user.gitsession("hooks", "install", "--snapshot", "claude-code")
    path = user.project / "a.py"
    first = test_claude.ask(user, f"First alpha-111 [[edit:{path}|hello = 1|hello = 2]]")
    assert "gitsession" not in json.dumps(model.calls())  # a new session is told nothing
    versions(user, 1)
    made_ahead(user, 1)

    test_claude.ask(user, "Second beta-222", "--resume", first)
    sent = newest(model)
    assert _RESUMED in sent and "<session_resume" in sent and str(path) in sent
    versions(user, 2)
    test_claude.ask(user, "/compact", "--resume", first)
    test_claude.ask(user, "Third gamma-333", "--resume", first)
    sent = newest(model)
    assert _COMPACTED in sent
    told = sent[sent.index(_COMPACTED) :]
    assert "<session_state" in told and "First alpha-111" in told and "Second beta-222" in told
    assert given(user) == [
        "startup nothing", "resume given", "resume given", "compact given", "resume given",
    ]  # fmt: skip
    assert user.json("status")["status"]["failures"] == []

    user.gitsession("hooks", "uninstall", "--snapshot")
    test_claude.ask(user, "Fourth delta-444", "--resume", first)
    assert len(given(user)) == 5
    versions(user, 4)


def test_claude_claims_once_what_the_session_before_left(claude_user: User, model: Model) -> None:
    user = claude_user
    user.gitsession("hooks", "install", "--snapshot", "claude-code")
    user.gitsession("config", "snapshot.startup", "claim")
    test_claude.ask(user, "First alpha-111")
    versions(user, 1)
    test_claude.ask(user, "Second beta-222")
    sent = newest(model)
    assert "the session before this one" in sent and "First alpha-111" in sent
    test_claude.ask(user, "/clear")
    assert given(user)[:2] == ["startup no-store", "startup claimed"]
    assert "clear nothing" in given(user)


def test_a_hook_that_fails_is_not_seen(claude_user: User, model: Model) -> None:
    user = claude_user
    user.gitsession("hooks", "install", "--snapshot", "claude-code")
    first = test_claude.ask(user, "First alpha-111")
    versions(user, 1)
    store = user.home / ".local" / "share" / "gitsession" / "store.git"
    store.rename(store.with_name("away"))
    store.write_text("not a store")
    assert test_claude.ask(user, "Second beta-222", "--resume", first) == first
    assert "gitsession" not in newest(model)


def test_codex_is_told_when_it_resumes_and_after_a_compaction(
    codex_user: User, model: Model
) -> None:
    user = codex_user
    user.gitsession("hooks", "install", "--snapshot", "codex")
    path = user.project / "a.py"
    first = test_codex.ask(user, TRUST, f"First alpha-111 [[edit:{path}|hello = 1|hello = 2]]")
    assert "gitsession" not in json.dumps(model.calls())
    versions(user, 1)
    test_codex.ask(user, TRUST, "resume", first, "Second beta-222 [[usage:900000]]")
    sent = newest(model)
    assert _RESUMED in sent and "<session_resume" in sent
    assert _developers(model.calls()[-1])[-1].startswith("From gitsession")
    test_codex.ask(user, TRUST, "resume", first, "Third gamma-333")
    assert _COMPACTED in newest(model) and "<session_state" in newest(model)
    assert given(user)[:3] == ["startup nothing", "resume given", "resume given"]
    assert "compact given" in given(user)


def _developers(body: dict[str, Any]) -> list[str]:
    return [part["text"] for item in body["input"] if item.get("role") == "developer"
            for part in item["content"]]  # fmt: skip


def test_qwen_is_told_when_it_resumes(qwen_user: User, model: Model) -> None:
    user = qwen_user
    user.gitsession("hooks", "install", "--snapshot", "qwen")
    first = test_qwen.ask(user, "First alpha-111 [[shell:echo hi]]")
    assert "gitsession" not in json.dumps(model.calls())
    versions(user, 1)
    test_qwen.ask(user, "Second beta-222", "--resume", first)
    calls = [json.dumps(body) for body in model.calls() if "Second beta-222" in json.dumps(body)]
    assert any(_RESUMED in text and "&lt;session_resume" in text for text in calls)
    assert given(user)[:2] == ["startup nothing", "resume given"]


@pytest.mark.parametrize("name", ["gemini"])
def test_who_would_forget_the_prompt_is_not_offered_one(name: str, user: User) -> None:
    """Gemini CLI puts such a text before the prompt, and drops both when it resumes."""
    (user.home / f".{name}").mkdir()
    rows = user.json("hooks", "install", "--snapshot")["hooks"]
    assert [row["snapshot"] for row in rows] == [False]
    assert "SessionStart" not in (user.home / f".{name}" / "settings.json").read_text()
