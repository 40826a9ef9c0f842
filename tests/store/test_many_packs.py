"""Which ids a store's packs hold, where there are hundreds of packs."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from gitsession.store import packindex
from gitsession.store.packindex import PackedIds, index_bytes

PACKS = 150
EACH = 40


def an_id(*of: object) -> str:
    return hashlib.sha1(repr(of).encode(), usedforsecurity=False).hexdigest()


def put(folder: Path, number: int, extra: tuple[str, ...] = ()) -> list[str]:
    """A pack of so many ids that nobody else has, with its index; the ids."""
    ids = [an_id(number, n) for n in range(EACH)]
    pack = folder / "objects" / "pack"
    pack.mkdir(parents=True, exist_ok=True)
    places = dict.fromkeys((*ids, *extra), (12, 0))
    (pack / f"pack-{number:04}.idx").write_bytes(index_bytes(places, bytes(20)))
    (pack / f"pack-{number:04}.pack").write_bytes(b"PACK")
    return ids


@pytest.fixture
def ids(tmp_path: Path) -> list[list[str]]:
    return [put(tmp_path, number) for number in range(PACKS)]


def test_every_id_is_found_in_its_pack_and_no_other(tmp_path: Path, ids: list[list[str]]) -> None:
    packed = PackedIds(str(tmp_path))
    for number, own in enumerate(ids):
        path = tmp_path / "objects" / "pack" / f"pack-{number:04}.pack"
        for identity in own:
            os.utime(path, (0, 0))
            assert packed.touch(identity)
            assert path.stat().st_mtime > 1
        assert not packed.touch(an_id("of no pack", number))


def test_ids_are_put_together_after_some_questions_and_found_as_before(
    tmp_path: Path, ids: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = PackedIds(str(tmp_path))
    every = [identity for own in ids for identity in own]
    assert all(map(packed.touch, every))
    searched: list[bytes] = []
    monkeypatch.setattr(packindex, "_contains", lambda _, identity: searched.append(identity))
    assert all(map(packed.touch, every))
    assert not packed.touch(an_id("of no pack"))
    assert not searched


def test_few_questions_put_nothing_together(tmp_path: Path) -> None:
    own = [put(tmp_path, number) for number in range(3)]
    packed = PackedIds(str(tmp_path))
    assert packed.touch(own[2][0]) and not packed.touch(an_id("of no pack"))
    assert not any(shelf._runs for shelf in packed._shelves.values())


def test_packs_that_come_are_seen_after_a_refresh(tmp_path: Path, ids: list[list[str]]) -> None:
    packed = PackedIds(str(tmp_path))
    assert all(packed.touch(identity) for own in ids for identity in own)
    for number in range(PACKS, PACKS + 20):
        ids.append(put(tmp_path, number))
        assert not any(map(packed.touch, ids[number]))
        packed.refresh()
        assert all(packed.touch(identity) for own in ids for identity in own[:3])
        assert all(map(packed.touch, ids[number]))


def test_a_pack_that_goes_is_forgotten(tmp_path: Path, ids: list[list[str]]) -> None:
    both = ids[7][0]
    put(tmp_path, 9, extra=(both,))
    packed = PackedIds(str(tmp_path))
    assert all(map(packed.touch, ids[7]))
    for ending in ("pack", "idx"):
        (tmp_path / "objects" / "pack" / f"pack-0007.{ending}").unlink()
    assert not packed.touch(ids[7][1]) and packed.touch(both)
    packed.refresh()
    assert not any(map(packed.touch, ids[7][1:])) and packed.touch(both)
    assert all(map(packed.touch, ids[8]))


def test_no_more_files_stay_open_than_a_process_may_have(
    tmp_path: Path, ids: list[list[str]]
) -> None:
    folder = Path("/proc/self/fd")
    if not folder.exists():
        pytest.skip("this system does not list open files")
    before = len(list(folder.iterdir()))
    packed = PackedIds(str(tmp_path))
    assert packed.touch(ids[-1][0])
    assert len(list(folder.iterdir())) - before <= packindex._MAPPED


def test_a_damaged_index_among_many_hides_none_of_the_others(
    tmp_path: Path, ids: list[list[str]]
) -> None:
    pack = tmp_path / "objects" / "pack"
    whole = (pack / "pack-0003.idx").read_bytes()
    (pack / "pack-0003.idx").write_bytes(whole[:1200])
    (pack / "pack-0004.idx").write_bytes(b"")
    (pack / "pack-0100.idx").write_bytes(whole[:1100])
    (pack / "pack-0101.idx").write_bytes(whole[:8] + b"\xff" * 1024 + whole[1032:])
    packed = PackedIds(str(tmp_path))
    sound = [own for number, own in enumerate(ids) if number not in (3, 4, 100, 101)]
    assert all(packed.touch(identity) for own in sound for identity in own)
    assert not packed.touch(an_id("of no pack"))
