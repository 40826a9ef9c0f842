"""Damaged JSON lines: everything that can be understood is, everything else is counted."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitsession.agents.json_edit import edited, members
from gitsession.agents.lenient import compact, mend_surrogates, parse_line, split_objects
from gitsession.agents.pairs import pair
from gitsession.agents.times import utc_time


@pytest.mark.parametrize(
    ("data", "objects", "damaged"),
    [
        (b'{"a":1}\n', [{"a": 1}], False),
        (b'{"a":1}\r\n', [{"a": 1}], False),
        (b'\xef\xbb\xbf{"a":1}\n', [{"a": 1}], False),
        (b'{"a":1}{"b":2} {"c":3}\n', [{"a": 1}, {"b": 2}, {"c": 3}], False),
        (b'{"a":1}{"b":\n', [{"a": 1}], True),
        (b"\n", [], False),
        (b" \t\r\n", [], False),
        (b"\0\0\0\n", [], True),
        (b'\0\0{"a":1}\n', [{"a": 1}], True),
        (b"null\n", [], True),
        (b"[1]\n", [], True),
        (b"garbage\n", [], True),
        (b'{"a":"\xff"}\n', [{"a": "\ufffd"}], True),
        (b'{"a":"\xe2\x80\xa8"}\n', [{"a": "\u2028"}], False),
        (rb'{"a":"\ud83d"}', [{"a": "\ufffd"}], False),
        (rb'{"a":"\uD83D\uDE00"}', [{"a": "\U0001f600"}], False),
        (b"[" * 100_000, [], True),
        (b'{"a":' + b"1" * 5000 + b"}", [], True),
    ],
)
def test_lines(data: bytes, objects: list[object], damaged: bool) -> None:
    assert parse_line(data) == (tuple(objects), damaged)


@given(st.binary(max_size=60))
def test_any_bytes_are_a_value(data: bytes) -> None:
    for value in parse_line(data).objects:
        json.dumps(value, ensure_ascii=False).encode()


_pieces = st.sampled_from([r"\ud83d", r"\ude00", r"\uD83D", r"\uDE00", r"\\", r"\"", "x", r"\n",
                           "ud83d", r"\u0041", "é"])  # fmt: skip


@given(st.lists(_pieces, max_size=12))
def test_half_surrogates_go_and_nothing_else_changes(pieces: list[str]) -> None:
    data = ('{"a":"' + "".join(pieces) + '"}').encode()
    mended, count = mend_surrogates(data)
    before, after = json.loads(data)["a"], json.loads(mended)["a"]
    half = [letter for letter in before if "\ud800" <= letter <= "\udfff"]
    assert (len(half), len(mended)) == (count, len(data))
    assert after == "".join("\ufffd" if c in half else c for c in before)


_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)


@given(
    st.dictionaries(st.text(max_size=4), _values, max_size=5),
    st.dictionaries(st.text(max_size=4), st.none() | _values, max_size=3),
    st.sampled_from([(",", ":"), (", ", ": "), (" ,\t", " :\r\n ")]),
)
def test_members_are_changed_in_place(
    value: dict[str, object], wanted: dict[str, object], separators: tuple[str, str]
) -> None:
    text = json.dumps(value, separators=separators)
    found, parsed = members(text)
    assert parsed == value
    assert edited(text, found, {}) == text
    changes = {key: None if new is None else compact(new) for key, new in wanted.items()}
    expected = {key: wanted.get(key, old) for key, old in value.items()
                if not (key in wanted and wanted[key] is None)}  # fmt: skip
    assert json.loads(edited(text, found, changes)) == json.loads(compact(expected))


def test_a_member_that_stays_keeps_its_spelling() -> None:
    text = r'{"a": 1.10, "b":"\/", "c" : [1,  2],"a":1e3}'
    found, _ = members(text)
    assert edited(text, found, {"b": None}) == r'{"a": 1.10, "c" : [1,  2],"a":1e3}'
    assert edited(text, found, {"c": "3"}) == r'{"a": 1.10, "b":"\/", "c" : 3,"a":1e3}'
    assert edited(text, found, {"a": None}) == r'{"b":"\/", "c" : [1,  2]}'


def test_split_objects_gives_the_bytes_of_each() -> None:
    assert split_objects(b'{"a":1.10} {"b":2}\n') == (['{"a":1.10}', '{"b":2}'], False)


def test_calls_and_results_are_paired() -> None:
    found = pair(["a", "b", "c"], ["c", "x", "a", "c"])
    assert (found.missing, found.orphaned, found.doubled) == (["b"], {1}, {3})


@pytest.mark.parametrize(
    ("value", "time"),
    [
        ("2026-01-31T12:00:00.000Z", "2026-01-31T12:00:00.000Z"),
        ("2026-01-31T12:00:00Z", "2026-01-31T12:00:00.000Z"),
        ("2026-01-31T12:00:00.123456+02:00", "2026-01-31T10:00:00.123Z"),
        (1769860800, "2026-01-31T12:00:00.000Z"),
        (1769860800000, "2026-01-31T12:00:00.000Z"),
        (1769860800.5, "2026-01-31T12:00:00.500Z"),
        ("yesterday", ""),
        (None, ""),
        (True, ""),
        (1e300, ""),
        (float("nan"), ""),
    ],
)
def test_times(value: object, time: str) -> None:
    assert utc_time(value) == time


@pytest.mark.parametrize("depth", [300, 700, 900, 960, 975, 985, 995, 2000, 100_000])
def test_nesting_of_any_depth_is_read_or_called_damage(depth: int) -> None:
    for text in ("[" * depth + "]" * depth, '{"a":' * depth + "1" + "}" * depth):
        found = parse_line(b'{"a":' + text.encode() + b"}")
        assert found.damaged or len(found.objects) == 1
