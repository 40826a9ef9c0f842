"""The real Codex goes on with what checkout writes for it, whatever release the session is from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gitsession.agents.base import Target
from gitsession.agents.codex import AGENT
from gitsession.environment import Environment
from tests.agents.contract import the_source, whole
from tests.agents.test_codex import _FORK, _SAMPLES

from .conftest import Model, User, conversation
from .test_codex import ask, codex_user

__all__ = ["codex_user"]

_TODAY = _SAMPLES[-1]


def continued(user: User, path: Path, turns: int = 0, *, foreign: bool = False) -> Path:
    """Write the first turns (0: all) of a rollout for this user, ask one thing more."""
    sessions = list(AGENT.read(the_source(AGENT, path)))
    stored = whole(sessions[:turns] if turns else sessions)
    environment = Environment({}, user.home, str(user.project))
    written = AGENT.write(stored, Target(str(user.project), foreign=foreign), environment)
    written.main.parent.mkdir(parents=True, exist_ok=True)
    written.main.write_bytes(written.files[written.main])
    assert ask(user, "resume", written.native_id, "Continued omega-777") == written.native_id
    return written.main


def sent(model: Model) -> str:
    """The conversation of the newest request, without what Codex puts in by itself."""
    return json.dumps(conversation(model.calls()[-1]))


@pytest.mark.parametrize("name", [*_SAMPLES[:4], *_SAMPLES[5:], _FORK])
def test_sessions_of_every_release_go_on(
    samples: Path, codex_user: User, model: Model, name: str
) -> None:
    continued(codex_user, samples / name)
    text = sent(model)
    assert "omega-777" in text
    assert len(text) > 300


def test_a_part_of_a_session_is_all_that_is_sent(
    samples: Path, codex_user: User, model: Model
) -> None:
    continued(codex_user, samples / _TODAY, turns=1)
    text = sent(model)
    assert "alpha-111" in text
    assert "beta-222" not in text


def test_a_flattened_fork_sends_its_parents_history(
    samples: Path, codex_user: User, model: Model
) -> None:
    continued(codex_user, samples / _FORK)
    text = sent(model)
    assert all(word in text for word in ("alpha-111", "gamma-333", "epsilon-555"))


def test_permissions_are_those_of_the_user(samples: Path, codex_user: User, model: Model) -> None:
    """The session ran without a sandbox; who continues it has one and keeps it."""
    config = codex_user.home / ".codex" / "config.toml"
    config.write_text(config.read_text().replace("danger-full-access", "read-only"))
    path = continued(codex_user, samples / _TODAY, turns=1)
    text = path.read_text()
    assert "danger-full-access" not in text
    assert '"sandbox_policy":{"type":"read-only"}' in text


def test_instructions_of_others_do_not_arrive(
    samples: Path, codex_user: User, model: Model
) -> None:
    path = samples / "codex" / "entire" / "seq-019dc0d3" / "01.jsonl"
    stored = whole(AGENT.read(the_source(AGENT, path)))
    [instruction] = [m.text[:2000] for m in AGENT.messages(stored) if m.role == "system"]
    for foreign in (False, True):
        continued(codex_user, path, foreign=foreign)
        body = model.calls()[-1]
        developer = [item for item in body["input"] if item.get("role") == "developer"]
        texts = [part["text"] for item in developer for part in item["content"]]
        assert (instruction in "\n".join(texts)) is not foreign
        assert "what-happened" in sent(model)
