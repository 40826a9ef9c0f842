"""Made-up secrets for planting: shaped like real ones, made at run time, stored nowhere."""

from __future__ import annotations

import random
import string
import zlib

_LETTERS = string.digits + string.ascii_uppercase + string.ascii_lowercase
MARK = "Zq7Planted"
"""Part of every secret, so that one search shows whether any of them came through."""


def secret(seed: int) -> str:
    """Return a GitHub token with a correct checksum, or an assignment of a password, in turn."""
    chance = random.Random(f"secret {seed}")
    body = MARK + "".join(chance.choice(_LETTERS) for _ in range(20))
    if seed % 2:
        return f"export DATABASE_PASSWORD='{body}'"
    return "gh" + "p_" + body + _checksum(body)


def _checksum(body: str) -> str:
    number, digits = zlib.crc32(body.encode()), ""
    while number:
        number, digit = divmod(number, 62)
        digits = _LETTERS[digit] + digits
    return digits.rjust(6, "0")
