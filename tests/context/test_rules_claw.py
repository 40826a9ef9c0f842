"""Claw Code's rules at their border values."""

from __future__ import annotations

import re

import pytest

from gitsession.context import claw
from gitsession.context.entry import Entries
from gitsession.context.lines import compress
from gitsession.context.pairs import is_paired
from gitsession.context.readable import readable
from gitsession.model.message import Message, Part

from .making import entries, random_session, runs, says, user


def of_estimate(count: int, total: int) -> Entries:
    """So many messages whose estimates (bytes / 4 + 1 each) sum up to exactly `total`."""
    each, rest = divmod(total, count)
    sizes = [each + (place < rest) for place in range(count)]
    return entries(*(user("x" * (4 * (size - 1))) for size in sizes))


@pytest.mark.parametrize(
    ("count", "total", "expected"),
    [(4, 1_000_000, False), (5, 9_999, False), (5, 10_000, True), (5, 10_001, True)],
)
def test_CL11_four_messages_never_five_from_ten_thousand_on(
    count: int, total: int, expected: bool
) -> None:
    given = of_estimate(count, total)
    assert sum(map(claw.estimate, given)) == total
    assert claw.should_compact(given) is expected


def test_CL11_bytes_count_not_characters() -> None:
    assert claw.estimate(entries(user("字" * 400))[0]) == 301


def test_CL11_only_what_follows_a_summary_counts() -> None:
    given = of_estimate(5, 10_000)
    summary = entries(Message("system", (Part("text", claw.continuation("old")),)))
    assert not claw.should_compact((*summary, *given[:4]))
    assert claw.should_compact((*summary, *given))


def test_CL12_the_border_takes_the_call_along_with_its_result() -> None:
    given = entries(user("a"), runs(("c1", "1"), ("c2", "2")), says("b"), user("c"), says("d"))
    assert claw.border(given) == 1  # d, c, b and the second result: its call comes along
    assert claw.border(given, 3) == 2
    assert claw.border(given, 0) == len(given)


@pytest.mark.parametrize("start", range(0, 1_000, 250))
def test_CL12_every_compaction_of_a_thousand_keeps_pairs(start: int) -> None:
    from gitsession.context.pairs import repair

    for seed in range(start, start + 250):
        found, _ = repair(readable(entries(*random_session(seed).messages)))
        for preserve in (0, 1, 4):
            kept = tuple(entry for entry in claw.compact(found, preserve) if entry.kept)
            assert is_paired(kept), (seed, preserve)


def long_talk() -> Entries:
    talk = [user(f"request {n} about src/mod{n}.py " + "r" * 300) for n in range(5)]
    answers = [
        runs((f"c{n}", "out " * 100), text="todo: the next thing " + "p" * 300, tool=name)
        for n, name in enumerate(("Read", "Bash", "Edit", "Bash", "Read"))
    ]
    return entries(*(one for pair in zip(talk, answers, strict=True) for one in pair))


def test_CL13_seven_parts_in_order_with_their_limits() -> None:
    lines = claw.summarise(long_talk())
    heads = [line for line in lines if re.match(r"- [A-Z][a-z ]+:|Timeline:", line)]
    assert [head.partition(":")[0].removeprefix("- ") for head in heads] == [
        "Scope", "Tools", "Recent requests", "Pending work", "Key files", "Current work",
        "Timeline",
    ]  # fmt: skip
    assert heads[0] == "- Scope: 15 earlier messages (5 user, 5 assistant, 5 tool)"
    assert heads[1] == "- Tools: Bash, Edit, Read"
    requests = lines[lines.index("- Recent requests:") + 1 :][:3]
    assert [line[4:13] for line in requests] == ["request 2", "request 3", "request 4"]
    assert {len(line) - 4 for line in requests} == {160}
    pending = lines[lines.index("- Pending work:") + 1 :][:4]
    assert [line.startswith("  - todo: the next thing") for line in pending] == [True] * 3 + [False]
    assert {len(line) - 4 for line in pending[:3]} == {160}
    current = next(line for line in lines if line.startswith("- Current work: "))
    assert len(current) - len("- Current work: ") == 200
    timeline = lines[lines.index("Timeline:") + 1 :]
    assert len(timeline) == 10
    blocks = [block for line in timeline for block in line.partition(": ")[2].split(" | ")]
    assert max(map(len, blocks)) == 160


def test_CL13_files_are_sorted_eight_at_most_and_any_case() -> None:
    names = [f"d/f{n}.PY" for n in range(6)] + ["a/x.go", "b/y.java", "c/z.rs", "plain.py", "e/n.c"]
    found = claw.key_files(entries(user(" ".join(names))))
    assert len(found) == 8
    assert found == sorted(found)
    assert "plain.py" not in found and "e/n.c" not in found
    assert claw.key_files(entries(user("e/n.c")), ("c",)) == ["e/n.c"]


def test_CL13_files_in_arguments_are_their_paths_alone() -> None:
    given = {"file_path": "/p/a.py", "command": "cat \"/p/b.go\" '/p/c.rs'"}
    call = Part("tool_call", name="Read", call_id="c", input=given)
    talk = entries(Message("assistant", (call,)))
    assert claw.key_files(talk) == ["/p/a.py", "/p/b.go", "/p/c.rs"]


def test_CL13_a_model_s_analysis_is_taken_off() -> None:
    text = "<analysis>hm</analysis>\n<summary>\nkept\n\n\n\nlines\n</summary>"
    assert claw.tidy(text) == "kept\n\nlines"


def test_CL14_twenty_compactions_stay_flat_and_small() -> None:
    talk: Entries = ()
    sizes = []
    for turn in range(20):
        fresh = entries(*(user(f"turn {turn} question {n}") for n in range(8)))
        made = tuple(entry for entry in claw.compact((*talk, *fresh)) if entry.kept)
        assert sum(bool(claw.summary_text(entry)) for entry in made) == 1
        summary = claw.summary_text(made[0])
        assert summary.count("Previously compacted:") == (1 if turn else 0)
        assert summary.count("Timeline:") == 1
        sizes.append(len(summary))
        talk = made
    assert max(sizes) < 40 * 170 + 12 * 200
    assert sizes[-1] - sizes[-2] < 200


def test_CL15_one_continuation_message_that_is_known_again() -> None:
    made = claw.compact(long_talk())
    first = made[0]
    assert (first.number, first.message.role) == (0, "system")
    assert first.message.text.startswith(claw.PREAMBLE)
    assert first.message.text.endswith(claw.ENDING[1])
    assert claw.summary_text(first).startswith("- Scope:")
    again = tuple(entry for entry in made if entry.kept)
    assert claw.compact(again) == again


@pytest.mark.parametrize("lines", [5, 22, 23, 24, 5_000])
def test_CL17_the_compressor_stays_within_its_three_limits(lines: int) -> None:
    text = "\n".join([f"some line {n} " + "y" * 200 for n in range(lines)] + ["Scope: all", "- x"])
    found = compress(text)
    shown = found.split("\n")
    assert len(found) <= 1_200
    assert len(shown) <= 24
    assert max(map(len, shown)) <= 160
    assert "Scope: all" in shown
    note = re.findall(r"\((\d+) lines left out\)", shown[-1])
    said = len(shown) - len(note)
    assert sum(map(int, note)) == lines + 2 - said


def test_CL17_repeated_lines_stand_once_whatever_their_case() -> None:
    assert compress("Same\nsame\nSAME\nother") == "Same\nother"
