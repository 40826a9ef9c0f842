"""Requests of real sessions: accepted by the providers' own client models, made strict."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from gitsession.context.build import STRATEGIES, build
from gitsession.context.requests import FORMS, request
from gitsession.context.wire import Asking
from gitsession.model.session import Session

from .client_models import validator
from .making import CHARS, random_session, runs, says, session, user
from .real_files import LONG, sessions
from .request_rules import check

ASKING = Asking("some-model", "session-1", ("Bash", "Read"))
BUDGETS = (8_000, 32_000, 128_000)


def bodies(given: Session, form: str, *strategies: str) -> Iterator[dict[str, Any]]:
    """Requests that go on with a session, at three budgets."""
    asked = given._replace(messages=(*given.messages, user("go on")))
    for strategy in strategies:
        for budget in BUDGETS:
            context = build(asked, budget, strategy, counter=CHARS)
            yield request(context, ASKING, form)


@pytest.mark.parametrize("form", FORMS)
def test_requests_of_real_files_of_every_agent_are_accepted(samples: Path, form: str) -> None:
    agents = set()
    for name, given in sessions(samples, every=False):
        for body in bodies(given, form, "default"):
            accepted(body, form, name)
        agents.add(given.info.agent)
    assert len(agents) == 10


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.skipif(not LONG, reason="takes a minute: GITSESSION_LONG=1")
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_requests_of_every_real_file_are_accepted(samples: Path, form: str, strategy: str) -> None:
    for name, given in sessions(samples, every=True):
        for body in bodies(given, form, strategy):
            accepted(body, form, name)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_requests_of_random_sessions_are_accepted(form: str, strategy: str) -> None:
    for seed in range(25):
        for body in bodies(random_session(seed), form, strategy):
            accepted(body, form, str(seed))


def accepted(body: dict[str, Any], form: str, name: str) -> None:
    try:
        check(body, form)
        validator(form)(body)
    except (AssertionError, ValidationError) as error:
        raise AssertionError(f"{name}: {error}") from error


def an_answer(form: str) -> dict[str, Any]:
    given = session(user("a"), runs(("c1", "out"), text="I look"), says("so"), user("b"))
    return request(build(given, 5_000, counter=CHARS), ASKING, form)


_BROKEN = {
    "anthropic": (
        lambda body: body["messages"][1].update(extra=1),
        lambda body: body["messages"][1]["content"][1].pop("id"),
        lambda body: body["messages"][1].update(role="model"),
        lambda body: body.update(max_tokens="many"),
        lambda body: body.pop("max_tokens"),
    ),
    "openai": (
        lambda body: body["messages"][1].update(extra=1),
        lambda body: body["messages"][2].pop("tool_call_id"),
        lambda body: body["messages"][1]["tool_calls"][0]["function"].update(arguments={}),
        lambda body: body.update(session_id="x"),
    ),
    "gemini": (
        lambda body: body["contents"][1].update(extra=1),
        lambda body: body["contents"][1]["parts"][1]["functionCall"].update(args="x"),
        lambda body: body["tools"][0].update(functions=[]),
        lambda body: body["generationConfig"].update(maxOutputTokens="many"),
        lambda body: body.update(session_id="x"),
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("form", "number"), [(form, n) for form, broken in _BROKEN.items() for n in range(len(broken))]
)
def test_the_models_are_strict(form: str, number: int) -> None:
    body = an_answer(form)
    validator(form)(body)
    _BROKEN[form][number](body)
    with pytest.raises((ValidationError, AssertionError)):
        validator(form)(body)
