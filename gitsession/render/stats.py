"""The output of `stats`."""

from __future__ import annotations

from collections.abc import Iterator

from gitsession.render import safe, words
from gitsession.render.listing import table
from gitsession.render.palette import PLAIN, Palette

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.model.stats import Loop, Stats

_WIDTH = 60


def stats(found: Stats, *, palette: Palette = PLAIN) -> Iterator[str]:
    """Yield counts, tokens, tools, and any loops."""
    yield (
        f"{words.plural(found.turns, 'turn')}, {words.plural(found.messages, 'message')}, "
        f"{words.plural(found.prompts, 'prompt')}, "
        f"{words.plural(found.compactions, 'compaction')}"
    )
    if found.models:
        yield f"models  {', '.join(safe.short(name, 80) for name in found.models)}"
    tokens = found.tokens
    kinds = words.tokens(tokens.input, tokens.output, tokens.cache_read, tokens.cache_write)
    yield f"tokens  {tokens.total:,}: {kinds}"
    if found.subagents:
        yield f"subagents  {found.subagents}, not counted above; --stream shows each"
    if found.tools:
        rows = [(f"{t.calls:,}", f"{t.errors:,}", safe.short(t.name, 60)) for t in found.tools]
        yield ""
        yield from table(rows, heading=("calls", "failed", "tool"), right=(0, 1), palette=palette)
    if found.loops:
        yield ""
        yield from loops(found.loops, palette=palette)


def loops(found: tuple[Loop, ...], *, palette: Palette = PLAIN) -> Iterator[str]:
    """Yield the calls that were repeated."""
    for one in found:
        where = (
            f"messages {one.first}-{one.last}" if one.last > one.first else f"message {one.first}"
        )
        times = palette("warning", f"{one.times} times in a row")
        yield f"{safe.short(one.tool, 40)} {times} ({where}): {safe.short(one.input, _WIDTH)}"
