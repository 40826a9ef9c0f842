"""Files replaced whole, and what killed writers of them leave."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gitsession import files
from gitsession.operations import native_files


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "folder"
    made.mkdir()
    return made


def a_dead_process() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_what_a_killed_writer_left_is_removed_by_the_next_one(folder: Path) -> None:
    dead, alive = a_dead_process(), os.getppid()
    (folder / f"a.json.tmp{dead}").write_bytes(b"half")
    others = {f"a.json.tmp{alive}", f"b.json.tmp{dead}", "a.json.tmp", "a.json.tmpx", "a.json.new"}
    for name in others:
        (folder / name).write_bytes(b"")
    files.replace(folder / "a.json", b"whole")
    assert {path.name for path in folder.iterdir()} == others | {"a.json"}
    assert (folder / "a.json").read_bytes() == b"whole"


@pytest.mark.skipif(os.name == "nt", reason="links and modes")
def test_a_named_file_keeps_its_place_behind_a_link_and_its_mode(folder: Path) -> None:
    real, link = folder / "real", folder / "link"
    real.write_bytes(b"old")
    real.chmod(0o640)
    link.symlink_to(real)
    umask = os.umask(0o077)
    try:
        files.overwrite(link, b"new")
        files.overwrite(folder / "fresh", b"private")
    finally:
        os.umask(umask)
    assert link.is_symlink()
    assert real.read_bytes() == b"new"
    assert real.stat().st_mode & 0o777 == 0o640
    assert (folder / "fresh").stat().st_mode & 0o777 == 0o600


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
def test_a_pipe_is_written_to_and_stays_one(folder: Path) -> None:
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        files.overwrite(pipe, b"through")
        assert os.read(reader, 100) == b"through"
    finally:
        os.close(reader)
    assert pipe.is_fifo()


def test_a_durable_file_is_synced_before_it_has_its_name(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[list[str]] = []
    monkeypatch.setattr(os, "fsync", lambda descriptor: seen.append(os.listdir(folder)))
    files.replace(folder / "a", b"x", durable=True)
    assert seen == [[f"a.tmp{os.getpid()}"]]


def test_a_native_file_has_no_name_before_it_is_whole(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On Linux; where that is not known, the name it has meanwhile is not that of a session."""
    seen: list[list[str]] = []
    real = os.link

    def link(*arguments: object, **more: object) -> None:
        seen.append(os.listdir(folder))
        real(*arguments, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "link", link)
    native_files.place({folder / "s.jsonl": b"{}\n"}, folder)
    assert (folder / "s.jsonl").read_bytes() == b"{}\n"
    assert os.stat(folder / "s.jsonl").st_mode & 0o777 == 0o600
    if hasattr(os, "O_TMPFILE"):
        assert seen[0] == []
    monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    native_files.place({folder / "t.jsonl": b"{}\n"}, folder)
    assert "t.jsonl" not in seen[-1] and os.listdir(folder).count("t.jsonl") == 1


def test_a_link_at_the_name_of_the_temporary_file_is_not_followed(folder: Path) -> None:
    """In a folder where others may write, as /tmp, they can guess that name."""
    victim = folder / "victim"
    victim.write_bytes(b"mine")
    (folder / f"page.md.tmp{os.getpid()}").symlink_to(victim)
    files.overwrite(folder / "page.md", b"new")
    assert victim.read_bytes() == b"mine"
    assert (folder / "page.md").read_bytes() == b"new"
    assert sorted(path.name for path in folder.iterdir()) == ["page.md", "victim"]
