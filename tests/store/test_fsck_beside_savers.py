"""A check while others save and pack: what it could not see yet is no damage."""

from __future__ import annotations

import os
import shutil

import pytest

from gitsession.store import Store, care, inspection, usage
from gitsession.store.records import file_name
from gitsession.store.refs import Refs
from tests.store.history_builder import grow

A = "refs/heads/a-0001/main"


def test_what_was_written_after_git_had_looked_is_not_missing(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    [version] = grow(store, A, 1)
    gone = "f" * 40
    lines = [f"missing commit {version}", f"missing blob {gone}"]
    program = store.path.parent / "git"
    program.write_text("#!/bin/sh\nprintf '%s\\n' " + " ".join(f"'{line}'" for line in lines))
    program.chmod(0o755)
    monkeypatch.setattr(store, "git", lambda *arguments: [str(program), *arguments])
    assert [problem.place for problem in care.fsck(store)] == [gone]


def test_a_ref_that_goes_away_meanwhile_is_no_problem(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    grow(store, A, 1)
    real = Refs.read

    def read(self: Refs, name: str) -> str:
        if name == A and os.path.exists(self.path(A)):
            os.unlink(self.path(A))
        return real(self, name)

    monkeypatch.setattr(Refs, "read", read)
    assert care.fsck(store) == []


def test_loose_objects_are_counted_while_they_are_packed(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    grow(store, A, 2)
    objects = store.path / "objects"
    names = os.listdir(objects)
    first = next(name for name in names if len(name) == 2)
    shutil.move(objects / first, store.path.parent / first)
    monkeypatch.setattr(os, "listdir", lambda folder: names)
    assert usage.loose(store)[0] > 0
    monkeypatch.undo()
    shutil.move(store.path.parent / first, objects / first)


def test_a_record_that_goes_away_meanwhile_is_no_damage(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As those of a session do that gets another name."""
    store.records.write("state", "a-0001/main", {"offset": 1})
    store.records.write("state", "a-0001/side", {"offset": 1})
    damaged = store.path / "gitsession/state" / f"{file_name('a-0001/side')}.json"
    damaged.write_bytes(b"{")
    real = os.listdir

    def listdir(folder: str) -> list[str]:
        found = real(folder)
        if str(folder).endswith("/state"):
            store.records.remove("state", "a-0001/main")
        return found

    monkeypatch.setattr(os, "listdir", listdir)
    assert [path for path, _ in inspection.damaged_files(store)] == [
        f"gitsession/state/{damaged.name}"
    ]
