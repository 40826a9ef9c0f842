"""Names of native and project files as names of tree entries, and back.

A tree path must be harmless to git, to `receive.fsckObjects` and to every file system it may be
written to, and must decode to the original. So components are percent-escaped where necessary:
`%41` is a byte of UTF-8, `%uD800` a lone surrogate, `%@` an empty component, and a component that
ends in `%+` continues in the next one.
"""

from __future__ import annotations

import re

from gitsession.snapshot.limits import COMPONENT

ABSOLUTE = "@abs"
DRIVE = "@drive"
_EMPTY = "%@"
_MORE = "%+"

_SIMPLE = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@+=,-."
"""A name of only these characters needs no check beyond the reserved names."""

# The rare patterns are kept as text, which `re` compiles (and caches) on first use: most saves need
# none of them.
_UNSAFE = (
    r'[%\\:<>"|?*\x00-\x1f\x7f-\xa0\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f'
    "\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff"
    "\uffa0\ufff0-\uffff\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""Escapes, path separators of other systems, controls, bidi and invisible characters,
surrogates."""

_NOT_PLAIN = r'[^ -~]|[%\\:<>"|?*]'

_SHORT_NAME = r"~(?=[0-9])"
"""An 8.3 name (`GIT~1`, `GI7EBA~1`) is an alias of a file with another name."""
_PART = r"\.(?=p[0-9]+$)"
"""A final `.p0` is ours: it marks a part of a large blob."""
_DEVICE = r"(?is:(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:[. ].*)?)"
_GIT = frozenset((".git", ".gitmodules", ".gitattributes", ".gitignore", ".mailmap"))
_LETTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
_ESCAPE = r"%(?:([0-9A-F]{2})|u(D[89A-F][0-9A-F]{2}))"


def escape(path: str) -> str:
    """Return a relative path with `/` as a tree path. Accepts any string; no result leads outside
    the tree."""
    return "/".join(piece for part in path.split("/") for piece in _pieces(part))


def escape_file(path: str) -> str:
    """Return the tree path of a project file: below `@abs/` if absolute (`@abs/@drive/` for
    `C:/…`)."""
    if (path[1:2] == ":" and path[0] in _LETTERS) or path.startswith(("\\\\", "//")):
        return f"{ABSOLUTE}/{DRIVE}/{escape(path)}"
    if path.startswith("/"):
        inner = escape(path[1:])
        return f"{ABSOLUTE}/{_reserve(inner, DRIVE)}"
    return _reserve(escape(path), ABSOLUTE)


def escape_stream(name: str) -> str:
    """Return a stream's name as a tree path. Names of two or more digits belong to turn folders, so
    they are escaped."""
    name = escape(name)
    return name if name.isalpha() else re.sub(r"(^|/)([0-9])(?=[0-9]+(?:/|$))", r"\1%3\2", name)


def unescape(path: str) -> str:
    """The inverse of `escape` and `escape_stream`. Text that no writer produces is left as it is:
    the result is a name to show or compare, and must never be opened unchecked."""
    parts: list[str] = []
    more = False
    for piece in path.split("/"):
        goes_on = piece.endswith(_MORE)
        text = _plain(piece.removesuffix(_MORE) if goes_on else piece)
        if more:
            parts[-1] += text
        else:
            parts.append(text)
        more = goes_on
    return "/".join(parts)


def unescape_file(path: str) -> str:
    """The inverse of `escape_file`."""
    head, _, rest = path.partition("/")
    if head != ABSOLUTE:
        return unescape(path)
    head, _, below = rest.partition("/")
    return unescape(below) if head == DRIVE else "/" + unescape(rest)


def folded(path: str) -> str:
    """Return the same text for all names that some file system may treat as equal. In the tree such
    names are two entries; code that writes them to a file system must check for collisions."""
    import unicodedata

    return unicodedata.normalize("NFC", unicodedata.normalize("NFKC", path).casefold())


def _reserve(path: str, word: str) -> str:
    return f"%{ord(word[0]):02X}{path[1:]}" if path.partition("/")[0] == word else path


def _pieces(component: str) -> list[str]:
    if not component:
        return [_EMPTY]
    escaped = _component(component)
    if len(escaped.encode()) <= COMPONENT:
        return [escaped]
    return _split(component)


def _split(component: str) -> list[str]:
    """Split a long name into pieces, each of which is safe by itself. Cut points depend on the
    length of the plain escapes, so that a name is always cut at the same places."""
    chunks: list[str] = [""]
    size = 0
    for character in component:
        # Eight bytes of reserve: the rules for whole names can lengthen the escape of a character.
        length = len(_bytes_escaped(character))
        if size + length > COMPONENT - len(_MORE) - 8:
            chunks.append("")
            size = 0
        chunks[-1] += character
        size += length
    pieces = [_component(chunk) for chunk in chunks]
    return [piece + _MORE for piece in pieces[:-1]] + pieces[-1:]


def _component(text: str) -> str:
    simple = _is_simple(text)
    if not simple:
        text = _escape_characters(text)
    if not (simple and text[0] not in "cpanlCPANL") and _reserved(text):
        text = _bytes_escaped(text[0]) + text[1:]
    return re.sub(_PART, "%2E", text) if ".p" in text and text[-1].isdigit() else text


def _is_simple(text: str) -> bool:
    """Whether `text` consists of words with single dots between them."""
    if not text.isascii() or text.encode().translate(None, _SIMPLE):
        return False
    return text[0] not in "+=,-." and text[-1] != "." and ".." not in text


def _escape_characters(text: str) -> str:
    if not text.isascii() and _decomposed(text):
        # A file system would compose it. Escaped bytes stay as they are, and distinct from the
        # composed form.
        text = re.sub(_NOT_PLAIN, lambda match: _bytes_escaped(match.group()), text)
    else:
        text = re.sub(_UNSAFE, lambda match: _bytes_escaped(match.group()), text)
    text = re.sub(_SHORT_NAME, "%7E", text) if "~" in text else text
    if text[-1] in ". ":
        text = text[:-1] + _bytes_escaped(text[-1])
    return text


def _decomposed(text: str) -> bool:
    import unicodedata

    return not unicodedata.is_normalized("NFC", text)


def _reserved(text: str) -> bool:
    if text in (".", "..") or re.fullmatch(_DEVICE, text):
        return True
    if text.isascii():
        return text.lower().rstrip(". ") in _GIT
    return folded(text).rstrip(". ") in _GIT or bool(re.fullmatch(_DEVICE, folded(text)))


def _bytes_escaped(text: str) -> str:
    pieces = []
    for character in text:
        code = ord(character)
        if 0xD800 <= code < 0xE000:
            pieces.append(f"%u{code:04X}")
        else:
            pieces.extend(f"%{byte:02X}" for byte in character.encode())
    return "".join(pieces)


def _plain(piece: str) -> str:
    if "%" not in piece:
        return piece
    if piece == _EMPTY:
        return ""
    # Surrogates pass through as three bytes each (surrogatepass), which no other character yields.
    data = bytearray()
    done = 0
    for match in re.finditer(_ESCAPE, piece):
        data += piece[done : match.start()].encode("utf-8", "surrogatepass")
        if match[1]:
            data.append(int(match[1], 16))
        else:
            data += chr(int(match[2], 16)).encode("utf-8", "surrogatepass")
        done = match.end()
    data += piece[done:].encode("utf-8", "surrogatepass")
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return piece
