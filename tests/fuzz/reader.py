"""What one fuzzed reader is, and the watch over a single input: no bug, no hang, little memory."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from gitsession.errors import GitSessionError

SECONDS = 4.0
"""Processor time that one input may take, of which none is larger than LARGEST."""
LARGEST = 1 << 16
SHAPES = ("lines", "json", "text", "bytes")


class Reader(NamedTuple):
    """`read(data, folder)` reads one input and checks what must hold; a GitSessionError is an
    answer, anything else a find. `folder` is empty at the start and may be filled. `seeds` gives
    sound inputs; `shape` says how to change them: JSON lines, one JSON value, text, bytes."""

    name: str
    shape: str
    read: Callable[[bytes, Path], None]
    seeds: Callable[[], Iterable[bytes]]
    words: tuple[bytes, ...] = ()


class Hang(AssertionError):
    """An input took more processor time than any of its size may."""


def watched(reader: Reader, data: bytes, folder: Path) -> None:
    """Reads one input; raises what a find is."""
    began = time.process_time()
    try:
        reader.read(data, folder)
    except GitSessionError as error:
        assert str(error), "an error says something"
    took = time.process_time() - began
    if took > SECONDS:
        raise Hang(f"{reader.name} took {took:.1f} s for {len(data)} bytes")
