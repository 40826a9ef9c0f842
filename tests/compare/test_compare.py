"""What differs between two sessions, and that it says so whatever happened to the past."""

from __future__ import annotations

import time
import tracemalloc
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitsession.compare import compare, payload
from gitsession.errors import Ambiguous, NotFound
from gitsession.model.call import calls, find_call
from gitsession.model.diff import SessionDiff
from gitsession.model.message import Message, Part, Usage
from gitsession.model.record import File, Record, Stream
from gitsession.model.session import Counts, Info, Session, State, Todo
from gitsession.render import diff as drawn


def user(words: str, native_id: str = "", **rest: str) -> Message:
    return Message("user", (Part("text", words),), native_id=native_id, **rest)  # type: ignore[arg-type]


def answer(words: str, native_id: str = "", *more: Part) -> Message:
    return Message("assistant", (Part("text", words), *more), native_id=native_id)


def summary(words: str, native_id: str = "") -> Message:
    return Message("system", (Part("compaction", words),), native_id=native_id)


def talk(*messages: Message, **rest: object) -> Session:
    return Session(Info("claude-code", "1"), messages=messages, **rest)  # type: ignore[arg-type]


def turns(count: int, prefix: str = "") -> list[Message]:
    said = []
    for number in range(count):
        said.append(user(f"{prefix}question {number}", f"{prefix}u{number}"))
        said.append(answer(f"{prefix}answer {number}", f"{prefix}a{number}"))
    return said


def shown(diff: SessionDiff) -> str:
    return "\n".join(drawn.text(diff))


def statuses(diff: SessionDiff) -> list[tuple[str, int, int]]:
    return [(change.status, change.old_number, change.new_number) for change in diff.messages]


def test_a_session_does_not_differ_from_itself() -> None:
    session = talk(*turns(5))
    diff = compare(session, session)
    assert diff.empty and diff.unchanged == 10 and diff.summary() == "no differences"
    assert shown(diff) == "No differences."


def test_one_more_turn() -> None:
    call = Part("tool_call", name="Bash", call_id="c1", input={"command": "ls"})
    done = Part("tool_result", "a.py", call_id="c1")
    old = turns(3)
    diff = compare(talk(*old), talk(*old, user("list", "u9"), answer("here", "a9", call, done)))
    (turn,) = diff.turns
    assert (turn.status, turn.prompt, turn.old_number, turn.new_number) == ("added", "list", 0, 4)
    assert statuses(diff) == [("added", 0, 7), ("added", 0, 8)]
    assert [(c.status, c.call.outcome, c.call.message) for c in diff.calls] == [("added", "ok", 8)]
    assert diff.summary() == "1 turn added, 2 messages added, 1 tool call added"


def test_an_answer_that_was_still_being_written() -> None:
    call = Part("tool_call", name="Bash", call_id="c1", input={"command": "make"})
    done = Part("tool_result", "failed", call_id="c1", error=True)
    old = [*turns(1), user("build"), answer("I build", "", call)]
    new = [*turns(1), user("build"), answer("I build", "", call, done), answer("It failed")]
    diff = compare(talk(*old), talk(*new))
    assert statuses(diff) == [("changed", 4, 4), ("added", 0, 5)]
    (change,) = diff.calls
    assert change.old and change.new
    assert (change.status, change.old.outcome, change.new.outcome) == ("changed", "open", "error")
    assert "Bash  make  → no result yet → failed" in shown(diff)


def test_a_fork_that_copied_the_history_lines_up() -> None:
    old = turns(4)
    copied = [replace(m, native_id=m.native_id + "x", time="2026-01-01T00:00:00Z") for m in old]
    diff = compare(talk(*old), talk(*copied, user("go on", "new")))
    assert diff.unchanged == 8
    assert statuses(diff) == [("added", 0, 9)]


def test_an_edited_prompt_is_the_old_turn_gone_and_a_new_one() -> None:
    old = turns(3)
    edited = [*old[:4], user("question 2, better", "u2b"), answer("answer 2b", "a2b")]
    diff = compare(talk(*old), talk(*edited))
    assert [(t.status, t.old_number, t.new_number) for t in diff.turns] == [
        ("removed", 3, 0), ("added", 0, 3),
    ]  # fmt: skip
    assert diff.unchanged == 4


def test_the_same_message_with_other_words_is_changed() -> None:
    old = turns(2)
    new = [*old[:3], replace(old[3], parts=(Part("text", "answer 1\nwith more"),))]
    diff = compare(talk(*old), talk(*new))
    assert statuses(diff) == [("changed", 4, 4)]
    assert [t.status for t in diff.turns] == ["changed"] and diff.turns[0].prompt == "question 1"
    assert "+with more" in shown(diff)


def test_A17_a_compaction_lists_what_left_the_context() -> None:
    before = turns(200)  # 400 messages
    after = [summary("What was decided: JWT.", "s1"), *before[-12:]]
    diff = compare(talk(*before), talk(*after))
    assert diff.left is not None
    assert len(diff.left.messages) == 388
    assert diff.left.messages[0] == (1, before[0]) and diff.left.messages[-1][0] == 388
    assert diff.left.summaries == ("What was decided: JWT.",)
    assert (diff.count("messages", "removed"), diff.count("messages", "added")) == (388, 1)
    assert diff.unchanged == 12
    text = shown(diff)
    assert "388 messages left the context through a compaction" in text
    assert "  | What was decided: JWT." in text and "[1] user  question 0" in text


def test_A17_a_compaction_that_only_appended() -> None:
    before = turns(10)
    after = [*before, summary("Short.", "s1"), *turns(1, "later ")]
    diff = compare(talk(*before), talk(*after))
    assert diff.left is not None and len(diff.left.messages) == 20
    assert diff.count("messages", "removed") == 0
    # What an earlier compaction took away does not leave a second time.
    again = compare(talk(*after), talk(*after, summary("Shorter.", "s2")))
    assert again.left is not None
    assert [number for number, _ in again.left.messages] == [21, 22, 23]
    assert compare(talk(*after), talk(*after, *turns(1, "more "))).left is None


def test_what_a_compaction_carries_over_did_not_leave() -> None:
    before = turns(3)
    carried = replace(summary("", "s1"), extra={"kept": ("question 0", "question 2")})
    diff = compare(talk(*before), talk(*before, carried))
    assert diff.left is not None
    assert [number for number, _ in diff.left.messages] == [2, 3, 4, 6]
    assert "a summary that is not readable" in shown(diff)


def test_a_compaction_of_codex_keeps_what_people_typed(samples: Path) -> None:
    from gitsession.agents.codex.messages import messages

    path = samples / "codex" / "entire" / "seq-019dc0d3" / "31.jsonl"
    records = tuple(Record(line) for line in path.read_bytes().splitlines(keepends=True))
    whole = messages(Session(Info("codex", "1"), (Stream("main", records),)))
    place = next(n for n, m in enumerate(whole) if any(p.kind == "compaction" for p in m.parts))
    diff = compare(talk(*whole[:place]), talk(*whole))
    assert diff.left is not None
    asked = [m for m in whole[:place] if m.role == "user"]
    gone = [m for _, m in diff.left.messages if m.role == "user"]
    assert asked and len(gone) < len(asked) / 2
    assert any(m.role == "assistant" for _, m in diff.left.messages)


def test_A5_lone_surrogates_and_odd_values_do_not_stop_it() -> None:
    half = user("cut \ud83d here", "u1")
    odd = Part("tool_call", name="t", call_id="c", input={"a": float("nan"), "b": [1.10, "\udc00"]})
    old, new = talk(half), talk(half, Message("assistant", (odd,), native_id="a1"))
    diff = compare(old, new)
    assert statuses(diff) == [("added", 0, 2)]
    text = shown(compare(talk(), new))
    text.encode("utf-8")
    assert "cut \ufffd here" in text


def test_A16_two_children_do_not_mix() -> None:
    stem = turns(4)
    other = [*stem[:6], user("question 3'", "u3b"), answer("answer 3'", "a3b")]
    third = [*stem[:2], user("question 1''", "u1c"), answer("answer 1''", "a1c")]
    assert compare(talk(*stem), talk(*other)).unchanged == 6
    diff = compare(talk(*other), talk(*third))
    assert diff.unchanged == 2
    gone = [c.old.text for c in diff.messages if c.old is not None]
    assert "question 3'" in gone and "question 3" not in gone


def test_G12_calls_by_id() -> None:
    parts = [Part("tool_call", name="a", call_id=f"call_{n}", input=n) for n in range(3)]
    results = [Part("tool_result", f"out {n}", call_id=f"call_{n}") for n in (2, 0)]
    messages = (user("x"), Message("assistant", (*parts, *results)))
    call = find_call(messages, "call_2")
    assert (call.message, call.call.input, call.result and call.result.text) == (2, 2, "out 2")
    assert find_call(messages, "call_1").outcome == "open"
    with pytest.raises(NotFound) as none:
        find_call(messages, "call_9")
    assert none.value.exit_code == 12 and none.value.hint
    with pytest.raises(Ambiguous) as many:
        find_call(messages, "call_")
    assert many.value.candidates == ("call_0", "call_1", "call_2")
    with pytest.raises(NotFound):
        find_call(messages, "")


def test_outcomes() -> None:
    made = [
        Part("tool_result", call_id="1"), Part("tool_result", call_id="2", error=True),
        Part("tool_result", call_id="3", error=True, synthetic=True),
    ]  # fmt: skip
    asked = [Part("tool_call", call_id=str(n)) for n in range(1, 5)]
    found = [call.outcome for call in calls([Message("assistant", (*asked, *made))])]
    assert found == ["ok", "error", "interrupted", "open"]


def test_calls_without_ids_pair_in_order() -> None:
    parts = (
        Part("tool_call", name="a"), Part("tool_result", "1"),
        Part("tool_call", name="b"), Part("tool_result", "2"),
    )  # fmt: skip
    found = [
        (c.call.name, c.result and c.result.text) for c in calls([Message("assistant", parts)])
    ]
    assert found == [("a", "1"), ("b", "2")]


def test_files_todos_and_fields() -> None:
    old = talk(
        files=(File("a.py", b"1\n"), File("b.py", b"2\n"), File("c.bin", b"\0"), File("d", b"4")),
        state=State(
            (Todo("one", "pending", "1"), Todo("two", "pending", "2")), "a.py", exit_code=1
        ),
    )
    new = talk(
        files=(
            File("a.py", b"1\n2\n"), File("b.py", None, "deleted"), File("c.bin", b"\0\0"),
            File("e", None, "secret", 9), File("f", None, "deleted"), File("d", b"4"),
        ),
        state=State(
            (Todo("one!", "completed", "1"), Todo("three", "pending")), "b.py", exit_code=1
        ),
    )  # fmt: skip
    diff = compare(old, new)
    assert [(f.path, f.status) for f in diff.files] == [
        ("a.py", "changed"), ("b.py", "removed"), ("c.bin", "changed"), ("e", "added"),
    ]  # fmt: skip
    assert [(t.status, t.old_text, t.text, t.new_status) for t in diff.todos] == [
        ("removed", "", "two", ""), ("changed", "one", "one!", "completed"),
        ("added", "", "three", "pending"),
    ]  # fmt: skip
    assert [(f.name, f.old, f.new) for f in diff.fields] == [("state.active_file", "a.py", "b.py")]
    text = shown(diff)
    assert "+2" in text and "nothing → not stored (secret)" in text and "1 B → 2 B" in text


def test_only_the_active_file_changed() -> None:
    old = talk(*turns(1), state=State(active_file="a.py"))
    diff = compare(old, old._replace(state=State(active_file="b.py")))
    assert not diff.empty
    assert shown(diff) == "Metadata\n~ active file  a.py → b.py"


def test_metadata_rows_alone_are_named() -> None:
    old = talk(*turns(1), counts=Counts(records=4))
    diff = compare(old, old._replace(counts=Counts(records=6)))
    assert diff.empty and "4 → 6" in shown(diff)


def test_tokens_are_summed_in_the_stat() -> None:
    diff = compare(talk(), (talk(user("x")))._replace(usage=Usage(input=5, output=7)))
    assert list(drawn.stat(diff))[-1] == " 1 turn added, 1 message added, +12 tokens"


def test_ten_thousand_messages_in_linear_time() -> None:
    history = turns(5_000)
    edited = [m for place, m in enumerate(history) if place % 97]
    for changed in (
        [*history[:4_000], user("in the middle", "x"), *history[4_000:]],
        edited,
        history[::-1],
        [replace(m, native_id="") for m in edited],
        [user("continue")] * 10_000,
    ):
        start = time.process_time()
        compare(talk(*history), talk(*changed))
        assert time.process_time() - start < 5


IDS = st.sampled_from(["", "a", "b", "c"])
WORDS = st.sampled_from(["one", "two", "three"])
MESSAGES = st.lists(st.one_of(st.builds(user, WORDS, IDS), st.builds(answer, WORDS, IDS),
                              st.builds(summary, WORDS, IDS)), max_size=14)  # fmt: skip


@given(MESSAGES, MESSAGES)
def test_every_message_is_accounted_for(old: list[Message], new: list[Message]) -> None:
    """Old messages minus what went plus what came are the new ones, in order; turns hold the same
    changes, and going back is the mirror image."""
    diff = compare(talk(*old), talk(*new))
    gone = {c.old_number for c in diff.messages if c.old_number}
    came = {c.new_number for c in diff.messages if c.new_number}
    kept_old = [payload(m) for n, m in enumerate(old, 1) if n not in gone]
    kept_new = [payload(m) for n, m in enumerate(new, 1) if n not in came]
    assert kept_old == kept_new and diff.unchanged == len(kept_old)
    in_turns = [change for turn in diff.turns for change in turn.messages]
    assert sorted(map(repr, in_turns)) == sorted(map(repr, diff.messages))
    back = compare(talk(*new), talk(*old))
    assert len(back.messages) == 0 or diff.messages
    assert diff.empty == (not diff.messages and diff.left is None)


def test_a_giant_text_is_hashed_without_a_copy_of_it() -> None:
    words = "é and more\n" * 1_000_000
    tracemalloc.start()
    try:
        one = payload(user(words))
        assert tracemalloc.get_traced_memory()[1] < len(words) / 2
    finally:
        tracemalloc.stop()
    assert one == payload(user(words)) != payload(user(words[:-1] + "x"))
