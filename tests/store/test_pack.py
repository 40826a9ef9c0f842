"""Bulk writing: packs that git accepts, `.keep` while it is needed, reading them back."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gitsession.environment import Environment
from gitsession.errors import FormatError
from gitsession.store import Store, reader
from gitsession.store.packindex import PackedIds, ids_with_prefix
from tests.builders import encoded
from tests.store.conftest import KEY, git
from tests.store.history_builder import grow

A = "refs/heads/s-1111/main"


def _packs(store: Store, ending: str) -> list[Path]:
    return sorted((store.path / "objects" / "pack").glob(f"pack-*.{ending}"))


def test_the_keep_stands_from_before_the_pack_until_the_refs_have_moved(store: Store) -> None:
    with store.writer(bulk=True) as writer:
        commit, _ = writer.commit(encoded({"a": b"1"}))
        assert not _packs(store, "pack")
        writer.flush()
        assert len(_packs(store, "pack")) == len(_packs(store, "keep")) == 1
        git(store, "gc", "--prune=now", "-q")
        with store.transaction("save") as change:
            change.move(A, "", commit)
    assert not _packs(store, "keep")
    assert store.version(commit).id == commit


def test_the_keep_is_made_before_the_pack_appears(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    order = []
    real = os.rename

    def rename(source: str, target: str) -> None:
        order.append((target.rpartition(".")[2], bool(_packs(store, "keep"))))
        real(source, target)

    monkeypatch.setattr(os, "rename", rename)
    with store.writer(bulk=True) as writer:
        writer.commit(encoded({"a": b"1"}))
    assert order == [("keep", False), ("pack", True), ("idx", True)]


def test_a_pack_is_full_at_its_limits(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gitsession.store.writer.MAX_VERSIONS", 10)
    with store.writer(bulk=True) as writer:
        tree, parents, flushes = "", (), 0
        for n in range(35):
            commit, tree = writer.commit(encoded({f"{n}": b"%d" % n}), tree, parents)
            parents = (commit,)
            if writer.full:
                flushes += 1
                writer.flush()
                with store.transaction("save") as change:
                    change.move(A, store.ref(A), commit)
                assert not _packs(store, "keep")
    assert flushes == 3
    assert len(_packs(store, "pack")) == 4
    assert len(list(store.log(parents))) == 35
    monkeypatch.setattr("gitsession.store.sinks.MAX_BYTES", 1 << 20)
    with store.writer(bulk=True) as writer:
        writer.commit(encoded({"big": os.urandom(1 << 20)}))
        assert writer.full


def test_a_bulk_save_that_nobody_flushes_stays_within_its_limits(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gitsession.store.writer.MAX_VERSIONS", 10)
    with store.writer(bulk=True) as writer:
        for n in range(25):
            writer.commit(encoded({f"{n}": b"x"}))
    assert len(_packs(store, "pack")) == len(_packs(store, "keep")) == 3


def test_an_error_drops_the_unfinished_pack(store: Store) -> None:
    with pytest.raises(KeyError), store.writer(bulk=True) as writer:
        writer.commit(encoded({"a": b"1"}))
        raise KeyError
    assert not list((store.path / "objects" / "pack").iterdir())


def test_what_the_store_has_is_not_packed_again(store: Store) -> None:
    content = os.urandom(100_000)
    with store.writer(bulk=True) as writer:
        writer.commit(encoded({"a": content}))
    for bulk in (True, False):
        with store.writer(bulk) as writer:
            writer.commit(encoded({"b": content}))
    everything = [path for path in (store.path / "objects").rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in everything) < 110_000


def test_packed_ids_are_found_by_whole_and_by_prefix(store: Store) -> None:
    commits = grow(store, A, 300, bulk=True)
    packed = PackedIds(store.folder)
    assert all(packed.touch(commit) for commit in commits)
    assert not packed.touch("0" * 40)
    assert not packed.touch("f" * 40)
    listed = git(store, "cat-file", "--batch-all-objects", "--batch-check").split("\n")
    every = sorted(line[:40] for line in listed if line)
    for length in (2, 3, 4, 7):
        for commit in commits[:40]:
            prefix = commit[:length]
            expected = [identity for identity in every if identity.startswith(prefix)]
            assert ids_with_prefix(store.folder, prefix) == expected


@pytest.mark.parametrize("way", ["git", "pygit2", "dulwich"])
def test_packed_trees_are_read_with_and_without_git(
    store: Store, environment: Environment, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    commits = grow(store, A, 30, bulk=True)
    git(store, "repack", "-adfq")
    variables = dict(environment.variables)
    if way != "git":
        variables["PATH"] = "/nonexistent"
        monkeypatch.setattr(reader, "_library", getattr(reader, f"_{way}_lookup"))
    with Store.open(store.path, KEY, Environment(variables, environment.home, "/")) as other:
        assert bool(other.git_program) == (way == "git")
        assert [version.id for version in other.log([commits[-1]])] == commits[::-1]
        assert [version.id for version in other.log([commits[-1]], 5, 3)] == commits[-4:-9:-1]
        assert dict(other.tree(commits[20])) == dict(store.tree(commits[20]))
        with pytest.raises(FormatError, match="missing"):
            other.reader.read("1" * 40)
        grown = grow(other, A, 1)
        assert other.version(grown[0]).parents == (commits[-1],)
        assert other.is_ancestor(commits[0], grown[0])
        assert not other.is_ancestor(grown[0], commits[0])


@pytest.mark.parametrize("way", ["git", "pygit2", "dulwich"])
def test_a_damaged_pack_is_an_error_of_ours(
    store: Store, environment: Environment, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    (store.path / "damaged").touch()
    commits = grow(store, A, 20, bulk=True)
    (pack,) = _packs(store, "pack")
    data = bytearray(pack.read_bytes())
    for position in range(12, len(data) - 20):
        data[position] ^= 0xFF
    pack.chmod(0o600)
    pack.write_bytes(data)
    variables = dict(environment.variables)
    if way != "git":
        variables["PATH"] = "/nonexistent"
        monkeypatch.setattr(reader, "_library", getattr(reader, f"_{way}_lookup"))
    with Store.open(store.path, KEY, Environment(variables, environment.home, "/")) as other:
        for commit in commits[-3:]:
            with pytest.raises(FormatError):
                other.version(commit)
        assert other.tips() == []


def test_a_good_pack_makes_up_for_a_damaged_loose_object(store: Store) -> None:
    (store.path / "damaged").touch()
    (commit,) = grow(store, A, 1)
    git(store, "repack", "-adq")
    loose = store.path / "objects" / commit[:2] / commit[2:]
    loose.parent.mkdir(exist_ok=True)
    loose.write_bytes(b"rubbish")
    assert store.version(commit).id == commit
