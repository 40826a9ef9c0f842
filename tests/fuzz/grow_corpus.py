"""Makes the corpus anew: sound inputs of our own builders, and of a fuzzed one the best.

`python -m tests.fuzz.grow_corpus [FOLDER]`: FOLDER is what `python -m tests.fuzz --keep` filled. Of
it the smallest inputs stay that reach a line which nothing kept before them reaches.
"""

from __future__ import annotations

import contextlib
import random
import sys
import tempfile
from hashlib import sha1
from pathlib import Path
from types import FrameType
from typing import Any

from tests.fuzz.__main__ import CORPUS
from tests.fuzz.reader import Reader, watched
from tests.fuzz.readers import READERS

MOST, TRIED, LARGEST = 16, 150, 4_000
_OURS = str(Path("gitsession")) + "/"


def main(grown: Path | None) -> None:
    for name, reader in READERS.items():
        place = CORPUS / name
        place.mkdir(parents=True, exist_ok=True)
        seeds = list(reader.seeds())
        more = best(reader, seeds, inputs(grown / name)) if grown else []
        for data in (*seeds, *more):
            (place / sha1(data).hexdigest()[:10]).write_bytes(data)
        print(name, len(seeds), len(more))


def inputs(folder: Path) -> list[bytes]:
    found = [path for path in sorted(folder.glob("*")) if path.stat().st_size <= LARGEST]
    random.Random(1).shuffle(found)
    return sorted((path.read_bytes() for path in found[:TRIED]), key=len)


def best(reader: Reader, seeds: list[bytes], found: list[bytes]) -> list[bytes]:
    reached: set[tuple[str, int]] = set()
    for data in seeds:
        reached |= lines_of(reader, data)
    kept: list[bytes] = []
    for data in found:
        new = lines_of(reader, data) - reached
        if new and len(kept) < MOST:
            reached |= new
            kept.append(data)
    return kept


def lines_of(reader: Reader, data: bytes) -> set[tuple[str, int]]:
    """The lines of the program that an input reaches."""
    seen: set[tuple[str, int]] = set()

    def trace(frame: FrameType, event: str, argument: object) -> Any:
        if _OURS not in frame.f_code.co_filename:
            return None
        seen.add((frame.f_code.co_filename, frame.f_lineno))
        return trace

    with tempfile.TemporaryDirectory() as folder, contextlib.suppress(AssertionError):
        sys.settrace(trace)
        try:
            watched(reader, data, Path(folder))
        finally:
            sys.settrace(None)
    return seen


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
