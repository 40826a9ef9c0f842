"""Names that a Mac or Windows takes for one, or for none: stores get there."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitsession.environment import Environment
from gitsession.errors import Conflict, UsageError
from gitsession.operations.names import check_name
from gitsession.repository import Repository
from gitsession.store.refs import Refs

from .conftest import LiveSession
from .test_checkout import three_turns
from .test_sharing import clone, friend, git, send, server

__all__ = ["friend", "server"]


@pytest.mark.parametrize(
    "name", ["con", "NUL", "aux.txt", "COM1", "lpt9.x", "prn", "a<b", "a>b", "a|b", 'a"b']
)
def test_what_windows_has_no_file_for_is_refused(name: str) -> None:
    for kind in ("branch", "tag"):
        with pytest.raises(UsageError):
            check_name(name, kind)


@pytest.mark.parametrize("name", ["console", "com", "com10", "nul-1", "auxiliary", "v1.con"])
def test_what_only_looks_like_it_passes(name: str) -> None:
    assert check_name(name, "branch") == name


@pytest.mark.parametrize("other", ["feature-Ä", "FEATURE-Ä", "Feature-ä", "Feature-A\u0308"])
def test_a_name_differs_in_more_than_capitals(
    live: LiveSession, repository: Repository, other: str
) -> None:
    three_turns(live, repository)
    repository.create_branch("Feature-Ä", "HEAD~1")
    repository.create_tag("Feature-ö", "HEAD")
    with pytest.raises(Conflict):
        repository.create_branch(other, "HEAD")
    with pytest.raises(Conflict):
        repository.create_tag(other.replace("Ä", "ö").replace("ä", "Ö"), "HEAD")


def test_a_branch_may_get_other_capitals(live: LiveSession, repository: Repository) -> None:
    session = three_turns(live, repository)
    repository.create_branch("Feature", "HEAD~1")
    at = repository.version(f"{session}/Feature").id
    assert repository.rename_branch(f"{session}/Feature", "feature") == f"{session}/feature"
    assert repository.version(f"{session}/feature").id == at
    assert f"refs/heads/{session}/Feature" not in repository._store.refs()


def test_of_two_that_are_one_file_here_one_is_fetched_and_the_other_named(
    live: LiveSession, repository: Repository, server: Path, tmp_path: Path, friend: Environment,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    session = three_turns(live, repository)
    repository.create_branch("feature", "HEAD~1")
    repository.add_remote("origin", str(server))
    send(repository)
    main = git("rev-parse", f"refs/heads/{session}/main", cwd=server).strip()
    git("pack-refs", "--all", cwd=server)  # packed, it holds both on every file system
    git("update-ref", f"refs/heads/{session}/Feature", main, cwd=server)
    git("pack-refs", "--all", cwd=server)
    monkeypatch.setattr(Refs, "folds", property(lambda _: True))
    there = clone(friend, server)
    refs = [ref for ref in there._store.refs("refs/remotes/") if "eature" in ref]
    assert len(refs) == 1
    (rejected,) = there.fetch("origin").rejected
    assert {refs[0], rejected[0]} == {
        f"refs/remotes/origin/{session}/{name}" for name in ("feature", "Feature")
    }
    assert (
        rejected[1] == f"on this file system {session}/{refs[0].rpartition('/')[2]} has that name"
    )
