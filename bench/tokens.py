"""`context` for a session of 10,000 messages, and the speed of counting tokens compared with
tiktoken."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.generate import Generator
from bench.measure import GITSESSION, Figure, environment, median, ms, run, table
from gitsession.context.build import STRATEGIES, build
from gitsession.context.detect import Detector
from gitsession.context.known_counts import KnownCounts
from gitsession.context.ranks import load_encoding
from gitsession.context.tokens import Tiktoken
from gitsession.context.wishes import Wishes
from gitsession.environment import Environment
from gitsession.repository import open_repository

MESSAGES = 10_000


def main(scratch: Path, samples: Path) -> str:
    scratch.mkdir(parents=True)
    return "\n".join((_context(scratch), _counting(scratch, samples)))


def _context(scratch: Path) -> str:
    """Measure whole processes of the verbs, including git's. The first one reads every record and
    fills the caches; each figure is also given in starts of a bare Python, for comparison with
    other machines."""
    home, project = scratch / "home", scratch / "demo"
    home.mkdir()
    project.mkdir()
    size = _write_session(home, project)
    run([GITSESSION, "save"], home, project)
    bare = median([run([sys.executable, "-c", "pass"], home, project) for _ in range(5)])
    rows = [("the first one, 32,000", *_row(run(_command("32000"), home, project), bare))]
    for name, command in _COMMANDS.items():
        run(command, home, project)
        warm = median([run(command, home, project) for _ in range(3)])
        rows.append((name, *_row(warm, bare)))
    title = f"`gitsession context` of {MESSAGES:,} messages, {size / 1e6:.0f} MB (median of 3)"
    columns = ("what", "CPU", "x bare Python", "memory")
    return table(title, columns, rows) + _parts(scratch, home, project)


def _command(budget: str, *words: str) -> list[str]:
    return [GITSESSION, "context", "--budget", budget, *words]


_COMMANDS = {
    "8,000 tokens": _command("8000"),
    "32,000": _command("32000"),
    "200,000": _command("200000"),
    "200,000, `--explain`": _command("200000", "--explain"),
    "`request`, 32,000": [GITSESSION, "request", "--message", "go on", "--budget", "32000"],
    **{
        f"32,000, `--strategy {name}`": _command("32000", "--strategy", name)
        for name in list(STRATEGIES)[1:]
    },
}


def _row(figure: Figure, bare: Figure) -> tuple[str, ...]:
    ratio = f"{figure.cpu / bare.cpu:.0f}"
    return ms(figure.cpu), ratio, f"{figure.memory:.0f} MB"


def _parts(scratch: Path, home: Path, project: Path) -> str:
    """Measure the same in one process: the time for reading, and the time for building."""
    repository = open_repository(Environment(environment(home), home, str(project)))
    counter = Tiktoken("o200k_base", scratch / "tables")
    session, reading = _timed(lambda: repository.session())
    counter.count("loaded")
    wishes = Wishes(kind_of=Detector(KnownCounts(scratch / "kinds", b"k" * 32)).kind_of)
    rows = [("reading and parsing all records of the version", ms(reading))]
    for name in ("building, nothing counted yet", "building, warm", "building, warm, again"):
        _, took = _timed(lambda: build(session, 32_000, counter=counter, wishes=wishes))
        rows.append((name, ms(took)))
    repository.close()
    return "\n" + table("In one process (CPU)", ("step", "CPU"), rows)


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    began = time.process_time()
    result = work()
    return result, time.process_time() - began


def _write_session(home: Path, project: Path) -> int:
    """Write a native session of that many messages (a call counts together with its result); return
    its bytes."""
    generator = Generator(1, str(project))
    path = generator.path(home)
    path.parent.mkdir(parents=True)
    messages = 0
    with path.open("wb") as stream:
        while messages < MESSAGES:
            lines = list(generator.turn())
            messages += sum(b'"text"' in line or b'"tool_use"' in line for line in lines)
            stream.writelines(lines)
        return stream.tell()


def _counting(scratch: Path, samples: Path) -> str:
    """Return MB per second over the texts of real sessions: ours, ours again, tiktoken alone."""
    texts = [path.read_text("utf-8", "replace") for path in sorted(samples.rglob("*.jsonl"))[:12]]
    texts = texts or ["the cache reads a record and keeps its bytes " * 20_000]
    pieces = [text[at : at + 4_000] for text in texts for at in range(0, len(text), 4_000)]
    megabytes = sum(len(piece.encode()) for piece in pieces) / 1e6
    encoding = load_encoding("o200k_base", scratch)
    assert encoding is not None
    ours = Tiktoken("o200k_base", scratch)
    ours.count("loaded")
    plain = _speed(lambda piece: len(encoding.encode_ordinary(piece)), pieces, megabytes)
    cold = _speed(ours.count, pieces, megabytes)
    warm = _speed(ours.count, pieces, megabytes)
    long = "a" * 1_000_000
    began = time.process_time()
    ours.count(long)
    run_of_one = time.process_time() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    rows = [
        ("tiktoken `encode_ordinary`", f"{plain:.1f} MB/s", "1.00"),
        ("our counter", f"{cold:.1f} MB/s", f"{cold / plain:.2f}"),
        ("our counter, the same texts again", f"{warm:.0f} MB/s", f"{warm / plain:.0f}"),
        ("1 MB of one letter", f"{1 / run_of_one:.1f} MB/s", f"{1 / run_of_one / plain:.2f}"),
    ]
    title = f"Counting {megabytes:.0f} MB of real sessions (CPU; peak {peak:.0f} MB)"
    return table(title, ("what", "speed", "x tiktoken"), rows)


def _speed(count: object, pieces: list[str], megabytes: float) -> float:
    assert callable(count)
    began = time.process_time()
    for piece in pieces:
        count(piece)
    return megabytes / (time.process_time() - began)
