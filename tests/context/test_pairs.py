"""Right after each tool call stands exactly one result, whatever the session holds."""

from __future__ import annotations

import pytest

from gitsession.context.pairs import INTERRUPTED, is_paired, repair
from gitsession.model.message import Message, Part

from .making import entries, random_session, runs, user


def call(call_id: str, command: str = "ls") -> Part:
    return Part("tool_call", name="Bash", call_id=call_id, input={"command": command})


def result(call_id: str, text: str = "done") -> Part:
    return Part("tool_result", text, call_id=call_id)


def shape(*messages: Message) -> tuple[list[list[str]], tuple[str, ...]]:
    """Each kept message as `call a` / `result a text` words, and what was repaired."""
    found, said = repair(entries(*messages))
    words = [
        [
            f"{part.kind.removeprefix('tool_')} {part.call_id} {part.text}".strip()
            for part in entry.message.parts
        ]
        for entry in found
        if entry.kept
    ]
    return words, said


def test_LC11_pairs_in_order_are_left_alone() -> None:
    given = entries(user("go"), runs(("a", "1"), ("b", "2")))
    found, said = repair(given)
    assert found == given
    assert not said


def test_LC11_parallel_results_move_to_their_calls() -> None:
    words, _ = shape(Message("assistant", (call("a"), call("b", "pwd"), result("b"), result("a"))))
    assert words == [["call a", "result a done", "call b", "result b done"]]


def test_LC11_a_result_in_another_message_moves_and_is_reported() -> None:
    words, said = shape(Message("assistant", (call("a"),)), Message("user", (result("a"),)))
    assert words == [["call a", "result a done"]]
    assert "message 1: a result moved to its call" in said


def test_LC11_a_missing_result_is_made_up_and_marked() -> None:
    found, said = repair(entries(Message("assistant", (call("a"),))))
    made = found[0].message.parts[1]
    assert (made.text, made.synthetic, made.error, made.call_id) == (INTERRUPTED, True, True, "a")
    assert said == ("message 1: a call without result marked as interrupted",)


def test_LC11_doubled_and_orphaned_results_are_dropped() -> None:
    words, said = shape(
        Message("assistant", (call("a"), result("a", "first"), result("a", "second"))),
        Message("user", (result("zzz"), Part("text", "go on"))),
    )
    assert words == [["call a", "result a first"], ["text  go on"]]
    assert said == (
        "message 1: 1 result without a call dropped",
        "message 2: 1 result without a call dropped",
    )


def test_LC11_a_call_that_stands_twice_is_dropped_and_gives_its_result_away() -> None:
    words, said = shape(
        Message("assistant", (call("a"),)), Message("assistant", (call("a"), result("a")))
    )
    assert words == [["call a", "result a done"]]
    assert any("stands twice" in line for line in said)


def test_LC11_another_call_under_the_same_id_gets_its_own() -> None:
    words, _ = shape(
        Message("assistant", (call("a", "one"), result("a", "1"))),
        Message("assistant", (call("a", "two"), result("a", "2"))),
    )
    assert words == [["call a", "result a 1"], ["call a-2", "result a-2 2"]]


def test_LC11_calls_without_ids_take_results_without_ids_in_order() -> None:
    words, _ = shape(
        Message("assistant", (call("", "one"), result("", "1"), call("", "two"), result("", "2")))
    )
    texts = [word.split()[-1] for word in words[0] if word.startswith("result")]
    assert texts == ["1", "2"]


def test_a_result_made_up_by_an_adapter_gives_way_to_a_real_one() -> None:
    made = Part("tool_result", "interrupted", call_id="a", synthetic=True)
    words, _ = shape(Message("assistant", (call("a"), made, result("a", "real"))))
    assert words == [["call a", "result a real"]]


@pytest.mark.parametrize("start", range(0, 1_000, 100))
def test_LC11_CL12_a_thousand_random_sessions_are_paired(start: int) -> None:
    for seed in range(start, start + 100):
        found, _ = repair(entries(*random_session(seed).messages))
        kept = tuple(entry for entry in found if entry.kept)
        assert is_paired(kept), seed
        again, said = repair(kept)
        assert again == kept and not said, seed
