"""Remotes, push, fetch and clone over local paths; what waits in quarantine; what is refused."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from gitsession.environment import Environment
from gitsession.errors import Conflict, NotFound, RemoteError, SecretsFound, UsageError
from gitsession.store import Store, care, quarantine, remotes, transfer
from tests.builders import clean, encoded
from tests.store.conftest import KEY, git
from tests.store.history_builder import grow

A, B = "refs/heads/s-1111/main", "refs/heads/s-1111/fork"
FAR_A = "refs/remotes/origin/s-1111/main"


@pytest.fixture
def server(tmp_path: Path) -> Path:
    """An empty bare repository as any git server has it."""
    path = tmp_path / "server.git"
    subprocess.run(["git", "init", "-q", "--bare", path], check=True)
    return path


@pytest.fixture
def other(environment: Environment, tmp_path: Path) -> Iterator[Store]:
    with Store.create(tmp_path / "other" / "store.git", KEY, environment) as opened:
        yield opened


def _url(server: Path) -> str:
    return f"file://{server}"


def _refs(server: Path) -> dict[str, str]:
    text = subprocess.run(
        ["git", f"--git-dir={server}", "for-each-ref", "--format=%(refname) %(objectname)"],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    return dict(line.split() for line in text.splitlines())


def test_push_clone_fetch_round(
    store: Store, server: Path, environment: Environment, tmp_path: Path
) -> None:
    commits = grow(store, A, 5)
    with store.writer() as writer:
        tag = writer.tag(commits[1], clean("s-1111/key"), clean("why"), 1)
    remotes.add(store, clean("origin"), clean(_url(server)))
    done = transfer.push(store, "origin", [(commits[4], A), (tag, "refs/tags/s-1111/key")])
    assert done.rejected == ()
    assert _refs(server) == {A: commits[4], "refs/tags/s-1111/key": tag}
    assert store.ref(FAR_A) == commits[4]

    clone, fetched = transfer.clone(
        tmp_path / "clone.git", KEY, environment, clean(_url(server)), clean("origin")
    )
    with clone:
        assert set(fetched.updates) == {
            (FAR_A, "", commits[4]),
            ("refs/gitsession/remote-tags/origin/s-1111/key", "", tag),
        }
        assert clone.refs("refs/remotes/") == {}
        assert dict(clone.tree(commits[4])) == dict(store.tree(commits[4]))
        assert clone.is_own(commits[4])
        transfer.accept(clone, fetched)
        assert clone.ref(FAR_A) == commits[4]
        assert clone.refs("refs/tags/") == {}

        more = grow(store, A, 2)
        transfer.push(store, "origin", [(more[1], A)])
        again = transfer.fetch(clone, "origin")
        assert again.updates == ((FAR_A, commits[4], more[1]),)
        assert clone.ref(FAR_A) == commits[4]
        assert not list((clone.path / "gitsession/quarantine").iterdir())
        transfer.accept(clone, transfer.fetch(clone, "origin"), only=())
        assert clone.ref(FAR_A) == commits[4]
        transfer.accept(clone, transfer.fetch(clone, "origin"))
        assert clone.ref(FAR_A) == more[1]
        assert transfer.fetch(clone, "origin").updates == ()
        git(clone, "fsck", "--strict")


def test_a_fetch_writes_no_more_refs_than_there_are_new(
    store: Store, other: Store, server: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[int] = []
    real = quarantine.Quarantine.news

    def news(self: quarantine.Quarantine) -> dict[str, str]:
        written.append(sum(path.is_file() for path in Path(self.folder, "refs").rglob("*")))
        return real(self)

    monkeypatch.setattr(quarantine.Quarantine, "news", news)
    commits = grow(store, A, 12)
    with store.writer() as writer:
        tag = writer.tag(commits[1], clean("s-1111/key"), clean("why"), 1)
    for each in (store, other):
        remotes.add(each, clean("origin"), clean(_url(server)))
    rows = [(one, f"refs/heads/s-{number:04}/main") for number, one in enumerate(commits)]
    transfer.push(store, "origin", [*rows, (tag, "refs/tags/s-1111/key")])
    transfer.accept(other, transfer.fetch(other, "origin"))
    assert transfer.fetch(other, "origin").updates == ()
    transfer.push(store, "origin", [(commits[5], rows[0][1])])
    (new,) = transfer.fetch(other, "origin").updates
    assert new == ("refs/remotes/origin/s-0000/main", commits[0], commits[5])
    assert written == [13, 0, 1]


def test_a_name_that_became_a_folder_over_there_does_not_stop_a_fetch(
    store: Store, other: Store, server: Path
) -> None:
    (one, two) = grow(store, A, 2)
    for each in (store, other):
        remotes.add(each, clean("origin"), clean(_url(server)))
    transfer.push(store, "origin", [(one, A)])
    transfer.accept(other, transfer.fetch(other, "origin"))
    transfer.push(store, "origin", [("", A)])
    transfer.push(store, "origin", [(two, "refs/heads/s-1111"), (two, "refs/heads/s-2222/main")])
    assert set(transfer.fetch(other, "origin").updates) == {
        ("refs/remotes/origin/s-1111", "", two), ("refs/remotes/origin/s-2222/main", "", two)
    }  # fmt: skip


def test_what_is_here_already_is_not_sent_again(store: Store, server: Path, other: Store) -> None:
    """From a second remote comes only what the first one has not."""
    commits = grow(store, A, 9)
    for name in ("one", "two"):
        subprocess.run(["git", "init", "-q", "--bare", server / name], check=True)
        for each in (store, other):
            remotes.add(each, clean(name), clean(_url(server / name)))
    transfer.push(store, "one", [(commits[7], A)])
    transfer.push(store, "two", [(commits[8], A)])
    transfer.accept(other, transfer.fetch(other, "one"))
    transfer.fetch(other, "two")
    count = dict(
        line.split(": ") for line in git(other, "count-objects", "-v").splitlines() if ": " in line
    )
    every = set(git(other, "cat-file", "--batch-all-objects", "--batch-check").splitlines())
    twice = int(count["count"]) + int(count["in-pack"]) - len(every)
    assert twice < 9 < len(every)  # git completes a pack with what its deltas build on


def test_where_git_fetched_is_gone_after_a_failure(store: Store, tmp_path: Path) -> None:
    remotes.add(store, clean("origin"), clean(f"file://{tmp_path}/nowhere.git"))
    with pytest.raises(RemoteError):
        transfer.fetch(store, "origin")
    assert not list((store.path / "gitsession/quarantine").iterdir())


def test_what_is_no_fast_forward_is_rejected_and_both_lines_stay(
    store: Store, other: Store, server: Path
) -> None:
    for each in (store, other):
        remotes.add(each, clean("origin"), clean(_url(server)))
    mine = grow(store, A, 2)
    transfer.push(store, "origin", [(mine[1], A)])
    theirs = grow(other, A, 3, native="codex/else")
    done = transfer.push(other, "origin", [(theirs[2], A), (theirs[0], B)])
    ((ref, reason),) = done.rejected
    assert ref == A
    assert "fetch first" in reason or "non-fast-forward" in reason
    assert [row[0] for row in done.updated] == [B]
    assert _refs(server) == {A: mine[1], B: theirs[0]}
    assert other.ref(FAR_A) == ""
    transfer.accept(other, transfer.fetch(other, "origin"))
    assert (other.ref(FAR_A), other.ref(A)) == (mine[1], theirs[2])
    assert transfer.push(other, "origin", [(theirs[2], A)], force=True).rejected == ()
    transfer.push(other, "origin", [("", B)])
    assert _refs(server) == {A: theirs[2]}
    assert other.ref("refs/remotes/origin/s-1111/fork") == ""


def test_local_refs_are_never_sent_and_never_fetched(
    store: Store, server: Path, environment: Environment, tmp_path: Path
) -> None:
    (one,) = grow(store, A, 1)
    with store.transaction("save") as change:
        change.move("refs/gitsession/wip/s-1111/main", "", one)
    clone, fetched = transfer.clone(
        tmp_path / "c.git", KEY, environment, clean(store.folder), clean("origin")
    )
    with clone:
        assert [row[0] for row in fetched.updates] == [FAR_A]
    listed = subprocess.run(
        ["git", "ls-remote", store.folder], capture_output=True, text=True, check=True
    ).stdout
    assert "wip" not in listed


@pytest.mark.parametrize(
    "url",
    [
        "https://ann:hunter2@example.org/r.git", "https://0123456789abcdef0123456789abcdef@x.org/r",
        "https://x.org/r.git?access_token=abc", "ssh://ann:pw@example.org/r", "http://:pw@x.org/r",
    ],
)  # fmt: skip
def test_an_address_with_a_password_or_token_is_refused(store: Store, url: str) -> None:
    with pytest.raises(SecretsFound) as caught:
        remotes.add(store, clean("origin"), clean(url))
    assert caught.value.exit_code == 14
    assert "hunter2" not in str(caught.value)
    assert remotes.every(store) == {}
    assert b"hunter2" not in (store.path / "config").read_bytes()


@pytest.mark.parametrize(
    "url", ["", "--upload-pack=touch x", "-x", "a\nb", "https://x.org/\x1b[2J"]
)
def test_what_is_no_address_is_refused(store: Store, url: str) -> None:
    with pytest.raises(UsageError):
        remotes.add(store, clean("origin"), clean(url))


@pytest.mark.parametrize(
    "name", ["", "-x", "a b", "../x", "a/b", "x.lock", "a..b", "a\nb", ".", "é"]
)
def test_what_is_no_name_of_a_remote_is_refused(store: Store, name: str) -> None:
    with pytest.raises(UsageError):
        remotes.add(store, clean(name), clean("https://example.org/r.git"))


def test_remotes_are_added_listed_and_removed(store: Store) -> None:
    remotes.add(store, clean("b"), clean("https://ann@example.org/r.git"))
    remotes.add(store, clean("a.b"), clean("git@example.org:team/r.git"))
    assert remotes.every(store) == {
        "a.b": "git@example.org:team/r.git", "b": "https://ann@example.org/r.git"
    }  # fmt: skip
    with pytest.raises(Conflict):
        remotes.add(store, clean("b"), clean("https://example.org/other.git"))
    (one,) = grow(store, A, 1)
    with store.transaction("fetch") as change:
        change.move("refs/remotes/b/s-1111/main", "", one)
    remotes.remove(store, "b")
    assert list(remotes.every(store)) == ["a.b"]
    assert store.refs("refs/remotes/") == {}
    with pytest.raises(NotFound) as caught:
        remotes.url(store, "b")
    assert caught.value.candidates == ("a.b",)


def test_a_remote_that_was_removed_twice_comes_back_once(store: Store) -> None:
    for address in ("https://example.org/old.git", "https://example.org/r.git"):
        remotes.add(store, clean("a.b"), clean(address))
        remotes.remove(store, "a.b")
    remotes.add(store, clean("axb"), clean("https://example.org/x.git"))
    for _ in range(2):
        remotes.bring_back(store, "a.b")
        assert remotes.every(store)["a.b"] == "https://example.org/r.git"
    remotes.remove(store, "a.b")
    remotes.add(store, clean("a.b"), clean("https://example.org/new.git"))
    remotes.bring_back(store, "a.b")
    assert remotes.every(store)["a.b"] == "https://example.org/new.git", "that name is taken"


def test_only_known_protocols_and_those_the_user_allows(
    store: Store, environment: Environment, tmp_path: Path
) -> None:
    remotes.add(store, clean("x"), clean(f"ext::sh -c touch% {tmp_path}/sprung"))
    remotes.add(store, clean("plain"), clean("http://127.0.0.1:9/r.git"))
    for name in ("x", "plain"):
        with pytest.raises(UsageError, match="not allowed"):
            transfer.fetch(store, name)
    (environment.home / ".gitconfig").write_text('[protocol "http"]\n\tallow = always\n')
    with pytest.raises(RemoteError):
        transfer.fetch(store, "plain")
    (environment.home / ".gitconfig").write_text('[protocol "file"]\n\tallow = never\n')
    remotes.add(store, clean("path"), clean(str(tmp_path)))
    with pytest.raises(UsageError, match="not allowed"):
        transfer.fetch(store, "path")
    assert not (tmp_path / "sprung").exists()


def test_the_users_rewriting_counts_here_and_secrets_in_it_are_not_shown(
    store: Store, environment: Environment, server: Path
) -> None:
    (one,) = grow(store, A, 1)
    (environment.home / ".gitconfig").write_text(
        f'[url "file://{server}"]\n\tinsteadOf = https://example.org/r.git\n'
        '[url "https://ann:hunter2@example.net/"]\n\tpushInsteadOf = https://example.com/\n'
    )
    remotes.add(store, clean("origin"), clean("https://example.org/r.git"))
    remotes.add(store, clean("second"), clean("https://example.com/r.git"))
    assert transfer.real_url(store, "origin") == f"file://{server}"
    assert transfer.real_url(store, "second") == "https://***@example.net/r.git"
    transfer.push(store, "origin", [(one, A)])
    assert _refs(server) == {A: one}


def test_the_users_ssh_command_is_used(
    store: Store, environment: Environment, tmp_path: Path
) -> None:
    wrapper = tmp_path / "ssh"
    wrapper.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/called\nexit 1\n')
    wrapper.chmod(0o755)
    environment.variables["GIT_SSH_COMMAND"] = str(wrapper)
    remotes.add(store, clean("origin"), clean("git@example.org:team/r.git"))
    with pytest.raises(RemoteError):
        transfer.fetch(store, "origin")
    assert "git-upload-pack 'team/r.git'" in (tmp_path / "called").read_text()


def test_hooks_and_foreign_settings_of_the_environment_do_not_run(
    store: Store, environment: Environment, server: Path, tmp_path: Path
) -> None:
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for hook in ("pre-push", "reference-transaction", "post-checkout"):
        (hooks / hook).write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\n")
        (hooks / hook).chmod(0o755)
    (environment.home / ".gitconfig").write_text(
        f"[core]\n\thooksPath = {hooks}\n[push]\n\tgpgSign = true\n\tfollowTags = true\n"
        "[fetch]\n\tprune = true\n[remote]\n\tpushDefault = elsewhere\n"
    )
    environment.variables.update(
        GIT_DIR="/nonexistent", GIT_NAMESPACE="ns", GIT_OBJECT_DIRECTORY="/nonexistent",
        GIT_CONFIG_COUNT="1", GIT_CONFIG_KEY_0="core.hooksPath", GIT_CONFIG_VALUE_0=str(hooks),
    )  # fmt: skip
    (one,) = grow(store, A, 1)
    remotes.add(store, clean("origin"), clean(_url(server)))
    transfer.push(store, "origin", [(one, A)])
    transfer.accept(store, transfer.fetch(store, "origin"))
    (server / "hooks").mkdir(exist_ok=True)
    (server / "hooks" / "update").symlink_to(hooks / "pre-push")
    transfer.push(store, "origin", [(one, B)])
    assert _refs(server) == {A: one, B: one}
    assert not (tmp_path / "sprung").exists()


def test_a_remote_that_is_not_there_is_an_error_without_secrets(
    store: Store, environment: Environment, tmp_path: Path
) -> None:
    (one,) = grow(store, A, 1)
    (environment.home / ".gitconfig").write_text(
        '[url "file:///nonexistent/ann:hunter2@x/"]\n\tinsteadOf = https://example.org/\n'
    )
    remotes.add(store, clean("origin"), clean("https://example.org/r.git"))
    for attempt in (
        lambda: transfer.fetch(store, "origin"),
        lambda: transfer.push(store, "origin", [(one, A)]),
    ):
        with pytest.raises(RemoteError) as caught:
            attempt()
        assert caught.value.exit_code == 15
        assert caught.value.hint
    assert store.refs() == {A: one}
    with pytest.raises(RemoteError):
        transfer.clone(
            tmp_path / "c.git", KEY, environment, clean(str(tmp_path / "no")), clean("o")
        )
    assert not (tmp_path / "c.git").exists()


def test_objects_that_git_calls_broken_are_not_taken(store: Store, server: Path) -> None:
    bad = subprocess.run(
        ["git", f"--git-dir={server}", "hash-object", "-t", "tree", "-w", "--literally", "--stdin"],
        input=b"40000 .git\0" + bytes.fromhex(_empty_tree(server)), capture_output=True, check=True,
    ).stdout.decode().strip()  # fmt: skip
    commit = subprocess.run(
        ["git", "-c", "user.name=n", "-c", "user.email=e", f"--git-dir={server}", "commit-tree",
         bad, "-m", "bad"], capture_output=True, check=True, text=True,
    ).stdout.strip()  # fmt: skip
    subprocess.run(["git", f"--git-dir={server}", "update-ref", A, commit], check=True)
    remotes.add(store, clean("origin"), clean(_url(server)))
    with pytest.raises(RemoteError):
        transfer.fetch(store, "origin")
    assert store.refs() == {}
    care.sweep(store, age=-1)  # git leaves its temporary pack


def _empty_tree(server: Path) -> str:
    return subprocess.run(
        ["git", f"--git-dir={server}", "hash-object", "-t", "tree", "-w", os.devnull],
        capture_output=True, check=True, text=True,
    ).stdout.strip()  # fmt: skip


def test_without_a_git_program_transfer_says_so(
    store: Store, environment: Environment, server: Path
) -> None:
    remotes.add(store, clean("origin"), clean(_url(server)))
    bare = Environment({"PATH": "/nonexistent"}, environment.home, "/")
    with Store.open(store.path, KEY, bare) as other, pytest.raises(NotFound, match="git program"):
        transfer.fetch(other, "origin")


def test_two_fetches_at_once_move_the_refs_once(store: Store, server: Path, other: Store) -> None:
    for each in (store, other):
        remotes.add(each, clean("origin"), clean(_url(server)))
    commits = grow(store, A, 2)
    transfer.push(store, "origin", [(commits[1], A)])
    first, second = transfer.fetch(other, "origin"), transfer.fetch(other, "origin")
    transfer.accept(other, first)
    with pytest.raises(Conflict):
        transfer.accept(other, second)
    assert other.refs() == {FAR_A: commits[1]}


def test_masked_texts() -> None:
    text = "fatal: https://ann:pw@x.org/r?token=abc&x=1 \x1b[31m and ssh://git@y.org"
    assert remotes.masked(text) == (
        "fatal: https://***@x.org/r?token=***&x=1 ?[31m and ssh://***@y.org"
    )


def test_clone_takes_only_a_free_place(
    store: Store, environment: Environment, server: Path
) -> None:
    with pytest.raises(Conflict):
        transfer.clone(store.path, KEY, environment, clean(_url(server)), clean("origin"))
    with store.writer() as writer:
        writer.commit(encoded({"still": b"there"}))
