"""Writing native sessions: nothing is overwritten, nothing lies outside, whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gitsession.errors import Conflict
from gitsession.operations.native_files import is_untouched, keyed_hash, place, remove

KEY = b"k" * 32


def test_files_are_private_and_whole(tmp_path: Path) -> None:
    home = tmp_path / "agent"
    main = home / "projects" / "x" / "a.jsonl"
    place({home / "side" / "t.txt": b"t", main: b"{}\n"}, home)
    assert main.read_bytes() == b"{}\n"
    assert main.stat().st_mode & 0o777 == 0o600
    assert main.parent.stat().st_mode & 0o777 == 0o700
    assert sorted(os.listdir(main.parent)) == ["a.jsonl"]


def test_an_existing_file_is_never_overwritten_and_the_rest_is_taken_back(tmp_path: Path) -> None:
    main = tmp_path / "a.jsonl"
    main.write_bytes(b"old")
    with pytest.raises(Conflict):
        place({tmp_path / "b.jsonl": b"b", main: b"new"}, tmp_path)
    assert main.read_bytes() == b"old"
    assert sorted(os.listdir(tmp_path)) == ["a.jsonl", "home"]


@pytest.mark.parametrize("path", ["../out.jsonl", "link/out.jsonl", "a/../../out.jsonl"])
def test_nothing_is_written_outside_of_the_agents_folder(tmp_path: Path, path: str) -> None:
    home = tmp_path / "agent"
    outside = tmp_path / "elsewhere"
    home.mkdir()
    outside.mkdir()
    (home / "link").symlink_to(outside)
    with pytest.raises(Conflict):
        place({home / path: b"x"}, home)
    assert not list(tmp_path.glob("**/out.jsonl"))


def test_untouched_means_exactly_the_bytes(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"abc")
    mac = keyed_hash(KEY, b"abc")
    assert is_untouched(str(path), 3, mac, KEY)
    path.write_bytes(b"abcd")
    assert not is_untouched(str(path), 3, mac, KEY)
    path.write_bytes(b"abd")
    assert not is_untouched(str(path), 3, mac, KEY)
    path.unlink()
    assert not is_untouched(str(path), 3, mac, KEY)


def test_remove_takes_only_what_it_was_given_and_empty_folders(tmp_path: Path) -> None:
    home = tmp_path / "agent"
    place({home / "p" / "a": b"1", home / "q" / "b": b"2", home / "q" / "c": b"3"}, home)
    outside = tmp_path / "keep"
    outside.write_bytes(b"")
    remove([str(home / "p" / "a"), str(home / "q" / "b"), str(outside), str(home / "none")], home)
    assert sorted(path.name for path in home.rglob("*")) == ["c", "q"]
    assert outside.exists()
