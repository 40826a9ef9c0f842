"""Giant strings: shortened for who asks what a record says, in pieces for who reads all of it."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitsession import giants
from gitsession.agents.codex.records import exit_code, output_text
from gitsession.agents.lenient import parse_line
from gitsession.model.record import File
from gitsession.model.session import Info, Session
from gitsession.operations.saving import attach

SIZES = {"LINE": 3000, "STRING": 1000, "_KEPT": 200, "_NEAR": 50, "PIECE": 120}
SIZES["SHORTEST_PIECE"] = 60
AS_THEY_ARE = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name, size in SIZES.items():
        monkeypatch.setattr(giants, name, size)
    yield


def inside(text: str, ascii_only: bool) -> bytes:
    written = json.dumps(text, ensure_ascii=ascii_only)[1:-1]
    return written.encode("utf-8", "surrogatepass")


@pytest.mark.usefixtures("small")
@AS_THEY_ARE
@given(st.text(st.sampled_from('a \n"\\\x01é缓😀\ud83d\ude00'), max_size=400), st.booleans())
def test_pieces_cut_no_character_and_no_escape(text: str, ascii_only: bool) -> None:
    raw = inside(text, ascii_only)
    pieces = list(giants.pieces(raw, 0, len(raw)))
    assert [start for start, _ in pieces] == [0, *(end for _, end in pieces[:-1])]
    assert pieces[-1][1] == len(raw) and all(end - start <= 180 for start, end in pieces)
    whole = json.loads(b'"' + raw + b'"') if ascii_only else text
    if ascii_only or text.isascii() or not any("\ud800" <= c < "\ue000" for c in text):
        joined = "".join(giants.plain(raw[start:end]) for start, end in pieces)
        assert joined == whole


@pytest.mark.usefixtures("small")
@AS_THEY_ARE
@given(st.binary(max_size=600))
def test_pieces_of_anything_go_on(data: bytes) -> None:
    pieces = list(giants.pieces(data, 0, len(data)))
    assert b"".join(data[start:end] for start, end in pieces) == data
    assert all(start < end for start, end in pieces[:-1])


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("ascii_only", [False, True])
def test_an_outline_says_the_same_but_for_the_middle(ascii_only: bool) -> None:
    text = 'so it begins, käse 缓存 😀 "quoted" \\ and\nmore ' * 90
    value = {"a": text, "b": [1, {text[:40]: "x"}, text[::-1]], "c": "short", "é": text[:500]}
    record = json.dumps(value, ensure_ascii=ascii_only).encode() + b"\n"
    made = giants.outline(record)
    assert made is not None and len(made.data) < 3000 and len(made.giants) == 2
    seen = json.loads(giants.short(record))
    assert seen["c"] == "short" and seen["é"] == text[:500] and seen["b"][1] == {text[:40]: "x"}
    for found, whole in ((seen["a"], text), (seen["b"][2], text[::-1])):
        assert found[:60] == whole[:60] and found[-60:] == whole[-60:]
        whole_size = len(whole.encode())
        assert len(found.encode()) + giants.left_out(found.encode()) == whole_size
    for name in (b'"c"', b'"short"', record[-30:]):
        assert made.source(made.data.index(name)) == record.index(name)
    assert giants.left_out(text.encode()) == 0


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("words", ['"käse" \\ \t缓存\n', "缓存", "\n", "x"])
def test_json_in_json_stays_json(words: str) -> None:
    """What a tool answered in an envelope of JSON: its exit code is found behind the output."""
    output = words * 4000
    envelope = json.dumps({"output": output, "metadata": {"exit_code": 3, "seconds": 0.1}})
    payload = {"type": "function_call_output", "call_id": "1", "output": envelope}
    record = json.dumps({"type": "response_item", "payload": payload}).encode() + b"\n"
    (row,) = parse_line(giants.short(record)).objects
    assert len(giants.short(record)) < 1000
    assert exit_code(row["payload"]) == 3
    assert output_text(row["payload"]).startswith(output[:15])
    assert output_text(row["payload"]).endswith(output[-15:])


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("bad", [b"\t", b"\\q", b"\xff", b"\\u12"])
def test_what_is_damaged_in_the_middle_stays_damaged(bad: bytes) -> None:
    half = b"word " * 500
    for middle, damaged in ((b"", False), (bad, True)):
        record = b'{"type":"user","text":"' + half + middle + half + b'"}\n'
        assert parse_line(giants.short(record)).damaged is damaged is parse_line(record).damaged


@pytest.mark.usefixtures("small")
def test_a_torn_record_is_shortened_too() -> None:
    record = b'{"a":1}{"type":"user","text":"' + b"word \\n" * 900
    assert giants.left_out(giants.short(record)) > 0
    assert parse_line(giants.short(record)) == parse_line(record)


@pytest.mark.usefixtures("small")
def test_records_without_giants_are_left_alone() -> None:
    for record in (b"", b"{}", b"x" * 9000, b"\0" * 9000, b'["' + b'a","' * 2000 + b'"]'):
        assert giants.short(record) is record and giants.outline(record) is None


@pytest.mark.usefixtures("small")
def test_no_file_is_made_of_what_was_shortened(monkeypatch: pytest.MonkeyPatch) -> None:
    """However large a file the user wants to keep."""
    record = json.dumps({"content": "line of text\n" * 400}).encode()
    content = parse_line(giants.short(record)).objects[0]["content"].encode()
    files = (File("large.txt", content, size=len(content)), File("b", b"whole", size=5))
    part = Session(Info("claude-code", "1"), files=files, instructions=files)

    class Everything:
        config = {"capture.max_file_bytes": 1 << 40}  # noqa: RUF012
        environment = None

    monkeypatch.setattr(attach.project, "ignored", lambda *_: set())
    kept = attach.withhold(Everything(), part, "")  # type: ignore[arg-type]
    assert kept.files == (File("large.txt", None, "too large", 400 * 13), files[1])
    assert kept.instructions == files[1:]
