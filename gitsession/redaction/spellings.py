"""Known values in every spelling that bytes may give them, for removing them from what is stored.

Nothing is judged here: the values are given, and replaced wherever they occur, whether plain,
escaped for JSON (once or inside another JSON text), for a URL or for HTML, coloured, wrapped at a
line end, or in base64, hex or UTF-16.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping

from gitsession.redaction.scalars import masked

SHORTEST = 6
"""Bytes. Anything shorter is indistinguishable from the words around it."""
_WRAPPED = 16
"""From this many bytes on, a value is also found across line breaks."""
_CORE = 10
"""Characters of base64 or hex that suffice to recognize a value."""
_RUN = rb"[A-Za-z0-9+/=_-]*"
_NOISE = (
    rb"(?:(?:\x1b|\\{1,16}u001[bB])\[[0-9;]{0,16}[A-Za-z]"
    rb"|\xe2\x80[\x8b-\x8f]|\\{1,16}u200[b-fB-F])"
)
"""Colours and invisible characters."""
_BREAK = rb"(?:\r?\n|\\{1,16}r\\{1,16}n|\\{1,16}n)"
_ENTITIES = {"&": rb"&amp;", "<": rb"&lt;", ">": rb"&gt;", '"': rb"&quot;", "'": rb"&apos;"}
_LETTERS = {"\n": "n", "\r": "r", "\t": "t", "\b": "b", "\f": "f"}


class KnownValues:
    """Values and their replacements. Each value is UTF-8 text or any bytes, SHORTEST or more.

    `in_json` is for text inside JSON: there, a quote in a value must be escaped, so that the end of
    a literal is not mistaken for it. With `bare`, the data is a document (or one per line) rather
    than part of a string, so the replacement of a number gets quotes.
    """

    def __init__(self, named: Mapping[bytes, str]) -> None:
        rows = sorted(named.items(), key=lambda row: -len(row[0]))
        self._names = [name.encode() for _, name in rows]
        values = [value for value, _ in rows]
        self._loose = _any_of([_pattern(value, False) for value in values])
        self._strict = _any_of([_pattern(value, True) for value in values])

    def stands_in(self, data: bytes) -> bool:
        return self._loose.search(data) is not None

    def count(self, data: bytes) -> int:
        return sum(1 for _ in self._loose.finditer(data))

    def replace(self, data: bytes, in_json: bool = False, bare: bool = False) -> bytes:
        """Return the same bytes without the values; the very same object if none occurs."""
        pattern = self._strict if in_json else self._loose
        if bare:
            return masked(data, pattern, self._name) if pattern.search(data) else data
        made, count = pattern.subn(self._name, data)
        return made if count else data

    def _name(self, match: re.Match[bytes]) -> bytes:
        assert match.lastindex is not None
        return self._names[match.lastindex - 1]


def _any_of(patterns: list[bytes]) -> re.Pattern[bytes]:
    return re.compile(b"|".join(b"(%s)" % one for one in patterns) or rb"(?!)")


def _pattern(value: bytes, in_json: bool) -> bytes:
    forms = [_spelled(value, in_json), *_encoded(value)]
    return b"|".join(dict.fromkeys(forms))


def _spelled(value: bytes, in_json: bool) -> bytes:
    try:
        characters = [_character(one, in_json) for one in value.decode()]
    except UnicodeDecodeError:
        return re.escape(value)
    between = _NOISE
    if len(value) >= _WRAPPED:
        between = rb"(?:%s|%s)" % (_NOISE, _BREAK)
    return (between + b"{0,4}").join(characters)


def _character(one: str, in_json: bool) -> bytes:
    """One character in all its spellings."""
    plain = one.encode()
    forms = [rb"\\{1,16}u" + _hex(unit) for unit in _units(one)[:1]]
    if len(_units(one)) == 2:
        forms = [b"".join(rb"\\{1,16}u" + _hex(unit) for unit in _units(one))]
    forms.append(b"".join(b"%" + _hex(f"{byte:02x}") for byte in plain))
    forms.append(rb"&#(?:0{0,6}%d|[xX]0{0,6}%s);" % (ord(one), _hex(f"{ord(one):x}")))
    if one in _ENTITIES:
        forms.append(re.escape(_ENTITIES[one]))
    return b"(?:%s)" % b"|".join([_plain(one, plain, in_json), *forms])


def _plain(one: str, plain: bytes, in_json: bool) -> bytes:
    if one in _LETTERS:
        escaped = rb"\\{1,16}" + _LETTERS[one].encode()
        return escaped if in_json else re.escape(plain) + b"|" + escaped
    if one == "\\":
        return rb"\\{1,16}"
    if one == '"' and in_json:
        return rb'\\{1,16}"'
    if plain.isalnum() or not one.isascii():
        return re.escape(plain)
    return rb"\\{0,16}" + re.escape(plain)


def _units(one: str) -> list[str]:
    data = one.encode("utf-16-be")
    return [data[at : at + 2].hex() for at in range(0, len(data), 2)]


def _hex(digits: str) -> bytes:
    return b"".join(
        b"[%s%s]" % (one.encode(), one.upper().encode()) if one.isalpha() else one.encode()
        for one in digits
    )


def _encoded(value: bytes) -> list[bytes]:
    """The value in base64 (with the rest of its run), in hex, and in UTF-16."""
    forms = []
    for core in _cores(value):
        for_urls = core.replace(b"+", b"-").replace(b"/", b"_")
        forms += [re.escape(known) + _RUN for known in dict.fromkeys((core, for_urls))]
    if len(value) * 2 >= _CORE:
        forms.append(_hex(value.hex()))
    try:
        text = value.decode()
    except UnicodeDecodeError:
        return forms
    return [*forms, re.escape(text.encode("utf-16-le")), re.escape(text.encode("utf-16-be"))]


def _cores(value: bytes) -> list[bytes]:
    """What every base64 text that contains the value includes, for each of the three alignments."""
    cores = []
    for shift in range(3):
        text = base64.b64encode(b"\0" * shift + value)
        start = (shift * 8 + 5) // 6
        end = (shift + len(value)) * 8 // 6
        core = text[start:end]
        if len(core) >= _CORE:
            cores.append(core)
    return cores
