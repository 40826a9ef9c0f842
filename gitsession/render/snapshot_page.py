"""An XML document that never exceeds its budget, whatever is put into it."""

from __future__ import annotations

from gitsession.render import xml_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import NamedTuple

    from gitsession.render.snapshot_sections import Section

    class Piece(NamedTuple):
        section: Section
        name: str
        attributes: Mapping[str, object]
        text: str
        search: bool = False
else:
    from collections import namedtuple

    Piece = namedtuple("Piece", "section name attributes text search", defaults=(False,))
    Piece.__doc__ = """An element of a section. `text` is not escaped; the text of a `search` is
    never shortened."""

_LEAST = 24
"""The bytes that a shortened text needs at least; less would say nothing."""


class Page:
    """Sections in order, each with its items in order of time, followed by its searches.

    `budget` is in bytes of UTF-8, including the last newline. The tags of the root element have to
    fit; everything else is added as long as it does.
    """

    def __init__(self, root: str, attributes: Mapping[str, object], budget: int) -> None:
        self._opening = xml_text.opening(root, attributes) + "\n"
        self._closing = f"</{root}>\n"
        self._left = budget - xml_text.size(self._opening + self._closing)
        self._preface = ""
        self._items: dict[Section, list[str]] = {}
        self._searches: dict[Section, list[str]] = {}

    def put_preface(self, name: str, text: str) -> None:
        """Add an element before all sections, unless it takes more than half of the room."""
        line = f"<{name}>{xml_text.escaped(text)}</{name}>\n"
        if xml_text.size(line) <= self._left // 2:
            self._preface = line
            self._left -= xml_text.size(line)

    def put(self, piece: Piece) -> bool:
        """Add a piece, with a shorter text if necessary; return whether there was room."""
        section = piece.section
        before, after = xml_text.opening(piece.name, piece.attributes), f"</{piece.name}>\n"
        room = self._left - xml_text.size(before + after)
        if section not in self._items:
            room -= xml_text.size(section.opening + section.closing)
        text = self._fitting(piece, room)
        if not text:
            return False
        self._left = room - xml_text.size(text)
        items = self._items.setdefault(section, [])
        lines = self._searches.setdefault(section, []) if piece.search else items
        lines.append(before + text + after)
        return True

    @staticmethod
    def _fitting(piece: Piece, room: int) -> str:
        whole = xml_text.escaped(piece.text)
        if xml_text.size(whole) <= room:
            return whole
        if piece.search or room < _LEAST:
            return ""
        return xml_text.escaped(xml_text.shortened(piece.text, room))

    @property
    def text(self) -> str:
        said = [self._opening, self._preface]
        for section in sorted(self._items, key=lambda one: one.place):
            items = self._items[section]
            said += [section.opening, *(reversed(items) if section.in_time else items)]
            said += [*self._searches.get(section, ()), section.closing]
        return "".join([*said, self._closing])
