"""Making a store, and telling ours from any other folder."""

from __future__ import annotations

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from gitsession.environment import Environment
from gitsession.errors import Conflict, FormatError, StoreNotFound
from gitsession.store import Store
from tests.builders import clean
from tests.store.conftest import KEY, git


def test_a_new_store_is_private_bare_and_without_hooks(store: Store) -> None:
    for parent, folders, names in os.walk(store.path):
        for name in folders:
            assert stat.S_IMODE(os.stat(os.path.join(parent, name)).st_mode) == 0o700
        for name in names:
            assert stat.S_IMODE(os.stat(os.path.join(parent, name)).st_mode) & 0o077 == 0
    assert stat.S_IMODE(os.stat(store.path).st_mode) == 0o700
    assert [hook.name for hook in (store.path / "hooks").iterdir()] == ["pre-push"]
    assert git(store, "rev-parse", "--is-bare-repository").strip() == "true"
    for key, value in {
        "gc.auto": "0", "gc.pruneExpire": "never", "receive.fsckObjects": "true",
        "transfer.fsckObjects": "true", "core.logAllRefUpdates": "false",
        "core.hooksPath": "hooks",
    }.items():  # fmt: skip
        assert git(store, "config", "--local", key).strip() == value


def test_create_opens_what_is_there_and_open_never_creates(
    environment: Environment, tmp_path: Path
) -> None:
    path = tmp_path / "deep" / "er" / "store.git"
    with pytest.raises(StoreNotFound) as caught:
        Store.open(path, KEY, environment)
    assert caught.value.hint
    assert not path.exists()
    Store.create(path, KEY, environment)
    (path / "gitsession" / "note").write_text("still here")
    Store.create(path, KEY, environment)
    assert (path / "gitsession" / "note").exists()
    assert Store.open(path, KEY, environment).path == path


def test_an_empty_folder_becomes_a_store(environment: Environment, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    Store.create(tmp_path / "empty", KEY, environment)
    Store.open(tmp_path / "empty", KEY, environment)


def test_a_folder_with_something_in_it_is_left_alone(
    environment: Environment, tmp_path: Path
) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "HEAD").write_text("ref: refs/heads/main\n")
    with pytest.raises(StoreNotFound):
        Store.open(folder, KEY, environment)
    with pytest.raises(Conflict):
        Store.create(folder, KEY, environment)
    assert os.listdir(folder) == ["HEAD"]


def test_a_newer_format_is_refused_untouched(store: Store, environment: Environment) -> None:
    marker = store.path / "gitsession" / "format"
    marker.write_text("gitsession store 2\n")
    before = sorted((path, path.stat().st_mtime_ns) for path in store.path.rglob("*"))
    for door in (Store.open, Store.create):
        with pytest.raises(FormatError, match="format 2"):
            door(store.path, KEY, environment)
    assert before == sorted((path, path.stat().st_mtime_ns) for path in store.path.rglob("*"))


@pytest.mark.parametrize("text", ["", "\0\0\0", "gitsession store one", "something else 1"])
def test_a_damaged_marker_is_named(store: Store, environment: Environment, text: str) -> None:
    (store.path / "gitsession" / "format").write_text(text)
    with pytest.raises(FormatError, match="marker"):
        Store.open(store.path, KEY, environment)


def test_eight_makers_of_one_store_make_one(environment: Environment, tmp_path: Path) -> None:
    path = tmp_path / "race" / "store.git"
    with ThreadPoolExecutor(8) as pool:
        stores = list(pool.map(lambda _: Store.create(path, KEY, environment), range(8)))
    assert len({store.path for store in stores}) == 1
    assert os.listdir(tmp_path / "race") == ["store.git"]


def test_the_author_is_fixed_when_the_store_is_made(
    environment: Environment, tmp_path: Path
) -> None:
    path = tmp_path / "s.git"
    named = Store.create(path, KEY, environment, clean("Ann <Example\n <ann@example.org>"))
    assert named.author == "Ann <ann@example.org>" or "\n" not in named.author
    again = Store.create(path, KEY, environment, clean("Bob <bob@example.org>"))
    assert again.author == named.author
    plain = Store.create(tmp_path / "t.git", KEY, environment, clean("Ann <ann@example.org>"))
    assert plain.author == "Ann <ann@example.org>"
    assert Store.create(tmp_path / "u.git", KEY, environment).author.endswith("@localhost>")
