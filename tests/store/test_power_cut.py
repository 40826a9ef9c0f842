"""What a power cut leaves in a store: empty objects, a log without its end."""

from __future__ import annotations

import os

from gitsession.store import Store, care
from gitsession.store.leftovers import sweep
from gitsession.store.objects import LooseObjects
from tests.store.conftest import git
from tests.store.history_builder import grow

A, B = "refs/heads/a-0001/main", "refs/heads/b-0002/main"


def emptied(store: Store, identity: str) -> str:
    path = LooseObjects(store.folder).path(identity)
    os.chmod(path, 0o600)
    os.truncate(path, 0)
    return path


def test_an_empty_object_is_written_again(store: Store) -> None:
    loose = LooseObjects(store.folder)
    identity = loose.put("blob", b"content")
    emptied(store, identity)
    assert loose.put("blob", b"content") == identity
    assert loose.read(identity) == ("blob", b"content")


def test_an_empty_object_that_nothing_names_is_swept(store: Store) -> None:
    grow(store, A, 2)
    path = emptied(store, LooseObjects(store.folder).put("blob", b"of no save"))
    assert care.fsck(store)
    assert any("empty object" in line for line in sweep(store))
    assert not os.path.exists(path)
    assert care.fsck(store) == []


def test_operations_go_on_after_the_end_of_the_log_is_lost(store: Store) -> None:
    """Their numbers pass those under which undo still holds something."""
    first = grow(store, A, 2)
    log = store.path / "gitsession" / "oplog.jsonl"
    before = log.read_bytes()
    with store.transaction("delete") as change:
        change.move(A, first[-1], "")
    number = change.operation
    log.write_bytes(before)
    second = grow(store, B, 1)
    with store.transaction("delete") as change:
        change.move(B, second[-1], "")
    held = git(store, "for-each-ref", "--format=%(refname)", "refs/gitsession/undo").split()
    assert len(held) == 2
    assert change.operation > number
