"""The fact set of the bench: well made, true of its sessions, and the default ahead on it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from bench.facts import BUDGETS, KINDS, STRATEGIES, Score, fact_sets, scores
from gitsession.context.build import build
from gitsession.context.diagnose import missing_facts
from gitsession.context.tokens import Estimator, claw_estimate
from gitsession.model.message import Message

from .making import CHARS, says, session, user
from .real_files import LONG


def test_a_hundred_questions_over_ten_sessions_in_a_few_words_each() -> None:
    sets = list(fact_sets())
    facts = [fact for one in sets for fact in one.facts]
    assert len({one.path for one in sets}) >= 10
    assert len(facts) >= 100
    assert {fact.kind for fact in facts} == set(KINDS)
    assert all(fact.ask.endswith("?") and fact.needles for fact in facts)
    assert all(3 < len(needle) <= 60 for fact in facts for needle in fact.needles)
    assert len({(one.name, fact.needles) for one in sets for fact in one.facts}) == len(facts)


def test_every_fact_stands_in_its_session(samples: Path) -> None:
    for one in fact_sets():
        session = one.session(samples)
        assert session is not None, one.path
        whole = build(session, 10_000_000, "recent", counter=CHARS)
        assert not [fact.needles for fact in one.facts if not fact.kept(whole)], one.name


def test_the_default_keeps_more_facts_than_each_ancestor(samples: Path) -> None:
    small = (one for one in fact_sets() if (samples / one.path).stat().st_size < 1_100_000)
    _check_ahead(scores(small, samples, CHARS))


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.skipif(not LONG, reason="takes half a minute: GITSESSION_LONG=1")
def test_the_default_keeps_more_facts_than_each_ancestor_of_all(samples: Path) -> None:
    _check_ahead(scores(fact_sets(), samples, CHARS))


def _check_ahead(found: Iterable[Score]) -> None:
    kept = {(budget, strategy): 0 for budget in BUDGETS for strategy in STRATEGIES}
    for score in found:
        kept[score.budget, score.strategy] += len(score.kept)
    for budget in BUDGETS:
        others = [kept[budget, strategy] for strategy in STRATEGIES if strategy != "default"]
        assert kept[budget, "default"] > max(others), kept


_TOLD = (
    ("user", "登录必须使用JWT，不要用会话cookie。", "不要用会话cookie"),
    ("assistant", "我决定采用RS256签名，密钥放在keys目录。", "keys目录"),
    ("user", "接口的超时时间不能超过三秒。", "不能超过三秒"),
    ("assistant", "根本原因是时区没有转换成UTC。", "时区没有转换"),
    ("user", "可以，就按这个方案做。", "就按这个方案"),
    ("user", "数据库只能用PostgreSQL，禁止引入MySQL。", "禁止引入MySQL"),
    ("assistant", "最终方案是每晚两点做一次全量备份。", "每晚两点"),
    ("user", "日志里一定要去掉手机号。", "去掉手机号"),
)


def chinese_talk() -> list[Message]:
    """Small talk about code with eight things in it that matter, a long way apart."""
    talk = []
    for place, (role, text, _) in enumerate(_TOLD):
        talk.append(user(text) if role == "user" else says(text))
        for number in range(25):
            talk.append(user(f"看看第{place}个模块的第{number}个函数。"))
            talk.append(says(f"第{number}个函数读取记录并返回结果。" * 12))
    return talk


def test_the_default_keeps_what_matters_of_a_chinese_talk_too() -> None:
    given = session(*chinese_talk())
    kept = {
        strategy: len(_TOLD) - len(missing_facts(
            build(given, 8_000, strategy, counter=Estimator("bytes/4+1", claw_estimate)),
            [needle for _, _, needle in _TOLD],
        ))
        for strategy in STRATEGIES
    }  # fmt: skip
    assert kept["default"] == len(_TOLD) >= kept["opencode"], kept
    assert max(kept["claw"], kept["lobe"], kept["recent"]) < len(_TOLD) // 2, kept
