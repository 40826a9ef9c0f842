"""The files of a version as a mapping, and trees that strangers made."""

from __future__ import annotations

import pytest

from gitsession.errors import FormatError
from gitsession.store import Store, trees, view
from gitsession.store.objects import LooseObjects
from tests.builders import encoded


def _tree(store: Store, *rows: tuple[bytes, bytes, str]) -> str:
    data = b"".join(b"%s %s\0%s" % (mode, name, bytes.fromhex(at)) for mode, name, at in rows)
    return LooseObjects(store.folder).put("tree", data)


@pytest.fixture
def blob(store: Store) -> str:
    (store.path / "damaged").touch()  # hostile trees are what fsck is there to find
    return LooseObjects(store.folder).put("blob", b"content")


def test_nothing_is_read_before_it_is_asked_for(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    with store.writer() as writer:
        files = {f"streams/main/{n:02}.jsonl": b"%d" % n for n in range(20)}
        commit, tree = writer.commit(encoded({**files, "session.yaml": b"a: 1\n"}))
    asked = []
    real = store.reader.read
    monkeypatch.setattr(store.reader, "read", lambda at: asked.append(at) or real(at))
    files_of = store.tree(commit)
    assert files_of.tree == tree
    del asked[:]
    assert files_of["session.yaml"] == b"a: 1\n"
    assert len(asked) == 2
    assert "streams/main/07.jsonl" in files_of
    assert "streams/main/99.jsonl" not in files_of
    assert "streams" not in files_of
    assert len(asked) == 4
    assert len(files_of) == 21
    assert len(asked) == 4
    assert [path for path, _ in files_of.walk("streams/main")] == sorted(files)
    assert list(files_of.walk("nowhere")) == []
    for path in ("streams/main/99.jsonl", "streams", "session.yaml/x", "", "/", "../x"):
        with pytest.raises(KeyError):
            files_of[path]


@pytest.mark.parametrize("mode", [b"120000", b"160000", b"100600", b"0", b""])
def test_links_and_foreign_repositories_are_refused(store: Store, blob: str, mode: bytes) -> None:
    tree = _tree(store, (b"100644", b"a", blob), (mode, b"link", blob))
    with pytest.raises(FormatError):
        list(store.tree(tree))
    with pytest.raises(FormatError):
        store.tree(tree)["a"]


@pytest.mark.parametrize("name", [b"..", b".", b"", b".git", b".GiT", b"a/b", b"a\\b", b".git. ."])
def test_names_that_lead_outside_are_refused(store: Store, blob: str, name: bytes) -> None:
    tree = _tree(store, (b"100644", name, blob))
    with pytest.raises(FormatError):
        dict(store.tree(tree))


def test_doubled_and_cut_trees_are_refused(store: Store, blob: str) -> None:
    doubled = _tree(store, (b"100644", b"a", blob), (b"100644", b"a", blob))
    cut = LooseObjects(store.folder).put("tree", b"100644 a\0short")
    for tree in (doubled, cut):
        with pytest.raises(FormatError):
            dict(store.tree(tree))


def test_deep_and_wide_trees_end_at_the_limits(
    store: Store, blob: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = _tree(store, (b"100644", b"a", blob))
    for _ in range(view.MAX_DEPTH + 5):
        tree = _tree(store, (b"40000", b"d", tree))
    with pytest.raises(FormatError, match="deep"):
        list(store.tree(tree))
    with pytest.raises(KeyError):
        store.tree(tree)["d/" * (view.MAX_DEPTH + 5) + "a"]
    # Ten folders that all name the same ten folders: few objects, many paths.
    tree = _tree(store, (b"100644", b"a", blob))
    for _ in range(5):
        tree = _tree(store, *((b"40000", b"%d" % n, tree) for n in range(10)))
    monkeypatch.setattr(view, "MAX_ENTRIES", 5000)
    with pytest.raises(FormatError, match="too many"):
        list(store.tree(tree))
    assert store.tree(tree)["0/1/2/3/4/a"] == b"content"


def test_folders_without_a_file_are_not_walked_without_end(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = _tree(store)
    for _ in range(view.MAX_DEPTH - 4):
        tree = _tree(store, *((b"40000", b"%d" % n, tree) for n in range(9)))
    monkeypatch.setattr(view, "MAX_ENTRIES", 5000)
    with pytest.raises(FormatError, match="too many"):
        len(store.tree(tree))


def test_a_huge_file_is_refused(store: Store, blob: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = _tree(store, (b"100644", b"a", blob))
    monkeypatch.setattr(view, "MAX_BLOB", 3)
    with pytest.raises(FormatError, match="too large"):
        store.tree(tree)["a"]


def test_a_missing_file_or_folder_is_an_error_of_ours(store: Store, blob: str) -> None:
    tree = _tree(store, (b"100644", b"a", "1" * 40), (b"40000", b"d", "2" * 40))
    files = store.tree(tree)
    assert "a" in files
    for path in ("a", "d/x"):
        with pytest.raises(FormatError, match="missing"):
            files[path]


def test_a_folder_does_not_pass_for_a_file(store: Store, blob: str) -> None:
    below = _tree(store, (b"100644", b"x", blob))
    tree = _tree(store, (b"100644", b"a", below), (b"40000", b"d", blob))
    with pytest.raises(FormatError, match="not a blob"):
        store.tree(tree)["a"]
    with pytest.raises(FormatError, match="not a tree"):
        store.tree(tree)["d/x"]


def test_folders_sort_as_git_sorts_them() -> None:
    entries = {name: (mode, b"\1" * 20) for name, mode in (
        (b"a.b", trees.BLOB), (b"a", trees.TREE), (b"a0", trees.BLOB), (b"a-", trees.BLOB)
    )}  # fmt: skip
    assert list(trees.parse(trees.serialise(entries))) == [b"a-", b"a.b", b"a", b"a0"]
