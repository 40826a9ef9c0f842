"""search over real stores: what is found, how it is named, and what must not be found any more."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gitsession.environment import Environment
from gitsession.errors import NotFound, UsageError
from gitsession.operations import show
from gitsession.repository import Repository
from tests.builders import Claude
from tests.codex_builder import Codex
from tests.gemini_builder import Gemini
from tests.pi_builder import Pi

from . import test_sharing
from .conftest import LiveSession, goes_on, make_live
from .searching import cache, found, index_file, texts_of
from .test_convert import go_on
from .test_sharing import clone, git, plant, send

server, friend = test_sharing.server, test_sharing.friend

SECRET = "harvest moon over quiet rivers 1979"


def test_what_was_said_called_and_answered(repository: Repository, live: LiveSession) -> None:
    live.turn("why does the login fail", "The clock is wrong.", tool="ntpd: drift 900 s")
    live.turn("set the clock", "Done now.")
    repository.save()
    versions = [version.id for version in repository.log()][::-1]
    (asked,) = found(repository, "login")
    assert (asked.version, asked.message, asked.role, asked.tool) == (versions[0], 1, "user", "")
    assert asked.branch == f"{asked.session}/main" == repository.head()
    assert asked.text[slice(*asked.marks[0])] == "login"
    (called,) = found(repository, "drift")
    assert (called.version, called.role, called.tool) == (versions[0], "assistant", "Bash")
    assert [hit.version for hit in found(repository, "clock")] == versions
    assert found(repository, "set", "clock")[0].version == versions[1]
    assert not asked.foreign


def test_every_kind_of_match(repository: Repository, live: LiveSession) -> None:
    live.turn("migrate the database", "Die Übergabe is done; 数据库迁移 as well")
    repository.save()
    for asked in ("migrations", "grate th", "ubergabe", "迁移", "库", "databse", "MIGRATE"):
        assert found(repository, asked), asked
    assert [one.used for one in repository.search("databse").corrected] == [("database",)]
    assert not found(repository, "Migrate", exact=True)
    assert not found(repository, "unrelated")


def test_filters(repository: Repository, live: LiveSession) -> None:
    live.turn("needle", "a needle", tool="needle.txt")
    repository.save()
    assert len(found(repository, "needle", role="user")) == 1
    assert [hit.tool for hit in found(repository, "needle", role="tool")] == ["Bash"]
    assert [hit.tool for hit in found(repository, "needle", tool="bash")] == ["Bash"]
    assert found(repository, "needle", agent="codex") == []
    first = found(repository, "needle")[0]
    assert found(repository, "needle", until=first.time) == [first]
    with pytest.raises(UsageError):
        repository.search("needle", role="nobody")
    with pytest.raises(UsageError):
        repository.search(" ")


def test_scope_is_the_project(
    repository: Repository, live: LiveSession, environment: Environment, tmp_path: Path
) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    there = Environment(environment.variables, environment.home, str(folder))
    other = make_live(there).turn("a needle elsewhere")
    live.turn("a needle here")
    repository.save(everything=True)
    assert [hit.text for hit in found(repository, "needle")] == ["a needle here"]
    assert len(found(repository, "needle", everything=True)) == 2
    (hit,) = found(repository, "needle", project=str(folder))
    assert hit.text == "a needle elsewhere"
    assert found(repository, "needle", session=hit.session) == [hit]
    assert other.native_id
    with pytest.raises(NotFound):
        repository.search("needle", session="nothing-like-that")


def test_several_agents(repository: Repository, environment: Environment) -> None:
    home, cwd = Path(environment.home), environment.cwd
    Claude(cwd=cwd).turn("needle one", "claude says", command="ls needle").save(home)
    Codex(cwd=cwd).turn("needle two", "codex says").save(home)
    Gemini(cwd=cwd).turn("needle three", "gemini says").save(home)
    Pi(cwd=cwd).turn("needle four", "pi says", command="ls").save(home)
    repository.save(everything=True)
    hits = found(repository, "needle", everything=True)
    assert {hit.agent for hit in hits} == {"claude-code", "codex", "gemini", "pi"}
    assert {hit.text for hit in hits if hit.role == "user"} >= {"needle one", "needle two"}


def test_what_branches_share_is_found_once(
    repository: Repository, live: LiveSession, environment: Environment
) -> None:
    live.turn("common needle").turn("main needle")
    repository.save()
    done = repository.checkout("HEAD~1", branch="aside")
    goes_on(done.path, done.native_id, environment.cwd).turn("aside needle")
    repository.save([done.native_id])
    hits = found(repository, "needle")
    where = {hit.text: hit.branch.partition("/")[2] for hit in hits}
    assert where == {"common needle": "main", "main needle": "main", "aside needle": "aside"}
    repository.delete_branch(f"{hits[0].session}/main")
    where = {hit.text: hit.branch.partition("/")[2] for hit in found(repository, "needle")}
    assert where == {"common needle": "aside", "aside needle": "aside"}
    repository.undo()
    assert len(found(repository, "needle")) == 3


def test_a_session_that_goes_on_in_another_agent(repository: Repository, live: LiveSession) -> None:
    live.turn("first needle", "one").turn("second needle", "two")
    repository.save()
    there = repository.checkout("HEAD~1", to="codex")
    go_on("codex", there)
    repository.save([there.native_id])
    (hit,) = found(repository, "went on")
    assert hit.branch == there.branch
    assert hit.version == repository.version(there.branch).id
    repository.delete_branch(repository.search("second needle").hits[0].branch)
    assert "first needle" in {hit.text for hit in found(repository, "needle")}


def test_what_was_rewound_is_found_where_it_stands(
    repository: Repository, live: LiveSession
) -> None:
    live.turn("one")
    start = live.last
    live.turn("two needle").turn("three")
    live.last = start
    live.turn("two again")
    repository.save()
    (hit,) = found(repository, "needle")
    assert hit.branch.endswith("/rewound-1")


def test_what_was_compacted_away_is_found(repository: Repository, environment: Environment) -> None:
    session = Claude(cwd=environment.cwd)
    session.turn("the needle question", "the needle answer").compact("a summary").turn("go on")
    session.save(Path(environment.home))
    repository.save()
    assert [hit.message for hit in found(repository, "needle")] == [1, 2]
    assert [hit.text for hit in found(repository, "summary")] == ["a summary"]


def test_what_a_rewritten_past_lacks_is_found_in_the_version_before(
    repository: Repository, environment: Environment
) -> None:
    home = Path(environment.home)
    Claude(cwd=environment.cwd).turn("the needle question").turn("kept question").save(home)
    repository.save()
    old = repository.version("HEAD~1").id
    Claude(cwd=environment.cwd).turn("another question").turn("kept question").turn("new").save(
        home
    )
    repository.save()
    assert repository.version().trailers["Kind"] == "rewrite"
    hits = found(repository, "question")
    assert {hit.version for hit in hits if "needle" in hit.text} == {old}
    assert any("another" in hit.text for hit in hits)


def test_a_longer_session_is_read_from_where_it_was(
    repository: Repository, live: LiveSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    live.turn("needle 1")
    repository.save()
    assert len(found(repository, "needle")) == 1
    read: list[str] = []
    whole = show.session_of

    def noted(workspace: object, commit: str) -> object:
        read.append(commit)
        return whole(workspace, commit)  # type: ignore[arg-type]

    monkeypatch.setattr(show, "session_of", noted)
    repository.search("needle")
    assert read == []
    live.turn("needle 2")
    repository.save()
    assert repository.search("needle").total == 2
    assert read == [repository.version().id]


def test_a_title_alone_is_found(repository: Repository, live: LiveSession) -> None:
    live.turn("hello")
    repository.save()
    repository.rename("HEAD", "the haystack")
    (hit,) = found(repository, "haystack")
    assert (hit.message, hit.role, hit.version) == (0, "title", repository.version().id)
    assert hit.text[slice(*hit.marks[0])] == "haystack"
    assert found(repository, "haystack", role="user") == []
    assert repository.search("haystack", until=hit.time - 1).total == 0
    assert repository.search("haystack", since=hit.time).total == 1


def test_archived_sessions_say_so(repository: Repository, live: LiveSession) -> None:
    live.turn("needle")
    repository.save()
    repository.archive("HEAD")
    assert [hit.archived for hit in found(repository, "needle")] == [True]


def test_deleted_sessions_are_not_found(repository: Repository, live: LiveSession) -> None:
    live.turn(f"needle {SECRET}")
    repository.save()
    assert found(repository, "needle")
    repository.delete(repository.head().partition("/")[0])
    assert repository.search("needle", everything=True).total == 0
    assert b"needle" not in texts_of(repository)
    repository.undo()
    assert len(found(repository, "needle", everything=True)) == 1


def test_A_friends_session_is_found_as_theirs(
    repository: Repository,
    live: LiveSession,
    server: Path,
    friend: Environment,
) -> None:
    live.turn("needle", "an answer")
    repository.save()
    repository.add_remote("origin", str(server))
    send(repository)
    session = repository.head().partition("/")[0]
    with clone(friend, server) as theirs:
        (hit,) = found(theirs, "needle", everything=True)
        assert (hit.foreign, hit.session) == (True, session)
        live.turn("needle again")
        repository.save()
        send(repository)
        theirs.fetch("origin")
        hits = found(theirs, "needle", everything=True)
        assert [hit.branch for hit in hits] == [f"{session}/main", f"origin/{session}/main"]
        assert all(hit.foreign for hit in hits)
    assert [hit.foreign for hit in found(repository, "needle")] == [False, False]


def test_what_a_fetch_brought_secrets_with_is_not_searched(
    repository: Repository,
    live: LiveSession,
    server: Path,
    friend: Environment,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    live.turn("needle")
    repository.save()
    session = repository.head().partition("/")[0]
    plant(repository, monkeypatch, live)
    ref = f"refs/heads/{session}/main"
    git("push", "--no-verify", "-q", str(server), ref, cwd=repository.store_path)
    with clone(friend, server) as theirs:
        answer = theirs.search("needle", everything=True)
        assert answer.hits == ()
        assert len(answer.notes) == 1 and "1 fetched with secrets" in answer.notes[0]
        assert b"needle" not in cache(friend)
        own = make_live(friend).turn("a needle of my own")
        theirs.save([own.native_id])
        assert [hit.foreign for hit in found(theirs, "needle", everything=True)] == [False]


def test_real_samples(repository: Repository, samples: Path) -> None:
    files = sorted(samples.glob("codex/entire/seq-019dc0d3/*.jsonl"))[1:2]
    files += sorted(samples.glob("claude/entire/seq-fe3ed705/*.jsonl"))[3:4]
    if not files:
        pytest.skip("no such samples")
    repository.import_files([str(path) for path in files])
    sessions = repository.list(everything=True)
    assert len(sessions) == len(files)
    for row in sessions:
        told = repository.session(row.session).messages
        for number in (1, len(told) // 2, len(told)):
            words = told[number - 1].text.split()[:4]
            if len(words) < 4 or any('"' in word for word in words):
                continue
            hits = found(repository, " ".join(words), session=row.session)
            assert any(hit.message == number for hit in hits), words
    assert os.path.getsize(index_file(repository))
