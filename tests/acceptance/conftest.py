"""A person with one project, one agent and the default store: what the acceptance cases act on."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from gitsession.environment import Environment
from gitsession.model.report import Saved
from gitsession.repository import Repository, open_repository
from tests.builders import CLAUDE_ID, Claude


class Person:
    """Works in `project`, with sessions in the agent's own folder, and saves them."""

    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        self.project = Path(environment.cwd)
        self.repository: Repository = open_repository(environment)

    def path(self, session_id: str = CLAUDE_ID) -> Path:
        """Where Claude Code keeps that session of this project."""
        folder = re.sub(r"[^A-Za-z0-9]", "-", str(self.project))
        return self.environment.home / ".claude" / "projects" / folder / f"{session_id}.jsonl"

    def writes(self, session: Claude | bytes, session_id: str = CLAUDE_ID) -> Path:
        """The agent's file now holds exactly this."""
        path = self.path(session_id)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(session if isinstance(session, bytes) else session.data)
        return path

    def saves(self, **wishes: object) -> Saved:
        """`gitsession save` in the project; the one session's outcome."""
        return self.repository.save(**wishes).sessions[0]  # type: ignore[arg-type]

    def raw(self, revision: str = "HEAD") -> bytes:
        """What `checkout --raw` gives for a revision."""
        target = self.environment.home / f"raw-{len(list(self.environment.home.iterdir()))}"
        [path] = self.repository.checkout_raw(revision, str(target))
        return Path(path).read_bytes()

    def trees(self, revision: str = "HEAD") -> list[str]:
        """The trees of all versions, oldest first."""
        return [version.tree for version in reversed(self.repository.log(revision, limit=0))]

    def git(self, *arguments: str) -> str:
        done = subprocess.run(
            ["git", "-C", str(self.repository.store_path), *arguments],
            env=self.environment.git(), capture_output=True, text=True, check=True,
        )  # fmt: skip
        return done.stdout

    def everything_stored(self) -> bytes:
        """Every byte of the store, objects inflated: where a secret may not be."""
        listing = self.git("cat-file", "--batch-all-objects", "--batch-check=%(objectname)")
        names = "\n".join(listing.split()) + "\n"
        objects = subprocess.run(
            ["git", "-C", str(self.repository.store_path), "cat-file", "--batch"],
            input=names.encode(), env=self.environment.git(), capture_output=True, check=True,
        ).stdout  # fmt: skip
        files = [path for path in self.repository.store_path.rglob("*") if path.is_file()]
        return objects + b"".join(str(path).encode() + path.read_bytes() for path in files)

    def is_sound(self) -> None:
        self.git("fsck", "--strict")


@pytest.fixture
def person(environment: Environment) -> Iterator[Person]:
    someone = Person(environment)
    yield someone
    someone.repository.close()


def a_session(person: Person, *prompts: str, session_id: str = CLAUDE_ID) -> Claude:
    """A session with one finished turn for each prompt."""
    session = Claude(session_id, cwd=str(person.project))
    for prompt in prompts:
        session.prompt(prompt)
        session.say(f"Answer to {prompt}")
    return session
