"""Real agents: a session of one goes on in another, which sends the whole conversation along."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from gitsession.agents import registry
from gitsession.agents.base import Target
from gitsession.agents.pi import AGENT as PI
from gitsession.environment import Environment
from gitsession.files import make_private
from gitsession.operations.checkouts import convert
from tests.agents.contract import the_source, whole
from tests.operations.test_convert import PICTURE, of_pi

from . import test_claude, test_codex, test_copilot, test_gemini, test_opencode, test_pi, test_qwen
from .conftest import Model, User, conversation, first_call_of, newcomer, serving
from .losses import missing

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
    "opencode": test_opencode.ask_on,
    "copilot": lambda user, prompt, session: test_copilot.ask(
        user, prompt, *((f"--resume={session}",) if session else ())
    ),
}
"""One turn of an agent: the user, the prompt, the session to go on with ("" for a new one)."""

claude_user, codex_user = test_claude.claude_user, test_codex.codex_user
pi_user, gemini_user = test_pi.pi_user, test_gemini.gemini_user
qwen_user, opencode_user = test_qwen.qwen_user, test_opencode.opencode_user
copilot_user = test_copilot.copilot_user

_FIXTURES = {agent: f"{agent.partition('-')[0]}_user" for agent in ASK}
_SETTING_UP = (
    test_claude, test_codex, test_copilot, test_gemini, test_opencode, test_pi, test_qwen,
)  # fmt: skip


@dataclass(frozen=True)
class Talk:
    """A session of two turns in one agent, saved by somebody who has all of them."""

    user: User
    model: Model
    native_id: str
    base: dict[str, Any]
    messages: list[dict[str, Any]]

    def parts(self, kind: str) -> list[dict[str, Any]]:
        """What the assistant said of that kind."""
        told = [message for message in self.messages if message["role"] == "assistant"]
        return [part for message in told for part in message["parts"] if part["kind"] == kind]


@pytest.fixture(scope="module")
def talk_of(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Talk]]:
    """The talk with an agent: held once, continued in each of the others."""
    with serving(tmp_path_factory.mktemp("model"), seconds=1800) as model:
        held: dict[str, Talk] = {}

        def of(agent: str) -> Talk:
            if agent not in held:
                held[agent] = _talk(agent, newcomer(tmp_path_factory.mktemp(agent)), model)
            return held[agent]

        yield of


def _talk(agent: str, user: User, model: Model) -> Talk:
    for module in _SETTING_UP:
        module.configured(user, model)
    path = user.project / "a.py"
    first = ASK[agent](user, f"First alpha-111 [[read:{path}]][[shell:echo shell-says-hi]]", "")
    ASK[agent](user, "Second beta-222", first)
    user.gitsession("save", "--agent", agent)
    base = user.json("log")["versions"][0]
    return Talk(user, model, first, base, user.json("show", base["id"])["session"]["messages"])


@pytest.mark.parametrize(("source", "target"), list(itertools.permutations(ASK, 2)))
def test_goes_on_in_another_agent(talk_of: Callable[[str], Talk], source: str, target: str) -> None:
    talk = talk_of(source)
    user, prompt = talk.user, f"Continued from {source} in {target}"
    done = user.json("checkout", talk.base["id"], "--to", target)["checkout"]
    assert done["agent"] == target
    assert done["lost"] == missing(source, user, talk.native_id)
    assert len(done["losses"]) == len(done["lost"])

    assert ASK[target](user, prompt, done["native_id"]) == done["native_id"]
    body = first_call_of(talk.model, prompt)
    texts = [text for role, text, _ in conversation(body) if role == "user" and text]
    assert ["alpha-111" in text for text in texts].count(True) == 1
    assert ["beta-222" in text for text in texts].count(True) == 1
    sent = json.dumps(body, ensure_ascii=False)
    answers = [part["text"] for part in talk.parts("text")]
    assert len(answers) >= 2
    assert all(json.dumps(text, ensure_ascii=False)[1:-1] in sent for text in answers)
    calls = talk.parts("tool_call")
    assert len(calls) == sum(count for _, _, count in conversation(body)) >= 2
    assert all(f'"{call["name"]}"' in sent for call in calls)
    assert "hello = 1" in sent
    assert "shell-says-hi" in sent

    user.gitsession("save", done["native_id"])
    versions = user.json("log", done["branch"])["versions"]
    assert versions[0]["parents"] == [talk.base["id"]]
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
    assert sum(count for _, _, count in conversation(body)) == 2
    text = json.dumps(body)
    assert all(word in text for word in ("look at this", "I should list first", "it broke"))
    # The models that pi and Qwen Code have here take texts only; both say so in its place. Copilot
    # does not send a result's picture to such a service again.
    assert text.count(PICTURE) == {"pi": 0, "qwen": 0, "copilot": 1}.get(target, 2)
