"""Contexts of real sessions, and how fast they are."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from gitsession.context.build import STRATEGIES, build
from gitsession.context.tokens import Tiktoken
from gitsession.model.session import Session

from .making import runs, says, session, user
from .real_files import LONG, sessions
from .test_build import check


@pytest.fixture(scope="module")
def tiktoken(tmp_path_factory: pytest.TempPathFactory) -> Tiktoken:
    return Tiktoken("o200k_base", tmp_path_factory.mktemp("tables"))


def test_real_files_of_every_agent_at_three_budgets(samples: Path, tiktoken: Tiktoken) -> None:
    agents = set()
    for name, given in sessions(samples, every=False):
        agents.add(given.info.agent)
        for strategy in ("default", "claw", "opencode", "lobe"):
            at_three_budgets(given, strategy, tiktoken, name)
    assert len(agents) == 10


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.skipif(not LONG, reason="takes minutes: GITSESSION_LONG=1")
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_real_file_at_three_budgets(samples: Path, tiktoken: Tiktoken, strategy: str) -> None:
    for name, given in sessions(samples, every=True):
        at_three_budgets(given, strategy, tiktoken, name)


def at_three_budgets(given: Session, strategy: str, counter: Tiktoken, name: str) -> None:
    """None of the real ones has anything that does not fit."""
    for budget in (8_000, 32_000, 128_000):
        context = build(given, budget, strategy, counter=counter)
        check(given, context, counter)
        assert strategy != "default" or context == build(given, budget, counter=counter), name


def test_ten_thousand_messages_are_fast_once_counted(tiktoken: Tiktoken) -> None:
    talk = [
        one
        for n in range(3_334)
        for one in (
            user(f"question {n}: how does module {n % 97} treat case {n}? " * 3),
            runs((f"c{n}", f"line {n} of the output\n" * 20), text=f"I look at {n}."),
            says(f"Module {n % 97} treats it by rule {n}. " * 5),
        )
    ]
    given = session(*talk)
    build(given, 32_000, counter=tiktoken)
    begin = time.process_time()
    context = build(given, 32_000, counter=tiktoken)
    took = time.process_time() - begin
    check(given, context, tiktoken)
    assert took < 1
