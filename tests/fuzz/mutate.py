"""Changes an input as damage, other versions and bad intentions do: by structure or by bytes."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from typing import Any

_ODD: tuple[Any, ...] = (
    None, True, False, -1, 0, 1, 1e308, -0.0, 2**63, 10**30, "", " ", "\0", "\ud800", "\u202e",
    "\x1b[31m", "..", "../../x", "/etc/passwd", "x" * 3000, "é中" * 200, [], {}, [[]], {"": None},
    [None], "NaN", "2026-13-45T99:99:99Z", "1970-01-01T00:00:00Z", "-1", "1e999", "{", "null",
    float("nan"), float("inf"), "a\nb\r\nc", "%2e%2e%2f", "C:\\x", "\ufeff", "\u2028",
)  # fmt: skip
_BYTES = (b"", b"\0", b"\xff", b"\n", b"\r\n", b"{", b"}", b"[", b"]", b'"', b"\\", b",", b":",
          b"\xed\xa0\x80", b"\\ud800", b"\xef\xbb\xbf", b"1e999", b"-", b"NaN", b" " * 300,
          b"[" * 3000, b'{"a":' * 1500, b"9" * 5000, b"\\u0000", b"\xe2\x80\xa8")  # fmt: skip


def mutated(
    data: bytes, shape: str, chance: random.Random, most: int, words: Sequence[bytes] = ()
) -> bytes:
    """`data` with one to four changes, no longer than `most` bytes."""
    for _ in range(chance.choice((1, 1, 1, 2, 2, 4))):
        if shape == "lines" and chance.random() < 0.7:
            data = _lines(data, chance)
        elif shape == "json" and chance.random() < 0.8:
            data = _json(data, chance)
        else:
            data = _bytes(data, chance, (*_BYTES, *words) if shape != "text" else words or _BYTES)
    return data[:most]


def _bytes(data: bytes, chance: random.Random, words: Sequence[bytes]) -> bytes:
    at = chance.randrange(len(data) + 1)
    end = min(len(data), at + chance.choice((0, 1, 1, 2, 8, 60, 600)))
    kind = chance.randrange(6)
    if kind == 0:
        return data[:at] + data[end:]
    if kind == 1:
        return data[:at] + data[at:end] * 2 + data[end:]
    if kind == 2:
        return (
            data[:at]
            + bytes(byte ^ (1 << chance.randrange(8)) for byte in data[at:end])
            + data[end:]
        )
    if kind == 3:
        return data[:at]
    if kind == 4:
        other = chance.randrange(len(data) + 1)
        return data[:at] + data[other : other + end - at] + data[end:]
    return data[:at] + chance.choice(words) + data[end:]


def _lines(data: bytes, chance: random.Random) -> bytes:
    lines = data.splitlines(keepends=True) or [b""]
    at = chance.randrange(len(lines))
    changes: tuple[Callable[[], list[bytes]], ...] = (
        lambda: [_json(lines[at], chance)],
        lambda: [_json(lines[at], chance)],
        lambda: [_json(lines[at], chance)],
        list,
        lambda: [lines[at], lines[at]],
        lambda: [lines[at], lines[chance.randrange(len(lines))]],
        lambda: [lines[at].rstrip(b"\n")],
        lambda: [lines[at][: chance.randrange(len(lines[at]) + 1)]],
        lambda: [lines[at].rstrip(b"\r\n") + b"\r\n"],
        lambda: [b"\n", lines[at]],
    )
    return b"".join((*lines[:at], *chance.choice(changes)(), *lines[at + 1 :]))


def _json(data: bytes, chance: random.Random) -> bytes:
    """One place of the value changed; what is no JSON is changed by bytes."""
    try:
        value = json.loads(data)
        place, key = _place(value, chance)
    except (ValueError, RecursionError, IndexError):
        return _bytes(data, chance, _BYTES)
    _change(place, key, value, chance)
    try:
        text = json.dumps(value, ensure_ascii=chance.random() < 0.3, separators=(",", ":"))
    except (ValueError, RecursionError):
        return data
    end = b"\n" if data.endswith(b"\n") else b""
    return text.encode("utf-8", "surrogatepass") + end


def _place(value: Any, chance: random.Random) -> tuple[Any, Any]:
    """A container in it and a key or index there; deep ones as likely as those at the top."""
    places = []
    waiting = [value]
    while waiting and len(places) < 4000:
        item = waiting.pop()
        keys = (
            list(item)
            if isinstance(item, dict)
            else range(len(item))
            if isinstance(item, list)
            else ()
        )
        for key in keys:
            places.append((item, key))
            waiting.append(item[key])
    return chance.choice(places)


def _change(place: Any, key: Any, whole: Any, chance: random.Random) -> None:
    kind = chance.randrange(9)
    old = place[key]
    if kind < 3:
        place[key] = chance.choice(_ODD)
    elif kind == 3:
        del place[key]
    elif kind == 4:
        other, name = _place(whole, chance)
        place[key] = json.loads(json.dumps(other[name]))
    elif kind == 5:
        place[key] = [old] if chance.random() < 0.5 else {"type": old}
    elif kind == 6 and isinstance(old, str):
        at = chance.randrange(len(old) + 1)
        odd = chance.choice([word for word in _ODD if isinstance(word, str)])
        place[key] = old[:at] + odd + old[at:]
    elif kind == 7 and isinstance(place, dict):
        place[chance.choice((f"{key}x", "", "type", "id", "parentId"))] = place.pop(key)
    elif isinstance(place, list):
        place.insert(key, json.loads(json.dumps(old)))
    elif isinstance(old, (int, float)) and not isinstance(old, bool):
        place[key] = old * chance.choice((-1, 0.5, 10**9))
    else:
        place[key] = str(old)
