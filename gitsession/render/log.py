"""`log`: versions as text, from commits alone. Fast to import: no dataclasses, and no session is
read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from gitsession.model.history import HEADS, REMOTES, TAGS, Version
from gitsession.render import safe, words
from gitsession.render.palette import PLAIN, Palette

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.render.graph import Graph

MARKS = {"open": "o", "interrupted": "x"}
"""The graph's marks for versions that are not finished turns."""

Names = Mapping[str, Sequence[str]]


class Style:
    """How a log is drawn. `refs` maps ids to full ref names; `head` is `<session>/<branch>` or an
    id; `session` is left out of names if it is the only one shown; `width` is in cells, 0 for no
    limit; `now` is in unix seconds; `beyond` are versions that are not drawn, but serve as the base
    for the growth of those that are."""

    __slots__ = ("beyond", "graph", "head", "now", "palette", "refs", "session", "stat", "width")

    def __init__(
        self,
        now: int,
        *,
        palette: Palette = PLAIN,
        refs: Names | None = None,
        head: str = "",
        session: str = "",
        graph: bool = False,
        stat: bool = False,
        width: int = 0,
        beyond: Sequence[Version] = (),
    ) -> None:
        self.now = now
        self.palette = palette
        self.refs = refs or {}
        self.head = head
        self.session = session
        self.graph = graph
        self.stat = stat
        self.width = width
        self.beyond = beyond


def full(versions: Iterable[Version], style: Style) -> Iterator[str]:
    """Yield one paragraph per version, newest first, separated by empty lines."""
    yield from _drawn(versions, style, _paragraph, spaced=True)


def oneline(versions: Iterable[Version], style: Style) -> Iterator[str]:
    """Yield one line per version: id, names, subject, and on the right its size and age."""
    yield from _drawn(versions, style, _single, spaced=False)


def _drawn(
    versions: Iterable[Version],
    style: Style,
    draw: Callable[[Version, Style, Version | None], Iterator[str]],
    spaced: bool,
) -> Iterator[str]:
    shown = list(versions)
    known = {version.id: version for version in (*shown, *style.beyond)}
    graph = _new_graph() if style.graph else None
    for place, version in enumerate(shown):
        parent = known.get(version.parents[0]) if version.parents else None
        lines = list(draw(version, style, parent))
        if spaced and place < len(shown) - 1:
            lines.append("")
        if graph is None:
            yield from lines
        else:
            yield from _beside(graph, version, lines, style.palette)


def _new_graph() -> Graph:
    from gitsession.render.graph import Graph  # only if one is drawn

    return Graph()


def _beside(graph: Graph, version: Version, lines: list[str], palette: Palette) -> Iterator[str]:
    rows = graph.add(version.id, version.parents, MARKS.get(kind(version), "*"))
    for row in rows.before:
        yield palette("graph", row)
    yield palette("graph", rows.node.rstrip()) + " " + lines[0]
    for row in rows.fan:
        yield palette("graph", row)
    for text in lines[1:]:
        yield (palette("graph", rows.rest.rstrip()) + _margin(rows.rest) + text).rstrip()
    for row in rows.after:
        yield palette("graph", row)


def _margin(rest: str) -> str:
    return rest[len(rest.rstrip()) :]


def _paragraph(version: Version, style: Style, parent: Version | None) -> Iterator[str]:
    paint = style.palette
    names = decorations(version, style)
    yield paint("id", f"version {version.id}") + (f" {names}" if names else "")
    trailers = version.trailers
    source = safe.short(trailers.get("Native") or trailers.get("Session", ""), 100)
    title = safe.short(trailers.get("Title", ""), 60)
    room = style.width - 12 - 2 * style.graph if style.width else 200
    if safe.cells(title) + safe.cells(source) > room:  # the start of an id names it as well
        source = safe.short(source, source.find("/") + 15)
        title = safe.cut(title, max(room - safe.cells(source), 16))
    yield f"Session: {title} ({source})" if title and source else f"Session: {title or source}"
    yield f"Date:    {words.date(version.time)} ({words.age(version.time, style.now)})"
    yield "Turn:    " + " · ".join(facts(version))
    if trailers.get("Code"):
        yield "Code:    " + safe.short(trailers["Code"], 100)
    yield ""
    yield "    " + _subject(version)
    for text in body(version):
        yield ("    " + text).rstrip()
    if style.stat:
        yield ""
        yield "    " + paint("dim", stat(version, parent))


def _single(version: Version, style: Style, parent: Version | None) -> Iterator[str]:
    paint = style.palette
    names = decorations(version, style)
    tail = f"({words.age(version.time, style.now)})"
    note = _note(version)
    room = style.width - len(version.id[:8]) - len(tail) - len(note) - 4 if style.width else 200
    room -= safe.cells(decorations(version, style, PLAIN)) + 1 if names else 0
    room -= 2 * style.graph
    subject = safe.cut(_subject(version), max(room, 24))
    yield " ".join(
        text
        for text in (
            paint("id", version.id[:8]), names, subject, paint("warning", note), paint("dim", tail),
        )
        if text
    )  # fmt: skip
    if style.stat:
        yield "         " + paint("dim", stat(version, parent))


def kind(version: Version) -> str:
    return version.trailers.get("Kind", "turn")


def _note(version: Version) -> str:
    return "" if kind(version) in ("turn", "import") else f"[{safe.short(kind(version), 20)}]"


def _subject(version: Version) -> str:
    return safe.short(version.subject, 400) or "(no prompt)"


def body(version: Version) -> list[str]:
    """Return the commit message after the subject, without trailers and outer empty lines."""
    lines = [safe.line(text) for text in version.body.split("\n")]
    lines = [text for text in lines if not text.startswith("Gitsession-")]
    while lines and not lines[-1].strip():
        lines.pop()
    while lines and not lines[0].strip():
        lines.pop(0)
    return ["", *lines] if lines else []


def facts(version: Version) -> list[str]:
    """Return what the trailers count: `12`, `40 messages`, `1.2 MB`, `masked in 2 places`."""
    trailers = version.trailers
    said = [safe.short(trailers.get("Version", "?"), 12)]
    if kind(version) != "turn":
        said.append(safe.short(kind(version), 20))
    said.append(words.plural(words.number(trailers.get("Messages", "")), "message"))
    said.append(words.size(words.number(trailers.get("Bytes", ""))))
    if tokens := words.number(trailers.get("Tokens", "")):
        said.append(words.plural(tokens, "token"))
    if masked := words.number(trailers.get("Redacted", "")):
        said.append(f"masked in {words.plural(masked, 'place')}")
    return said


def stat(version: Version, parent: Version | None) -> str:
    """Return `40 messages (+6), 1.2 MB (+14 KB), 12,345 tokens (+1,200)`; only the totals if the
    parent is not known; for a first version everything is new."""
    said = []
    for name, show in (("Messages", _messages), ("Bytes", words.size), ("Tokens", _tokens)):
        total = words.number(version.trailers.get(name, ""))
        if name == "Tokens" and not total:
            continue
        text = show(total)
        if parent is not None:
            grown = total - words.number(parent.trailers.get(name, ""))
            amount = words.size(abs(grown)) if name == "Bytes" else f"{abs(grown):,}"
            text += f" ({'-' if grown < 0 else '+'}{amount})"
        said.append(text)
    return ", ".join(said)


def _messages(number: int) -> str:
    return words.plural(number, "message")


def _tokens(number: int) -> str:
    return words.plural(number, "token")


def decorations(version: Version, style: Style, palette: Palette | None = None) -> str:
    """Return `(HEAD -> main, tag: decision-jwt, origin/main)`, "" if nothing names the version."""
    paint = palette or style.palette
    said = []
    if style.head and style.head == version.id:
        said.append(paint("head", "HEAD"))
    refs = sorted(style.refs.get(version.id, ()), key=lambda ref: _rank(ref, style.head))
    said += [_name(ref, style, paint) for ref in refs]
    if not said:
        return ""
    comma = paint("id", ", ")
    return paint("id", "(") + comma.join(said) + paint("id", ")")


def _rank(ref: str, head: str) -> tuple[int, str]:
    if ref.startswith(HEADS):
        return (0 if ref[len(HEADS) :] == head else 1), ref
    return (2 if ref.startswith(TAGS) else 3), ref


def _name(ref: str, style: Style, paint: Palette) -> str:
    if ref.startswith(HEADS):
        name = ref[len(HEADS) :]
        shown = paint("branch", _within(name, style.session))
        return paint("head", "HEAD -> ") + shown if name == style.head else shown
    if ref.startswith(TAGS):
        return paint("tag", "tag: " + _within(ref[len(TAGS) :], style.session))
    if ref.startswith(REMOTES):
        remote, _, name = ref[len(REMOTES) :].partition("/")
        return paint("remote", f"{safe.short(remote, 40)}/{_within(name, style.session)}")
    return safe.short(ref, 120)


def _within(name: str, session: str) -> str:
    """Return a branch or tag without its session, if that is clear from the context."""
    if session and name.startswith(session + "/"):
        name = name[len(session) + 1 :]
    return safe.short(name, 120)
