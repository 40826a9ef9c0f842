"""New native ids that contain their creation time, so that all written bytes follow from the id."""

from __future__ import annotations

import os
import re
import time
import uuid

_UUID7 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)

_FIRST, _LAST = 1_577_836_800, 4_102_444_800  # the years 2020 to 2100


def new_id(milliseconds: int | None = None) -> str:
    """Return a version 7 UUID for now, or for that moment (milliseconds since 1970)."""
    now = time.time_ns() // 1_000_000 if milliseconds is None else milliseconds
    data = bytearray(now.to_bytes(6, "big") + os.urandom(10))
    data[6] = data[6] & 0x0F | 0x70
    data[8] = data[8] & 0x3F | 0x80
    return str(uuid.UUID(bytes=bytes(data)))


def time_in(native_id: str) -> float:
    """Return the time in a version 7 UUID, in seconds since 1970; now for any other id.

    This keeps a file's name and content in agreement.
    """
    if _UUID7.fullmatch(native_id):
        return int(native_id.replace("-", "")[:12], 16) / 1000
    return time.time()


def new_random_id() -> str:
    """Return a version 4 style UUID with the time in its last twelve digits.

    Its first half is random: some agents name files by that half.
    """
    data = bytearray(os.urandom(10) + (time.time_ns() // 1_000_000).to_bytes(6, "big"))
    data[6] = data[6] & 0x0F | 0x40
    data[8] = data[8] & 0x3F | 0x80
    return str(uuid.UUID(bytes=bytes(data)))


def time_in_random(native_id: str) -> float:
    """Return the time in an id from `new_random_id`, in seconds since 1970; 0 for any other id."""
    try:
        seconds = int(native_id[-12:], 16) / 1000
    except ValueError:
        return 0
    return seconds if _FIRST <= seconds < _LAST else 0
