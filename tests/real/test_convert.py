"""Real agents: a session of one goes on in another, which sends the whole conversation along."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from typing import Any

import pytest

from gitsession.agents import registry
from gitsession.agents.base import Target
from gitsession.agents.pi import AGENT as PI
from gitsession.environment import Environment
from gitsession.files import make_private
from gitsession.operations import convert
from tests.agents.contract import the_source, whole
from tests.operations.test_convert import PICTURE, of_pi

from . import test_claude, test_codex, test_gemini, test_pi, test_qwen
from .conftest import Model, User, conversation, first_call_of

ASK: dict[str, Callable[[User, str, str], str]] = {
    "claude-code": lambda user, prompt, session: test_claude.ask(
        user, prompt, *(("--resume", session) if session else ())
    ),
    "codex": lambda user, prompt, session: test_codex.ask(
        user, *(("resume", session) if session else ()), prompt
    ),
    "pi": lambda user, prompt, session: test_pi.ask(
        user, prompt, *(("--session", session) if session else ())
    ),
    "gemini": lambda user, prompt, session: test_gemini.ask(
        user, prompt, *(("-r", session) if session else ())
    ),
    "qwen": lambda user, prompt, session: test_qwen.ask(
        user, prompt, *(("--resume", session) if session else ())
    ),
}
"""One turn of an agent: the user, the prompt, the session to go on with ("" for a new one)."""

claude_user, codex_user = test_claude.claude_user, test_codex.codex_user
pi_user, gemini_user = test_pi.pi_user, test_gemini.gemini_user
qwen_user = test_qwen.qwen_user

_FIXTURES = {agent: f"{agent.partition('-')[0]}_user" for agent in ASK}


@pytest.fixture
def of_both(request: pytest.FixtureRequest, source: str, target: str) -> User:
    """A user of both agents."""
    variables: dict[str, str] = {}
    for agent in (source, target):
        user: User = request.getfixturevalue(_FIXTURES[agent])
        variables.update(user.variables)
    user.variables = variables
    return user


def results_in(body: dict[str, Any]) -> int:
    return sum(count for _, _, count in conversation(body))


@pytest.mark.parametrize(("source", "target"), list(itertools.permutations(ASK, 2)))
def test_goes_on_in_another_agent(of_both: User, model: Model, source: str, target: str) -> None:
    user, path = of_both, of_both.project / "a.py"
    first = ASK[source](user, f"First alpha-111 [[read:{path}]][[shell:echo shell-says-hi]]", "")
    ASK[source](user, "Second beta-222", first)
    user.gitsession("save", "--agent", source)
    base = user.json("log")["versions"][0]
    done = user.json("checkout", "HEAD", "--to", target)["checkout"]
    assert done["agent"] == target
    assert all(sentence.split()[0].isdigit() for sentence in done["losses"])

    continued = ASK[target](user, "Continued delta-444", done["native_id"])
    assert continued == done["native_id"]
    body = first_call_of(model, "Continued delta-444")
    said = conversation(body)
    texts = [text for role, text, _ in said if role == "user" and text]
    assert ["alpha-111" in text for text in texts].count(True) == 1
    assert ["beta-222" in text for text in texts].count(True) == 1
    whole = json.dumps(body, ensure_ascii=False)
    own = user.json("show", base["id"])["session"]["messages"]
    answers = [part["text"] for message in own if message["role"] == "assistant"
               for part in message["parts"] if part["kind"] == "text"]  # fmt: skip
    assert len(answers) >= 2
    assert all(json.dumps(text, ensure_ascii=False)[1:-1] in whole for text in answers)
    calls = [part for message in own for part in message["parts"] if part["kind"] == "tool_call"]
    assert len(calls) == results_in(body) >= 2
    assert all(f'"{call["name"]}"' in whole for call in calls)
    assert "hello = 1" in whole
    assert "shell-says-hi" in whole

    user.gitsession("save", done["native_id"])
    versions = user.json("log", done["branch"])["versions"]
    assert versions[0]["parents"] == [base["id"]]
    assert len(versions) == 3
    user.run("git", "-C", user.gitsession("dir").strip(), "fsck", "--strict")


@pytest.mark.parametrize("target", list(ASK))
def test_pictures_failures_and_thoughts_are_taken(
    request: pytest.FixtureRequest, user: User, model: Model, target: str
) -> None:
    """Two calls at once, the second failed, a picture in the prompt and in a result."""
    request.getfixturevalue(_FIXTURES[target])
    stored = whole(PI.read(the_source(PI, of_pi().save(user.home))))
    prepared = convert.prepare(stored, PI.messages(stored))
    environment = Environment({}, user.home, str(user.project))
    place = Target(str(user.project), title="Named")
    made = convert.compose(registry.get(target), prepared, stored, place, environment)
    for path, data in made.written.files.items():
        make_private(path.parent)
        path.write_bytes(data)
    native_id = made.written.native_id
    assert ASK[target](user, "Continued omega-777", native_id) == native_id
    body = first_call_of(model, "Continued omega-777")
    assert results_in(body) == 2
    text = json.dumps(body)
    assert all(word in text for word in ("look at this", "I should list first", "it broke"))
    # The models that pi and Qwen Code have here take texts only; both say so in its place.
    assert text.count(PICTURE) == (0 if target in ("pi", "qwen") else 2)
