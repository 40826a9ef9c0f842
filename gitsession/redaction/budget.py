"""How much work a string may cost, in counted steps, so that the machine's clock plays no part."""

from __future__ import annotations

_STEPS = 40_000
_STEPS_PER_BYTE = 1 / 12
_EXPANSION = 4_000_000


class Exhausted(Exception):
    """The string costs more than it may; it is masked as a whole and counted."""


class Budget:
    """Steps for one string of `size` bytes: a fixed amount, so that short strings may be dense,
    plus an amount per byte. `expansion` is how many bytes packed runs may still unpack to."""

    __slots__ = ("_left", "expansion")

    def __init__(self, size: int) -> None:
        self._left = _STEPS + int(size * _STEPS_PER_BYTE)
        self.expansion = _EXPANSION

    def spend(self, steps: int) -> None:
        self._left -= steps
        if self._left < 0:
            raise Exhausted

    def expand(self, size: int) -> None:
        self.expansion -= size
        if self.expansion <= 0:
            raise Exhausted
