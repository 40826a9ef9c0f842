"""`search`: messages under their sessions, with the matches marked, and how to get there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gitsession.render import safe, words
from gitsession.render.palette import PLAIN, Palette

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.model.search import Corrected, Hit, SearchAnswer

_ID = 8
_MARGIN = "    "


def answer(
    answer: SearchAnswer, now: int, *, palette: Palette = PLAIN, width: int = 100
) -> Iterator[str]:
    """Yield the hits grouped by session; the session with the best hit comes first."""
    for place, hits in enumerate(_by_session(answer.hits)):
        if place:
            yield ""
        yield from _session(hits[0], palette, width)
        for hit in hits:
            yield from _hit(hit, hits[0].branch, now, palette, width)
    yield ""
    yield from _ending(answer, palette)


def corrections(corrected: Sequence[Corrected]) -> Iterator[str]:
    """Yield which words occur nowhere, and what was searched for instead."""
    for one in corrected:
        used = " and ".join(f"'{safe.short(word, 60)}'" for word in one.used)
        yield f"no match for '{safe.short(one.word, 60)}'; searched for {used} instead"


def _by_session(hits: Sequence[Hit]) -> list[list[Hit]]:
    found: dict[str, list[Hit]] = {}
    for hit in hits:
        found.setdefault(hit.session, []).append(hit)
    return list(found.values())


def _session(hit: Hit, palette: Palette, width: int) -> Iterator[str]:
    facts = [hit.agent, "archived" if hit.archived else ""]
    where = "  ".join(fact for fact in [safe.line(hit.branch), *facts] if fact)
    title = safe.short(hit.title, max(20, width - safe.cells(where) - 2))
    yield palette("title", title) + "  " + palette("dim", where)


def _hit(hit: Hit, branch: str, now: int, palette: Palette, width: int) -> Iterator[str]:
    role = hit.role if hit.role in ("user", "assistant") else "dim"
    named = f"{hit.role} · {safe.short(hit.tool, 40)}" if hit.tool else hit.role
    place = f"{hit.version[:_ID]}:{hit.message}" if hit.message else hit.version[:_ID]
    others = [
        words.moment(hit.time) if hit.time else "",
        words.age(hit.time, now) if hit.time else "",
        safe.line(hit.branch) if hit.branch != branch else "",
        f"in {safe.line(hit.stream)}" if hit.stream != "main" else "",
        "foreign" if hit.foreign else "",
    ]
    said = " · ".join(one for one in others if one)
    yield f"  {palette('id', place)}  {palette(role, named)}  {palette('dim', said)}".rstrip()
    yield _MARGIN + _marked(hit, palette, width - len(_MARGIN))


def _marked(hit: Hit, palette: Palette, width: int) -> str:
    """Return the line, safe and within the width, with its marks in colour."""
    shown: list[str] = []
    left, at = width, 0
    for start, end in [*hit.marks, (len(hit.text), len(hit.text))]:
        for role, part in (("", hit.text[at:start]), ("match", hit.text[start:end])):
            text = _visible(part)
            cut = safe.cut(text, left)
            shown.append(palette(role, cut))
            left -= safe.cells(cut)
            if cut != text:
                return "".join(shown)
        at = end
    return "".join(shown)


def _visible(part: str) -> str:
    """Return a safe piece of a line that keeps the blanks at its ends."""
    return safe.line(part) if part.isprintable() else safe.block(part).replace("\n", " ")


def _ending(answer: SearchAnswer, palette: Palette) -> Iterator[str]:
    said = [words.plural(answer.total, "hit")]
    if len(answer.hits) < answer.total:
        said.append(f"{len(answer.hits):,} shown (--limit 0 shows all)")
    said.append(f"{words.plural(answer.sessions, 'session')} searched")
    yield ", ".join(said)
    first = answer.hits[0]
    place = f"{first.version[:_ID]}:{first.message}" if first.message else first.version[:_ID]
    stream = f" --stream {safe.pasted(first.stream)}" if first.stream != "main" else ""
    yield palette("hint", f"gitsession show {place}{stream}") + "  the whole message"
    start = place.partition(":")[0] if stream else place
    yield palette("hint", f"gitsession checkout {start} -b NAME") + "  continue from there"
