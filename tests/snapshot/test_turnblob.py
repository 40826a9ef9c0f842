"""Turn blobs: any bytes come back, and the cut points follow from content alone."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitsession.snapshot import turnblob
from gitsession.snapshot.constants import Ranges, by_blob, in_force, update
from gitsession.snapshot.limits import CONSTANT_CHANGES, CUT_STRING, CUT_TURN
from tests.snapshot.making import FIELDS

# Pieces that look like what the codec does, so that random joins of them are hard cases.
_PIECES = st.sampled_from(
    [b'"', b"\\", b'\\"', b":", b": ", b",", b"{", b"}", b"\n", b"\r\n", b"\x00", b"\x01", b"\x02",
     b"cwd", b'"cwd":', b'"cwd":"a"', b'"cwd": "a"', b'"cwd":\x01', b'"version":"cwd"', b"a", b" ",
     b'"sessionId":"cwd":', b"\x02raw 3\n", b"\x02cut 5\n", b"\xff\xfe", b"\xe2\x80\xa8",
     b'"' + b"x" * CUT_STRING + b'"', b"y" * CUT_STRING, b'{"k":"' + b"\\\\" * CUT_STRING + b'"}']
)  # fmt: skip
_RECORD = st.lists(_PIECES, max_size=12).map(b"".join) | st.binary(max_size=40)
_LINE = _RECORD.map(lambda data: b'{"a":' + data.replace(b"\n", b"") + b"}\n")
_VALUES = st.dictionaries(
    st.sampled_from(FIELDS), st.sampled_from([b"a", b"cwd", b"x y", b'\\"', b"\xc3\xa9"])
)


def unpack(blobs: list[turnblob.Blob], values: dict[str, bytes]) -> list[bytes]:
    records = []
    steps = turnblob.replacements(values)
    for blob in blobs:
        strings = iter(blob.strings)
        for entry in turnblob.entries(blob.data):
            own = [next(strings) for _ in range(entry.marks)]
            records.append(turnblob.restore(entry, steps, own))
        assert next(strings, None) is None
    return records


@given(st.lists(_RECORD | _LINE, max_size=8), _VALUES)
@settings(max_examples=400, deadline=None)
def test_any_bytes_come_back(records: list[bytes], values: dict[str, bytes]) -> None:
    assert unpack(turnblob.pack(records, values), values) == records


@given(st.lists(_LINE, max_size=6), _VALUES, _VALUES)
@settings(deadline=None)
def test_values_do_not_change_where_records_are_whole(
    records: list[bytes], one: dict[str, bytes], other: dict[str, bytes]
) -> None:
    """The same records with other constants give other bytes but never a lost one."""
    assert unpack(turnblob.pack(records, one), one) == unpack(turnblob.pack(records, other), other)


def test_a_usual_line_stands_as_it_is_with_its_constants_lifted() -> None:
    line = b'{"cwd":"/p","sessionId": "s","n":1.10,"n":2}\n'
    (blob,) = turnblob.pack([line], {"cwd": b"/p", "sessionId": b"s"})
    assert blob.data == b'{"cwd":\x01,"sessionId": \x01,"n":1.10,"n":2}\n'
    assert blob.strings == []


@pytest.mark.parametrize(("length", "cut"), [(CUT_STRING - 1, False), (CUT_STRING, True)])
def test_strings_are_cut_out_from_4_KiB_of_raw_bytes(length: int, cut: bool) -> None:
    line = b'{"a":"' + b"x" * length + b'","b":"short"}\n'
    (blob,) = turnblob.pack([line], {})
    assert blob.strings == ([b"x" * length] if cut else [])
    assert (blob.data == b'{"a":"\x00","b":"short"}\n') is cut


def test_an_escaped_quote_does_not_end_a_string() -> None:
    long = b'say \\"hi\\" ' * 500
    (blob,) = turnblob.pack([b'{"a":"' + long + b'"}\n'], {})
    assert blob.strings == [long]


@pytest.mark.parametrize(
    "record",
    [b"\0\0\0\n", b"", b"\n\n", b'{"a":\n1}\n', b'{"a":"\x01"}\n', b"\x02cut 3\nabc", b"x\x02\n"],
)
def test_what_is_no_plain_line_is_framed(record: bytes) -> None:
    (blob,) = turnblob.pack([record, b"{}\n"], {})
    assert blob.data.startswith((b"\x02raw ", b"\x02cut "))
    assert unpack([blob], {}) == [record, b"{}\n"]


def test_an_open_tail_stands_without_a_newline_and_only_at_the_end() -> None:
    (blob,) = turnblob.pack([b"{}\n", b'{"torn":"'], {})
    assert blob.data == b'{}\n{"torn":"'
    (blob,) = turnblob.pack([b'{"torn":"', b"{}\n"], {})
    assert blob.data == b'\x02cut 9\n{"torn":"{}\n'


def test_a_record_of_several_lines_has_its_strings_cut_too() -> None:
    record = b'  {\n  "a": "' + b"z" * CUT_STRING + b'"\n },\n'
    (blob,) = turnblob.pack([record, b"{}\n"], {})
    assert blob.strings == [b"z" * CUT_STRING]
    assert unpack([blob], {}) == [record, b"{}\n"]


def test_text_that_is_not_JSON_stays_whole() -> None:
    text = b'he said "' + b"a" * CUT_STRING + b'" and left\n'
    (blob,) = turnblob.pack([text], {})
    assert blob.data == text


def test_a_large_turn_goes_on_in_the_next_blob_at_a_record() -> None:
    records = [b'{"n":"%05d%s"}\n' % (n, b"-" * 1000) for n in range(200)]
    blobs = turnblob.pack(records, {})
    assert len(blobs) > 1
    assert all(len(blob.data) <= CUT_TURN and blob.data.endswith(b"\n") for blob in blobs)
    assert b"".join(blob.data for blob in blobs) == b"".join(records)


def test_the_cut_points_do_not_depend_on_the_length_of_lifted_values() -> None:
    def sizes(value: bytes) -> list[int]:
        line = b'{"cwd":"' + value + b'","t":"' + b"-" * 900 + b'"}\n'
        return [len(blob.data) for blob in turnblob.pack([line] * 200, {"cwd": value})]

    assert sizes(b"/a") == sizes(b"/another/much/longer/folder")


def test_a_megabyte_of_escaped_quotes_is_read_in_linear_time() -> None:
    hostile = b'{"a":"' + b'\\"' * 500_000 + b"\n"
    started = time.perf_counter()
    assert unpack(turnblob.pack([hostile], {}), {}) == [hostile]
    assert time.perf_counter() - started < 2


@pytest.mark.parametrize(
    "blob",
    [b"\x02raw 10\nabc", b"\x02raw x\nabc", b"\x02", b"{}\x02\n", b"\x02raw 99999999999\n",
     b"\x02cut 3\n{\x02}", b"\x02raw 01\na"],
)  # fmt: skip
def test_damaged_blobs_are_refused(blob: bytes) -> None:
    with pytest.raises(turnblob.Damaged):
        list(turnblob.entries(blob))


def test_a_lifted_field_without_a_value_is_refused() -> None:
    (entry,) = turnblob.entries(b'{"cwd":\x01}\n')
    with pytest.raises(turnblob.Damaged, match="no value"):
        turnblob.restore(entry, turnblob.replacements({"version": b"1"}), [])


def test_expansion_is_bounded_before_memory_is_taken() -> None:
    (entry,) = turnblob.entries(b'"cwd":\x01' * 2_000_000)
    with pytest.raises(turnblob.Damaged, match="beyond"):
        turnblob.restore(entry, turnblob.replacements({"cwd": b"x" * 1024}), [])


def line(**fields: object) -> bytes:
    return json.dumps(fields, separators=(",", ":")).encode() + b"\n"


def test_constants_are_those_of_the_first_record_that_has_them() -> None:
    records = [line(a=1), line(cwd="/a", sessionId="s"), line(cwd="/b")]
    ranges = update((), 0, FIELDS, records, {})
    assert ranges == ((0, {"cwd": "/a", "sessionId": "s"}),)
    assert update(ranges, 4, FIELDS, records, {}) == ranges
    ranges = update(ranges, 7, FIELDS, [line(cwd="/b")], {})
    assert ranges[1:] == ((7, {"cwd": "/b"}),)
    values = dict(by_blob(ranges, 9, {}))
    assert values[0] == values[6] == in_force(ranges, 6, {}) == {"cwd": b"/a", "sessionId": b"s"}
    assert values[7] == values[8] == in_force(ranges, 8, {}) == {"cwd": b"/b", "sessionId": b"s"}


@given(
    st.lists(
        st.lists(
            st.sampled_from(
                (b'"', b'"xxxxxxxxxxxx', b'\\"ab":', b'"ab":', b'"ab":xxxxxxxxxx"', b":")
            )
        ).map(b"".join),
        min_size=1,
        max_size=3,
    )
)
def test_no_field_goes_unseen_in_what_is_left_of_a_record(records: list[bytes]) -> None:
    records = [b"{" + record + b"\n" for record in records]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(turnblob, "CUT_STRING", 10)
        members = turnblob.members(records, turnblob.cut(records))
    for record, left in zip(records, members, strict=True):
        assert b'"ab":' not in record or b'"ab":' in left
    assert update((), 0, ("ab",), records, {}, members) == update((), 0, ("ab",), records, {})


@pytest.mark.parametrize(
    "value", [b'""', b"1", b"null", b'"' + b"x" * 2000 + b'"', b'"\xff"', b'"open', b'"a\tb"']
)
def test_values_that_cannot_stand_in_session_yaml_are_not_lifted(value: bytes) -> None:
    assert update((), 0, ("cwd",), [b'{"cwd":' + value + b"}\n"], {}) == ()


def test_a_field_that_changes_all_the_time_stops_being_lifted() -> None:
    ranges: Ranges = ()
    for number in range(500):
        ranges = update(ranges, number, ("cwd",), [line(cwd=f"/p{number}")], {})
    assert len(ranges) == CONSTANT_CHANGES


def test_values_that_hold_from_the_start_are_not_named_again() -> None:
    start = {"cwd": b"/a", "version": b"1"}
    ranges = update((), 0, FIELDS, [line(cwd="/a", sessionId="s")], start)
    assert ranges == ((0, {"sessionId": "s"}),)
    assert in_force(ranges, 0, start) == {**start, "sessionId": b"s"}


def test_a_field_that_would_name_the_blob_is_not_lifted() -> None:
    assert update((), 0, ("from", "a b", ""), [line(**{"from": "x", "a b": "y"})], {}) == ()
