"""What concerns one session costs the same beside two others and beside many: files that are
opened, refs, lines of the log and objects that are looked at are counted, never time."""

from __future__ import annotations

import builtins
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gitsession.environment import Environment
from gitsession.operations.sharing import material
from gitsession.repository import Repository, open_repository
from gitsession.store import below, history, oplog, refs
from gitsession.store.reader import Reader
from tests.operations.conftest import LiveSession, make_live

FEW, MANY = 2, 16
SLACK = 4
"""Of a bound: a folder of refs or of objects that happens to be there, or not."""


def others(environment: Environment, count: int, name: str) -> None:
    """Sessions of another project, with a tag and a branch each, in refs that git has packed."""
    folder = Path(environment.cwd).parent / name
    folder.mkdir()
    there = environment.at(str(folder))
    for number in range(count):
        make_live(there).turn(f"{name} {number} asks", "yes").turn("and again", "no")
    with open_repository(there) as repository:
        saved = repository.save(everything=True).sessions
        for number, one in enumerate(saved):
            if len(one.versions) == 2:
                session = one.branch.partition("/")[0]
                repository.create_tag(f"t{number}", session, message="so it was")
                repository.create_branch(f"b{number}", f"{session}~1")
        pack(repository)


def pack(repository: Repository) -> None:
    subprocess.run(["git", "-C", str(repository.store_path), "pack-refs", "--all"], check=True)


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """How often each was done so far."""
    done = dict.fromkeys(("opened", "refs", "lines", "objects", "versions"), 0)

    def count(place: Any, name: str, kind: str) -> None:
        real = getattr(place, name)

        def counted(*words: Any, **more: Any) -> Any:
            done[kind] += 1
            return real(*words, **more)

        monkeypatch.setattr(place, name, counted)

    count(builtins, "open", "opened")
    count(refs, "is_id", "refs")
    count(oplog, "_parse", "lines")
    count(Reader, "read", "objects")
    count(history, "_version", "versions")
    return done


Verb = Callable[[Repository], object]


def _undone(repository: Repository) -> None:
    repository.create_tag(f"t{os.urandom(4).hex()}")
    repository.undo()
    repository.redo()


def _checkout(repository: Repository) -> None:
    repository.checkout("HEAD~1")
    repository.undo()


VERBS: dict[str, Verb] = {
    "status": lambda repository: repository.status(),
    "log": lambda repository: repository.graph_refs(repository.log()),
    "show": lambda repository: repository.graph_refs([repository.version()]),
    "resolve": lambda repository: repository.resolve("HEAD~1"),
    "diff": lambda repository: repository.diff("HEAD~1", "HEAD"),
    "tag": lambda repository: repository.create_tag(f"t{os.urandom(4).hex()}"),
    "undo": _undone,
    "rename": lambda repository: repository.rename("HEAD", f"called {os.urandom(4).hex()}"),
    "archive": lambda repository: repository.archive("HEAD"),
    "checkout": _checkout,
    "save": lambda repository: repository.save(),
}


@pytest.fixture
def verb(request: pytest.FixtureRequest) -> Verb:
    return VERBS[request.param]


@pytest.mark.parametrize("verb", VERBS, indirect=True)
def test_a_crowd_makes_no_verb_about_one_session_dearer(
    environment: Environment, live: LiveSession, work: dict[str, int], verb: Verb
) -> None:
    live.turn("one", "ok").turn("two", "ok").turn("three", "ok")
    cost = []
    for count, name in ((FEW, "few"), (MANY, "many")):
        others(environment, count, name)
        with open_repository(environment) as repository:
            repository.save()
            verb(repository)  # a hint may be made once
            pack(repository)
        before = dict(work)
        with open_repository(environment) as repository:
            verb(repository)
        cost.append({kind: work[kind] - before[kind] for kind in work})
    few, many = cost
    assert all(many[kind] <= few[kind] + SLACK for kind in work), (few, many)


def test_of_a_name_that_is_whole_no_other_ref_is_looked_at(
    environment: Environment, live: LiveSession, work: dict[str, int]
) -> None:
    live.turn("one", "ok")
    others(environment, MANY, "many")
    with open_repository(environment) as repository:
        branch = repository.save().sessions[0].branch
        session = branch.partition("/")[0]
        pack(repository)
        for name in (branch, session, "HEAD"):
            before = work["refs"]
            assert repository.resolve(name).branch == branch
            assert work["refs"] - before < MANY / 2
        assert repository.resolve(session[:-2]).branch == branch  # a part of a name is searched for


@pytest.fixture
def bare(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "bare.git"
    subprocess.run(["git", "init", "-q", "--bare", str(folder)], check=True)
    yield folder


def test_a_push_of_one_session_does_not_read_what_the_remote_has_of_others(
    environment: Environment, live: LiveSession, work: dict[str, int], bare: Path
) -> None:
    live.turn("one", "ok")
    others(environment, MANY, "many")
    with open_repository(environment) as repository:
        own = repository.save().sessions[0].branch.partition("/")[0]
        repository.add_remote("origin", str(bare))
        every = sorted({ref.split("/")[2] for ref in repository._store.refs("refs/heads/")})
        repository.push(repository.plan_push("origin", [s for s in every if s != own]))
        pack(repository)
        before = dict(work)
        assert repository.plan_push("origin", [own]).versions == 1
        assert work["versions"] - before["versions"] < MANY / 2
        assert work["objects"] - before["objects"] < 3 * MANY  # a tree has eight or more


def test_a_fetch_of_nothing_new_reads_no_version_and_locks_no_ref(
    environment: Environment,
    live: LiveSession,
    work: dict[str, int],
    bare: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    live.turn("one", "ok")
    others(environment, MANY, "many")
    with open_repository(environment) as repository:
        repository.save()
        repository.add_remote("origin", str(bare))
        every = sorted({ref.split("/")[2] for ref in repository._store.refs("refs/heads/")})
        repository.push(repository.plan_push("origin", every))
        repository.fetch("origin")
        locked: list[str] = []
        take = refs.take_lock
        monkeypatch.setattr(refs, "take_lock", lambda *w: (locked.append(w[0]), take(*w))[1])
        before = dict(work)
        assert repository.fetch("origin").updated == ()
        assert work["versions"] == before["versions"]
        assert locked == []
        assert not list((repository.store_path / "gitsession/quarantine").iterdir())


def test_what_others_hold_is_the_same_with_and_without_git(
    environment: Environment, live: LiveSession
) -> None:
    live.turn("one", "ok").turn("two", "ok").turn("three", "ok")
    with open_repository(environment) as repository:
        repository.save()
        store = repository._store
        newest, middle, oldest = (version.id for version in repository.log())
        held = below.held_by(store, [middle])
        assert [v.id for v in material.missing_versions(store, [newest], [middle])] == [newest]
        assert [v.id for v in store.log([newest], hidden=[oldest])] == [newest, middle]
        store.git_program = ""
        own = below.held_by(store, [middle])
        assert own == held - {middle}
        assert [v.id for v in material.missing_versions(store, [newest], [middle])] == [newest]
        assert [v.id for v in store.log([newest], hidden=[oldest])] == [newest, middle]


def test_rewound_lines_get_names_of_their_own_whether_refs_are_packed_or_not(
    environment: Environment, live: LiveSession
) -> None:
    """The agent took the conversation back three times, and each line that it left stays."""
    live.turn("one", "ok")
    start = live.last
    with open_repository(environment) as repository:
        for number in range(4):
            live.last = start
            live.turn(f"another way {number}", "ok").turn("on", "ok")
            repository.save()
            if number == 1:
                pack(repository)
        names = {tip.ref.rpartition("/")[2] for tip in repository.branches()}
    assert names == {"main", "rewound-1", "rewound-2", "rewound-3"}
