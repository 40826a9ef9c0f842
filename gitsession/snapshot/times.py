"""Convert ISO-8601 to unix seconds without the datetime module, whose import would slow down a
save."""

from __future__ import annotations

import re

# Kept as text and compiled (and cached by `re`) on first use: most times are read without it.
_ISO = r"(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:Z|([+-])(\d\d):?(\d\d))?"
_LATEST = 1 << 40


def unix_seconds(text: str) -> int | None:
    """Return the seconds since 1970, never negative, or None if `text` is not a time. A time
    without a zone is UTC."""
    parts, shift = _plain(text), 0
    if not parts:
        match = re.fullmatch(_ISO, text)
        if match is None:
            return None
        parts = match.groups()[:6]
        if match[7]:
            shift = int(match[8]) * 3600 + int(match[9]) * 60
            shift = -shift if match[7] == "+" else shift
    year, month, day, hour, minute, second = map(int, parts)
    if not (1 <= month <= 12 and 1 <= day <= 31 and hour < 24 and minute < 60 and second <= 60):
        return None
    seconds = _days(year, month, day) * 86400 + hour * 3600 + minute * 60 + second + shift
    return min(max(seconds, 0), _LATEST)


def _plain(text: str) -> tuple[str, ...]:
    """Return the six numbers of a time in the form that agents write, `2026-03-02T09:00:04.799Z`,
    or () for any other form."""
    if not text.isascii() or text[4:20:3] != "--T::." or text[-1] != "Z":
        return ()
    parts = text[:4], text[5:7], text[8:10], text[11:13], text[14:16], text[17:19]
    return parts if "".join((*parts, text[20:-1])).isdigit() and len(text) > 21 else ()


def _days(year: int, month: int, day: int) -> int:
    """Return the days since 1970-01-01 in the Gregorian calendar, counting years from March."""
    year -= month < 3
    month = (month + 9) % 12
    leaps = year // 4 - year // 100 + year // 400
    return 365 * year + leaps + (153 * month + 2) // 5 + day - 719469
