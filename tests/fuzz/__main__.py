"""All readers for some minutes, two at a time. Ends with 1 when one crashed, hung or took too much
memory, with 3 when only something that must hold did not (tests/fuzz/of_*.py say what).

The corpus that is kept beside this file is only read; `--keep` adds what brought new coverage.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from tests.fuzz.play import WRONG
from tests.fuzz.readers import READERS

CORPUS = Path(__file__).parent / "corpus"
_WEIGHTS = {"save": 3.0, "agent-claude-code": 2.0, "agent-codex": 2.0, "redact-record": 2.0,
            "redact-text": 2.0, "tree": 2.0}  # fmt: skip
_ATTEMPTS = 4
MEMORY = "/dev/shm" if os.path.isdir("/dev/shm") else None
"""Inputs are files: in memory they cost nothing."""


class Row(NamedTuple):
    name: str
    runs: int
    seconds: float
    megabytes: int
    crashes: int
    wrong: int


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0, help="for all together")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--only", default="", help="a part of the readers' names")
    parser.add_argument("--found", type=Path, default=Path("fuzz-found"))
    parser.add_argument("--keep", type=Path, help="a folder that the grown corpora are put in")
    chosen = parser.parse_args()
    names = [name for name in READERS if chosen.only in name]
    chosen.found.mkdir(parents=True, exist_ok=True)
    total = sum(_WEIGHTS.get(name, 1.0) for name in names)
    budget = chosen.minutes * 60 * chosen.processes / total
    with tempfile.TemporaryDirectory(prefix="fuzz-", dir=MEMORY) as folder:
        os.environ["TMPDIR"] = folder
        place = chosen.keep or Path(folder)
        with ThreadPoolExecutor(chosen.processes) as pool:
            rows = list(pool.map(lambda name: played(
                name, budget * _WEIGHTS.get(name, 1.0), place, chosen.found), names))  # fmt: skip
    return told(rows, chosen.found)


def played(name: str, seconds: float, place: Path, found: Path) -> Row:
    """One reader until its time is over; after a find it goes on."""
    corpus = place / name
    corpus.mkdir(parents=True, exist_ok=True)
    for path in (CORPUS / name).glob("*"):
        shutil.copy(path, corpus)
    mine = found / name
    mine.mkdir(exist_ok=True)
    began, runs, memory, crashes, wrong = time.monotonic(), 0, 0, 0, 0
    for _ in range(_ATTEMPTS):
        left = seconds - (time.monotonic() - began)
        if left < 1:
            break
        command = [sys.executable, "-m", "tests.fuzz.play", name, str(left), corpus, mine]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=left + 120,
                                  errors="replace", check=False)  # fmt: skip
            said, code = done.stderr, done.returncode
        except subprocess.TimeoutExpired as error:
            said, code = str(error.stderr), 1
        runs += _figure("number_of_executed_units", said)
        memory = max(memory, _figure("peak_rss_mb", said))
        if code == 0:
            break
        (mine / f"said-{time.monotonic_ns()}.txt").write_text(said[-20_000:])
        wrong += WRONG in said
        crashes += WRONG not in said
    return Row(name, runs, time.monotonic() - began, memory, crashes, wrong)


def _figure(name: str, said: str) -> int:
    match = re.search(rf"stat::{name}: +(\d+)", said)
    return int(match[1]) if match else 0


def told(rows: list[Row], found: Path) -> int:
    print(f"{'reader':22} {'inputs':>9} {'seconds':>8} {'MB':>5} {'crashes':>8} {'wrong':>6}")
    for name, inputs, seconds, megabytes, crashes, wrong in rows:
        print(f"{name:22} {inputs:9} {seconds:8.0f} {megabytes:5} {crashes:8} {wrong:6}")
    bad = [row.name for row in rows if row.crashes or row.wrong]
    runs, seconds = sum(row.runs for row in rows), sum(row.seconds for row in rows)
    print(f"{len(rows)} readers, {runs} inputs, {seconds / 60:.1f} minutes of processes, "
          f"{len(bad)} with finds" + (f", kept in {found}" if bad else ""))  # fmt: skip
    for folder in found.iterdir():
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
    return 1 if any(row.crashes for row in rows) else 3 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
