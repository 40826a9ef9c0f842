"""Each ancestor's rule at its border values."""

from __future__ import annotations

import pytest

from gitsession.context import lobe, opencode
from gitsession.context.detect import key_messages, kind_of
from gitsession.context.entry import Entries
from gitsession.context.groups import backwards, count_window, groups
from gitsession.context.prune import CLEARED, beyond, prune
from gitsession.context.readable import readable, strip_media
from gitsession.context.tail import Limits, overflows, tail_budget, tail_start, usable
from gitsession.model.message import Message, Part, Usage
from gitsession.model.session import Todo

from .making import MEASURE, entries, runs, says, tokens, user


def numbers(found: Entries) -> list[int]:
    return [entry.number for entry in found if entry.kept]


def texts(found: Entries) -> list[str]:
    return [entry.message.text for entry in found if entry.kept]


# OpenCode


@pytest.mark.parametrize(
    ("limits", "reserved", "expected"),
    [
        (Limits(200_000, 64_000), 0, 136_000),
        (Limits(400_000, 128_000, 272_000), 0, 252_000),
        (Limits(400_000, 8_000, 272_000), 0, 264_000),
        (Limits(400_000, 128_000, 272_000), 1_000, 271_000),
        (Limits(), 0, 0),
    ],
)
def test_OC8_what_is_usable(limits: Limits, reserved: int, expected: int) -> None:
    assert usable(limits, reserved) == expected


def test_OC8_overflow_at_exactly_the_border() -> None:
    limits = Limits(200_000, 64_000)
    assert not overflows(Usage(135_000, 900, 90, 9), limits)
    assert overflows(Usage(135_000, 900, 90, 10), limits)
    assert not overflows(Usage(999_999), limits, auto=False)
    assert not overflows(Usage(999_999), Limits())


def tools_then_two_prompts(*sizes: int, tool: str = "Bash") -> Entries:
    """Tool outputs of so many tokens, oldest first, before the last two prompts."""
    calls = [runs((f"c{n}", tokens(size)), tool=tool) for n, size in enumerate(sizes)]
    return entries(user("start"), *calls, user("one"), says("yes"), user("two"))


def cleared(found: Entries) -> list[int]:
    return [
        place
        for place, entry in enumerate(found)
        if any(part.text == CLEARED for part in entry.message.parts)
    ]


def test_OC9_of_five_tools_those_beyond_forty_thousand_are_cleared() -> None:
    given = tools_then_two_prompts(*[20_000] * 5)
    found = prune(given)
    assert cleared(found) == [1, 2, 3]
    assert found[1].fate == "pruned"
    assert found[1].original == given[1].message  # the view changed, the session did not


@pytest.mark.parametrize(("oldest", "expected"), [(20_000, []), (20_001, [1])])
def test_OC9_a_gain_of_twenty_thousand_is_not_enough(oldest: int, expected: list[int]) -> None:
    given = tools_then_two_prompts(oldest, 20_000, 20_000)
    assert cleared(prune(given)) == expected
    assert len(beyond(given)) == len(expected), "the verb says the same"


def test_OC9_exactly_forty_thousand_are_protected() -> None:
    assert cleared(prune(tools_then_two_prompts(30_000, 1, 40_000))) == [1, 2]
    assert cleared(prune(tools_then_two_prompts(30_000, 1, 39_999))) == [1]


def test_OC9_skill_is_never_cleared() -> None:
    assert cleared(prune(tools_then_two_prompts(*[20_000] * 5, tool="skill"))) == []


def test_OC9_the_last_two_turns_are_left_out() -> None:
    calls = [runs((f"c{n}", tokens(50_000))) for n in range(3)]
    assert cleared(prune(entries(user("one"), *calls, user("two"), says("x")))) == []
    assert cleared(prune(entries(user("0"), *calls, user("one"), user("two")))) == [1, 2, 3]


def test_OC9_the_walk_ends_at_a_summary_and_at_what_was_cleared_before() -> None:
    old = [runs((f"c{n}", tokens(50_000))) for n in range(3)]
    summary = Message("assistant", (Part("compaction", "so far"),))
    given = entries(user("a"), *old, summary, runs(("n", tokens(50_000))), user("b"), user("c"))
    assert cleared(prune(given)) == [5]
    before = runs(("p", CLEARED))
    given = entries(user("a"), *old, before, runs(("n", tokens(50_000))), user("b"), user("c"))
    assert cleared(prune(given)) == [4, 5]


@pytest.mark.parametrize(
    ("room", "most", "expected"),
    [(4_000, 8_000, 2_000), (8_000, 8_000, 2_000), (20_000, 8_000, 5_000),
     (32_000, 8_000, 8_000), (200_000, 8_000, 8_000), (200_000, 15_000, 15_000)],
)  # fmt: skip
def test_OC11_a_quarter_within_its_limits(room: int, most: int, expected: int) -> None:
    assert tail_budget(room, most=most) == expected
    assert tail_budget(room, preserve=77) == 77


def test_OC11_the_tail_is_the_longest_ending_that_fits() -> None:
    talk = [user(tokens(96)) if n % 2 == 0 else says(tokens(96)) for n in range(10)]
    given = entries(*talk)  # each message costs exactly 100
    for budget in range(0, 1_200, 50):
        start = tail_start(given, budget, MEASURE, None)
        assert start == max(10 - budget // 100, 0), budget


def test_OC11_turns_are_two_or_as_asked_or_none() -> None:
    given = entries(*[one for n in range(5) for one in (user(f"q{n}"), says(f"a{n}"))])
    assert tail_start(given, 10_000, MEASURE) == 6
    assert tail_start(given, 10_000, MEASURE, 1) == 8
    assert tail_start(given, 10_000, MEASURE, 0) == 10
    assert tail_start(given, 10_000, MEASURE, None) == 0


def test_OC12_request_summary_tail_in_that_order() -> None:
    given = entries(*[one for n in range(5) for one in (user(f"q{n}"), says(f"a{n}"))])
    found, border = opencode.compact(given, 8_000, MEASURE)
    kept = [entry for entry in found if entry.kept]
    assert [entry.message.role for entry in kept[:2]] == ["user", "assistant"]
    assert kept[0].message.text == opencode.REQUEST
    assert texts(found)[2:] == ["q3", "a3", "q4", "a4"]
    assert border == 7


def test_OC10_an_earlier_summary_is_updated_and_ends_the_history() -> None:
    summary = Message("assistant", (Part("compaction", "JWT was chosen"),))
    given = entries(user("long ago"), summary, *[user(f"q{n}") for n in range(6)])
    found, _ = opencode.compact(given, 8_000, MEASURE)
    made = texts(found)[1]
    assert "JWT was chosen" in made
    assert "long ago" not in made


def test_OC13_the_sections_stay_even_when_empty_and_are_read_again() -> None:
    todos = (Todo("write it", "completed"), Todo("test it", "in_progress"))
    text = opencode.sections_text(entries(user("build a/b.py")), todos)
    found = opencode.parse_sections(text)
    assert tuple(found) == opencode.SECTIONS
    assert "Completed: write it" in found["Work State"]
    assert found["Relevant Files"] == "- a/b.py"
    assert set(opencode.parse_sections(opencode.sections_text(())).values()) >= {""}


def test_OC13_tool_output_of_two_thousand_characters_goes_into_a_summary() -> None:
    said = opencode.summary_input(entries(runs(("c", "A" * 2_000 + "B"))))
    assert "A" * 2_000 in said
    assert "AB" not in said


def test_OC13_media_are_named() -> None:
    native = {"type": "image", "source": {"media_type": "image/png"}}
    given = entries(Message("user", (Part("image", name="shot.png", native=native),)))
    assert texts(strip_media(given)) == ["[Attached image/png: shot.png]"]
    assert strip_media(given, keep=1) == given


def test_OC14_the_newest_prompt_is_sent_again_and_alone_it_is_not() -> None:
    talk = (user("a"), says("b"), user("c"))
    before, again = opencode.replay(talk)
    assert (before, again) == (talk[:2], talk[2])
    assert opencode.replay((user("a"),)) == ((user("a"),), None)


# LobeChat


def test_LC6_groups_are_whole_and_in_order() -> None:
    given = entries(
        user("u"), runs(("a", "1"), ("b", "2"), ("c", "3")), runs(("d", "4")),
    )  # fmt: skip
    found = count_window(given, 2)
    assert numbers(found) == [2, 3]
    assert len(found[1].message.parts) == 6


def test_LC6_neighbours_of_one_council_are_one_group() -> None:
    one, two = (Message("assistant", (Part("text", t),), extra={"group": "g"}) for t in "ab")
    given = entries(user("u"), one, two, says("end"))
    assert groups(given) == [[0], [1, 2], [3]]
    assert numbers(count_window(given, 2)) == [2, 3, 4]


def test_LC6_zero_is_none_and_a_new_message_is_one_more() -> None:
    given = entries(*[user(str(n)) for n in range(30)])
    assert numbers(count_window(given, 20)) == list(range(11, 31))
    assert numbers(count_window(given, 20, new_message=True)) == list(range(10, 31))
    assert numbers(count_window(given, 0)) == []
    assert numbers(count_window(given, -3)) == []
    assert numbers(count_window(given, 2, enabled=False)) == list(range(1, 31))


def test_LC7_backwards_until_the_first_that_does_not_fit() -> None:
    given = entries(user("early"), user(tokens(10_000)), user("x"), says("y"))
    found = backwards(given, 100, MEASURE)
    assert numbers(found) == [3, 4]
    exact = MEASURE.entries(given[2:])
    assert numbers(backwards(given, exact, MEASURE)) == [3, 4]
    assert numbers(backwards(given, exact - 1, MEASURE)) == [4]


@pytest.mark.parametrize(("estimated", "expected"), [(51_200, False), (51_201, True)])
def test_LC8_compression_starts_over_half_the_window(estimated: int, expected: bool) -> None:
    assert lobe.should_compress(estimated) is expected


def test_LC8_calls_ids_and_tools_are_counted() -> None:
    given = entries(runs(("call", "1234"), tool="Bash"))
    alone = lobe.tokens(entries(says("1234")))
    assert lobe.tokens(given) > alone
    assert lobe.tokens(given, ("x" * 400,)) == lobe.tokens(given) + 100


def test_LC8_a_trailing_prompt_is_not_compressed() -> None:
    given = entries(user("a"), says("b"), user("c"))
    assert lobe.covered(given) == [0, 1]
    found = lobe.compress(given, "so far")
    assert texts(found) == [
        "<compressed_history_summary>\nso far\n</compressed_history_summary>", "c",
    ]  # fmt: skip
    assert [entry.original for entry in found if entry.number] == [e.message for e in given]


def test_LC12_placeholder_rows_use_no_slot() -> None:
    rows = (user("..."), says("…"), says(""), Message("assistant", ()))
    given = readable(entries(user("a"), *rows, says("b"), *rows))
    assert texts(given) == ["a", "b"]
    assert texts(count_window(given, 2)) == ["a", "b"]


# Key messages


@pytest.mark.parametrize(
    ("role", "text", "kind"),
    [
        ("user", "The API must answer in 200 ms.", "requirement"),
        ("user", "Never touch the main branch", "requirement"),
        ("user", "密码必须加密保存", "requirement"),
        ("user", "不要修改数据库结构", "requirement"),
        ("assistant", "We decided on JWT instead of cookies.", "decision"),
        ("user", "let's use postgres", "decision"),
        ("assistant", "最终采用 JWT 方案", "decision"),
        ("user", "那就用 Redis", "decision"),
        ("user", "Yes, go ahead", "confirmation"),
        ("user", "好的，就这样", "confirmation"),
        ("user", "可以", "confirmation"),
        ("user", "lgtm", "confirmation"),
        ("assistant", "The tests pass.", ""),
        ("assistant", "You must be tired.", ""),
        ("user", "what is in a.py?", ""),
        ("user", "今天天气怎么样", ""),
        ("user", "可以的话看看日志里有什么", ""),
        ("user", "", ""),
    ],
)
def test_G14_the_detector_in_english_and_chinese(role: str, text: str, kind: str) -> None:
    assert kind_of(Message(role, (Part("text", text),))) == kind


def test_G14_what_was_confirmed_is_a_key_too() -> None:
    talk = [user("how?"), says("I would do it with a queue."), user("sounds good")]
    assert key_messages(talk) == {1: "proposal", 2: "confirmation"}


def test_a_huge_message_is_judged_by_its_ends() -> None:
    text = "x " * 500_000
    assert kind_of(user("You must " + text)) == "requirement"
    assert kind_of(user(text)) == ""
