"""One flipped byte anywhere in a store: an error of ours or none, never a traceback or a hang."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from gitsession.environment import Environment
from gitsession.errors import GitSessionError
from gitsession.store import Store, care, remotes
from gitsession.store.revisions import resolve
from tests.builders import clean
from tests.store.conftest import KEY, git
from tests.store.history_builder import grow

A, B, C = "refs/heads/s-1111/main", "refs/heads/s-2222/main", "refs/heads/s-3333/main"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with loose objects, a pack, packed refs, every kind of record, a torn change."""
    folder = tmp_path_factory.mktemp("whole")
    environment = Environment({"PATH": _path()}, folder, "/")
    with Store.create(folder / "store.git", KEY, environment) as store:
        grow(store, A, 8, bulk=True)
        grow(store, B, 2)
        git(store, "pack-refs", "--all")
        grow(store, C, 1)
        with store.transaction("checkout", "/p") as change:
            change.head("/p", "s-1111/main", clean("p"))
            change.note(why=clean("because"))
        remotes.add(store, clean("origin"), clean("https://example.org/r.git"))
        store.records.write("native", "claude/aaaa-1111", {"branch": "s-1111/main"})
        rows = {"rows": ["s-1111", "s-2222"]}
        store.records.write("listed", store.records.directory("/p"), rows)
        tip = store.ref(C)
        entry = {
            "id": 5, "time": 5, "verb": "tag", "refs": [["refs/tags/s-3333/t", "", tip]],
            "heads": [[store.records.directory("/q"), "", "s-3333/main", "q"]],
            "kept": [["refs/gitsession/undo/5/1", tip]],
        }  # fmt: skip
        (store.path / "gitsession/pending.json").write_text(json.dumps(entry) + "\n")
    return folder / "store.git"


def _path() -> str:
    return os.environ["PATH"]


USES: tuple[Callable[[Store], object], ...] = (
    lambda store: store.refs(),
    lambda store: store.tips(),
    lambda store: [list(store.log([at])) for at in store.refs("refs/heads/").values()],
    lambda store: [dict(store.tree(at)) for at in store.refs("refs/heads/").values()],
    lambda store: [store.is_own(at) for at in store.refs("refs/heads/").values()],
    lambda store: list(store.operations()),
    lambda store: resolve(store, "HEAD", "/p"),
    lambda store: resolve(store, "@2", "/p"),
    lambda store: resolve(store, "aaaa-1111"),
    lambda store: remotes.every(store),
    lambda store: grow(store, B, 1),
    lambda store: grow(store, A, 1),
    lambda store: care.sweep(store),
    lambda store: care.fsck(store),
)


_FILES = (
    "objects/pack/*.pack", "objects/pack/*.idx", "objects/??/*", "packed-refs",
    "refs/heads/s-3333/main", "config", "HEAD", "gitsession/format", "gitsession/author",
    "gitsession/oplog.jsonl", "gitsession/pending.json", "gitsession/heads/*",
    "gitsession/native/*", "gitsession/listed/*",
)  # fmt: skip


@pytest.mark.parametrize("place", [0.0, 0.3, 0.6, 0.98])
@pytest.mark.parametrize("pattern", _FILES)
def test_a_flipped_byte_is_never_a_traceback(
    whole: Path, tmp_path: Path, pattern: str, place: float
) -> None:
    for number, found in enumerate(sorted(whole.glob(pattern))[:4]):
        copy = tmp_path / f"{number}.git"
        shutil.copytree(whole, copy)
        file = copy / found.relative_to(whole)
        data = bytearray(file.read_bytes())
        data[int(len(data) * place)] ^= 0xFF
        file.chmod(0o600)
        file.write_bytes(data)
        _use(copy, tmp_path)


def _use(folder: Path, home: Path) -> None:
    try:
        store = Store.open(folder, KEY, Environment({"PATH": _path()}, home, "/"))
    except GitSessionError:
        return
    with store:
        for use in USES:
            try:
                use(store)
            except GitSessionError as error:
                assert str(error)
        with store.lock("maintenance", timeout=20):
            pass


def test_the_undamaged_store_works_and_its_torn_change_is_finished(
    whole: Path, tmp_path: Path
) -> None:
    shutil.copytree(whole, tmp_path / "copy.git")
    with Store.open(
        tmp_path / "copy.git", KEY, Environment({"PATH": _path()}, tmp_path, "/")
    ) as store:
        for use in USES:
            use(store)
        assert store.ref("refs/tags/s-3333/t") == store.ref(C)
        assert store.head("/q") == "s-3333/main"
        assert care.fsck(store) == []
