"""rename, archive, delete, exclude; undo and redo of everything that moves a ref."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from gitsession.environment import Environment
from gitsession.errors import Conflict, GitSessionError, NotFound
from gitsession.redaction import Redactor
from gitsession.repository import Repository
from gitsession.store.records import KINDS, OF_BRANCHES, OF_SESSIONS
from tests.acceptance.conftest import every_byte

from .conftest import LiveSession, goes_on
from .test_checkout import three_turns


def test_rename_gives_title_and_name_and_everything_follows(
    live: LiveSession, repository: Repository
) -> None:
    session = three_turns(live, repository)
    repository.create_tag("mark")
    new = repository.rename(session, "Login with cookies")
    assert new == f"login-with-cookies-{session.rpartition('-')[2]}"
    assert repository.head() == f"{new}/main"
    row = repository.list()[0]
    assert (row.session, row.title) == (new, "Login with cookies")
    assert repository.tags(new)[0].ref == f"refs/tags/{new}/mark"
    live.turn("and on")
    assert repository.save().sessions[0].branch == f"{new}/main"


@pytest.mark.parametrize("words", ["Login with cookies", "First question?", "A title of mine?"])
@pytest.mark.parametrize("first", ["", "A title of mine"])
def test_undo_of_rename_gives_title_and_name_back(
    live: LiveSession, repository: Repository, first: str, words: str
) -> None:
    """Also where the name stays, as the title says the same in other signs; and redo."""
    session = three_turns(live, repository)
    if first:
        session = repository.rename(session, first)

    def told() -> list[tuple[str, str]]:
        return [(row.session, row.title) for row in repository.list()]

    before = told()
    repository.rename(session, words)
    after = told()
    assert after[0][1] == words and before != after
    assert repository.undo().verb == "rename"
    assert told() == before
    repository.redo()
    assert told() == after
    repository.undo()
    assert told() == before
    assert repository._store.records.names("titles") == ([session] if first else [])


def test_undo_of_an_older_title_says_that_there_is_a_newer_one(
    live: LiveSession, repository: Repository
) -> None:
    session = three_turns(live, repository)
    session = repository.rename(session, "one?")
    number = repository.oplog()[0].id
    assert repository.rename(session, "one!") == session
    with pytest.raises(Conflict, match="moved since"):
        repository.undo(number)
    assert repository.list()[0].title == "one!"


def test_archived_sessions_are_listed_apart(live: LiveSession, repository: Repository) -> None:
    session = three_turns(live, repository)
    repository.archive(session)
    assert not repository.list()
    assert [row.session for row in repository.list(archived=True)] == [session]
    repository.archive(session, undo=True)
    assert [row.session for row in repository.list()] == [session]


def test_a_deleted_session_stays_away_until_undo(live: LiveSession, repository: Repository) -> None:
    session = three_turns(live, repository)
    repository.create_tag("mark")
    refs = repository._store.refs("refs/heads/") | repository._store.refs("refs/tags/")
    copies = repository.delete(session)
    assert any("claude-code" in copy for copy in copies)
    assert not repository.list(everything=True)
    live.turn("more")
    assert [saved.outcome for saved in repository.save(everything=True).sessions] == ["deleted"]
    repository.undo()
    assert repository._store.refs("refs/heads/") | repository._store.refs("refs/tags/") == refs
    assert repository.head() == f"{session}/main"
    assert repository.save(everything=True).sessions[0].outcome == "saved"


def test_excluded_folders_and_sessions_are_not_read(
    live: LiveSession, repository: Repository, environment: Environment
) -> None:
    three_turns(live, repository)
    live.turn("private")
    repository.exclude(environment.cwd)
    assert [saved.outcome for saved in repository.save(everything=True).sessions] == ["excluded"]
    repository.exclude(environment.cwd, undo=True)
    repository.exclude(live.native_id)
    assert [saved.outcome for saved in repository.save(everything=True).sessions] == ["excluded"]
    repository.exclude(live.native_id, undo=True)
    assert repository.save(everything=True).sessions[0].outcome == "saved"
    with pytest.raises(NotFound):
        repository.exclude("nothing-of-that-name")


def test_undo_of_a_checkout_takes_the_untouched_native_file_away(
    live: LiveSession, repository: Repository
) -> None:
    session = three_turns(live, repository)
    done = repository.checkout("HEAD~1")
    taken = repository.undo()
    assert taken.verb == "checkout"
    assert not Path(done.path).exists()
    assert repository.head() == f"{session}/main"
    repository.redo()
    assert repository.head() == done.branch
    again = repository.checkout(done.branch)  # nobody continues it: a new file on that branch
    assert again.branch == done.branch
    assert Path(again.path).exists()


def test_undo_of_a_checkout_in_use_moves_head_only(
    live: LiveSession, repository: Repository, environment: Environment
) -> None:
    session = three_turns(live, repository)
    done = repository.checkout("HEAD~1")
    agent = goes_on(done.path, done.native_id, environment.cwd).prompt("hm")
    repository.undo()
    assert Path(done.path).exists()
    assert repository.head() == f"{session}/main"
    agent.turn("said")
    saved = repository.save([done.native_id]).sessions[0]
    assert saved.branch == done.branch
    assert saved.versions[0].parents == (done.version.id,)


def test_undo_refuses_when_the_branch_went_on(live: LiveSession, repository: Repository) -> None:
    three_turns(live, repository)
    repository.create_branch("x", "HEAD~1")
    number = repository.oplog()[0].id
    repository.rename_branch("x", "y")
    with pytest.raises(Conflict, match="moved since"):
        repository.undo(number)


def test_undo_of_taking_a_branch_over_gives_it_back(
    live: LiveSession, repository: Repository
) -> None:
    session = three_turns(live, repository)
    done = repository.checkout(f"{session}/main", take_over=True)
    repository.undo()
    assert not Path(done.path).exists()
    assert set(repository._store.refs("refs/heads/")) == {f"refs/heads/{session}/main"}
    live.turn("still here")
    assert repository.save([live.native_id]).sessions[0].branch == f"{session}/main"


def _some_verb(repository: Repository, rng: random.Random) -> None:
    """One random command of a person; refusals are fine, half-done changes are not."""
    number = rng.randrange(1000)
    refs = sorted(repository._store.refs("refs/heads/"))
    branch = rng.choice(refs).removeprefix("refs/heads/")
    session = branch.partition("/")[0]
    tags = sorted(repository._store.refs("refs/tags/"))
    verbs: list[Callable[[], object]] = [
        lambda: repository.create_branch(f"b{number}", branch),
        lambda: repository.create_branch(f"m{number}", f"{branch}:2", move=True),
        lambda: repository.delete_branch(branch),
        lambda: repository.rename_branch(branch, f"r{number}"),
        lambda: repository.create_tag(f"t{number}", branch, message="why"),
        lambda: repository.delete_tag(rng.choice(tags).removeprefix("refs/tags/")),
        lambda: repository.checkout(f"{branch}~1"),
        lambda: repository.checkout(branch, take_over=True),
        lambda: repository.checkout(f"{branch}:3", branch=f"c{number}"),
        lambda: repository.clean_checkout(branch),
        lambda: repository.rename(session, f"title {number}"),
        lambda: repository.delete(session),
    ]
    with contextlib.suppress(GitSessionError, IndexError):
        rng.choice(verbs)()


@pytest.mark.parametrize("seed", range(8))
def test_whatever_was_done_undoing_all_of_it_gives_the_refs_back(
    seed: int,
    live: LiveSession,
    another: Callable[[], LiveSession],
    repository: Repository,
    environment: Environment,
) -> None:
    rng = random.Random(seed)
    three_turns(live, repository)
    other = another().turn("something else").turn("and more")
    repository.save([other.native_id])
    files = {path: path.read_bytes() for path in live.path.parent.iterdir()}
    refs = _lasting(repository)
    head = repository.head()
    start = repository.oplog()[0].id
    for _ in range(12):
        if not repository._store.refs("refs/heads/"):
            break
        _some_verb(repository, rng)
    done = _lasting(repository)
    steps = len([operation for operation in repository.oplog() if operation.id > start])
    for _ in range(steps):
        repository.undo()
    assert _lasting(repository) == refs
    assert repository.head() == head
    assert {path: path.read_bytes() for path in live.path.parent.iterdir()} == files
    for _ in range(steps):
        repository.redo()
    assert _lasting(repository) == done
    with pytest.raises(NotFound):
        repository.redo()


def _lasting(repository: Repository) -> dict[str, str]:
    refs = repository._store.refs()
    return {ref: at for ref, at in refs.items() if ref.startswith(("refs/heads/", "refs/tags/"))}


def test_an_undone_save_is_made_again_by_the_next_one(
    live: LiveSession, repository: Repository
) -> None:
    session = three_turns(live, repository)
    tip = repository.version(f"{session}/main").id
    live.turn("one more")
    newer = repository.save().sessions[0].versions[0].id
    assert repository.undo().verb == "save"
    assert repository.version(f"{session}/main").id == tip
    assert repository.save().sessions[0].versions[0].id == newer
    repository.undo()
    repository.redo()
    assert repository.version(f"{session}/main").id == newer
    live.turn("and another")
    assert repository.save().sessions[0].versions[0].parents == (newer,)


def test_undo_of_the_first_save_and_saving_again(live: LiveSession, repository: Repository) -> None:
    session = three_turns(live, repository)
    tip = repository.version(f"{session}/main").id
    repository.undo()
    assert not repository._store.refs("refs/heads/")
    assert repository.head() == ""
    saved = repository.save().sessions[0]
    assert saved.branch == f"{session}/main"
    assert repository.version().id == tip


def test_automatic_saves_are_stepped_over_but_never_lost(
    live: LiveSession, repository: Repository
) -> None:
    session = three_turns(live, repository)
    repository.create_tag("mark")
    live.turn("by a hook")
    repository.save(auto=True)
    tip = repository.version(f"{session}/main").id
    assert repository.undo().verb == "tag"
    assert repository.version(f"{session}/main").id == tip


def test_the_log_of_operations_holds_verbs_and_refs_but_no_arguments(
    live: LiveSession, repository: Repository
) -> None:
    three_turns(live, repository)
    repository.create_tag("mark", message="because of the meeting")
    repository.checkout("HEAD~1")
    text = (repository.store_path / "gitsession" / "oplog.jsonl").read_text()
    assert "meeting" not in text
    assert [operation.verb for operation in repository.oplog()] == ["checkout", "tag", "save"]
    assert len(repository.oplog(2)) == 2


def test_purge_drops_what_nothing_else_holds(
    live: LiveSession, repository: Repository, another: Callable[[], LiveSession]
) -> None:
    live.turn("the zebra crossing", "walks over it").turn("more zebra", "and back")
    repository.save()
    session = repository.head().partition("/")[0]
    repository.create_branch("side", "HEAD~1")
    repository.delete_branch("side")
    other = another()
    other.turn("other things", "stay").turn("other more", "stay")
    repository.save((other.native_id,))
    kept = repository.version().id
    number = repository.oplog()[0].id
    repository.delete(session, purge=True)
    assert b"zebra" not in every_byte(repository.store_path)
    assert repository.version().id == kept and repository.session().streams
    with pytest.raises(NotFound):
        repository.version(session)
    with pytest.raises(Conflict, match="cannot be undone"):
        repository.undo()
    assert repository.oplog()[0].verb == "purge" and repository.oplog()[0].id > number
    assert repository.save(everything=True).sessions
    assert b"zebra" not in every_byte(repository.store_path)  # the tombstone keeps it out
    assert repository.save((live.native_id,)).sessions[0].outcome == "saved"


def test_purge_leaves_no_record_of_the_session_but_its_tombstone(
    live: LiveSession, repository: Repository
) -> None:
    """Whatever kinds of records there will be: what is named by the session goes with it."""
    session = three_turns(live, repository)
    records = repository._store.records
    for kind in (*OF_SESSIONS, *OF_BRANCHES):
        name = session if kind in OF_SESSIONS else f"{session}/main"
        records.write(kind, Redactor(bytes(32)).clean(name), {"session": session})
    repository.delete(session, purge=True)
    left = {kind: list(records.names(kind)) for kind in KINDS}
    assert left.pop("tombstones")
    assert not any(session in name for names in left.values() for name in names)
    assert session.encode() not in every_byte(repository.store_path)


def test_purge_of_the_only_session(live: LiveSession, repository: Repository) -> None:
    session = three_turns(live, repository)
    repository.delete(session, purge=True)
    objects = repository.store_path / "objects"
    assert not [path for path in objects.rglob("*") if path.is_file()]
    assert repository.list(everything=True) == ()
