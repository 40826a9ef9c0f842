"""Refs: compare-and-swap, several at once, packed ones, leftovers of dead processes."""

from __future__ import annotations

import os
import time

import pytest

from gitsession.errors import Conflict, FormatError
from gitsession.model.history import RefMove
from gitsession.store import Store, names
from gitsession.store.refs import Refs
from tests.store.conftest import git
from tests.store.history_builder import grow

A, B = "refs/heads/s-1111/main", "refs/heads/s-1111/other"


def test_a_ref_moves_only_from_the_value_it_has(store: Store) -> None:
    one, two = grow(store, A, 2)
    for wrong in ("", one):
        with pytest.raises(Conflict), store.transaction("save") as change:
            change.move(A, wrong, one)
    assert store.ref(A) == two
    assert not list(store.path.rglob("*.lock"))


def test_several_refs_move_together_or_not_at_all(store: Store) -> None:
    one, two = grow(store, A, 2)
    with pytest.raises(Conflict), store.transaction("branch") as change:
        change.move(B, "", one)
        change.move("refs/heads/s-1111/third", "", two)
        change.move(A, one, two)
    assert store.refs() == {A: two}
    with store.transaction("branch") as change:
        change.move(B, "", one)
        change.move(A, two, one)
        change.move("refs/tags/s-1111/t", "", two)
    assert {ref: at for ref, at in store.refs().items() if "undo" not in ref} == {
        A: one, B: one, "refs/tags/s-1111/t": two
    }  # fmt: skip


def test_packed_refs_are_read_moved_and_deleted(store: Store) -> None:
    one, two = grow(store, A, 2)
    grow(store, B, 1)
    git(store, "pack-refs", "--all")
    assert not (store.path / A).exists()
    assert store.ref(A) == two
    assert set(store.refs("refs/heads/s-1111/")) == {A, B}
    with store.transaction("branch") as change:
        change.move(A, two, one)
    assert store.ref(A) == one
    with store.transaction("branch") as change:
        change.move(A, one, "")
        change.move(B, store.ref(B), "")
    assert store.refs("refs/heads/") == {}
    assert "refs/heads" not in git(store, "for-each-ref")


def test_a_packed_ref_is_found_among_names_like_it(store: Store) -> None:
    names_like_it = [A, f"{A}2", "refs/heads/s-1111/mai", "refs/heads/s-1111x/main", B]
    for name in names_like_it:
        grow(store, name, names_like_it.index(name) + 1)
    before = store.refs("refs/heads/")
    git(store, "pack-refs", "--all")
    assert store.refs("refs/heads/") == before
    assert {name: store.ref(name) for name in names_like_it} == before
    for absent in ("refs/heads/s-1111/ain", "refs/heads/main", "refs/heads/s-111/main"):
        assert store.ref(absent) == ""


def test_packed_refs_that_another_program_replaced_are_read_anew(store: Store) -> None:
    grow(store, A, 2)
    git(store, "pack-refs", "--all")
    first = store.ref(A)
    for number in range(5):
        git(store, "update-ref", A, f"{first}~1" if number % 2 == 0 else first)
        git(store, "pack-refs", "--all")
        assert store.ref(A) == git(store, "rev-parse", A).strip()
    git(store, "update-ref", "-d", A)
    assert store.ref(A) == ""


def test_damaged_lines_of_packed_refs_hide_no_other(store: Store) -> None:
    grow(store, A, 1)
    grow(store, B, 1)
    git(store, "pack-refs", "--all")
    before = store.refs()
    packed = store.path / "packed-refs"
    (store.path / "damaged").touch()
    bad = b"\xff\xfe rubbish\n" + b"f" * 39 + b" " + A.encode() + b"\nzz" + b"0" * 38 + b" x\n"
    packed.write_bytes(bad + packed.read_bytes().rstrip(b"\n"))
    assert store.refs() == before
    assert {name: store.ref(name) for name in (A, B)} == before


def test_sessions_are_found_by_their_digits_loose_and_packed(store: Store) -> None:
    for name in ("one-fe68", "two-fe681", "three-fe69", "fe68", "fe68-abcd"):
        grow(store, f"refs/heads/{name}/main", 1)
    wanted = {"one-fe68", "two-fe681"}
    assert store.ref_files.sessions_ending("fe6812ab") - {"fe68"} == wanted
    git(store, "pack-refs", "--all")
    grow(store, "refs/heads/four-fe6812ab/main", 1)
    found = store.ref_files.sessions_ending("fe6812ab") - {"fe68"}
    assert found == {*wanted, "four-fe6812ab"}
    assert store.ref_files.sessions_ending("00000000") == set()


def test_deleting_one_packed_ref_keeps_the_peeled_lines_of_others(store: Store) -> None:
    (one,) = grow(store, A, 1)
    for name in ("t1", "t2", "t3"):
        git(
            store,
            "-c",
            "user.name=n",
            "-c",
            "user.email=e",
            "tag",
            "-am",
            name,
            f"s-1111/{name}",
            one,
        )
    git(store, "pack-refs", "--all")
    with store.transaction("tag") as change:
        change.move("refs/tags/s-1111/t2", store.ref("refs/tags/s-1111/t2"), "")
    for name in ("t1", "t3"):
        assert git(store, "rev-parse", f"s-1111/{name}^{{}}").strip() == one
    assert store.ref("refs/tags/s-1111/t2") == ""


def test_a_stale_lock_of_a_killed_process_is_cleared(store: Store) -> None:
    one, two = grow(store, A, 2)
    lock = store.path / (A + ".lock")
    lock.write_bytes(b"")
    os.utime(lock, (time.time() - 60, time.time() - 60))
    started = time.monotonic()
    with store.transaction("branch") as change:
        change.move(A, two, one)
    assert time.monotonic() - started < 1
    assert store.ref(A) == one
    assert not lock.exists()


def test_a_lock_from_the_future_is_watched_and_then_cleared(store: Store) -> None:
    one, two = grow(store, A, 2)
    lock = store.path / (A + ".lock")
    lock.write_bytes(b"")
    os.utime(lock, (time.time() + 9999, time.time() + 9999))
    with store.transaction("branch") as change:
        change.move(A, two, one)
    assert store.ref(A) == one


def test_a_ref_cannot_lie_below_or_above_another(store: Store) -> None:
    (one,) = grow(store, A, 1)
    for ref in (A + "/below", "refs/heads/s-1111"):
        with pytest.raises(Conflict), store.transaction("branch") as change:
            change.move(ref, "", one)
    assert store.refs() == {A: one}


def test_an_empty_folder_in_the_way_of_a_ref_is_no_obstacle(store: Store) -> None:
    (one,) = grow(store, A, 1)
    (store.path / B / "empty" / "deeper").mkdir(parents=True)
    with store.transaction("branch") as change:
        change.move(B, "", one)
    assert store.ref(B) == one


def test_deleted_refs_leave_no_empty_folders(store: Store) -> None:
    (one,) = grow(store, A, 1)
    with store.transaction("delete") as change:
        change.move(A, one, "")
    assert not (store.path / "refs/heads/s-1111").exists()
    assert (store.path / "refs/heads").is_dir()


@pytest.mark.parametrize("data", [b"", b"\0" * 41, b"ref: refs/heads/x\n", b"0" * 39 + b"\n"])
def test_a_damaged_ref_is_named_and_hides_no_other(store: Store, data: bytes) -> None:
    (store.path / "damaged").touch()
    (one,) = grow(store, A, 1)
    (store.path / B).write_bytes(data)
    with pytest.raises(FormatError, match="s-1111/other"):
        store.ref(B)
    assert store.refs("refs/heads/") == {A: one}
    assert [tip.ref for tip in store.tips()] == [A]


@pytest.mark.parametrize(
    "name",
    [
        "refs/heads/../../x", "refs/heads/a..b/c", "/etc/passwd", "refs/heads/.x/y", "HEAD",
        "refs/heads/x.lock", "refs/heads/a b", "refs/heads/a\nb", "refs/heads/a//b", "refs/heads",
        "refs/heads/a@{1}", "refs/heads/a~1", "refs/heads/a:b", "refs/heads/a\\b", "refs/heads/x/",
    ],
)  # fmt: skip
def test_names_that_are_no_refs_reach_no_file(store: Store, name: str) -> None:
    assert not names.is_ref(name)
    assert store.ref(name) == ""
    with pytest.raises(FormatError), store.transaction("branch") as change:
        change.move(name, "", "0" * 40)
    with pytest.raises(FormatError):
        store.ref_files.move([RefMove(name, "", "0" * 40)])


def test_a_ref_never_names_a_missing_object(store: Store) -> None:
    with (
        pytest.raises(FormatError, match="not in the store"),
        store.transaction("save") as change,
    ):
        change.move(A, "", "1" * 40)
    assert store.refs() == {}


def test_two_refs_are_never_one_file(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where capitals tell no files apart: the second would take the first one's place."""
    (one,) = grow(store, A, 1)
    git(store, "pack-refs", "--all")
    monkeypatch.setattr(Refs, "folds", property(lambda _: True))
    with pytest.raises(Conflict, match="same file"), store.transaction("branch") as change:
        change.move("refs/heads/s-1111/MAIN", "", one)
    with pytest.raises(Conflict, match="same file"), store.transaction("branch") as change:
        change.move("refs/heads/s-1111/größe", "", one)
        change.move("refs/heads/s-1111/GRO\u0308ße", "", one)
    assert store.refs("refs/heads/") == {A: one}
    with store.transaction("branch") as change:
        change.move(B, "", one)
    assert not list(store.path.rglob("*.lock"))


def test_a_ref_may_be_spelled_otherwise(store: Store) -> None:
    """In one change, packed and not; where the file system folds it is the same file."""
    (one,) = grow(store, A, 1)
    loud = "refs/heads/s-1111/MAIN"
    for old, new in ((A, loud), (loud, A)):
        with store.transaction("branch-rename") as change:
            change.move(old, one, "")
            change.move(new, "", one)
        assert store.refs("refs/heads/") == {new: one}
        git(store, "pack-refs", "--all")
    assert not list(store.path.rglob("*.lock"))
