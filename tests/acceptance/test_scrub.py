"""A secret that an older rule missed: out of everything stored, and kept out."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest

from gitsession.repository import open_repository
from tests.acceptance.conftest import PROGRAM, Person, a_session, every_byte
from tests.builders import Claude

SECRET = "harvest moon over quiet rivers 1979"
"""No rule can know it: a pass phrase in prose."""
LONG = "and then the night was over, " * 200


def the_session(person: Person) -> Claude:
    session = a_session(person, *(f"step {number}" for number in range(20)))
    session.prompt(f"log in with {SECRET} please")
    session.say(f"I used {SECRET}." + LONG)
    for number in range(100):
        session.prompt(f"go on {number}")
        session.say(f"done {number}")
    session.prompt("print the notes")
    session.say(LONG + SECRET + LONG)
    for number in range(378):
        session.prompt(f"more {number}")
        session.say(f"more done {number}")
    return session


@pytest.fixture
def shared(person: Person, tmp_path: Path) -> Person:
    """500 versions, three branches, two tags, pushed; the value in prompts, a long output, a title,
    a tag's message and a commit message."""
    person.writes(the_session(person))
    person.saves(message=f"everything with {SECRET} in it")
    person.repository.create_branch("early", "HEAD~480")
    person.repository.create_branch("late", "HEAD~5")
    person.repository.create_tag("before", "HEAD~490")
    person.repository.create_tag("decided", "HEAD~3", message=f"we keep {SECRET} for now")
    bare = tmp_path / "shared.git"
    subprocess.run(["git", "init", "-q", "--bare", str(bare)], check=True)
    person.repository.add_remote("origin", f"file://{bare}")
    person.types("push", "origin", "--all", "--yes")
    return person


def test_scrub_of_500_versions(shared: Person, tmp_path: Path) -> None:
    before = [version.id for version in shared.repository.log(limit=0)]
    first = before[-1]
    assert len(before) == 500
    assert SECRET.encode() in shared.everything_stored()
    start = time.perf_counter()
    done = shared.types("scrub", "--stdin", "--yes", stdin=SECRET + "\n")
    seconds = time.perf_counter() - start
    print(f"scrub took {seconds:.1f} s")
    assert done.code == 0, done.err
    assert "rotate" in done.out and "origin" in done.out and SECRET not in done.out + done.err
    assert str(shared.path()) in done.out  # the agent's own file holds it still
    assert SECRET.encode() not in shared.everything_stored()
    assert SECRET.encode() not in every_byte(shared.repository.store_path)
    shared.is_sound()
    with open_repository(shared.environment) as repository:
        after = [version.id for version in repository.log(limit=0)]
        assert len(after) == 500 and after[-1] == first
        assert len(repository.branches()) == 3 and len(repository.tags()) == 2
        for old, new in zip(before, after, strict=True):
            assert repository.resolve(old).commit == new
            assert repository.resolve(old[:12]).commit == new
        assert all(repository._store.is_own(new) for new in (after[0], after[200]))
        assert repository.session(after[0]).info.native_id
        assert not repository.fsck()
        _goes_on(shared, len(after))
        _is_shared_clean(shared, tmp_path)


def _goes_on(person: Person, versions: int) -> None:
    """One more turn in the same source, saved as a hook saves."""
    before = person.path().read_bytes()
    session = the_session(person)
    session.prompt("one more")
    session.say(f"still {SECRET}")
    assert session.data.startswith(before)
    person.writes(session)
    with open_repository(person.environment) as repository:
        saved = repository.save(auto=True).sessions[0]
        assert saved.outcome == "saved"
        assert len(repository.log(limit=0)) == versions + 1
    assert SECRET.encode() not in person.everything_stored()
    person.is_sound()


def _is_shared_clean(person: Person, tmp_path: Path) -> None:
    done = person.types("push", "origin", "--all", "--yes")
    assert "rejected" in done.out + done.err or done.code
    done = person.types("push", "origin", "--all", "--scrubbed", "--yes")
    assert done.code == 0, done.out + done.err
    done = person.types("clone", f"file://{tmp_path / 'shared.git'}", "fresh")
    assert done.code == 0, done.out + done.err
    fresh = person.environment.data_dir / "fresh.git"
    assert SECRET.encode() not in every_byte(fresh)
    with open_repository(person.environment, store=fresh) as repository:
        assert len(repository.branches()) == 3


def test_what_is_fetched_again_is_not_kept(person: Person, tmp_path: Path) -> None:
    person.writes(a_session(person, "one", f"use {SECRET}", "three"))
    person.saves()
    bare = tmp_path / "shared.git"
    subprocess.run(["git", "init", "-q", "--bare", str(bare)], check=True)
    person.repository.add_remote("origin", f"file://{bare}")
    person.types("push", "origin", "--all", "--yes")
    done = person.types("scrub", "--stdin", "--yes", stdin=SECRET)
    assert done.code == 0, done.err
    done = person.types("fetch", "origin")
    assert "scrubbed" in done.out + done.err
    assert SECRET.encode() not in person.everything_stored()
    person.is_sound()


@pytest.mark.parametrize("delay", [0.25, 0.35, 0.45, 0.6, 0.7, 0.8, 0.95])
def test_killed_in_the_middle_it_is_run_again(person: Person, delay: float) -> None:
    person.writes(a_session(person, "one", f"use {SECRET}", *(f"more {n}" for n in range(60))))
    person.saves(message=f"with {SECRET}")
    person.repository.create_branch("side", "HEAD~20", move=True)
    person.repository.create_tag("mark", "HEAD", message=SECRET)
    versions = len(person.repository.log(limit=0))
    person.repository.close()
    process = subprocess.Popen(
        [*PROGRAM, "scrub", "--stdin", "--yes"], cwd=person.project, env=person.process_variables,
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    assert process.stdin is not None
    process.stdin.write(SECRET.encode())
    process.stdin.close()
    time.sleep(delay)
    process.kill()
    process.wait()
    person.is_sound()
    done = person.types("scrub", "--stdin", "--yes", stdin=SECRET)
    assert done.code == 0, done.err
    assert SECRET.encode() not in every_byte(person.repository.store_path)
    person.is_sound()
    with open_repository(person.environment) as repository:
        assert len(repository.log(limit=0)) == versions
        assert repository.head().endswith("/side") and len(repository.tags()) == 1
        assert not repository.fsck()
        assert repository.save().sessions[0].outcome == "nothing"
