"""The cost of redaction: MB per second over transcripts, single texts, loading. CPU time of one
process.

Uses real transcripts if GITSESSION_SAMPLES names a folder of them (each line once), else made-up
ones.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from bench.generate import session
from bench.measure import table
from gitsession.redaction.compiled import RULES
from gitsession.redaction.placeholders import Placeholders
from gitsession.redaction.records import RecordReader, Tails
from gitsession.redaction.scanner import Scanner

_BATCH = 200
_LIMIT = 20_000_000
_PLACEHOLDERS = Placeholders(b"k" * 32, frozenset(row[0] for row in RULES))
_BARE = "import time, re, json, functools, hmac; start = time.process_time()"
_LOADED = {
    "a clean text": "the tests pass now, the parser keeps comments",
    "a token and a password": "\n".join(
        f"{name}={part * 2}"
        for name, part in zip(("API_KEY", "DB_PASSWORD"), ("a1B2c3D4e5", "Tr0ub4-"), strict=True)
    ),
}


def transcripts(samples: Path) -> list[bytes]:
    """Return the records of real sessions, each once, else of generated ones."""
    lines: dict[bytes, None] = {}
    for path in sorted(samples.rglob("*.jsonl")) if samples.is_dir() else ():
        lines.update(dict.fromkeys(path.read_bytes().splitlines(keepends=True)))
    if not lines:
        for seed in range(4):
            lines.update(dict.fromkeys(session(seed, 2_000_000, "/work/demo")))
    chosen, size = [], 0
    for line in lines:
        size += len(line)
        if size > _LIMIT:
            break
        chosen.append(line)
    return chosen


def strings(records: Iterable[bytes]) -> list[bytes]:
    """Return every string of the records, decoded."""
    found: list[bytes] = []
    for record in records:
        try:
            waiting = [json.loads(record)]
        except ValueError:
            continue
        while waiting:
            value = waiting.pop()
            if isinstance(value, str):
                found.append(value.encode("utf-8", "surrogatepass"))
            elif isinstance(value, dict):
                waiting += value.values()
            elif isinstance(value, list):
                waiting += value
    return found


def best(action: Callable[[], object], times: int = 3) -> float:
    """Return the least CPU seconds of one call."""
    figures = []
    for _ in range(times):
        start = time.process_time()
        action()
        figures.append(time.process_time() - start)
    return min(figures)


def _read_records(records: Sequence[bytes], fast: bool) -> None:
    reader, tails = RecordReader(Scanner(_PLACEHOLDERS, fast)), Tails()
    for at in range(0, len(records), _BATCH):
        reader.records(records[at : at + _BATCH], tails)


def _scan(texts: Sequence[bytes], fast: bool) -> None:
    """Scan as a save does: strings found clean are remembered for their repeats."""
    scanner = Scanner(_PLACEHOLDERS, fast)
    for text in texts:
        scanner.text(text)


def pieces(texts: Sequence[bytes], size: int) -> list[bytes]:
    """Return texts of `size` bytes from the conversation."""
    whole = b"\n".join(text for text in texts if len(text) > 200)[:6_000_000]
    return [whole[at : at + size] for at in range(0, len(whole) - size, size)]


def loading(text: str, times: int = 11) -> float:
    """Return the CPU seconds for loading the engine and reading one text, without those for
    starting Python."""
    code = f"{_BARE}\nfrom gitsession import redact\nredact({text!r})\n"
    code += "print(time.process_time() - start)"
    figures = [
        float(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout)
        for _ in range(times)
    ]
    return min(figures)


def main(samples: Path) -> str:
    records = transcripts(samples)
    texts = strings(records)
    raw, decoded = sum(map(len, records)) / 1e6, sum(map(len, texts)) / 1e6
    distinct = list(dict.fromkeys(texts))
    once = sum(map(len, distinct)) / 1e6
    rows = []
    for fast, name, times in ((True, "with the extra", 3), (False, "Python alone", 1)):
        _scan(texts[:50], fast)
        alone = best(lambda fast=fast: _scan(texts, fast), times)  # type: ignore[misc]
        first = best(lambda fast=fast: _scan(distinct, fast), times)  # type: ignore[misc]
        whole = best(lambda fast=fast: _read_records(records, fast), times)  # type: ignore[misc]
        rows.append((f"transcripts, {name}", f"{decoded / alone:.0f} MB/s of decoded text"))
        rows.append((f"each distinct string, {name}", f"{once / first:.0f} MB/s of decoded text"))
        rows.append((f"JSON lines, {name}", f"{raw / whole:.0f} MB/s, parsed and with borders"))
    for size in (2_048, 102_400):
        some = pieces(texts, size)
        each = best(lambda some=some: _scan(some, True)) / len(some)  # type: ignore[misc]
        rows.append((f"a text of {size // 1024} KB", f"{each * 1000:.3f} ms"))
    rows += [
        (f"loading, {name}", f"{loading(text) * 1000:.0f} ms") for name, text in _LOADED.items()
    ]
    return table("Redaction (CPU, best of three)", ("what", "figure"), rows)
