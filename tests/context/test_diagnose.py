"""Why a fact is not known: each cause by a fixture of its own, the first of four that holds."""

from __future__ import annotations

import pytest

from gitsession.context.build import build
from gitsession.context.diagnose import CAUSES, Diagnosis, diagnose, missing_facts
from gitsession.model.message import Message, Part
from gitsession.model.record import File
from gitsession.model.session import Session

from .making import CHARS, runs, says, session, tokens, user


def looked(given: Session, budget: int, fact: str = "JWT", **more: object) -> Diagnosis:
    context = build(given, budget, "recent", counter=CHARS)
    return diagnose(given, context, fact, **more)  # type: ignore[arg-type]


def test_G21_a_healthy_context_says_where_the_fact_is() -> None:
    found = looked(session(user("use JWT"), says("yes")), 5_000)
    assert (found.present, found.cause, found.message) == (1, "", 1)
    assert [check.cause for check in found.checks] == list(CAUSES)


def test_G21_a_the_message_was_cut_and_not_marked() -> None:
    given = session(user("we take jwt"), *(says(tokens(100)) for _ in range(10)))
    found = looked(given, 500)
    assert (found.cause, found.message, found.present) == ("message", 1, None)
    assert found.checks[0].said == "message 1 contains it and was dropped; it is not marked as key"
    assert "REV:1 --key" in found.checks[0].advice


def test_G21_a_a_marked_message_is_said_to_be_one() -> None:
    given = session(user("we take jwt"), *(says(tokens(100)) for _ in range(10)))
    assert "it is marked as key" in looked(given, 500, keys={1}).checks[0].said


def test_G21_b_the_tool_output_that_carried_it_is_lost() -> None:
    talk = [user("look"), runs(("c7", "config: JWT")), *(says(tokens(100)) for _ in range(10))]
    found = looked(session(*talk), 500)
    assert (found.cause, found.message) == ("tool-output", 2)
    assert "show --tool-call c7" in found.checks[1].advice


def test_G21_c_the_system_prompt_was_reset() -> None:
    given = session(user("go on"))
    found = looked(given, 500, prompt="Always use JWT.")
    assert found.cause == "system-prompt"
    assert "--system-prompt" in found.checks[2].advice
    files = given._replace(instructions=(File("AGENTS.md", b"JWT only"),))
    assert "AGENTS.md" in looked(files, 500).checks[2].said


def test_G21_d_the_context_is_at_its_edge() -> None:
    given = session(*(user(tokens(90)) for _ in range(10)))
    found = looked(given, 500)
    assert found.cause == "budget"
    assert "messages are left out" in found.checks[3].said


def test_G21_what_nobody_said_is_no_fault_of_the_context() -> None:
    found = looked(session(user("hello")), 5_000)
    assert (found.cause, found.message, found.present) == ("unsaid", 0, None)


@pytest.mark.parametrize("fact", ["use  jwt", "USE JWT", "use\njwt"])
def test_facts_are_compared_without_case_and_white_space(fact: str) -> None:
    assert looked(session(user("We use\nJWT here")), 5_000, fact).present == 1


def test_G22_missing_facts_are_listed() -> None:
    given = session(
        user("use JWT"), runs(("a", "port 8080")), Message("user", (Part("text", "x"),))
    )
    context = build(given, 5_000, counter=CHARS, system="Answer in French")
    facts = ["JWT", "port 8080", "answer in french", "", "# a remark", "Redis", "cookies"]
    assert missing_facts(context, facts) == ("Redis", "cookies")
