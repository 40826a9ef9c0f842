"""Records of one session are found without reading others, whatever became of the index."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gitsession.store import records
from gitsession.store.records import Records

KEY = b"k" * 32
LONG = "a very long name " * 20


@pytest.fixture
def kept(tmp_path: Path) -> Records:
    made = Records(str(tmp_path), KEY)
    for number in range(20):
        made.write("native", f"claude/{number}", {"branch": f"s{number % 10}-00/main"})
    made.write("native", f"claude/{LONG}", {"branch": f"{LONG}/main"})
    return made


def of(kept: Records, session: str) -> list[str]:
    return sorted(name for name, _ in kept.of_session("native", session))


def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    seen: list[str] = []
    load = records._load_named
    monkeypatch.setattr(records, "_load_named", lambda path: (seen.append(path), load(path))[1])
    return seen


def test_those_of_one_session_and_no_others_are_read(
    kept: Records, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = read(monkeypatch)
    assert of(kept, "s3-00") == ["claude/13", "claude/3"]
    assert len(seen) == 2
    assert of(kept, LONG) == [f"claude/{LONG}"]
    assert of(kept, "s3") == of(kept, "") == of(kept, "s3-00/main") == []


def test_a_record_that_moved_or_went_is_not_found_where_it_was(kept: Records) -> None:
    kept.write("native", "claude/3", {"branch": "other-00/main"})
    kept.remove("native", "claude/13")
    assert of(kept, "s3-00") == []
    assert of(kept, "other-00") == ["claude/3"]
    kept.write("native", "claude/3", {"branch": "s3-00/main-2"})
    assert of(kept, "s3-00") == ["claude/3"]
    assert of(kept, "other-00") == []


def test_an_index_that_is_gone_torn_or_older_than_the_records_is_made_good(
    kept: Records, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = tmp_path / "gitsession" / "native.index"
    for damage in (None, index.read_bytes()[:-7], b"\xff\x00 rubbish\n\n  \nx", b""):
        if damage is None:
            kept.forget_index()
            assert not index.exists()
        else:
            index.write_bytes(damage)
        assert of(kept, "s3-00") == ["claude/13", "claude/3"]
        assert of(kept, LONG) == [f"claude/{LONG}"]
        seen = read(monkeypatch)
        assert of(kept, "s4-00") == ["claude/14", "claude/4"]
        assert len(seen) == 2
        monkeypatch.undo()


def test_a_write_that_says_nothing_new_adds_no_line(kept: Records, tmp_path: Path) -> None:
    index = tmp_path / "gitsession" / "native.index"
    before = index.read_bytes()
    kept.write("native", "claude/3", {"branch": "s3-00/main", "time": 5})
    assert index.read_bytes() == before
    assert before.count(b"\n") == 21


def test_names_below_a_session_are_found_by_their_files(
    kept: Records, monkeypatch: pytest.MonkeyPatch
) -> None:
    for session in ("one-00", "one-001", "two-00"):
        kept.write("findings", f"{session}/main", {"rows": []})
    kept.write("findings", f"one-00/{LONG}", {"rows": []})
    seen = read(monkeypatch)
    found = kept.names_of("findings", "one-00")
    assert sorted(found) == sorted([f"one-00/{LONG}", "one-00/main"])
    assert not any("two" in path for path in seen)


def test_a_damaged_index_is_named_and_says_nothing(kept: Records, tmp_path: Path) -> None:
    index = tmp_path / "gitsession" / "native.index"
    whole = index.read_bytes()
    assert not list(kept.bad_indexes())
    for at in (0, len(whole) // 3, len(whole) // 2, len(whole) - 1):
        data = bytearray(whole)
        data[at] ^= 0xFF
        index.write_bytes(data)
        assert [path for path, _ in kept.bad_indexes()] == ["gitsession/native.index"]
        assert of(kept, "s3-00") == ["claude/13", "claude/3"]
        assert not list(kept.bad_indexes()), "whoever looks makes it anew"
        assert of(kept, "s3-00") == ["claude/13", "claude/3"]


def test_an_index_that_says_something_else_is_named(kept: Records, tmp_path: Path) -> None:
    index = tmp_path / "gitsession" / "native.index"
    index.write_bytes(index.read_bytes().replace(b"s3-00", b"s4-00"))
    assert [path for path, _ in kept.bad_indexes()] == ["gitsession/native.index"]
    index.unlink()
    assert not list(kept.bad_indexes())


def test_a_power_cut_leaves_no_wrong_hint(
    kept: Records, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the index only what was synced when a record was written is there afterwards. A line that
    is not says nothing wrong; one that gives the record to another session must be there."""
    index = tmp_path / "gitsession" / "native.index"
    synced = [index.read_bytes()]
    monkeypatch.setattr(os, "fsync", lambda _: synced.append(index.read_bytes()))
    kept.write("native", "claude/new", {"branch": "s3-00/new"})
    assert len(synced) == 1, "what says nothing wrong costs no more"
    kept.write("native", "claude/4", {"branch": "s3-00/main-2"})
    index.write_bytes(synced[-1])
    assert of(kept, "s3-00") == ["claude/13", "claude/3", "claude/4", "claude/new"]
    index.write_bytes(synced[0].replace(b"s4-00 claude%2f4.json\n", b""))
    assert of(kept, "s3-00") == ["claude/13", "claude/3", "claude/4", "claude/new"]
