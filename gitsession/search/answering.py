"""From a question to messages in order: the rankings of several indexes, combined."""

from __future__ import annotations

from array import array
from collections import namedtuple
from collections.abc import Mapping, Sequence

from gitsession.model.search import Corrected
from gitsession.search import query, texts, typos
from gitsession.search.index import Index
from gitsession.search.lookup import Filters, Lookup
from gitsession.search.query import Wanted
from gitsession.search.reading import Reading
from gitsession.search.snippet import snippet

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple

    class Found(NamedTuple):
        session: str
        number: int
        role: str
        tool: str
        time: int
        version: str
        point: str
        own: bool
        text: str
        marks: tuple[tuple[int, int], ...]
        stream: str

    class Answer(NamedTuple):
        found: tuple[Found, ...] = ()
        total: int = 0
        wanted: tuple[Wanted, ...] = ()
        corrected: tuple[Corrected, ...] = ()
        titled: tuple[str, ...] = ()
else:
    Found = namedtuple("Found", "session number role tool time version point own text marks stream")
    Found.__doc__ = "A message; `point` is its tip, `version` the oldest version that contains it."
    Answer = namedtuple(
        "Answer", "found total wanted corrected titled", defaults=((), 0, (), (), ())
    )
    Answer.__doc__ = """The answer of the index. `wanted` is what was searched for in the end;
    `titled` names the sessions in which only the title contains it."""

K = 60
"""The constant in reciprocal ranks: the greater it is, the less the first places count."""
_DEPTH = 1000
"""The number of places in each ranking that count."""
_WEIGHT_OF_TIME = 0.5


def answer(
    index: Index, wanted: Sequence[Wanted], titles: Mapping[str, str], filters: Filters, limit: int
) -> Answer:
    """Return the first `limit` (0: all) matching messages in the sessions named by `titles`."""
    kind = Lookup if index.full else Reading
    lookup = kind(index, titles, filters)
    forms: list[Wanted] = []
    corrected: list[Corrected] = []
    whole = not (filters.role or filters.tool)
    titled = _titled(wanted, titles) if whole else ()
    for one in wanted:
        if lookup.look([one]):
            forms.append(one)
            continue
        meant = () if titled else _meant(lookup, one)
        if not meant or not lookup.look(meant):
            return Answer((), 0, tuple(wanted), (), titled)
        forms += meant
        corrected.append(Corrected(one.text, tuple(each.text for each in meant)))
    total = lookup.gather_all()
    order = _order(lookup, forms, titles, limit or total)
    found = tuple(_found(index, lookup, message, forms) for message in order)
    named = {row[0] for row in lookup.sessions()}
    alone = tuple(name for name in titled if name not in named)
    return Answer(found, total, tuple(forms), tuple(corrected) if total else (), alone)


def _titled(wanted: Sequence[Wanted], titles: Mapping[str, str]) -> tuple[str, ...]:
    """Return the sessions whose title contains every word."""
    return tuple(
        name
        for name, title in titles.items()
        if title and all(query.holds(one, title) for one in wanted)
    )


def _meant(lookup: Lookup, wanted: Wanted) -> tuple[Wanted, ...]:
    """Return the words of the index that a word without any hit may be a misspelling of."""
    stems = query.stems_of(wanted.text)
    if wanted.exact or len(stems) != 1 or len(stems[0]) < texts.GRAM:
        return ()
    found: list[Wanted] = []
    nearest = 0
    word = texts.plain(wanted.text)
    for far, stem in typos.nearest(word, stems[0], lookup.vocabulary()):
        if found and (far > nearest or len(found) == typos.MOST):
            break
        spelled = lookup.spelled(stem)
        if spelled:
            found.append(Wanted(spelled))
            nearest = far
    return tuple(found)


def _order(
    lookup: Lookup, wanted: Sequence[Wanted], titles: Mapping[str, str], limit: int
) -> list[int]:
    """Return the messages found, best first: a ranking adds its weight / (K + place) to a message's
    score."""
    depth = max(_DEPTH, limit)
    newest = lookup.newest(depth)
    named = [name for name, title in titles.items() if any(query.holds(w, title) for w in wanted)]
    rankings = [(1.0, each) for each in lookup.best(wanted, depth)]
    rankings += [(_WEIGHT_OF_TIME, newest), (1.0, lookup.of_sessions(named, depth))]
    points: dict[int, float] = {}
    for weight, ranking in rankings:
        for place, message in enumerate(ranking, 1):
            points[message] = points.get(message, 0.0) + weight / (K + place)
    later = {message: place for place, message in enumerate(newest)}
    order = sorted(points, key=lambda message: (-points[message], later.get(message, depth)))
    return order[:limit]


def _found(index: Index, lookup: Lookup, message: int, wanted: Sequence[Wanted]) -> Found:
    row = index.connection.execute(
        "SELECT s.name, m.number, m.role, m.time, m.version, m.session, m.stream"
        " FROM main.message m"
        " JOIN session s ON s.id = m.session WHERE m.id = ?",
        (message,),
    ).fetchone()
    point, own = _point(index, row[5], message)
    text, tool, _ = lookup.shown(message)
    line, marks = snippet(text, wanted)
    return Found(
        session=row[0], number=row[1], role=row[2], tool=tool, time=row[3],
        version=row[4].hex(), point=point, own=own, text=line, marks=marks, stream=row[6],
    )  # fmt: skip


def _point(index: Index, session: int, message: int) -> tuple[str, bool]:
    """Return the tip that a message belongs to (its own, or that of the branch it was cut from),
    and whether this user made the version from which it was read."""
    rows = index.connection.execute(
        "SELECT version, own, cuts, members FROM point WHERE session = ? ORDER BY place", (session,)
    ).fetchall()
    for version, own, _, members in rows:
        if message in array("q", members):
            tips = (tip for tip, _, cuts, _ in rows if version in cuts.split())
            return next(tips, version), bool(own)
    return "", True


__all__ = ["Answer", "Filters", "Found", "answer"]
