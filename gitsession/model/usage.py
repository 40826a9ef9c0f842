"""Token counts, as transcripts state them."""

from __future__ import annotations

from collections import namedtuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple

    class _Usage(NamedTuple):
        input: int = 0
        output: int = 0
        cache_read: int = 0
        cache_write: int = 0
else:
    _Usage = namedtuple("_Usage", "input output cache_read cache_write", defaults=(0, 0, 0, 0))


class Usage(_Usage):
    """Token counts as the transcript states them; a message's usage is None if it states none."""

    __slots__ = ()

    @property
    def total(self) -> int:
        return self.input + self.output + self.cache_read + self.cache_write

    def plus(self, other: Usage) -> Usage:
        return Usage(
            self.input + other.input,
            self.output + other.output,
            self.cache_read + other.cache_read,
            self.cache_write + other.cache_write,
        )
