"""The detector of key messages that remembers: the same verdicts, in the next process too."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitsession.context import detect
from gitsession.context.detect import Detector, key_messages, kind_of
from gitsession.context.known_counts import KnownCounts
from gitsession.model.message import Message

from .making import random_session, says, user


def detector(path: Path, key: bytes = b"k" * 32) -> Detector:
    return Detector(KnownCounts(path, key))


def talk() -> list[Message]:
    random = [one for seed in range(60) for one in random_session(seed).messages]
    sure = [user("可以"), says("最终采用 JWT 方案"), user("You must " + "x " * 5_000), user(" ")]
    half = user("必须 \ud800")
    return [*random, *sure, half]


def test_it_says_what_the_rules_say_before_and_after(tmp_path: Path) -> None:
    path, messages = tmp_path / "v", talk()
    expected = list(map(kind_of, messages))
    assert len(set(expected)) == 4
    first = detector(path)
    assert [first.kind_of(one) for one in messages] == expected
    first.remember()
    again = detector(path)
    assert [again.kind_of(one) for one in messages] == expected
    assert key_messages(messages, again.kind_of) == key_messages(messages)


def test_the_rules_are_not_asked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, messages = tmp_path / "v", talk()
    first = detector(path)
    expected = [first.kind_of(one) for one in messages]
    first.remember()
    monkeypatch.setattr(detect, "kind_of", lambda _: pytest.fail("asked again"))
    again = detector(path)
    assert [again.kind_of(one) for one in messages] == expected


def test_other_rules_another_key_and_damage_are_judged_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "v"
    first = detector(path)
    assert first.kind_of(user("You must.")) == "requirement"
    first.remember()
    asked: list[Message] = []

    def noted(message: Message) -> str:
        asked.append(message)
        return "requirement"

    monkeypatch.setattr(detect, "kind_of", noted)
    assert detector(path).kind_of(user("You must.")) == "requirement" and not asked
    assert detector(path, b"o" * 32).kind_of(user("You must.")) and len(asked) == 1
    data = path.read_bytes()
    path.write_bytes(data[:-4] + b"\xff\xff\xff\xff")
    assert detector(path).kind_of(user("You must.")) and len(asked) == 2
    path.write_bytes(data)
    with monkeypatch.context() as patch:
        patch.setattr(detect, "_DECISION", detect._REQUIREMENT)
        assert detector(path).kind_of(user("You must.")) and len(asked) == 3


def test_no_word_of_a_text_stands_in_the_file(tmp_path: Path) -> None:
    first = detector(tmp_path / "v")
    first.kind_of(user("You must use xylophones."))
    first.remember()
    assert b"xylophones" not in (tmp_path / "v").read_bytes()
