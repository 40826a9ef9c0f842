"""What is killed: verbs with the person they are typed by, right before, and what must hold after.

A stage keeps a copy of the person in memory and goes back to it before each death.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from tests.builders import Claude, a_uuid
from tests.robustness.conftest import Done, Shell
from tests.robustness.forking import Ended, Killer, Server

SCRUBBED = "tulip-mountain-of-the-old-days"
"""A value that no rule finds, so that it is stored and can be scrubbed."""
MEMORY = "/dev/shm" if os.path.isdir("/dev/shm") else None


class QuickShell(Shell):
    """The same shell; commands are forks of a loaded program."""

    def __init__(self, folder: Path, server: Server) -> None:
        super().__init__(folder)
        self.server = server

    def __call__(self, *argv: str, **variables: str) -> Done:
        ended = self.server.wait(
            self.server.start(argv, self.project, {**self.variables, **variables})
        )
        assert b"Traceback" not in ended.out + ended.err, (argv, ended.err)
        return Done(*ended)


class Act(NamedTuple):
    """One verb's death: `make` brings the person to right before it and gives the session that
    `argv` is about. `rewrites` says that versions get new ids by it, `keeps_raw` that the native
    bytes stay what they were, `two` that two processes work at it."""

    name: str
    make: Callable[[Shell], Claude]
    argv: tuple[str, ...]
    given: str = ""
    rewrites: bool = False
    keeps_raw: bool = True
    two: bool = False


def long_session(shell: Shell, seed: int) -> Claude:
    """Large enough to be written as a pack."""
    chance = random.Random(seed)
    session = Claude(a_uuid("killed", seed), cwd=str(shell.project))
    for number in range(12):
        words = " ".join(f"word{chance.randrange(1 << 20)}" for _ in range(6000))
        session.turn(f"turn {number} of {seed}", words)
    return session


def saved(shell: Shell, *prompts: str) -> Claude:
    """Turn by turn, as hooks do it."""
    session = shell.session()
    for prompt in prompts:
        shell.writes(session.turn(prompt, command="ls"))
        shell.does("save", session.session_id)
    return session


def everyday(shell: Shell) -> Claude:
    session = saved(shell, "one", "two").turn("three", command="ls")
    shell.writes(session)
    return session


def called_otherwise(shell: Shell) -> Claude:
    """The agent has given the session a title, so that the save gives it another name."""
    session = saved(shell, "one", "two")
    shell.does("tag", "why", "-m", "a reason")
    shell.does("branch", "aside")
    session.row(type="ai-title", aiTitle="Login with cookies")
    shell.writes(session.turn("three", command="ls"))
    return session


def durable(shell: Shell) -> Claude:
    shell.does("config", "save.durability", "safe")
    return everyday(shell)


def durable_first(shell: Shell) -> Claude:
    shell.does("config", "save.durability", "safe")
    return untouched(shell)


def bulky(shell: Shell) -> Claude:
    saved(shell, "one")
    session = long_session(shell, 1)
    shell.writes(session)
    return session


def untouched(shell: Shell) -> Claude:
    session = shell.session("one", "two").turn("three", command="ls")
    shell.writes(session)
    return session


def grown(shell: Shell) -> Claude:
    """Versions, a tag, a working state, and a branch that only undo still holds."""
    session = saved(shell, *(f"turn {number}" for number in range(5)))
    shell.does("tag", "why", "-m", "a reason")
    shell.does("branch", "aside")
    session.prompt("unfinished")
    shell.writes(session)
    shell.does("save", "--auto")
    session.say("finished")
    shell.writes(session)
    return session


def sharing(shell: Shell) -> Claude:
    session = saved(shell, "one", "two", "three")
    far = shell.temporary.parent / "far.git"
    subprocess.run(["git", "init", "-q", "--bare", str(far)], check=True)
    shell.does("remote", "add", "far", str(far))
    return session


def regretting(shell: Shell) -> Claude:
    session = saved(shell, "one", f"I said {SCRUBBED}.", "three")
    shell.does("tag", "why", "-m", f"because of {SCRUBBED}")
    return session


def looking_back(shell: Shell) -> Claude:
    return saved(shell, "one", "two", "three")


ACTS = {
    act.name: act
    for act in (
        Act("save", everyday, ("save",)),
        Act("save that renames", called_otherwise, ("save",)),
        Act("save, durable", durable, ("save",)),
        Act("save as a pack", bulky, ("save", a_uuid("killed", 1))),
        Act("save by two", bulky, ("save", a_uuid("killed", 1)), two=True),
        Act("first save", untouched, ("save",)),
        Act("first save, durable", durable_first, ("save",)),
        Act("gc", grown, ("gc", "--yes")),
        Act("gc that thins", grown, ("gc", "--keep-last", "2", "--yes"), rewrites=True),
        Act("push", sharing, ("push", "far", "--yes")),
        Act("scrub", regretting, ("scrub", "--stdin", "--yes"), SCRUBBED, rewrites=True,
            keeps_raw=False),
        Act("checkout", looking_back, ("checkout", "HEAD~1")),
    )
}  # fmt: skip


class Stage:
    """One act that is played again and again. `dies` with a number kills before that call."""

    def __init__(self, act: Act, folder: Path, server: Server, killer: Killer | None) -> None:
        self.act, self.shell = act, QuickShell(folder / "person", server)
        self.killer, self._copy = killer, folder / "copy"
        self.session = act.make(self.shell)
        self.rows = list(self.session.rows)
        self.known = self.shell.history(self.session)
        shutil.copytree(self.top, self._copy, symlinks=True)

    @property
    def top(self) -> Path:
        return self.shell.home.parent

    def back(self) -> None:
        """The person as right before the act."""
        shutil.rmtree(self.top)
        shutil.copytree(self._copy, self.top, symlinks=True)
        self.session.rows = list(self.rows)

    def start(self) -> int:
        shell = self.shell
        return shell.server.start(self.act.argv, shell.project, shell.variables, self.act.given)

    def plays(self) -> tuple[Ended, float]:
        """To its end; the seconds it took."""
        began = time.monotonic()
        ended = self.shell.server.wait(self.start())
        return ended, time.monotonic() - began

    def dies(self, at: int) -> Ended:
        """Right before the `at`-th change of a file; 0: not at all."""
        assert self.killer
        self.killer.arm(self.top, at)
        ended = self.shell.server.wait(self.start())
        self.calls = self.killer.disarm()
        return ended

    def lose_power(self) -> None:
        """What was written in the run and not synced is gone; names and sizes may be there."""
        assert self.killer
        for path, size in unsynced(self.killer.calls(), self._before).items():
            if os.path.isfile(path) and not os.path.islink(path):
                os.chmod(path, 0o600)
                os.truncate(path, min(size, os.path.getsize(path)))

    def _before(self, path: str) -> int:
        """How long a file was before the run."""
        try:
            return (self._copy / Path(path).relative_to(self.top)).stat().st_size
        except (OSError, ValueError):
            return 0

    def survived(self) -> None:
        """Sound, nothing of before is gone; the act works; one more save ends it all."""
        shell = self.shell
        if shell.store.is_dir():
            shell.is_sound()
        now = shell.history(self.session)
        if not self.act.rewrites:
            assert now[: len(self.known)] == self.known
        elif self.act.keeps_raw and self.known:
            assert self.session.data.startswith(shell.raw(self.session.session_id))
        for lock in (self.top / "far.git").rglob("*.lock"):
            lock.unlink()  # the git of the remote died as well, and who runs it sees to that
        ended, _ = self.plays()
        assert ended.code == 0, (self.act.name, ended)
        self.goes_on()

    def goes_on(self) -> None:
        shell, session = self.shell, self.session
        shell.writes(session.turn("and on"))
        shell.does("save", session.session_id)
        assert (left := self.leftovers()) == [], left
        assert (names := self.names()) and all(len(own) == 1 for own in names.values()), names
        raw = shell.raw(session.session_id)
        if self.act.keeps_raw:
            assert raw == session.data
        else:
            assert raw.count(b"\n") == session.data.count(b"\n")
            assert SCRUBBED.encode() not in raw + shell.git("log", "--all", "--format=%B").encode()
        shell.is_sound()

    def names(self) -> dict[str, set[str]]:
        """What each session is called: one name, whatever happened."""
        named: dict[str, set[str]] = {}
        form = "%(refname) %(contents:trailers:key=Gitsession-Session,valueonly)"
        for row in self.shell.git("for-each-ref", f"--format={form}", "refs/heads").splitlines():
            ref, _, identity = row.partition(" ")
            if identity:
                named.setdefault(identity, set()).add(ref.split("/")[2])
        return named

    def leftovers(self) -> list[str]:
        agents = [str(path) for path in (self.shell.home / ".claude").rglob("*")
                  if not path.is_dir() and path.suffix != ".jsonl"]  # fmt: skip
        return self.shell.leftovers() + agents


def unsynced(calls: list[tuple[str, str, str]], before: Callable[[str], int]) -> dict[str, int]:
    """Files with content that no sync made sure of, and how much of them is sure."""
    sizes: dict[str, int] = {}
    for word, path, other in calls:
        if word == "create":
            sizes[path] = 0
        elif word == "write":
            sizes.setdefault(path, before(path))
        elif word in ("sync", "unlink"):
            sizes.pop(path, None)
        elif word in ("rename", "link"):
            size = sizes.pop(path, None)
            sizes.pop(other, None)
            if size is not None:
                sizes[other] = size
    return sizes


@contextmanager
def staged(name: str, *, killing: bool = True) -> Iterator[Stage]:
    """A stage in memory, with a server of its own."""
    with TemporaryDirectory(prefix="stage-", dir=MEMORY) as folder:
        place = Path(folder)
        killer = Killer(place) if killing else None
        server = Server(killer, two=ACTS[name].two)
        try:
            yield Stage(ACTS[name], place, server, killer)
        finally:
            server.close()
