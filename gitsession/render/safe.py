"""Make text of a session safe to print, and measure it in terminal cells.

Whatever a terminal would obey or hide is shown instead: control characters as control pictures
(`␛`), bidi, zero-width and other invisible ones as `<U+202E>`, half surrogates as `�`.
"""

from __future__ import annotations

# Printable by Unicode's tables, but drawn as nothing: fillers, joiners, variation selectors.
_INVISIBLE = frozenset(
    (
        *(0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFE0E, 0xFFA0),
        *range(0x180B, 0x1810),
        *range(0xFE00, 0xFE0E),
        *range(0xE0100, 0xE01F0),
    )
)
_SPACES = frozenset((0x20, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000))
_EMOJI_STYLE = 0xFE0F  # after an emoji it only selects the coloured form
_ASCII_PICTURES = {code: chr(0x2400 + code) for code in range(32)} | {127: "\u2421"}


def line(text: str) -> str:
    """Return one line: line breaks and tabs become single spaces, everything else becomes
    visible."""
    if text.isascii() and text.isprintable():
        return text
    return _visible(" ".join(part.strip("\t") for part in _folded(text)), keep="")


def _folded(text: str) -> list[str]:
    return [
        part for part in text.replace("\r", "\n").replace("\t", "\n").split("\n") if part.strip()
    ]


def block(text: str) -> str:
    """Return several lines: `\\n` stays, tabs become spaces up to the next multiple of 8, CRLF
    becomes LF."""
    if text.isascii() and text.isprintable():
        return text
    text = text.replace("\r\n", "\n")
    if "\t" in text:
        text = text.expandtabs(8)
    return _visible(text, keep="\n")


def beginning(text: str, rows: int, width: int) -> tuple[list[str], int]:
    """Return the first rows of a block, each of at most `width` cells, and the block's number of
    rows, without empty ones at its ends. Of an output of many megabytes, only what is shown is
    copied."""
    start, end = 0, len(text)
    while text.startswith(("\n", "\r\n"), start, end):
        start = text.index("\n", start) + 1
    while end > start and text[end - 1] == "\n":
        end -= 2 if text[max(start, end - 2) : end] == "\r\n" else 1
    count = text.count("\n", start, end) + 1
    found = []
    for _ in range(min(rows, count)):
        stop = text.find("\n", start, end)
        stop = end if stop < 0 else stop
        row = text[start : min(stop, start + width * 8 + 256)]
        found.append(cut(block(row.removesuffix("\r") if stop < end else row), width))
        start = stop + 1
    return found, count


def markup(text: str) -> str:
    """Return several lines for a file (Markdown, HTML), where tabs are harmless: `\\n` and `\\t`
    stay."""
    if text.isascii() and text.isprintable():
        return text
    return _visible(text.replace("\r\n", "\n"), keep="\n\t")


def code_line(text: str) -> str:
    """Return a line of a file in a diff: tabs are expanded, a carriage return is shown."""
    return line(text) if text.isprintable() else _visible(text.expandtabs(8), keep="")


def _visible(text: str, keep: str) -> str:
    if "\n" in keep:
        return "\n".join(_visible_line(part, keep) for part in text.split("\n"))
    return _visible_line(text, keep)


def _visible_line(text: str, keep: str) -> str:
    plain = text.replace("\t", "") if "\t" in keep else text
    if plain.isprintable() and (plain.isascii() or _INVISIBLE.isdisjoint(map(ord, plain))):
        return text if "\ufe0f" not in text else _spelled(text, keep)
    return _spelled(text, keep)


def _spelled(text: str, keep: str) -> str:
    shown = []
    before = "\n"
    for character in text:
        shown.append(character if character in keep else _shown(character, before))
        before = character
    return "".join(shown)


def _shown(character: str, before: str) -> str:
    code = ord(character)
    if code in _SPACES or (character.isprintable() and code not in _INVISIBLE):
        if code == _EMOJI_STYLE and (before.isspace() or ord(before) == _EMOJI_STYLE):
            return f"<U+{code:04X}>"
        return character
    if code in _ASCII_PICTURES:
        return _ASCII_PICTURES[code]
    if 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    if 0x1F000 <= code <= 0x1FAFF or 0x20000 <= code <= 0x3FFFD:
        return character  # emoji and ideographs newer than this Python's tables
    return f"<U+{code:04X}>"


class _Cells(dict[str, int]):
    """The width of characters in cells, each looked up in the tables only once."""

    def __missing__(self, character: str) -> int:
        self[character] = count = _count(character)
        return count


_CELLS = _Cells(dict.fromkeys("“”…→", 1))  # our own characters need no tables


def cells(text: str) -> int:
    """Return how many terminal cells a visible text takes: 2 for wide characters, 0 for combining
    ones."""
    return len(text) if text.isascii() else sum(map(_CELLS.__getitem__, text))


def _count(character: str) -> int:
    if character.isascii():
        return 1
    import unicodedata  # only texts beyond ASCII pay for the tables

    if unicodedata.category(character) in ("Mn", "Me"):
        return 0
    if unicodedata.east_asian_width(character) in "WF":
        return 2
    return 2 if 0x1F300 <= ord(character) <= 0x1FAFF else 1


def cut(text: str, width: int) -> str:
    """Return at most `width` cells, ending in `…` if anything was cut. Never splits a wide
    character."""
    if len(text) * 2 <= width or cells(text) <= width:
        return text
    if width <= 0:
        return ""
    if text.isascii():
        return text[: width - 1].rstrip() + "…"
    taken, room = 0, width - 1
    for character in text:
        room -= _CELLS[character]
        if room < 0:
            break
        taken += 1
    return text[:taken].rstrip() + "…"


def pad(text: str, width: int) -> str:
    """Return `text` padded with spaces to `width` cells."""
    return text + " " * (width - cells(text))


def pad_left(text: str, width: int) -> str:
    return " " * (width - cells(text)) + text


def pasted(text: str) -> str:
    """Return one word of a command that a person may paste into a shell: names chosen by others may
    contain what a shell would obey."""
    import shlex

    return shlex.quote(line(text))


def short(text: str, width: int) -> str:
    """Return one safe line of at most `width` cells."""
    # Titles can be megabytes: examine no more than can be shown.
    return cut(line(text[: width * 8 + 256]), width)
