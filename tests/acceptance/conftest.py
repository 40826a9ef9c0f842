"""A person with one project, one agent and the default store: what the acceptance cases act on."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from gitsession.environment import Environment
from gitsession.files import Lock
from gitsession.model.report import Saved
from gitsession.repository import Repository, open_repository
from tests.builders import CLAUDE_ID, Claude
from tests.cli.conftest import Cli, Done

LONG = bool(os.environ.get("GITSESSION_LONG"))
"""Whether loops run to their full length; `make test-long` sets it."""

PROGRAM = (sys.executable, "-c", "from gitsession.cli.main import entry; entry()")
"""The program as a process of its own."""


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
        # At once, as far as a saver can see: an agent appends, it never empties its file first.
        new = path.with_suffix(".new")
        new.write_bytes(session if isinstance(session, bytes) else session.data)
        new.replace(path)
        return path

    def saves(self, **wishes: object) -> Saved:
        """`gitsession save` in the project; the one session's outcome."""
        return self.repository.save(**wishes).sessions[0]  # type: ignore[arg-type]

    def types(self, *argv: str, stdin: str = "") -> Done:
        """A command line, run in this process."""
        umask = os.umask(0o022)
        try:
            return Cli(self.environment)(*argv, stdin=stdin)
        finally:
            os.umask(umask)

    def starts(self, *argv: str, **variables: str) -> subprocess.Popen[bytes]:
        """A command line as a process of its own, with its answers in pipes."""
        return subprocess.Popen(
            [*PROGRAM, *argv], cwd=self.project, env={**self.process_variables, **variables},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    @property
    def process_variables(self) -> Mapping[str, str]:
        root = Path(__file__).resolve().parent.parent.parent
        return {**self.environment.variables, "PYTHONPATH": str(root)}

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

    def feed(self, data: bytes, *arguments: str) -> str:
        """A git command on the store that reads its standard input; what it says."""
        done = subprocess.run(
            ["git", "-C", str(self.repository.store_path), *arguments],
            env=self.environment.git(), input=data, capture_output=True, check=True,
        )  # fmt: skip
        return done.stdout.decode().strip()

    def write_tree(self, files: Mapping[str, str]) -> str:
        """A tree of these files (a character is a byte) in the store; its id."""
        entries = []
        for name in sorted({path.partition("/")[0] for path in files}):
            inside = {path.removeprefix(name + "/"): text for path, text in files.items()
                      if path.startswith(name + "/")}  # fmt: skip
            if inside:
                entries.append(f"040000 tree {self.write_tree(inside)}\t{name}")
            else:
                blob = self.feed(files[name].encode("latin-1"), "hash-object", "-w", "--stdin")
                entries.append(f"100644 blob {blob}\t{name}")
        return self.feed("\n".join(entries).encode() + b"\n", "mktree")

    def unpack(self, pack: Path) -> None:
        """The objects of a pack as files of their own."""
        with pack.open("rb") as stream:
            subprocess.run(
                ["git", "-C", str(self.repository.store_path), "unpack-objects", "-q"],
                env=self.environment.git(), stdin=stream, check=True,
            )  # fmt: skip

    def is_sound(self) -> None:
        """git finds nothing wrong, once what a killed process left running has ended: a packing
        takes files away under the eyes of `git fsck`."""
        with Lock(self.repository.store_path / "gitsession" / "locks" / "maintenance", 30):
            try:
                self.git("fsck", "--strict")
            except subprocess.CalledProcessError:
                time.sleep(2)
                self.git("fsck", "--strict")

    def size(self) -> int:
        """Bytes of the store's objects on the disk, while no background packing is at work."""
        with Lock(self.repository.store_path / "gitsession" / "locks" / "maintenance", 30):
            return sum(path.stat().st_size for path in self.object_files())

    def object_files(self) -> list[Path]:
        return [path for path in (self.repository.store_path / "objects").rglob("*") if
                path.is_file()]  # fmt: skip


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


def every_byte(folder: Path, without: tuple[Path, ...] = ()) -> bytes:
    """All names and contents below a folder, with what is compressed in them laid open, half
    written files too: where a secret could lie. What `without` names is not looked into."""
    pieces: list[bytes] = []
    for path in sorted(folder.rglob("*")):
        if any(path == left or left in path.parents for left in without):
            continue
        pieces.append(os.fsencode(path))
        if path.is_file() and not path.is_symlink():
            data = path.read_bytes()
            pieces += (data, *_inflated(data, path.suffix == ".pack" or data[:4] == b"PACK"))
    return b"\n".join(pieces)


def _inflated(data: bytes, pack: bool) -> Iterator[bytes]:
    """What zlib makes of the data: of the whole, in a pack at every place where a stream begins."""
    starts = [0]
    if pack:
        starts = [match.start() for match in re.finditer(rb"\x78[\x01\x5e\x9c\xda]", data)]
    for start in starts:
        try:
            yield zlib.decompressobj().decompress(data[start:])
        except zlib.error:
            continue
