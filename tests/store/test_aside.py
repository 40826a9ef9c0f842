"""A pack that a second process writes is the pack that this one would write."""

from __future__ import annotations

import errno
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from gitsession.errors import GitSessionError
from gitsession.store import Store, aside, pack
from gitsession.store.aside import PackAside
from gitsession.store.objects import object_id
from gitsession.store.pack import PackFile
from tests.builders import encoded
from tests.store.conftest import git

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

OBJECTS = [
    ("blob", b""), ("blob", b"one"), ("tree", b"100644 a\0" + bytes(20)), ("commit", b"x" * 300),
    ("blob", os.urandom(300_000)), ("blob", bytes(2_000_000)), ("blob", b"last"),
]  # fmt: skip


@pytest.fixture
def two(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a machine that has the cores, whatever threads a test runner has."""
    monkeypatch.setattr("gitsession.processes.can_help", lambda: True)


def packs(store: Store) -> list[Path]:
    return sorted((store.path / "objects" / "pack").iterdir())


def test_the_same_bytes(store: Store, tmp_path: Path) -> None:
    made = []
    for kind in (PackFile, PackAside):
        (tmp_path / kind.__name__ / "objects" / "pack").mkdir(parents=True)
        one = kind(str(tmp_path / kind.__name__))
        for word, data in OBJECTS:
            identity = object_id(word, data)
            assert identity not in one
            one.write(identity, word, data)
            assert identity in one
        assert one.read(object_id(*OBJECTS[4])) == OBJECTS[4]
        assert one.read("0" * 40) is None
        one.write(object_id("blob", b"after"), "blob", b"after")
        assert len(one.ids()) == len(OBJECTS) + 1
        keep = one.finish()
        assert one.size > 300_000
        made.append((Path(keep).name, Path(keep).with_suffix(".pack").read_bytes()))
        assert Path(keep).with_suffix(".idx").exists()
    assert made[0] == made[1]


@pytest.mark.usefixtures("two")
def test_versions_by_two_processes(store: Store) -> None:
    commits = []
    tree, parents = "", ()
    with store.writer(bulk=True, much=True) as writer:
        for number in range(300):  # more trees than the writer remembers
            files = {f"{number % 7}/{number}": b"%d" % number}
            commit, tree = writer.commit(encoded(files), tree, parents)
            parents = (commit,)
            commits.append(commit)
        assert isinstance(writer._sink._pack, PackAside)  # type: ignore[attr-defined]
    assert [path.suffix for path in packs(store)] == [".idx", ".keep", ".pack"]
    assert len(list(store.log(parents))) == 300
    git(store, "fsck", "--strict", commits[-1])


@pytest.mark.usefixtures("two")
def test_an_error_of_ours_drops_the_pack(store: Store) -> None:
    with pytest.raises(KeyError), store.writer(bulk=True, much=True) as writer:
        writer.commit(encoded({"a": os.urandom(1 << 20)}))
        raise KeyError
    assert packs(store) == []


def full(_self: object, _identity: str, _kind: str, _data: bytes) -> None:
    error = OSError(errno.ENOSPC, "No space left on device")
    raise pack.unwritable(error) from error


def dead(_self: object, _identity: str, _kind: str, _data: bytes) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.usefixtures("two")
@pytest.mark.parametrize(
    ("write", "said"), [(full, "No space left on device"), (dead, "ended too soon")]
)
@pytest.mark.parametrize("size", [1000, 4 << 20])
def test_an_error_of_the_writer_is_raised_here(
    store: Store,
    monkeypatch: pytest.MonkeyPatch,
    write: Callable[[object, str, str, bytes], None],
    said: str,
    size: int,
) -> None:
    """At the latest when the pack is to be finished; nothing is left of it."""
    monkeypatch.setattr(PackFile, "write", write)
    with pytest.raises(GitSessionError, match=said), store.writer(bulk=True, much=True) as writer:
        for _ in range(4):
            writer.commit(encoded({"a": os.urandom(size)}))
    assert packs(store) == []


@pytest.mark.usefixtures("two")
def test_where_no_process_can_be_made_this_one_writes(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no(*_: object, **_named: object) -> None:
        raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")

    monkeypatch.setattr(aside, "Helper", no)
    with store.writer(bulk=True, much=True) as writer:
        commit, _ = writer.commit(encoded({"a": b"1"}))
    assert [path.suffix for path in packs(store)] == [".idx", ".keep", ".pack"]
    assert store.version(commit).id == commit
