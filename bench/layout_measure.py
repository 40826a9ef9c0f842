"""The measurement behind 4 KiB and 64 KiB: real histories in real repositories, with other cut
sizes.

`python -m bench.layout_measure FOLDER [FILE …]` stores each JSONL file below FOLDER (or each of the
named files) as one commit per turn, once for every pair of thresholds, and prints Markdown tables:
bytes of loose objects, of a pack with git's default window and of one with a window of 50, each as
a multiple of `gzip -9` of the files. It has its own, simple way of splitting into turns: a prompt
opens a turn. Deterministic; needs git and pygit2.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pygit2
from pygit2.enums import FileMode

from gitsession.model import finding
from gitsession.model.message import Usage
from gitsession.model.record import Record, Stream
from gitsession.model.session import Counts, Info, Session, Turn
from gitsession.snapshot import Head, encode, turnblob

STRINGS = (1, 2, 4, 8, 16, 32)
TURNS = (16, 32, 64, 128, 256)
CONSTANTS = ("sessionId", "cwd", "version", "gitBranch")
_LINE = re.compile(rb"[^\n]*\n|[^\n]+\Z")


def prompt_of(line: bytes) -> str | None:
    """Return what the user typed, if the line is a prompt (Claude Code or Codex)."""
    user = b'"type":"user"' in line and b"tool_result" not in line and b'"isMeta":true' not in line
    if not user and b'"type":"user_message"' not in line:
        return None
    try:
        record = json.loads(line)
        if not user:
            return str(record["payload"]["message"])
        content = record["message"]["content"]
        return content if isinstance(content, str) else str(content[0].get("text", ""))
    except (ValueError, LookupError, TypeError, AttributeError):
        return None


def continuations(path: Path) -> Iterator[Session]:
    """Yield one Session per turn, with metadata of a usual size."""
    name = path.stem
    first = offset = 0
    for number, (lines, prompt) in enumerate(_turns(_LINE.findall(path.read_bytes())), 1):
        offset += sum(map(len, lines))
        time = f"2026-01-{1 + number // 1440:02d}T{number // 60 % 24:02d}:{number % 60:02d}:00.000Z"
        yield Session(
            Info("measured", name, title="A title of usual length", cwd="/home/someone/project",
                 created="2026-01-01T00:00:00.000Z", updated=time, models=("a-model",)),
            streams=(Stream("main", tuple(map(Record, lines)), first, offset),),
            turn=Turn("turn", prompt, time, messages=len(lines)),
            counts=Counts(number, first + len(lines), first + len(lines), offset),
            usage=Usage(offset // 40, offset // 90, offset, offset // 7),
        )  # fmt: skip
        first += len(lines)


def _turns(lines: list[bytes]) -> Iterator[tuple[list[bytes], str]]:
    turn: list[bytes] = []
    asked = ""
    for line in lines:
        prompt = prompt_of(line)
        if prompt is not None and turn:
            yield turn, asked
            turn = []
        asked = prompt if prompt is not None else asked
        turn.append(line)
    if turn:
        yield turn, asked


def store(path: Path, folder: str) -> None:
    """Store the history of `path` as commits in a new bare repository."""
    repository = pygit2.init_repository(folder, bare=True)
    head: Head | None = None
    tree: pygit2.Oid | None = None
    commits: list[pygit2.Oid] = []
    for session in continuations(path):
        redacted = finding.Redacted(session, (), finding._PROOF)
        encoded, head = encode(redacted, head, CONSTANTS)
        tree = _write(repository, tree, encoded.files)
        author = pygit2.Signature("Someone", "someone@example.org", encoded.time)
        commits.append(
            repository.create_commit(
                "refs/heads/main", author, author, encoded.message, tree, commits[-1:]
            )
        )


def _write(
    repository: pygit2.Repository, base: pygit2.Oid | None, files: dict[str, bytes | None]
) -> pygit2.Oid:
    """Write the tree of `base` with `files` on top."""
    builder = repository.TreeBuilder(repository[base]) if base else repository.TreeBuilder()
    below: dict[str, dict[str, bytes | None]] = {}
    for path, data in files.items():
        name, _, rest = path.partition("/")
        if rest:
            below.setdefault(name, {})[rest] = data
        elif data is not None:
            builder.insert(name, repository.create_blob(data), FileMode.BLOB)
    for name, inner in below.items():
        old = repository[base][name].id if base and name in repository[base] else None
        builder.insert(name, _write(repository, old, inner), FileMode.TREE)
    return builder.write()


def sizes(folder: str) -> tuple[int, int, int]:
    """Return the bytes of the loose objects, of the pack with the default window and of that with
    50."""
    objects = Path(folder, "objects")
    loose = sum(file.stat().st_size for file in objects.glob("??/*"))
    packs = []
    for options in ((), ("--window=50",)):
        subprocess.run(
            ["git", "-c", "pack.threads=1", "-C", folder, "repack", "-adfq", *options], check=True
        )
        packs.append(sum(file.stat().st_size for file in objects.glob("pack/*.pack")))
    return loose, packs[0], packs[1]


def measure(path: Path, string: int, turn: int) -> tuple[int, int, int]:
    """Return (loose, packed, packed with window 50) in bytes, for cut sizes in KiB."""
    with (
        tempfile.TemporaryDirectory() as folder,
        mock.patch.object(turnblob, "CUT_STRING", string << 10),
        mock.patch.object(turnblob, "CUT_TURN", turn << 10),
    ):
        store(path, folder)
        return sizes(folder)


def table(paths: list[Path]) -> Iterator[str]:
    """Yield a matrix for each of loose, packed, packed with window 50: strings down, turns
    across."""
    small = sum(len(gzip.compress(path.read_bytes(), 9)) for path in paths)
    versions = sum(1 for path in paths for _ in continuations(path))
    yield f"{len(paths)} files, {versions} versions, gzip -9 {small:,} bytes"
    found = {}
    for string in STRINGS:
        for turn in TURNS:
            sums = [measure(path, string, turn) for path in paths]
            found[string, turn] = [sum(column) / small for column in zip(*sums, strict=True)]
    for index, name in enumerate(("loose", "packed", "packed, window 50")):
        yield f"\n| {name} | " + " | ".join(f"turns {turn} KiB" for turn in TURNS) + " |"
        yield "|---" * (len(TURNS) + 1) + "|"
        for string in STRINGS:
            cells = " | ".join(f"{found[string, turn][index]:.3f}" for turn in TURNS)
            yield f"| strings {string} KiB | {cells} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("file", nargs="*", help="paths below FOLDER; all large JSONL files if none")
    arguments = parser.parse_args()
    paths = [arguments.folder / name for name in arguments.file] or sorted(
        path for path in arguments.folder.rglob("*.jsonl") if path.stat().st_size > 500_000
    )
    for line in table(paths):
        print(line, flush=True)


if __name__ == "__main__":
    main()
