"""The subset of YAML that our files are written in: writing it, and reading it strictly.

Block mappings and sequences, each indented by two more spaces; strings always in JSON's double
quotes; integers, floats, true, false, null; `[]` and `{}` for empty collections. Each value has
exactly one spelling. Writing needs no library; reading accepts only lines of this shape and then
calls libyaml.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import takewhile
from json.encoder import encode_basestring

from gitsession.errors import FormatError
from gitsession.snapshot.limits import YAML_BYTES, YAML_DEPTH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_PLAIN_KEY = r"[A-Za-z][A-Za-z0-9_-]*"
_READ_OTHERWISE = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null"))
"""Words that YAML 1.1 reads as a boolean or null when they are not quoted."""

# Kept as text and compiled (and cached by `re`) on first use, so that a save that needs neither
# does not wait.
_NOT_PRINTABLE = "[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]"

_MOST_KEYS = 500
_LONG_KEY = 500
"""libyaml accepts at most 1,024 bytes of key before the colon; a longer key needs a `?`."""

_VALUE = r"""(?:"(?:[^"\\]|\\.)*+"|-?[0-9]++(?:\.[0-9]++(?:e[+-][0-9]++)?)?|-?\.inf|\.nan"""
_VALUE += r"""|true|false|null|\[\]|\{\})"""
_KEY = r'(?:[A-Za-z][A-Za-z0-9_-]*+|"(?:[^"\\]|\\.)*+")'
_LINE = rf"(?P<indent> *)(?:- )?(?:{_VALUE}|{_KEY}:(?: {_VALUE})?|\? {_KEY}|:(?: {_VALUE})?|-)"


def dump(value: Mapping[str, object]) -> bytes:
    """Return `value` as a document that ends in a newline. Half surrogates, which UTF-8 cannot
    encode, become U+FFFD. Raises FormatError beyond 1 MiB or 32 levels, TypeError for a value
    outside the subset."""
    lines: list[str] = []
    if value:
        _block(value, "", lines)
    data = ("\n".join(lines) + "\n" if lines else "{}\n").encode()
    if len(data) > YAML_BYTES:
        raise FormatError(
            f"a metadata file would have {len(data)} bytes; {YAML_BYTES} are allowed",
            hint="report this session's shape: its metadata should be a few KB",
        )
    return data


def load(data: bytes, name: str, only: str = "") -> dict[str, Any]:
    """Return the mapping that `data` holds; `name` appears in errors. With `only`, parse just that
    key, which takes a fraction of the time; even then all lines must be in the subset.

    Raises FormatError for anything outside the subset: tags, anchors, aliases, further documents,
    flow collections, more than 1 MiB, more than 32 levels.
    """
    if len(data) > YAML_BYTES:
        raise FormatError(f"{name} has {len(data)} bytes; {YAML_BYTES} are allowed")
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise FormatError(f"{name} is not UTF-8") from None
    shape = re.compile(_LINE)
    lines = text.removesuffix("\n").split("\n")
    for number, line in enumerate(lines, 1):
        match = shape.fullmatch(line)
        if match is None or len(match["indent"]) > 2 * YAML_DEPTH:
            raise FormatError(f"line {number} of {name} is outside the YAML subset of format 1")
    if only:
        text = _entry_of(lines, only)
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        value = yaml.load(text, Loader=loader)  # noqa: S506 (one of the safe loaders)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        kind = type(error).__name__
        raise FormatError(f"{name} cannot be read ({kind})") from None
    if not isinstance(value, dict) or not _named(value):
        raise FormatError(f"{name} is not a mapping of names to values")
    return value


def _entry_of(lines: Sequence[str], key: str) -> str:
    """Return the lines of one key of the outermost mapping (of its last occurrence, as libyaml
    does), or an empty mapping if the key is missing."""
    for start in reversed(range(len(lines))):
        if lines[start].startswith(f"{key}:"):
            below = takewhile(lambda line: line[:1] in (" ", "-"), lines[start + 1 :])
            return "\n".join([lines[start], *below])
    return "{}"


def _named(value: object) -> bool:
    """Whether all keys are strings: to YAML, an unquoted `on:` is a boolean."""
    if isinstance(value, dict):
        return all(isinstance(key, str) and _named(item) for key, item in value.items())
    return not isinstance(value, list) or all(map(_named, value))


def _block(
    value: Mapping[str, object] | Sequence[object], indent: str, lines: list[str], lead: str = ""
) -> None:
    """Append the lines of a non-empty collection; the first one starts with `lead` instead of the
    indent."""
    if len(indent) > 2 * YAML_DEPTH:
        raise FormatError(f"a metadata value is nested more than {YAML_DEPTH} deep")
    start = lead or indent
    if isinstance(value, dict | Mapping):
        for key, item in value.items():
            name = _keys.get(key)
            if name is None:
                _entry(_key(key), item, indent, lines, start)
            elif item.__class__ is str:  # nearly all of them, without the detour
                lines.append(f"{start}{name}: {quoted(item)}")
            elif item.__class__ is int:
                lines.append(f"{start}{name}: {item}")
            else:
                _entry(name, item, indent, lines, start)
            start = indent
        return
    for item in value:
        if not _is_block(item):
            lines.append(f"{start}- {_scalar(item)}")
        elif isinstance(item, Mapping):
            _block(item, indent + "  ", lines, f"{start}- ")
        else:
            lines.append(f"{start}-")
            _block(item, indent + "  ", lines)  # type: ignore[arg-type]
        start = indent


def _entry(key: str, item: object, indent: str, lines: list[str], start: str) -> None:
    if len(key) > _LONG_KEY:
        lines.append(f"{start}? {key}")
        key, start = "", indent
    if _is_block(item):
        lines.append(f"{start}{key}:")
        _block(item, indent + "  ", lines)  # type: ignore[arg-type]
    else:
        lines.append(f"{start}{key}: {_scalar(item)}")


def _is_block(value: object) -> bool:
    if value.__class__ is str or value.__class__ is int:
        return False
    return bool(value) and isinstance(value, dict | list | tuple | Mapping)


_keys: dict[str, str] = {}
"""The spellings of the plain keys seen so far: every version writes the same ones."""


def _key(key: object) -> str:
    if not isinstance(key, str):
        raise TypeError(f"a key is a string, not {type(key).__name__}")
    if _is_plain(key) and key.lower() not in _READ_OTHERWISE:
        if len(_keys) < _MOST_KEYS and len(key) <= _LONG_KEY:
            _keys[key] = key
        return key
    return quoted(key)


def _is_plain(key: str) -> bool:
    if key.isidentifier() and key.isascii() and key[0] != "_":
        return True
    return re.fullmatch(_PLAIN_KEY, key) is not None


def _scalar(value: object) -> str:
    if isinstance(value, str):
        return quoted(value)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return int.__repr__(value)
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, Mapping):
        return "{}"
    if isinstance(value, list | tuple):
        return "[]"
    raise TypeError(f"{type(value).__name__} is not of the YAML subset")


def _float(value: float) -> str:
    text = float.__repr__(value)
    if text in ("nan", "inf", "-inf"):
        return text.replace("inf", ".inf").replace("nan", ".nan")
    # YAML 1.1 reads 1.0e+16 as a number but 1e+16 as a string.
    return text if "." in text else text.replace("e", ".0e")


def quoted(text: str) -> str:
    """Return `text` in double quotes, escaped so that JSON and YAML read the same string."""
    inside = encode_basestring(text)
    if not inside.isascii() or "\x7f" in inside:
        inside = re.sub(_NOT_PRINTABLE, _escape, inside)
    return inside


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    return "\ufffd" if 0xD800 <= code < 0xE000 else f"\\u{code:04x}"
