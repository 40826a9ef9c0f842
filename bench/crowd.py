"""The cost of a command in a store of thousands of sessions, and of four: CPU including
children."""

from __future__ import annotations

import json
import statistics
import subprocess
from collections.abc import Sequence
from pathlib import Path

from bench.generate import Generator, Texts
from bench.measure import GITSESSION, environment, ms, run, table
from bench.others import Codex, Gemini, Pi
from gitsession.config import load_config, load_key
from gitsession.environment import Environment
from gitsession.model.history import HEADS, TAGS, WIP
from gitsession.store import Store

SESSIONS = 3000
FEW = 5
OPERATIONS = 20_000
NAMES = 500
"""The number of branches made by fork, and of tags."""
REMOTE = 300
_TURNS = 7
_PROJECTS = 50
_NEWEST = 1 << 20
"""The seed of the session that both stores have, newer than all others."""


class _Brief(Texts):
    """The same shapes with few words: here the number of sessions matters, not their size."""

    def _prose(self, low: int, high: int) -> str:
        return super()._prose(min(low, 8), min(high, 16))

    def _source(self, lines: int) -> str:
        return super()._source(min(lines, 4))


class _Claude(_Brief, Generator):
    pass


class _Codex(_Brief, Codex):
    pass


class _Pi(_Brief, Pi):
    pass


class _Gemini(_Brief, Gemini):
    pass


_KINDS = (_Claude, _Codex, _Claude, _Pi, _Codex, _Claude, _Gemini)


class Crowd:
    """A HOME with that many sessions, all saved, and the one that continues."""

    def __init__(self, folder: Path, sessions: int) -> None:
        self.home, self.project = folder / "home", folder / "project-0"
        self.bare = folder / "bare.git"
        for number in range(sessions - 1):
            self._write(number, folder / f"project-{number % _PROJECTS}")
        self.newest = _Claude(_NEWEST, str(self.project))
        self.path = self.newest.path(self.home)
        self.project.mkdir(parents=True, exist_ok=True)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        for _ in range(_TURNS):
            self.turn()
        self.run("save", "--all")

    def _write(self, number: int, project: Path) -> None:
        project.mkdir(parents=True, exist_ok=True)
        session = _KINDS[number % len(_KINDS)](number, str(project))
        path = session.path(self.home)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as stream:
            for _ in range(_TURNS):
                stream.writelines(session.turn())

    def turn(self) -> None:
        with self.path.open("ab") as stream:
            stream.writelines(self.newest.turn())

    def call(self) -> bytes:
        """Return what Claude Code passes to its hook at the end of a turn."""
        told = {"session_id": self.newest.session, "transcript_path": str(self.path),
                "cwd": str(self.project), "hook_event_name": "Stop"}  # fmt: skip
        return json.dumps(told).encode()

    def run(self, *words: str) -> None:
        run([GITSESSION, *words], self.home, self.project)

    def sessions(self) -> list[str]:
        """Return `<session>/<branch>` for all sessions but the one that continues."""
        with self.store() as store:
            heads = [ref.removeprefix(HEADS) for ref in store.refs(HEADS)]
            return [name for name in heads if name != store.head(str(self.project))]

    def store(self) -> Store:
        folder = self.home / ".local" / "share" / "gitsession" / "store.git"
        user = Environment(environment(self.home), self.home, str(self.project))
        return Store.open(folder, load_key(user, load_config(user)), user)

    def share(self, most: int) -> None:
        """Push some of the sessions to a remote."""
        git = ["git", "init", "-q", "--bare", str(self.bare)]
        subprocess.run(git, check=True, env=environment(self.home))
        self.run("remote", "add", "origin", str(self.bare))
        names = [name.partition("/")[0] for name in self.sessions()]
        self.run("push", "--yes", "origin", *names[:most])

    def age(self, forks: int, tags: int, operations: int) -> None:
        """Add branches, tags and a log of operations, as after years of work: most operations are
        those of hooks in other folders, which move the state of a turn in progress."""
        names = self.sessions()
        with self.store() as store:
            store.packs = False
            at = store.refs(HEADS)
            still = [name for name in names if not store.ref(WIP + name)]
            for number in range(max(forks, tags)):
                session = names[number % len(names)].partition("/")[0]
                commit = at[HEADS + names[number % len(names)]]
                with store.transaction("branch", f"/elsewhere/{number}") as change:
                    if number < forks:
                        change.move(f"{HEADS}{session}/try-{number}", "", commit)
                    if number < tags:
                        change.move(f"{TAGS}{session}/tag-{number}", "", commit)
            for number in range(max(0, operations - store.oplog.last_id())):
                name = still[number // 2 % len(still)]
                moved = ("", at[HEADS + name]) if number % 2 == 0 else (at[HEADS + name], "")
                with store.transaction("save", f"/other/{number % 99}", automatic=True) as change:
                    change.move(WIP + name, *moved)


Step = tuple[str, Sequence[str]]
"""A name, and the command measured under it; one without a name only prepares the next step."""

STEPS: Sequence[Step] = (
    ("turn", ()),
    ("save", ("save",)),
    ("turn", ()),
    ("save by a hook", ("save", "--auto", "--hook", "claude-code")),
    ("status", ("status",)),
    ("list", ("list",)),
    ("log", ("log",)),
    ("show", ("show",)),
    ("diff", ("diff", "HEAD~1", "HEAD")),
    ("branch", ("branch", "b{}")),
    ("tag", ("tag", "t{}")),
    ("fork", ("fork", "f{}")),
    ("undo", ("undo",)),
    ("redo", ("redo",)),
    ("", ("undo",)),
    ("oplog", ("oplog", "-n", "20")),
    ("rename", ("rename", "HEAD", "another title {}")),
    ("", ("undo",)),
    ("archive", ("archive", "HEAD")),
    ("", ("archive", "--undo", "HEAD")),
    ("checkout", ("checkout", "HEAD~1")),
    ("", ("undo",)),
    ("checkout --dry-run", ("checkout", "HEAD~2", "--dry-run")),
    ("push --dry-run", ("push", "--dry-run")),
    ("fetch", ("fetch",)),
    ("search", ("search", "retry", "timeout")),
    ("events", ("events",)),
    ("review --dry-run", ("review", "HEAD", "--dry-run")),
    ("export", ("export",)),
    ("context", ("context",)),
    ("list --all", ("list", "--all")),
    ("doctor", ("doctor",)),
    ("gc --dry-run", ("gc", "--dry-run")),
)


def measure(crowd: Crowd, number: int, spent: dict[str, list[float]]) -> None:
    """Run all steps once; appends the CPU seconds of each to `spent`."""
    for name, words in STEPS:
        if name == "turn":
            crowd.turn()
            continue
        told = crowd.call() if "--hook" in words else b""
        command = [GITSESSION, *(word.format(number) for word in words)]
        figure = run(command, crowd.home, crowd.project, told)
        if name:
            spent.setdefault(name, []).append(figure.cpu)


def main(scratch: Path, sessions: int = SESSIONS, times: int = 5) -> str:
    crowds = [Crowd(scratch / "small", FEW), Crowd(scratch / "large", sessions)]
    share = sessions / SESSIONS
    crowds[0].share(1)
    crowds[1].share(int(REMOTE * share))
    crowds[1].age(int(NAMES * share), int(NAMES * share), int(OPERATIONS * share))
    return compared(crowds, sessions, times)


def compared(crowds: Sequence[Crowd], sessions: int, times: int) -> str:
    spent: list[dict[str, list[float]]] = [{} for _ in crowds]
    for number in range(times):
        for crowd, figures in zip(crowds, spent, strict=True):
            measure(crowd, number, figures)
    rows = []
    for name, values in spent[0].items():
        few, many = statistics.median(values), statistics.median(spent[1][name])
        rows.append((f"`{name}`", ms(few), ms(many), f"{many / few:.2f}"))
    columns = ("command", f"{FEW} sessions", f"{sessions} sessions", "ratio")
    return table(f"CPU of a command with its children (median of {times})", columns, rows)
