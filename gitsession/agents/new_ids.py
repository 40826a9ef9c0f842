"""New native ids: version 7 uuids, which agents name sessions with and which hold their moment."""

from __future__ import annotations

import os
import re
import time
import uuid

_UUID7 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)


def new_id(milliseconds: int | None = None) -> str:
    """A version 7 uuid of now, or of that moment (milliseconds since 1970)."""
    now = time.time_ns() // 1_000_000 if milliseconds is None else milliseconds
    data = bytearray(now.to_bytes(6, "big") + os.urandom(10))
    data[6] = data[6] & 0x0F | 0x70
    data[8] = data[8] & 0x3F | 0x80
    return str(uuid.UUID(bytes=bytes(data)))


def time_in(native_id: str) -> float:
    """The moment in a version 7 uuid in seconds since 1970, so that name and content of a file
    agree; now for any other id."""
    if _UUID7.fullmatch(native_id):
        return int(native_id.replace("-", "")[:12], 16) / 1000
    return time.time()
