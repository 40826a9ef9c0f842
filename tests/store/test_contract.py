"""One contract for every writer of objects: loose files, packs, and pygit2 as the reference."""

from __future__ import annotations

from collections.abc import Callable

import pygit2
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitsession.errors import FormatError
from gitsession.store import Store
from gitsession.store.sinks import LooseSink, PackSink
from gitsession.store.writer import Writer
from tests.builders import clean, encoded
from tests.store.conftest import git


class Pygit2Sink:
    """The reference: libgit2 writes the objects."""

    full = False

    def __init__(self, folder: str) -> None:
        self._odb = pygit2.Odb(f"{folder}/objects")
        self._kinds = {
            "blob": pygit2.enums.ObjectType.BLOB,
            "tree": pygit2.enums.ObjectType.TREE,
            "commit": pygit2.enums.ObjectType.COMMIT,
            "tag": pygit2.enums.ObjectType.TAG,
        }

    def put(self, kind: str, data: bytes) -> str:
        return str(self._odb.write(self._kinds[kind], data))

    def read(self, identity: str) -> tuple[str, bytes] | None:
        return None

    def flush(self) -> str:
        return ""

    def abandon(self) -> None: ...


SINKS: dict[str, Callable[[Store], LooseSink | PackSink | Pygit2Sink]] = {
    "loose": lambda store: LooseSink(store.folder, durable=False),
    "durable": lambda store: LooseSink(store.folder, durable=True),
    "pack": lambda store: PackSink(store.folder),
    "pygit2": lambda store: Pygit2Sink(store.folder),
}


@pytest.fixture(params=sorted(SINKS))
def make(request: pytest.FixtureRequest, store: Store) -> Callable[[], Writer]:
    return lambda: Writer(store, SINKS[request.param](store))


def test_the_same_content_gets_the_same_ids_from_every_writer(
    make: Callable[[], Writer], store: Store
) -> None:
    files = {
        "session.yaml": b"a: 1\n",
        "streams/main/00/00/00.jsonl": b"{}\n",
        "a.b/c": b"",
        "a": b"",
    }
    with make() as writer:
        first, tree = writer.commit(encoded(files, "one\n\nGitsession-Kind: turn"))
        second, _ = writer.commit(encoded({"a": None}, "two"), tree, (first,))
    assert tree == _reference_tree(store, files)
    assert first == "066dfba37cff8b2b0d6d011e2c7f9156913aecea"
    assert store.version(second).parents == (first,)
    assert sorted(store.tree(second)) == ["a.b/c", "session.yaml", "streams/main/00/00/00.jsonl"]
    assert dict(store.tree(first)) == files


def _reference_tree(store: Store, files: dict[str, bytes]) -> str:
    repository = pygit2.Repository(store.folder)
    index = pygit2.Index()
    for path, data in files.items():
        index.add(pygit2.IndexEntry(path, repository.create_blob(data), 0o100644))
    return str(index.write_tree(repository))


def test_a_version_only_adds_the_trees_on_the_way(make: Callable[[], Writer], store: Store) -> None:
    with make() as writer:
        many = {f"streams/main/{n // 100:02}/{n % 100:02}.jsonl": b"%d" % n for n in range(300)}
        _, tree = writer.commit(encoded(many))
        before = _objects(store) if writer.flush() is None else set()
        writer.commit(encoded({"streams/main/02/99.jsonl": b"new"}), tree)
    assert len(_objects(store) - before) == 6  # blob, 02, main, streams, root, commit


def _objects(store: Store) -> set[str]:
    return set(git(store, "cat-file", "--batch-all-objects", "--batch-check").splitlines())


def test_a_path_turns_from_file_to_folder_and_back(
    make: Callable[[], Writer], store: Store
) -> None:
    with make() as writer:
        _, tree = writer.commit(encoded({"x": b"file"}))
        _, tree = writer.commit(encoded({"x/y/z": b"deep"}), tree)
        deep = tree
        _, tree = writer.commit(encoded({"x/y/z": None}), tree)
        empty = tree
        _, tree = writer.commit(encoded({"x": b"file"}), deep)
    assert dict(store.tree(deep)) == {"x/y/z": b"deep"}
    assert dict(store.tree(empty)) == {}
    assert dict(store.tree(tree)) == {"x": b"file"}


@pytest.mark.parametrize("below", ["x/y", "x/y/z"])
def test_a_folder_is_emptied_and_becomes_a_file_in_one_change(
    make: Callable[[], Writer], store: Store, below: str
) -> None:
    with make() as writer:
        changes: tuple[dict[str, bytes | None], ...] = (
            {below: None, "x": b"file"},
            {"x": b"file", below: None},
        )
        trees = {writer.commit(encoded(change), "")[1] for change in changes}
        with pytest.raises(FormatError):
            writer.commit(encoded({below: b"deep", "x": b"file"}), "")
    assert [dict(store.tree(tree)) for tree in trees] == [{"x": b"file"}]


def test_annotated_tags_name_their_version(make: Callable[[], Writer], store: Store) -> None:
    with make() as writer:
        commit, _ = writer.commit(encoded({"a": b"1"}))
        tag = writer.tag(commit, clean("s-1234/decision"), clean("why\n\nGitsession-Message: 3"), 7)
    with store.transaction("tag") as change:
        change.move("refs/tags/s-1234/decision", "", tag)
    assert git(store, "rev-parse", "s-1234/decision^{commit}").strip() == commit
    (tip,) = store.tips("refs/tags/")
    assert (tip.ref, tip.id) == ("refs/tags/s-1234/decision", commit)


@pytest.mark.parametrize(
    "path", ["", "a//b", "/a", "a/", "../a", "a/.git/b", "a/.GIT", "a\0b", "."]
)
def test_paths_that_git_refuses_are_refused(
    make: Callable[[], Writer], store: Store, path: str
) -> None:
    with make() as writer, pytest.raises(FormatError):
        writer.commit(encoded({path: b"x"}))


@pytest.mark.parametrize(
    "message",
    [
        "",
        "\n\n",
        "nul \0 inside",
        "lone \ud800 half",
        "crlf\r\n\r\nbody",
        "会话: 一个回合",
        "x" * 5000,
    ],
)
def test_any_message_makes_a_sound_commit(
    make: Callable[[], Writer], store: Store, message: str
) -> None:
    with make() as writer:
        commit, _ = writer.commit(encoded({"a": b""}, message))
    assert store.is_own(commit)
    (row,) = store.log([commit])
    assert row == store.version(commit)


@pytest.mark.parametrize("time", [-5, 0, 1_770_000_000, 2**40, 2**70])
def test_any_time_makes_a_sound_commit(make: Callable[[], Writer], store: Store, time: int) -> None:
    with make() as writer:
        commit, _ = writer.commit(encoded({"a": b""}, "m", time))
    assert 0 <= store.version(commit).time == next(iter(store.log([commit]))).time


_NAME = st.text(st.characters(codec="utf-8", exclude_characters="\0/\\"), min_size=1, max_size=5)
_PATHS = st.lists(_NAME.filter(lambda name: name.strip(". ")), min_size=1, max_size=4).map("/".join)


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(changes=st.lists(st.dictionaries(_PATHS, st.none() | st.binary(max_size=9)), max_size=4))
def test_trees_follow_a_plain_dictionary(
    make: Callable[[], Writer], store: Store, changes: list[dict[str, bytes | None]]
) -> None:
    tree, expected = "", {}
    with make() as writer:
        for change in changes:
            try:
                _, tree = writer.commit(encoded(change), tree)
            except FormatError:
                continue  # a file and a folder of one name in one change
            removals_first = sorted(change.items(), key=lambda item: item[1] is not None)
            for path, data in removals_first:
                above = [path[:n] for n, letter in enumerate(path) if letter == "/"]
                if data is None:
                    gone = [p for p in expected if p == path or p.startswith(path + "/")]
                else:
                    gone = [p for p in expected if p in above or p.startswith(path + "/")]
                for other in gone:
                    del expected[other]
                if data is not None:
                    expected[path] = data
    assert not tree or dict(store.tree(tree)) == expected
