"""Two people go on with one session: each goes on with a conversation of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitsession.environment import Environment
from gitsession.errors import Conflict
from gitsession.repository import Repository

from .conftest import LiveSession, assert_clean, goes_on
from .test_checkout import three_turns
from .test_sharing import clone, friend, send, server

__all__ = ["friend", "server"]


def shared(live: LiveSession, repository: Repository, server: Path) -> str:
    """A session of three turns that was pushed; its name."""
    session = three_turns(live, repository)
    repository.add_remote("origin", str(server))
    send(repository)
    return session


def subjects(repository: Repository, revision: str) -> list[str]:
    return [version.subject for version in repository.log(revision)]


def test_G27_who_gets_a_session_goes_on_with_one_of_their_own(
    live: LiveSession, repository: Repository, server: Path, friend: Environment
) -> None:
    session = shared(live, repository, server)
    before = repository._store.refs("refs/heads/")
    with clone(friend, server) as theirs:
        out = theirs.checkout(f"{session}/main~1", branch="theirs")
        assert out.native_id != live.native_id
        goes_on(out.path, out.native_id, friend.cwd).turn("from the friend")
        [saved] = theirs.save([out.native_id]).sessions
        version = saved.versions[-1]
        assert version.trailers["Session"] == f"claude-code/{live.native_id}"  # where it is from
        assert version.trailers["Native"] == f"claude-code/{out.native_id}"
        assert repository._store.refs("refs/heads/") == before
        sent = theirs.push(theirs.plan_push("origin", (f"{session}/theirs",)))
        assert [ref for ref, _, _ in sent.updated] == [f"refs/heads/{session}/theirs"]
    repository.fetch("origin")
    repository.pull("origin")
    assert repository._store.refs("refs/heads/") == before
    assert subjects(repository, f"origin/{session}/theirs")[0] == "from the friend"


def test_G27_what_others_said_next_is_never_mixed_with_the_session_that_goes_on_here(
    live: LiveSession, repository: Repository, server: Path, friend: Environment
) -> None:
    session = shared(live, repository, server)
    with clone(friend, server) as theirs:
        out = theirs.checkout(f"{session}/main")
        conversation = goes_on(out.path, out.native_id, friend.cwd)
        for prompt in ("theirs one", "theirs two", "theirs three"):
            conversation.turn(prompt)
        theirs.save([out.native_id])
        theirs.create_branch("main-2", f"{session}/main~1")
        send(theirs, sessions=(session,))
    live.prompt("mine")
    repository.save(auto=True)  # the turn is at work while the branch moves
    pulled = repository.pull("origin")
    assert pulled.notes == (f"the session on {session}/main continues here as {session}/main-3",)
    assert subjects(repository, f"{session}/main")[0] == "theirs three"
    live.assistant([{"type": "text", "text": "my answer"}], "end_turn")
    [saved] = repository.save().sessions
    assert (saved.outcome, saved.branch) == ("saved", f"{session}/main-3")
    assert subjects(repository, f"{session}/main-3")[:2] == ["mine", "third question"]
    assert "mine" not in subjects(repository, f"{session}/main")
    assert not repository._store.refs("refs/gitsession/wip/")
    assert not repository.push(repository.plan_push("origin", (session,))).rejected
    assert_clean(repository)


def test_a_pull_that_is_undone_gives_the_session_its_branch_back(
    live: LiveSession, repository: Repository, server: Path, friend: Environment
) -> None:
    session = shared(live, repository, server)
    with clone(friend, server) as theirs:
        out = theirs.checkout(f"{session}/main")
        goes_on(out.path, out.native_id, friend.cwd).turn("theirs")
        theirs.save([out.native_id])
        send(theirs, sessions=(session,))
    repository.pull("origin")
    assert repository.undo().verb == "pull"
    live.turn("mine")
    [saved] = repository.save().sessions
    assert saved.branch == f"{session}/main"
    assert subjects(repository, f"{session}/main")[:2] == ["mine", "third question"]


def test_who_made_a_foreign_session_and_where_it_came_from_is_told(
    live: LiveSession, repository: Repository, server: Path, friend: Environment
) -> None:
    """Before an agent goes on with it, and also where the command is only printed."""
    session = shared(live, repository, server)
    with clone(friend, server) as theirs:
        out = theirs.checkout(f"{session}/main~1")
        assert ", from origin: 5 messages, 2 versions" in out.note
        assert out.note.startswith("made by ")
        with pytest.raises(Conflict, match=r"from origin: 7 messages, 3 versions, 0 masked"):
            theirs.check_resume(f"{session}/main", any_project=True)
        cut = theirs.checkout(f"{session}/main:1")
        assert ", from origin: 7 messages, 3 versions" in cut.note
    assert "made by" not in repository.checkout(f"{session}/main~1").note
