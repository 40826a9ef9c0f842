"""Log, tips, trailers and seals."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitsession.environment import Environment
from gitsession.errors import FormatError
from gitsession.store import Store, seal
from gitsession.store.history import split_message
from tests.builders import clean, encoded
from tests.store.conftest import KEY
from tests.store.history_builder import FIRST_SECOND, grow

A, B = "refs/heads/s-1111/main", "refs/heads/s-2222/main"

MESSAGE = """Fix the login

The user said more.
Gitsession-Session: forged/by-the-prompt

and then even more.

Gitsession-Session: claude/aaaa-1111
Gitsession-Title: A long
 title: with a colon
Gitsession-Messages: 12
"""


def test_a_version_as_it_was_written(store: Store) -> None:
    with store.writer() as writer:
        commit, tree = writer.commit(encoded({"a": b""}, MESSAGE, 1234567890))
    version = store.version(commit)
    assert (version.id, version.tree, version.parents) == (commit, tree, ())
    assert version.time == 1234567890
    assert version.subject == "Fix the login"
    assert version.body.startswith("The user said more.")
    assert version.body.endswith("and then even more.")
    assert version.trailers["Session"] == "claude/aaaa-1111"
    assert version.trailers["Title"] == "A long title: with a colon"
    assert version.trailers["Messages"] == "12"
    assert len(version.trailers["Seal"]) == 64
    assert list(store.log([commit])) == [version]


def test_trailers_of_a_body_are_not_trailers() -> None:
    assert split_message("subject\n\nGitsession-Kind: turn\n\nlast words\n")[2] == {}
    assert split_message("Gitsession-Kind: turn\n") == ("Gitsession-Kind: turn", "", {})
    assert split_message("") == ("", "", {})


def test_log_pages_filters_and_follows_every_branch(store: Store) -> None:
    commits = grow(store, A, 12)
    ids = [version.id for version in store.log([commits[-1]])]
    assert ids == commits[::-1]
    assert [v.id for v in store.log([commits[-1]], limit=3)] == commits[:-4:-1]
    assert [v.id for v in store.log([commits[-1]], limit=3, skip=2)] == commits[-3:-6:-1]
    assert [v.id for v in store.log([commits[-1]], grep="TURN 1")] == [
        commits[11], commits[10], commits[1]
    ]  # fmt: skip
    assert [v.id for v in store.log([commits[-1]], limit=1, skip=1, grep="turn 1")] == [commits[10]]
    assert [v.id for v in store.log([commits[-1]], skip=10)] == [commits[1], commits[0]]
    assert list(store.log([])) == []
    other = grow(store, B, 2)
    both = [version.id for version in store.log([commits[-1], other[-1]])]
    assert sorted(both) == sorted(commits + other)


def test_a_log_that_is_not_read_to_its_end_leaves_no_process(store: Store) -> None:
    commits = grow(store, A, 200, bulk=True)
    for _ in range(20):
        stream = store.log([commits[-1]])
        next(stream)
        stream.close()  # type: ignore[attr-defined]
    assert len(list(store.log([commits[-1]]))) == 200


def test_tips_name_the_newest_version_of_each_branch_and_tag(store: Store) -> None:
    commits, other = grow(store, A, 3), grow(store, B, 1, native="codex/bbbb-2222")
    with store.writer() as writer:
        tag = writer.tag(commits[0], clean("s-1111/key"), clean("key"), 5)
    with store.transaction("tag") as change:
        change.move("refs/tags/s-1111/key", "", tag)
        change.move("refs/tags/s-1111/light", "", commits[1])
    rows = [(tip.ref, tip.id, tip.trailers["Session"]) for tip in store.tips()]
    assert rows == [
        (A, commits[2], "claude/aaaa-1111"), (B, other[0], "codex/bbbb-2222")
    ]  # fmt: skip
    assert store.tips()[0].time == FIRST_SECOND + 2
    assert [(tip.ref, tip.id) for tip in store.tips("refs/tags/")] == [
        ("refs/tags/s-1111/key", commits[0]), ("refs/tags/s-1111/light", commits[1])
    ]  # fmt: skip


def test_a_version_is_own_if_it_and_all_its_ancestors_bear_the_seal(
    store: Store, environment: Environment
) -> None:
    commits = grow(store, A, 3)
    known: set[str] = set()
    assert store.is_own(commits[2], known)
    assert known == set(commits)
    stranger = Store.open(store.path, b"x" * 32, environment)
    assert not stranger.is_own(commits[0])
    foreign = grow(stranger, A, 1)
    mine_again = grow(store, A, 1)
    assert not store.is_own(foreign[0])
    assert not store.is_own(mine_again[0])
    assert store.is_own(commits[2])
    stranger.close()


@given(st.binary(max_size=40), st.sampled_from(["tree", "parent", "message", "key", "cut"]))
def test_a_seal_holds_only_for_what_was_sealed(text: bytes, change: str) -> None:
    tree, parents = "a" * 40, ("b" * 40,)
    message = seal.sealed(KEY, tree, parents, b"subject\n\n" + text + b"\n\nGitsession-Kind: turn")
    assert seal.verify(KEY, tree, parents, message)
    assert not seal.verify(KEY, "c" * 40 if change == "tree" else tree,
                           () if change == "parent" else parents,
                           {"message": b"x" + message, "cut": message[:-1]}.get(change, message)
                           ) or change == "key"  # fmt: skip
    assert not seal.verify(b"other", tree, parents, message)


def test_a_message_without_trailers_can_be_sealed_too() -> None:
    for text in (b"", b"subject", b"subject\n\nbody", b"subject\n\nGitsession-Kind: turn\n"):
        message = seal.sealed(KEY, "a" * 40, (), text)
        assert seal.verify(KEY, "a" * 40, (), message)
        assert len(split_message(message.decode())[2]["Seal"]) == 64


def test_what_is_no_commit_is_an_error_of_ours(store: Store) -> None:
    with store.writer() as writer:
        _, tree = writer.commit(encoded({"a": b"1"}))
    with pytest.raises(FormatError, match="not a version"):
        store.version(tree)
    with pytest.raises(FormatError):
        list(store.log(["1" * 40]))
