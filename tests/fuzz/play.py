"""One reader in a process of its own, for some seconds: guided by coverage where atheris is there.

`python -m tests.fuzz.play READER SECONDS CORPUS FOUND`; what is found lies in FOUND afterwards.
"""

from __future__ import annotations

import os
import random
import shutil
import sys
import tempfile
import time
import traceback
from hashlib import sha1
from pathlib import Path

HERE = str(Path(__file__).parent) + os.sep
MEGABYTES = 900
"""Resident memory that a reader may reach, the interpreter and the coverage counters in it."""
SLOWEST = 60
WRONG = "A reader answered, and something that must hold did not."
_KEPT = 400


def main(name: str, seconds: float, corpus: Path, found: Path) -> None:
    room = tempfile.mkdtemp(prefix="fuzz-")
    try:
        import atheris
    except ImportError:
        alone(name, seconds, corpus, found, Path(room))
    else:
        guided(atheris, name, seconds, corpus, found, Path(room))


def emptied(room: Path) -> Path:
    """The folder for the next input."""
    place = room / "input"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    return place


def guided(
    atheris: object, name: str, seconds: float, corpus: Path, found: Path, room: Path
) -> None:
    from typing import Any

    library: Any = atheris
    with library.instrument_imports(include=["gitsession"], enable_loader_override=False):
        from tests.fuzz.readers import READERS
    from tests.fuzz.mutate import mutated
    from tests.fuzz.reader import LARGEST, watched

    reader = READERS[name]

    def one(data: bytes) -> None:
        try:
            watched(reader, data, emptied(room))
        except BaseException:
            note(found, name, data)
            raise

    def change(data: bytes, most: int, seed: int) -> bytes:
        chance = random.Random(seed)
        if reader.shape == "bytes" or chance.random() < 0.3:
            return bytes(library.Mutate(data, most))
        return mutated(data, reader.shape, chance, most, reader.words)

    options = [
        "fuzz", f"-max_total_time={max(1, int(seconds))}", f"-max_len={LARGEST}", "-len_control=0",
        f"-rss_limit_mb={MEGABYTES}", f"-timeout={SLOWEST}", f"-artifact_prefix={found}/",
        "-print_final_stats=1", "-verbosity=0", "-close_fd_mask=1", str(corpus),
    ]  # fmt: skip
    library.Setup(options, one, custom_mutator=change)
    library.Fuzz()


def alone(name: str, seconds: float, corpus: Path, found: Path, room: Path) -> None:
    """Without atheris: mutants of the corpus, blind."""
    from tests.fuzz.mutate import mutated
    from tests.fuzz.reader import LARGEST, watched
    from tests.fuzz.readers import READERS

    reader, chance = READERS[name], random.Random(name)
    inputs = [path.read_bytes() for path in sorted(corpus.iterdir())]
    end, runs = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        data = mutated(chance.choice(inputs), reader.shape, chance, LARGEST, reader.words)
        runs += 1
        try:
            watched(reader, data, emptied(room))
        except BaseException:
            note(found, name, data)
            raise
        if len(inputs) < _KEPT and chance.random() < 0.01:
            inputs.append(data)
    print(f"stat::number_of_executed_units: {runs}", file=sys.stderr)


def note(found: Path, name: str, data: bytes) -> None:
    """Keeps the input of a find and what happened."""
    place = found / f"{name}-{sha1(data).hexdigest()[:10]}"
    place.write_bytes(data)
    place.with_suffix(".txt").write_text(traceback.format_exc())
    if is_wrong(sys.exception()):
        print(WRONG, file=sys.stderr, flush=True)


def is_wrong(error: BaseException | None) -> bool:
    """Whether a check beside this file raised it; anything else is a crash."""
    from tests.fuzz.reader import Hang

    if not isinstance(error, AssertionError) or isinstance(error, Hang):
        return False
    *_, (frame, _) = traceback.walk_tb(error.__traceback__)
    return frame.f_code.co_filename.startswith(HERE)


if __name__ == "__main__":
    os.environ["HOME"] = tempfile.gettempdir()
    main(sys.argv[1], float(sys.argv[2]), Path(sys.argv[3]), Path(sys.argv[4]))
