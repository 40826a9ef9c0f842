"""`context` of a session of 10,000 messages, and how fast tokens are counted beside tiktoken."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.generate import Generator
from bench.measure import GITSESSION, Figure, environment, median, ms, run, table
from gitsession.context.build import build
from gitsession.context.ranks import load_encoding
from gitsession.context.tokens import Tiktoken
from gitsession.environment import Environment
from gitsession.repository import open_repository

MESSAGES = 10_000


def main(scratch: Path, samples: Path) -> str:
    scratch.mkdir(parents=True)
    return "\n".join((_context(scratch), _counting(scratch, samples)))


def _context(scratch: Path) -> str:
    """Whole processes of the verb; the first one fills the cache of counts."""
    home, project = scratch / "home", scratch / "demo"
    home.mkdir()
    project.mkdir()
    size = _write_session(home, project)
    run([GITSESSION, "save"], home, project)
    rows = []
    for budget in (8_000, 128_000):
        command = [GITSESSION, "context", "--budget", str(budget), "--explain"]
        first = run(command, home, project)
        warm = median([run(command, home, project) for _ in range(3)])
        rows.append((f"{budget:,}", _said(first), _said(warm), f"{warm.memory:.0f} MB"))
    title = f"`gitsession context` of {MESSAGES:,} messages, {size / 1e6:.0f} MB (median of 3)"
    columns = ("budget", "first (wall / CPU)", "warm (wall / CPU)", "memory")
    return table(title, columns, rows) + _parts(scratch, home, project)


def _parts(scratch: Path, home: Path, project: Path) -> str:
    """The same in one process: what reading takes, and what building takes."""
    repository = open_repository(Environment(environment(home), home, str(project)))
    counter = Tiktoken("o200k_base", scratch / "tables")
    session, reading = _timed(lambda: repository.session())
    counter.count("loaded")
    rows = [("reading and parsing the version", ms(reading))]
    for name in ("building, nothing counted yet", "building, warm", "building, warm, again"):
        _, took = _timed(lambda: build(session, 32_000, counter=counter))
        rows.append((name, ms(took)))
    repository.close()
    return "\n" + table("In one process (CPU)", ("step", "CPU"), rows)


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    began = time.process_time()
    result = work()
    return result, time.process_time() - began


def _said(figure: Figure) -> str:
    return f"{ms(figure.wall)} / {ms(figure.cpu)}"


def _write_session(home: Path, project: Path) -> int:
    """A native session of so many messages (a call counts with its result); its bytes."""
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
    """MB a second over the texts of real sessions: ours, ours again, tiktoken by itself."""
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
