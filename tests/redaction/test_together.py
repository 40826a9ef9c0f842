"""Learning in two processes: what comes out is what one process would have made of it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from gitsession.model.finding import Redacted
from gitsession.model.record import File
from gitsession.model.session import Session
from gitsession.processes import Helper
from gitsession.redaction import Redactor, records, together
from gitsession.redaction.placeholders import Placeholders
from gitsession.redaction.scanner import Scanner, digest
from tests.redaction.made import Made, session, tool_result

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

KEY = b"k" * 32
MADE = Made(71)


@pytest.fixture(autouse=True)
def two(monkeypatch: pytest.MonkeyPatch) -> None:
    """However little there is to read, and whatever threads a test runner has."""
    monkeypatch.setattr(together, "MUCH_BYTES", 0)
    monkeypatch.setattr(together, "can_help", lambda: True)


def parts_of(*texts: str) -> list[Session]:
    return [session([tool_result(text)], start=place) for place, text in enumerate(texts)]


def alone(parts: Sequence[Session]) -> list[Redacted]:
    redactor = Redactor(KEY)
    for part in parts:
        redactor.learn(part)
    return [redactor.redact(part) for part in parts]


def by_two(parts: Sequence[Session]) -> list[Redacted]:
    redactor = Redactor(KEY)
    redactor.learn_all(parts)
    return [redactor.redact(part) for part in parts]


def assert_same(parts: Sequence[Session]) -> list[Redacted]:
    one, two = alone(parts), by_two(parts)
    assert [made.session for made in two] == [made.session for made in one]
    assert [made.findings for made in two] == [made.findings for made in one]
    return two


def all_bytes(made: Sequence[Redacted]) -> bytes:
    streams = (stream for one in made for stream in one.session.streams)
    return b"".join(record.data for stream in streams for record in stream.records)


def test_what_one_half_gives_away_is_masked_in_the_other() -> None:
    early, late = MADE.token(), MADE.token()
    texts = [f"API_KEY={early}", f"bare {late}", "words " * 20, f"bare {early}", f"API_KEY={late}"]
    kept = all_bytes(assert_same(parts_of(*texts)))
    assert early.encode() not in kept and late.encode() not in kept


def test_a_token_that_the_middle_cuts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The end of the first half and the start of the second are one token."""
    token = "ghp_" + MADE.text(36)
    learned = []
    learn = together._learn
    monkeypatch.setattr(
        together, "_learn", lambda *given: (learned.append(len(given[0])), learn(*given))[1]
    )
    kept = all_bytes(assert_same(parts_of("some words", f"see {token[:20]}", token[20:], "more")))
    assert token[:20].encode() not in kept and token[20:].encode() not in kept
    assert learned == [2, 2], "the second half was read here, too"


def test_harmless_texts_on_both_sides_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    learned = []
    learn = together._learn
    monkeypatch.setattr(
        together, "_learn", lambda *given: (learned.append(len(given[0])), learn(*given))[1]
    )
    assert_same(parts_of("one text", "two texts", "six texts", "ten texts"))
    assert len(learned) == 1 and learned[0] < 4


def test_records_that_both_have_read_are_not_hashed(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are known by their places in memory; equal bytes elsewhere are read for themselves."""
    value = MADE.token()
    parts = parts_of("one text", f"bare {value}", "six texts", f"API_KEY={value}", "ten texts")
    redactor = Redactor(KEY)
    hashed = []
    monkeypatch.setattr(records, "digest", lambda data: hashed.append(data) or digest(data))
    redactor.learn_all(parts)
    kept = all_bytes([redactor.redact(part) for part in parts])
    assert value.encode() not in kept and not hashed
    [copied] = [one.data for one in parts[3].stream().records]
    again = redactor.redact(session([copied[:1] + copied[1:]], start=5))
    assert value.encode() not in all_bytes([again]) and hashed == [copied]


def test_files_that_are_held_are_not_hashed_either(monkeypatch: pytest.MonkeyPatch) -> None:
    """In one process as in two; equal ones are read once, and masked wherever they stand."""
    value = MADE.token()
    texts = [b"harmless " * 40, f"bare {value}".encode(), b"harmless " * 40]
    parts = [
        part._replace(files=(File(f"notes-{place}.txt", bytes(bytearray(text))),))
        for place, (part, text) in enumerate(
            zip(parts_of("one", "two", f"API_KEY={value}"), texts, strict=True)
        )
    ]
    hashed: list[bytes] = []
    monkeypatch.setattr(records, "digest", lambda data: hashed.append(data) or digest(data))
    for fork in (True, False):
        redactor = Redactor(KEY)
        redactor.learn_all(parts, fork)
        made = [redactor.redact(part) for part in parts]
        assert [
            one.session.files[0].content == text for one, text in zip(made, texts, strict=True)
        ] == [True, False, True]
        assert value.encode() not in (made[1].session.files[0].content or b"")
        assert not hashed


def test_what_was_held_before_is_not_known_any_more() -> None:
    """Its places in memory may be those of others now."""
    reader = records.RecordReader(Scanner(Placeholders(KEY, frozenset())))
    held = [one.data for part in parts_of("one text") for one in part.stream().records]
    reader.hold(held, ())
    reader.records(held, {})
    assert list(reader.judged()) == [id(held[0])]
    reader.hold((), ())
    assert not reader.judged()


@pytest.mark.parametrize("failing", ["dies", "lies", "is not to be had"])
def test_without_the_other_process_it_learns_all(
    monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    def serve(*given: object) -> None:
        if failing == "lies":
            given[-1].write(b"no such thing")  # type: ignore[attr-defined]

    def none(*_: object) -> Helper:
        raise BlockingIOError

    if failing == "is not to be had":
        monkeypatch.setattr(together, "Helper", none)
    else:
        monkeypatch.setattr(together, "_serve", serve)
    value = MADE.token()
    made = by_two(parts_of(f"bare {value}", "words", "more words", f"API_KEY={value}"))
    assert value.encode() not in all_bytes(made)


def test_the_same_on_real_sessions(samples: Path) -> None:
    found = 0
    for path in sorted(samples.rglob("*.jsonl")):
        rows = path.read_bytes()[: 1 << 20].splitlines(keepends=True)
        sizes = range(0, len(rows), 7)
        made = assert_same([session(rows[place : place + 7], start=place) for place in sizes])
        found += sum(len(one.findings) for one in made)
    assert found
