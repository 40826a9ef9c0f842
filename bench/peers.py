"""What a user would run instead: programs from the package index on the same 13 MB session.

Each has a HOME of its own and no network. The table says which of them keep less than the whole
transcript.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import time
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.generate import Generator
from bench.measure import GITSESSION, Figure, environment, median, ms, run, table
from bench.packages import installed
from bench.secrets import MARK, secret

SIZE = 13_000_000
SECRETS = 14
_GIT = ("git", "-c", "user.name=bench", "-c", "user.email=bench@localhost")
_NO_NETWORK = ("unshare", "--net", "--map-root-user")


@dataclass
class Peer:
    """`prepare` runs once and is not measured; `first` saves the session, `more` one more turn (`@`
    stands for the session's file), `listing` shows what is saved, and is empty if no command does.
    `found` returns the bytes that the program keeps, to check them for secrets."""

    name: str
    keeps: str
    first: Sequence[Sequence[str]]
    more: Sequence[Sequence[str]]
    listing: Sequence[str]
    found: Callable[[Path], bytes]
    prepare: Sequence[Sequence[str]] = ()
    firsts: list[Figure] = field(default_factory=list)
    turns: list[Figure] = field(default_factory=list)
    lists: list[Figure] = field(default_factory=list)
    secrets: int = 0
    failure: str = ""


def peers() -> list[Peer]:
    csb = str(installed("claude-session-backup", "0.9.16") / "csb")
    sfs = str(installed("sessionfs", "0.26.0") / "sfs")
    view = str(installed("agentsview", "0.46.1") / "agentsview")
    commit = str(installed("agent-session-commit", "0.1.5") / "agent-session-commit")
    name, address = ("git", "config", "--global", "user.name", "x"), (
        "git", "config", "--global", "user.email", "x@localhost")  # fmt: skip
    return [
        Peer("gitsession", "every byte but the secrets, a version a turn", [(GITSESSION, "save")],
             [(GITSESSION, "save")], (GITSESSION, "list"), _of_ours),
        Peer("claude-session-backup 0.9.16", "every byte, a version a backup",
             [(csb, "setup", "--auto")], [(csb, "backup")], (csb, "list"),
             lambda home: _of_git(home / ".claude"), prepare=[name, address]),
        Peer("agent-session-commit 0.1.5", "every byte, in the code repository, with its commits",
             [("git", "commit", "-qm", "one", "--allow-empty")],
             [("git", "commit", "-qm", "more", "--allow-empty")], (),
             lambda home: _of_bundles(home.parent / "demo"),
             prepare=[name, address, ("git", "init", "-q"),
                      (commit, "install", "--agent", "claude", "--source", "@/..")]),
        Peer("sessionfs 0.26.0", "the messages in a form of its own, the newest state only",
             [(sfs, "import", "--from", "claude-code")], [(sfs, "recapture", "%")], (sfs, "list"),
             lambda home: _of_files(home / ".sessionfs")),
        Peer("agentsview 0.46.1", "the messages in a database, the newest state only",
             [("env", "AGENTSVIEW_NO_DAEMON=1", view, "sync")],
             [("env", "AGENTSVIEW_NO_DAEMON=1", view, "sync")], (),
             lambda home: _of_files(home / ".agentsview")),
        Peer("`git add` and `git commit`", "every byte, a version a commit",
             [("cp", "@", "copy"), ("git", "add", "."), (*_GIT, "commit", "-qm", "one")],
             [("cp", "@", "copy"), ("git", "add", "."), (*_GIT, "commit", "-qm", "more")],
             (), lambda home: _of_git(home.parent / "demo"), prepare=[("git", "init", "-q")]),
    ]  # fmt: skip


class Place:
    """The HOME and project of one peer, with the session in it."""

    def __init__(self, scratch: Path) -> None:
        self.home, self.project = scratch / "home", scratch / "demo"
        self.home.mkdir(parents=True)
        self.project.mkdir()
        self._session = Generator(SIZE, str(self.project))
        self.path = self._session.path(self.home)
        self.path.parent.mkdir(parents=True)
        with self.path.open("wb") as stream:
            for number in range(SECRETS):
                self._session.planted = [secret(number)]
                while stream.tell() < SIZE * (number + 1) // SECRETS:
                    stream.writelines(self._session.turn())

    def turn(self) -> None:
        with self.path.open("ab") as stream:
            stream.writelines(self._session.turn())

    def run(self, commands: Sequence[Sequence[str]]) -> Figure:
        """Run all commands in sequence, as one figure."""
        figures = [run([*_isolation(), *map(self._word, words)], self.home, self.project)
                   for words in commands]  # fmt: skip
        return Figure(
            sum(figure.cpu for figure in figures),
            sum(figure.wall for figure in figures),
            max(figure.memory for figure in figures),
        )

    def _word(self, word: str) -> str:
        if word == "%":
            return f"ses_{self._session.session.replace('-', '')[:16]}"
        return word.replace("@/..", str(self.path.parent)).replace("@", str(self.path), word == "@")


def _isolation() -> tuple[str, ...]:
    works = subprocess.run([*_NO_NETWORK, "true"], capture_output=True, check=False)
    return _NO_NETWORK if works.returncode == 0 else ()


def main(scratch: Path, rounds: int = 3, turns: int = 5) -> str:
    everyone = peers()
    for number in range(rounds):  # interleaved, so that a busy machine affects all of them
        for place, peer in enumerate(everyone):
            folder = scratch / str(place)
            shutil.rmtree(folder, ignore_errors=True)
            _measure(peer, Place(folder), turns if number == rounds - 1 else 0)
    limit_first, limit_turn = _limit(scratch)
    rows = [_row(peer) for peer in everyone]
    rows.append(("hash + zlib of the new bytes + one fsync", "", _figures([limit_first]),
                 _figures([limit_turn]), "", ""))  # fmt: skip
    columns = ("program", "keeps", "first save (wall / CPU)", "one more turn (wall / CPU)",
               "list (CPU)", f"of {SECRETS} secrets kept")  # fmt: skip
    title = f"Peers on a session of {SIZE / 1e6:.0f} MB (first save: median of {rounds})"
    invalid = _invalid_lines(scratch / "0" / "home", scratch / "0" / "demo")
    said = f"\nLines of ours that are no JSON: {invalid}.\n\n" + _commands(everyone)
    return table(title, columns, rows) + said


def _measure(peer: Peer, place: Place, turns: int) -> None:
    try:
        for words in peer.prepare:
            place.run([words])
        peer.firsts.append(place.run(peer.first))
        peer.secrets = _planted(peer.found(place.home))
        for _ in range(turns):
            if peer.listing:
                peer.lists.append(place.run([peer.listing]))
            place.turn()
            peer.turns.append(place.run(peer.more))
    except subprocess.CalledProcessError as error:
        said = (error.stderr or b"").decode(errors="replace").strip().splitlines()
        peer.failure = f"fails: {' '.join(said)[:100]}"


def _planted(kept: bytes) -> int:
    return sum(_body(secret(number)) in kept for number in range(SECRETS))


def _body(value: str) -> bytes:
    start = value.index(MARK)
    return value[start : start + 30].encode()


def _row(peer: Peer) -> tuple[str, ...]:
    if not peer.firsts:
        return (peer.name, peer.failure, "", "", "", "")
    listed = ms(median(peer.lists).cpu) if peer.lists else "–"
    turns = _figures(peer.turns) if peer.turns else peer.failure
    return (peer.name, peer.keeps, _figures(peer.firsts), turns, listed, str(peer.secrets))


def _figures(figures: Sequence[Figure]) -> str:
    figure = median(figures)
    return f"{ms(figure.wall)} / {ms(figure.cpu)}"


def _limit(scratch: Path) -> tuple[Figure, Figure]:
    """Measure the minimum cost of any program that keeps the bytes."""
    session = Generator(SIZE)
    turns: list[bytes] = []
    size = 0
    while size < SIZE:
        turns.append(b"".join(session.turn()))
        size += len(turns[-1])
    return _kept(b"".join(turns), scratch / "limit"), _kept(turns[0], scratch / "limit")


def _kept(data: bytes, path: Path) -> Figure:
    wall, cpu = time.perf_counter(), time.process_time()
    hashlib.sha1(data, usedforsecurity=False).digest()
    with path.open("wb") as stream:
        stream.write(zlib.compress(data))
        stream.flush()
        os.fsync(stream.fileno())
    return Figure(time.process_time() - cpu, time.perf_counter() - wall, 0)


def _of_ours(home: Path) -> bytes:
    return _of_git(home / ".local" / "share" / "gitsession" / "store.git")


def _of_git(folder: Path) -> bytes:
    return subprocess.run(
        ["git", "-C", str(folder), "cat-file", "--batch", "--batch-all-objects"],
        capture_output=True, check=True, env=environment(folder),
    ).stdout  # fmt: skip


def _of_bundles(folder: Path) -> bytes:
    """Return the unpacked archives in a commit."""
    import gzip

    names = subprocess.run(
        ["git", "-C", str(folder), "ls-tree", "-r", "--name-only", "HEAD", ".agent-sessions"],
        capture_output=True, check=True, text=True, env=environment(folder),
    ).stdout.split()  # fmt: skip
    parts = [
        subprocess.run(["git", "-C", str(folder), "show", f"HEAD:{name}"], capture_output=True,
                       check=True, env=environment(folder)).stdout
        for name in names
    ]  # fmt: skip
    return b"".join(gzip.decompress(part) for part in parts)


def _of_files(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def _invalid_lines(home: Path, project: Path) -> int:
    """Return how many lines of the saved session no longer parse."""
    copy = project / "raw.jsonl"
    run([GITSESSION, "checkout", "HEAD", "--raw", str(copy)], home, project)
    bad = 0
    for line in copy.read_bytes().splitlines():
        try:
            json.loads(line)
        except ValueError:
            bad += 1
    return bad


def _commands(everyone: Sequence[Peer]) -> str:
    """Return the exact command lines, with programs by name."""
    lines = ["| program | before | first save | one more turn | list |", "|---|---|---|---|---|"]
    for peer in everyone:
        cells = [peer.prepare, peer.first, peer.more, [peer.listing] if peer.listing else []]
        shown = [" && ".join(_shown(words) for words in cell) for cell in cells]
        lines.append(f"| {peer.name} | " + " | ".join(f"`{s}`" if s else "" for s in shown) + " |")
    return "\n".join(lines) + "\n"


def _shown(words: Sequence[str]) -> str:
    names = {"@": "SESSION.jsonl", "@/..": "FOLDER-OF-THE-SESSION", "%": "ID"}
    return " ".join(names.get(w, Path(w).name if w.startswith("/") else w) for w in words)
