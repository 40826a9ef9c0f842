"""fsck --repair: what is damaged is set aside, what can come back does, nothing is edited."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from gitsession.environment import Environment
from gitsession.errors import GitSessionError
from gitsession.model.history import HEADS
from gitsession.repository import Repository, open_repository
from tests.acceptance.conftest import LONG
from tests.builders import Claude, a_uuid
from tests.robustness.test_damage import flip, kinds_of_files


class Person:
    """One saved session whose store can be damaged, with or without the agent's own file."""

    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        self.session = Claude(a_uuid("victim"), cwd=environment.cwd)
        for number in range(6):
            self.session.turn(f"turn {number}", f"answer {number} " * 30, command="ls")
        self.source = self.session.save(Path(environment.home))
        with self.open() as repository:
            repository.save()
            repository.create_tag("why", "HEAD~2", message="a reason")
            repository.create_branch("aside", "HEAD~3")
            self.store = repository.store_path
            self.branch = repository.head()
            self.ids = [version.id for version in repository.log("HEAD", limit=0)]

    def open(self) -> Repository:
        return open_repository(self.environment)

    def path(self, identity: str) -> Path:
        return self.store / "objects" / identity[:2] / identity[2:]

    def damage(self, identity: str) -> None:
        flip(self.path(identity), 0.5)

    def raw(self, repository: Repository, revision: str = "HEAD") -> bytes:
        target = self.store.parent / "raw"
        repository.checkout_raw(revision, str(target))
        data = target.read_bytes()
        target.unlink()
        return data

    def blob(self, number: int) -> str:
        """The turn blob that the n-th turn alone added."""
        with self.open() as repository:
            tree = repository._store.tree(self.ids[len(self.ids) - 1 - number])
            path = next(path for path in tree if f"/{number:02}." in path and "main" in path)
            return str(tree.blob_id(path))

    def sound(self) -> None:
        with self.open() as repository:
            assert repository.fsck() == []
        done = subprocess.run(
            ["git", "-C", str(self.store), "fsck", "--strict", "--full", "--no-dangling"],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr


@pytest.fixture
def person(environment: Environment) -> Iterator[Person]:
    yield Person(environment)


def test_nothing_to_repair(person: Person) -> None:
    before = sorted((str(path), path.stat().st_size) for path in person.store.rglob("*"))
    with person.open() as repository:
        assert repository.repair() == []
    ignored = ("locks", "running", "oplog")
    after = sorted((str(path), path.stat().st_size) for path in person.store.rglob("*"))
    assert [row for row in after if not any(word in row[0] for word in ignored)] == [
        row for row in before if not any(word in row[0] for word in ignored)
    ]


@pytest.mark.parametrize("what", ["tip", "middle", "root tree", "turn"])
def test_what_the_agent_still_has_comes_back(person: Person, what: str) -> None:
    with person.open() as repository:
        victim = {
            "tip": person.ids[0],
            "middle": person.ids[2],
            "root tree": repository.version("HEAD~1").tree,
            "turn": person.blob(3),
        }[what]
    person.damage(victim)
    with person.open() as repository:
        assert any(victim in (one.place + one.message) for one in repository.fsck())
        done = repository.repair()
        assert any("set the damaged object" in text for text in done)
    person.sound()
    with person.open() as repository:
        assert [version.id for version in repository.log("HEAD", limit=0)] == person.ids
        assert person.raw(repository) == person.session.data
    (aside,) = (person.store / "gitsession" / "damaged").rglob(f"*{victim[2:]}")
    assert aside.read_bytes(), "what was damaged is still there to be looked at"


@pytest.mark.parametrize("what", ["tip", "middle", "root tree", "turn"])
def test_what_is_lost_is_left_out(person: Person, what: str) -> None:
    """Without the source: the branch goes on from the last good version, by new versions."""
    with person.open() as repository:
        victim = {
            "tip": person.ids[0],
            "middle": person.ids[2],
            "root tree": repository.version("HEAD~2").tree,
            "turn": person.blob(3),
        }[what]
        messages = [version.subject for version in repository.log("HEAD", limit=0)]
    person.source.unlink()
    person.damage(victim)
    with person.open() as repository:
        done = repository.repair()
        assert any("goes on from" in text for text in done), done
    person.sound()
    with person.open() as repository:
        left = [version.subject for version in repository.log(person.branch, limit=0)]
        if what == "turn":  # every later version holds it, too
            assert left == messages[3:]
        elif what == "tip":
            assert left == messages[1:]
        else:
            assert left == messages[:2] + messages[3:]
        for number in range(len(left)):
            repository.session(f"{person.branch}~{number}")
        assert repository.oplog(1)[0].verb == "repair"


@pytest.mark.slow
def test_every_kind_of_file_is_mended(person: Person, tmp_path: Path) -> None:
    """One flipped byte in each: after a repair the store is clean, and the conversation whole."""
    subprocess.run(["git", "-C", str(person.store), "pack-refs", "--all"], check=True)
    subprocess.run(["git", "-C", str(person.store), "repack", "-adq"], check=True)
    person.session.turn("later")
    person.session.save(Path(person.environment.home))
    with person.open() as repository:
        repository.save()
        repository.add_remote("origin", "https://example.org/r.git")
        repository.list(everything=True)
    whole = tmp_path / "whole"
    shutil.copytree(person.store, whole)
    # What format a store has cannot be guessed, so that every command says it.
    files = {kind: at for kind, at in kinds_of_files(whole).items() if "/format" not in kind}
    for kind, path in list(files.items())[:: 1 if LONG else 4]:
        shutil.rmtree(person.store)
        shutil.copytree(whole, person.store)
        flip(person.store / path.relative_to(whole), 0.55)
        with person.open() as repository:
            found = repository.fsck()
            assert found, kind
            repository.repair()
        with person.open() as repository:
            assert repository.fsck() == [], kind
            assert person.raw(repository, person.branch) == person.session.data, kind


def test_a_wrong_pack_index_and_a_missing_one(person: Person) -> None:
    subprocess.run(["git", "-C", str(person.store), "repack", "-adq"], check=True)
    (index,) = (person.store / "objects/pack").glob("*.idx")
    index.unlink()
    with person.open() as repository:
        assert repository.repair()
    person.sound()
    assert os.path.exists(index)


def test_a_ref_that_names_nothing_is_found_again(person: Person) -> None:
    ref = person.store / HEADS / person.branch
    ref.write_bytes(b"rubbish\n")
    with person.open() as repository:
        done = repository.repair()
        assert any("as the log of operations says" in text for text in done)
        assert [version.id for version in repository.log("HEAD", limit=0)] == person.ids
    person.sound()


def test_a_repair_cannot_be_undone_and_says_so(person: Person) -> None:
    person.source.unlink()
    person.damage(person.ids[0])
    with person.open() as repository:
        repository.repair()
        with pytest.raises(GitSessionError) as refused:
            repository.undo()
        assert "set aside" in str(refused.value)
        rows = repository._store.records.read("quarantined", "refs")
        assert rows and person.ids[0] in str(rows)
