"""The operation log, undo, HEADs, and what a kill in the middle of a change leaves."""

from __future__ import annotations

import json

import pytest

from gitsession.errors import Conflict
from gitsession.store import Store, transaction
from gitsession.store.refs import Refs
from tests.builders import clean, encoded
from tests.store.conftest import git
from tests.store.history_builder import grow

A, B = "refs/heads/s-1111/main", "refs/heads/s-1111/other"


def test_one_entry_for_one_change_with_verb_and_refs_only(store: Store) -> None:
    (one,) = grow(store, A, 1)
    with store.transaction("branch", "/home/ann/secret-project") as change:
        change.move(B, "", one)
        change.head("/home/ann/secret-project", "s-1111/other", clean("project"))
        change.note(rows=1, why=clean("a reason"))
    newest, first = store.operations()
    assert (newest.id, newest.verb, newest.refs) == (2, "branch", ((B, "", one),))
    assert (first.id, first.verb) == (1, "save")
    assert newest.details["why"] == "a reason"
    assert newest.directory == store.records.directory("/home/ann/secret-project")
    assert store.head("/home/ann/secret-project") == "s-1111/other"
    for path in store.path.rglob("*"):
        assert b"secret-project" not in (path.read_bytes() if path.is_file() else b"")
        assert "secret-project" not in str(path)


def test_texts_that_are_not_clean_are_refused(store: Store) -> None:
    with pytest.raises(TypeError), store.transaction("save") as change:
        change.note(title="anything a person wrote")


def test_an_error_inside_the_block_moves_nothing(store: Store) -> None:
    (one,) = grow(store, A, 1)
    with pytest.raises(KeyError), store.transaction("branch") as change:
        change.move(B, "", one)
        raise KeyError
    assert store.refs() == {A: one}
    assert len(list(store.operations())) == 1


def test_an_empty_change_is_no_operation(store: Store) -> None:
    (one,) = grow(store, A, 1)
    with store.transaction("branch") as change:
        change.move(A, one, one)
    assert change.operation == 0
    assert len(list(store.operations())) == 1


def test_what_would_become_unreachable_is_held_for_undo(store: Store) -> None:
    one, two, three = grow(store, A, 3)
    with store.transaction("branch") as change:
        change.move(A, three, one)
    assert store.ref("refs/gitsession/undo/2/1") == three
    with store.transaction("delete") as change:
        change.move(A, one, "")
    git(store, "gc", "--prune=now", "-q")
    assert [version.id for version in store.log([three])] == [three, two, one]


def test_going_forward_holds_nothing(store: Store) -> None:
    grow(store, A, 100, bulk=True)
    grow(store, A, 1)
    assert store.refs("refs/gitsession/") == {}


def test_a_save_on_a_damaged_history_goes_on(store: Store) -> None:
    (store.path / "damaged").touch()
    commits = grow(store, A, 3)
    old = store.path / "objects" / commits[0][:2] / commits[0][2:]
    old.unlink()
    with store.writer() as writer:
        fork, _ = writer.commit(encoded({"a": b"fork"}), "", (commits[1],))
    with store.transaction("branch") as change:
        change.move(A, commits[2], fork)
    assert store.ref("refs/gitsession/undo/2/1") == commits[2]


def test_working_states_replaced_by_automatic_saves_do_not_pile_up(store: Store) -> None:
    wip = "refs/gitsession/wip/s-1111/main"
    one, two = grow(store, A, 2)
    for old, new in (("", one), (one, two), (two, one), (one, "")):
        with store.transaction("save", automatic=True) as change:
            change.move(wip, old, new)
    assert store.refs("refs/gitsession/") == {}


def test_undo_and_redo_bring_every_ref_and_head_back(store: Store) -> None:
    here = "/project"
    one, two = grow(store, A, 2)
    with store.transaction("checkout", here) as change:
        change.head(here, "s-1111/main")
    with store.transaction("branch", here) as change:
        change.move(A, two, "")
        change.move(B, "", one)
        change.head(here, "s-1111/other")
    done = next(store.operations())
    with store.transaction("undo", here) as change:
        change.revert(done)
    assert store.refs("refs/heads/") == {A: two}
    assert store.head(here) == "s-1111/main"
    undone = next(store.operations())
    assert undone.undoes == done.id
    with store.transaction("redo", here) as change:
        change.revert(undone)
    assert store.refs("refs/heads/") == {B: one}
    assert store.head(here) == "s-1111/other"


def test_undo_of_what_moved_on_is_a_conflict(store: Store) -> None:
    one, two = grow(store, A, 2)
    with store.transaction("branch") as change:
        change.move(B, "", one)
    done = next(store.operations())
    with store.transaction("branch") as change:
        change.move(B, one, two)
    with pytest.raises(Conflict), store.transaction("undo") as change:
        change.revert(done)
    assert store.ref(B) == two


def test_a_person_sets_head_and_an_automatic_save_remembers_when(store: Store) -> None:
    (one,) = grow(store, A, 1)
    with store.transaction("checkout", "/p") as change:
        change.head("/p", "s-1111/main", clean("p"))
    key = store.records.directory("/p")
    set_by_person = (store.records.read("heads", key) or {})["person"]
    with store.transaction("save", "/p", automatic=True) as change:
        change.move(B, "", one)
        change.head("/p", "s-1111/other")
    record = store.records.read("heads", key) or {}
    assert (record["head"], record["person"], record["name"]) == (
        "s-1111/other", set_by_person, "p"
    )  # fmt: skip


@pytest.mark.parametrize("stop", ["refs", "heads", "append", "end"])
def test_a_change_that_a_kill_interrupts_is_finished_by_the_next(
    store: Store, monkeypatch: pytest.MonkeyPatch, stop: str
) -> None:
    one, two = grow(store, A, 2)

    def die(*_: object) -> None:
        raise SystemExit

    with monkeypatch.context() as patch:
        if stop == "refs":
            real = Refs.fill
            patch.setattr("gitsession.store.refs._clear_empty", die)
            assert real
        elif stop == "heads":
            patch.setattr(transaction, "_set_head", die)
        else:
            patch.setattr(store.oplog, stop, die)
        with pytest.raises(SystemExit), store.transaction("branch", "/p") as change:
            change.move(A, two, one)
            change.move(B, "", two)
            change.head("/p", "s-1111/other")
    with store.transaction("tag") as change:
        change.move("refs/tags/s-1111/t", "", one)
    assert (store.ref(A), store.ref(B), store.head("/p")) == (one, two, "s-1111/other")
    assert [operation.verb for operation in store.operations()] == ["tag", "branch", "save"]
    assert [operation.id for operation in store.operations()] == [3, 2, 1]
    assert store.ref("refs/gitsession/undo/2/1") == two
    assert not (store.path / "gitsession/pending.json").exists()


def test_a_torn_journal_was_never_begun(store: Store) -> None:
    (one,) = grow(store, A, 1)
    journal = store.path / "gitsession/pending.json"
    journal.write_bytes(json.dumps({"id": 2, "refs": [[B, "", one]]}).encode()[:-3])
    grow(store, A, 1)
    assert store.ref(B) == ""
    assert not journal.exists()


def test_torn_and_foreign_lines_of_the_log_are_passed_over(store: Store) -> None:
    grow(store, A, 1)
    log = store.path / "gitsession/oplog.jsonl"
    with log.open("ab") as stream:
        stream.write(b'not json\n{"id": 7}\n[1]\n{"id":2,"verb":"torn')
    grow(store, A, 1)
    assert [operation.id for operation in store.operations()] == [2, 1]


def test_the_log_is_read_from_its_end_whatever_its_length(store: Store) -> None:
    log = store.path / "gitsession/oplog.jsonl"
    rows = [{"id": n, "time": n, "verb": "v" * (n % 977), "refs": []} for n in range(1, 2001)]
    log.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert [operation.id for operation in store.operations()] == list(range(2000, 0, -1))
    grow(store, A, 1)
    assert next(store.operations()).id == 2001
