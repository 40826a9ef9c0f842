"""Claw's pass before a compaction: what goes, and that no pair breaks."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from gitsession.context.build import build
from gitsession.context.entry import Entries
from gitsession.context.pairs import is_paired, repair
from gitsession.context.readable import readable
from gitsession.context.trident import _clusters, trident
from gitsession.model.message import Message, Part

from .making import CHARS, entries, random_session, says, session, user


def call(call_id: str, tool: str, path: str) -> Message:
    return Message(
        "assistant",
        (
            Part("tool_call", name=tool, call_id=call_id, input={"file_path": path}),
            Part("tool_result", f"{tool} {path}", call_id=call_id),
        ),
    )


def kept(found: Entries) -> list[int]:
    return [entry.number for entry in found if entry.kept]


def test_CL18_reads_and_writes_before_the_last_write_of_a_path_go() -> None:
    talk = entries(
        user("x" * 300), call("1", "Read", "a.py"), call("2", "Edit", "a.py"),
        call("3", "Read", "b.py"), call("4", "Write", "a.py"), call("5", "Read", "a.py"),
    )  # fmt: skip
    found = trident(talk)
    assert kept(found) == [1, 4, 5, 6]
    assert found[1].why == "a later write of the same file"


def test_CL18_words_beside_a_call_that_goes_stay() -> None:
    first = call("1", "Read", "a.py")
    both = Message("assistant", (Part("text", "I look. " * 40), *first.parts))
    found = trident(entries(user("x" * 300), both, call("2", "Write", "a.py")))
    assert [part.kind for part in found[1].message.parts] == ["text"]
    assert found[1].fate == "shortened"


@pytest.mark.parametrize(("count", "left"), [(3, 3), (4, 2), (7, 2)])
def test_CL18_four_short_messages_in_a_row_are_a_run(count: int, left: int) -> None:
    chat = [user(f"{n} " + "abcdefgh"[n] * 20) for n in range(count)]
    found = trident(entries(says("x" * 300), *chat, says("y" * 300)))
    assert len(kept(found)) == left + 2


@pytest.mark.parametrize(("length", "left"), [(199, 2), (200, 4)])
def test_CL18_short_is_less_than_two_hundred_characters(length: int, left: int) -> None:
    found = trident(entries(*(user(letter * length) for letter in "abcd")))
    assert len(kept(found)) == left


@pytest.mark.parametrize(("count", "left"), [(2, 2), (3, 1), (5, 1)])
def test_CL18_three_answers_alike_are_a_cluster(count: int, left: int) -> None:
    answer = "the tests of module seven pass and the build is clean again " * 5
    talk = [one for n in range(count) for one in (user("q" * 300 + str(n)), says(answer + str(n)))]
    found = trident(entries(*talk))
    answers = [e for e in found if e.kept and e.message.role == "assistant"]
    assert len(answers) == left
    assert answers[-1].number == 2 * count


@pytest.mark.parametrize("start", range(0, 1_000, 250))
def test_CL18_CL12_pairs_stay_whole_in_a_thousand_random_sessions(start: int) -> None:
    for seed in range(start, start + 250):
        paired = repair(readable(entries(*random_session(seed).messages)))[0]
        found = tuple(entry for entry in trident(paired) if entry.kept)
        assert is_paired(found), seed


def plainly(said: Mapping[int, frozenset[str]]) -> list[list[int]]:
    """The clusters, each answer compared with the first one of every cluster in turn."""
    found: list[tuple[frozenset[str], list[int]]] = []
    for place, words in said.items():
        for first, places in found:
            if first and words and len(first & words) * 10 >= 6 * len(first | words):
                places.append(place)
                break
        else:
            found.append((words, [place]))
    return [places for _, places in found]


_WORDS = some.frozensets(some.sampled_from([f"w{n}" for n in range(14)]), max_size=10)


@given(some.lists(_WORDS, max_size=40))
@settings(max_examples=300, deadline=None)
def test_CL18_the_index_of_words_finds_what_comparing_all_would(said: list[frozenset[str]]) -> None:
    numbered = dict(enumerate(said))
    assert _clusters(numbered) == plainly(numbered)


def test_CL18_many_different_answers_are_compared_in_linear_time() -> None:
    def seconds(count: int) -> float:
        draw = random.Random(count)
        words = [f"w{n}" for n in range(5_000)]
        said = {at: frozenset(draw.choices(words, k=60)) for at in range(count)}
        begun = time.process_time()
        assert len(_clusters(said)) == count
        return time.process_time() - begun

    small = max(min(seconds(500) for _ in range(3)), 0.005)
    assert min(seconds(4_000) for _ in range(2)) < 40 * small  # 64 times as long if all were


def test_CL18_every_loss_is_in_the_ledger() -> None:
    talk = [user("x" * 300), *(user(letter * 20) for letter in "abcdef"), says("end " * 100)]
    context = build(session(*talk), 10_000, "trident", counter=CHARS)
    lost = [line for line in context.ledger if line.fate == "dropped"]
    assert len(lost) == 4 and all("short messages in a row" in line.why for line in lost)
