"""Loose objects: leftovers, removed folders, young times, damage."""

from __future__ import annotations

import gc
import os
import shutil
import stat
import zlib
from pathlib import Path

import pytest

from gitsession.environment import Environment
from gitsession.errors import FormatError, GitSessionError
from gitsession.store import Store
from gitsession.store.objects import LooseObjects, object_id
from tests.builders import encoded
from tests.store.conftest import KEY
from tests.store.history_builder import grow

A = "refs/heads/s-1111/main"


def test_a_fan_out_folder_that_vanishes_is_made_again(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    loose = LooseObjects(store.folder)
    removals = []
    real = os.mkdir

    def mkdir_and_lose_it_again(path: str, mode: int = 0o777) -> None:
        real(path, mode)
        if len(removals) < 5:
            removals.append(path)
            shutil.rmtree(path)

    monkeypatch.setattr(os, "mkdir", mkdir_and_lose_it_again)
    identity = loose.put("blob", b"content")
    assert len(removals) == 5
    assert loose.read(identity) == ("blob", b"content")


def test_an_object_that_is_there_is_made_young_not_written_again(store: Store) -> None:
    loose = LooseObjects(store.folder)
    identity = loose.put("blob", b"content")
    path = loose.path(identity)
    os.utime(path, (1, 1))
    before = os.stat(path)
    loose.put("blob", b"content")
    after = os.stat(path)
    assert after.st_ino == before.st_ino
    assert after.st_mtime > 1_000_000


def test_a_durable_save_syncs_every_object_before_its_ref_moves(
    store: Store, environment: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[str] = []
    real = os.fsync

    def fsync(descriptor: int) -> None:
        synced.append(os.readlink(f"/proc/self/fd/{descriptor}"))
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    with Store.open(store.path, KEY, environment, durable=True) as durable:
        grow(durable, A, 1)
    files = list((store.path / "objects").glob("??/*"))
    assert len(synced) == len(files) + 3
    ends = ("main.lock", "pending.json", "oplog.jsonl")
    assert all(path.endswith(end) for path, end in zip(synced[-3:], ends, strict=True))
    del synced[:]
    grow(store, A, 1)
    assert synced == []


def test_a_save_reads_and_writes_as_much_in_a_long_history_as_in_a_short_one(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cost(ref: str) -> tuple[int, int]:
        tip = store.ref(ref)
        tree = store.version(tip).tree
        before = len(list((store.path / "objects").glob("??/*")))
        asked: list[str] = []
        real = store.reader.read
        with monkeypatch.context() as patch:
            patch.setattr(store.reader, "read", lambda at: asked.append(at) or real(at))
            with store.writer() as writer:
                name = f"streams/main/00/99/99-{ref.rpartition('/')[2]}.jsonl"
                commit, _ = writer.commit(encoded({name: ref.encode()}), tree, (tip,))
            with store.transaction("save") as change:
                change.move(ref, tip, commit)
        return len(asked), len(list((store.path / "objects").glob("??/*"))) - before

    grow(store, "refs/heads/s-1111/short", 150, bulk=True)
    grow(store, "refs/heads/s-1111/long", 2500, bulk=True)
    assert cost("refs/heads/s-1111/short") == cost("refs/heads/s-1111/long")


def test_a_store_that_nobody_closes_leaves_no_process(
    store: Store, environment: Environment
) -> None:
    commits = grow(store, A, 3, bulk=True)
    other = Store.open(store.path, KEY, environment)
    other.version(commits[0])
    child = other.reader._batch._child._pid
    assert Path(f"/proc/{child}").exists()
    del other
    gc.collect()
    assert not Path(f"/proc/{child}").exists()


def test_objects_are_read_only_and_private(store: Store) -> None:
    before = os.umask(0)
    try:
        loose = LooseObjects(store.folder)
        path = loose.path(loose.put("blob", b"content"))
    finally:
        os.umask(before)
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o400
    assert stat.S_IMODE(os.stat(Path(path).parent).st_mode) == 0o700


def test_a_full_disk_is_an_error_of_ours_and_leaves_nothing(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        with pytest.raises(GitSessionError, match="No space left"):
            LooseObjects(store.folder).put("blob", b"content")
    assert not list(store.path.rglob("tmp_*"))


def test_short_writes_are_continued(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.write
    monkeypatch.setattr(os, "write", lambda to, data: real(to, bytes(data[:7])))
    loose = LooseObjects(store.folder)
    data = os.urandom(5000)
    assert loose.read(loose.put("blob", data)) == ("blob", data)


def _damage(path: str, data: bytes) -> None:
    os.chmod(path, 0o600)
    Path(path).write_bytes(data)


@pytest.mark.parametrize("position", [0, 1, 10, -1])
def test_a_flipped_byte_is_named_not_a_traceback(store: Store, position: int) -> None:
    (store.path / "damaged").touch()
    commits = grow(store, A, 3)
    path = LooseObjects(store.folder).path(commits[1])
    data = bytearray(Path(path).read_bytes())
    data[position] ^= 0xFF
    _damage(path, bytes(data))
    with pytest.raises(FormatError, match=commits[1]):
        store.version(commits[1])
    seen = []
    with pytest.raises(FormatError, match=commits[1]):
        for version in store.log([commits[2]]):
            seen.append(version.id)  # noqa: PERF401
    assert seen == [commits[2]]


@pytest.mark.parametrize(
    "plain",
    [b"", b"blob", b"blob 3\0ab", b"blob 2\0abc", b"blub 3\0abc", b"blob x\0abc", b"\xff\xfe 1\0a"],
)
def test_objects_that_are_no_objects(store: Store, plain: bytes) -> None:
    (store.path / "damaged").touch()
    loose = LooseObjects(store.folder)
    identity = loose.put("blob", b"content")
    _damage(loose.path(identity), zlib.compress(plain))
    with pytest.raises(FormatError, match=identity):
        store.reader.read(identity)
    _damage(loose.path(identity), b"")
    with pytest.raises(FormatError, match=identity):
        store.reader.read(identity)


def test_a_commit_that_lies_about_its_size_hides_no_other_branch(store: Store) -> None:
    (store.path / "damaged").touch()
    commits = [*grow(store, A, 1), *grow(store, "refs/heads/s-2222/main", 1)]
    loose = LooseObjects(store.folder)
    _damage(loose.path(commits[0]), zlib.compress(b"commit 999\0tree"))
    assert [tip.id for tip in store.tips()] == [commits[1]]


def test_an_object_that_unpacks_to_gigabytes_is_refused(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    (store.path / "damaged").touch()
    monkeypatch.setattr("gitsession.store.objects.MAX_SIZE", 1 << 16)
    loose = LooseObjects(store.folder)
    identity = loose.put("blob", b"x")
    _damage(loose.path(identity), zlib.compress(b"blob 9999999\0" + bytes(9_999_999)))
    with pytest.raises(FormatError, match="too large"):
        loose.read(identity)


def test_a_missing_object_is_named(store: Store) -> None:
    missing = object_id("blob", b"never stored")
    with pytest.raises(FormatError, match=f"{missing} is missing"):
        store.reader.read(missing)
    with pytest.raises(FormatError, match="not the id"):
        store.reader.read("../../etc/passwd")
