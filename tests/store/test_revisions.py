"""Every form of a revision, and what happens to those that fit nothing or too much."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gitsession.errors import Ambiguous, FormatError, GitSessionError, NotFound, UsageError
from gitsession.store import Store
from gitsession.store.revisions import Resolved, is_range, resolve, resolve_range
from tests.builders import clean, encoded
from tests.store.history_builder import grow

HERE = "/project"
LOGIN, CACHE = "fix-login-1a2b", "fix-login-cache-3c4d"
NATIVE = "claude/6f9619ff-8b86-4d01-b42d-00c04fc964ff"


class World:
    """Two sessions, a fork, tags, a remote with a session of its own."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.login = grow(store, f"refs/heads/{LOGIN}/main", 5, native=NATIVE)
        self.cache = grow(store, f"refs/heads/{CACHE}/main", 3, native="codex/0000-cache")
        with store.writer() as writer:
            self.tag = writer.tag(self.login[2], clean("key"), clean("why"), 1)
            self.far, _ = writer.commit(
                encoded({"far": b""}, "far\n\nGitsession-Native: pi/far-away")
            )
            self.wip, _ = writer.commit(encoded({"w": b""}, "wip"), parents=(self.login[4],))
        with store.transaction("branch", HERE) as change:
            change.move(f"refs/heads/{LOGIN}/fork", "", self.login[1])
            change.move(f"refs/tags/{LOGIN}/key", "", self.tag)
            change.move(f"refs/tags/{LOGIN}/main", "", self.login[0])
            change.move("refs/remotes/origin/only-there-9f9f/main", "", self.far)
            change.move(f"refs/remotes/origin/{LOGIN}/main", "", self.login[3])
            change.move("refs/gitsession/remote-tags/origin/only-there-9f9f/t", "", self.far)
            change.move(f"refs/gitsession/wip/{LOGIN}/main", "", self.wip)
            change.head(HERE, f"{LOGIN}/main")
        store.records.write("native", NATIVE, {"branch": f"{LOGIN}/main"})
        rows = [CACHE, f"{LOGIN}/fork", "gone-0000"]
        store.records.write("listed", store.records.directory(HERE), {"rows": rows})


@pytest.fixture
def world(store: Store) -> World:
    return World(store)


FORMS: dict[str, Callable[[World], tuple[str, str, str, int]]] = {
    "HEAD": lambda w: (w.login[4], f"refs/heads/{LOGIN}/main", f"{LOGIN}/main", 0),
    "@": lambda w: (w.login[4], f"refs/heads/{LOGIN}/main", f"{LOGIN}/main", 0),
    "HEAD~": lambda w: (w.login[3], "", f"{LOGIN}/main", 0),
    "HEAD~0": lambda w: (w.login[4], f"refs/heads/{LOGIN}/main", f"{LOGIN}/main", 0),
    "HEAD~4": lambda w: (w.login[0], "", f"{LOGIN}/main", 0),
    "HEAD~1~2": lambda w: (w.login[1], "", f"{LOGIN}/main", 0),
    "HEAD:7": lambda w: (w.login[4], f"refs/heads/{LOGIN}/main", f"{LOGIN}/main", 7),
    "HEAD~2:12": lambda w: (w.login[2], "", f"{LOGIN}/main", 12),
    "@1": lambda w: (w.cache[2], f"refs/heads/{CACHE}/main", f"{CACHE}/main", 0),
    "@2": lambda w: (w.login[1], f"refs/heads/{LOGIN}/fork", f"{LOGIN}/fork", 0),
    "@1~2:3": lambda w: (w.cache[0], "", f"{CACHE}/main", 3),
    LOGIN: lambda w: (w.login[4], f"refs/heads/{LOGIN}/main", f"{LOGIN}/main", 0),
    f"{LOGIN}/fork": lambda w: (w.login[1], f"refs/heads/{LOGIN}/fork", f"{LOGIN}/fork", 0),
    f"{LOGIN}/key": lambda w: (w.login[2], f"refs/tags/{LOGIN}/key", "", 0),
    f"{LOGIN}/main": lambda w: (w.login[4], f"refs/heads/{LOGIN}/main", f"{LOGIN}/main", 0),
    "fix-login": lambda w: (w.login[4], f"refs/heads/{LOGIN}/main", f"{LOGIN}/main", 0),
    "fix-login-c": lambda w: (w.cache[2], f"refs/heads/{CACHE}/main", f"{CACHE}/main", 0),
    "fix-login/fork": lambda w: (w.login[1], f"refs/heads/{LOGIN}/fork", f"{LOGIN}/fork", 0),
    "fix-login/key~": lambda w: (w.login[1], "", "", 0),
    "6f9619ff": lambda w: (w.login[4], f"refs/heads/{LOGIN}/main", f"{LOGIN}/main", 0),
    NATIVE: lambda w: (w.login[4], f"refs/heads/{LOGIN}/main", f"{LOGIN}/main", 0),
    "0000-cache": lambda w: (w.cache[2], f"refs/heads/{CACHE}/main", f"{CACHE}/main", 0),
    "far-away": lambda w: (w.far, "refs/remotes/origin/only-there-9f9f/main", "", 0),
    f"origin/{LOGIN}/main": lambda w: (w.login[3], f"refs/remotes/origin/{LOGIN}/main", "", 0),
    "only-there-9f9f": lambda w: (w.far, "refs/remotes/origin/only-there-9f9f/main", "", 0),
    "origin/only-there-9f9f": lambda w: (
        w.far, "refs/remotes/origin/only-there-9f9f/main", "", 0
    ),
    "origin/only-there-9f9f/t": lambda w: (
        w.far, "refs/gitsession/remote-tags/origin/only-there-9f9f/t", "", 0
    ),
    "@wip": lambda w: (w.wip, f"refs/gitsession/wip/{LOGIN}/main", f"{LOGIN}/main", 0),
    f"{LOGIN}/main@wip": lambda w: (
        w.wip, f"refs/gitsession/wip/{LOGIN}/main", f"{LOGIN}/main", 0
    ),
    f"{LOGIN}@wip~1": lambda w: (w.login[4], "", f"{LOGIN}/main", 0),
}  # fmt: skip


@pytest.mark.parametrize("text", FORMS)
def test_forms(world: World, text: str) -> None:
    assert resolve(world.store, text, HERE) == Resolved(*FORMS[text](world))


def test_ids_whole_and_shortened(world: World) -> None:
    commit = world.login[1]
    assert resolve(world.store, commit) == Resolved(commit, "", "", 0)
    assert resolve(world.store, commit[:12]).commit == commit
    assert resolve(world.store, f"{commit[:12]}~1:4") == Resolved(world.login[0], "", "", 4)
    assert resolve(world.store, world.tag).commit == world.login[2]


def test_a_short_id_never_means_a_tree_or_a_file(world: World) -> None:
    tree = world.store.version(world.login[0]).tree
    with pytest.raises(NotFound):
        resolve(world.store, tree[:20])
    with pytest.raises(NotFound):
        resolve(world.store, tree)


@pytest.mark.parametrize(
    "text",
    [
        "nothing", "fix-login-1a2b/nothing", "HEAD~5", "HEAD~99999999999", "@0", "@4", "@3",
        "0" * 40, "abc", "6f9", f"{CACHE}@wip", f"origin/{LOGIN}/nothing", "~", ":1", "a:b", "\0",
        "../../etc/passwd", "会话", f"{LOGIN}/main/x", "--all", "HEAD^", "@wip@wip@wip/x",
    ],
)  # fmt: skip
def test_what_is_not_there_is_not_found(world: World, text: str) -> None:
    with pytest.raises((NotFound, UsageError)):
        resolve(world.store, text, HERE)


@pytest.mark.parametrize("text", ["", "a..b", "HEAD:0"])
def test_what_means_nothing_is_wrong_usage(world: World, text: str) -> None:
    with pytest.raises(UsageError):
        resolve(world.store, text, HERE)


def test_what_fits_two_things_lists_them(world: World) -> None:
    with pytest.raises(Ambiguous) as caught:
        resolve(world.store, "fix-log", HERE)
    assert caught.value.candidates == (LOGIN, CACHE)
    assert caught.value.exit_code == 12
    with pytest.raises(Ambiguous) as caught:
        resolve(world.store, "fix-l/main", HERE)
    assert caught.value.candidates == (f"{LOGIN}/main", f"{CACHE}/main")


def test_a_native_id_that_is_also_an_id_prefix_is_ambiguous(world: World) -> None:
    prefix = world.login[0][:6]
    world.store.records.write("native", f"claude/{prefix}-rest", {"branch": f"{CACHE}/main"})
    with pytest.raises(Ambiguous):
        resolve(world.store, prefix)
    world.store.records.write("native", f"claude/{prefix}-rest", {"branch": "gone-1/main"})
    assert resolve(world.store, prefix).commit == world.login[0]


def test_a_typing_error_gets_a_suggestion(world: World) -> None:
    with pytest.raises(NotFound) as caught:
        resolve(world.store, "fix-lojin-1a2b")
    assert LOGIN in caught.value.candidates


def test_head_belongs_to_the_directory(world: World) -> None:
    store = world.store
    with pytest.raises(NotFound, match="no current session"):
        resolve(store, "HEAD", "/elsewhere")
    with store.transaction("checkout", "/elsewhere") as change:
        change.head("/elsewhere", world.cache[0])
    assert resolve(store, "HEAD", "/elsewhere") == Resolved(world.cache[0], "", "", 0)
    assert resolve(store, "HEAD", HERE).commit == world.login[4]
    with store.transaction("delete") as change:
        change.move(f"refs/heads/{LOGIN}/main", world.login[4], "")
    with pytest.raises(NotFound, match="gone"):
        resolve(store, "HEAD", HERE)
    assert resolve(store, LOGIN, HERE).branch == f"{LOGIN}/fork"


def test_ranges(world: World) -> None:
    assert is_range("a..b")
    assert not is_range("HEAD~2")
    first, second = resolve_range(world.store, "HEAD~3..HEAD", HERE)
    assert (first.commit, second.commit) == (world.login[1], world.login[4])
    first, second = resolve_range(world.store, f"{CACHE}..", HERE)
    assert (first.commit, second.commit) == (world.cache[2], world.login[4])
    for text in ("HEAD", "a...b", "a..b..c"):
        with pytest.raises(UsageError):
            resolve_range(world.store, text, HERE)


def test_a_lost_native_record_is_made_up_for_by_the_versions(world: World) -> None:
    world.store.records.remove("native", NATIVE)
    found = resolve(world.store, "6f9619ff")
    assert found.branch == f"{LOGIN}/main"


def test_names_are_found_in_either_unicode_form(world: World) -> None:
    commits = grow(world.store, "refs/heads/caf\u00e9-77aa/main", 1)
    assert resolve(world.store, "cafe\u0301-77aa").commit == commits[0]
    assert resolve(world.store, "cafe\u0301").commit == commits[0]


def test_a_damaged_version_is_not_called_gone(world: World) -> None:
    store = world.store
    (store.path / "damaged").touch()
    tip = world.login[4]
    (store.path / "objects" / tip[:2] / tip[2:]).unlink()
    for text in ("HEAD", f"{LOGIN}/main", LOGIN):
        with pytest.raises(FormatError, match=tip):
            resolve(store, text, HERE)
    assert resolve(store, f"{LOGIN}/fork", HERE).commit == world.login[1]
    assert resolve(store, CACHE, HERE).commit == world.cache[2]


def test_damaged_refs_and_records_are_errors_of_ours(world: World) -> None:
    store = world.store
    (store.path / "damaged").touch()
    (store.path / "refs" / "heads" / LOGIN / "main").write_bytes(b"rubbish")
    for text in ("HEAD", LOGIN, f"{LOGIN}/main", "6f9619ff", "fix-login"):
        try:
            resolve(store, text, HERE)
        except GitSessionError as error:
            assert str(error)
