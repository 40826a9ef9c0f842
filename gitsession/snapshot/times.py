"""ISO-8601 to unix seconds, without the datetime module (its import is felt in a save)."""

from __future__ import annotations

import re

_ISO = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:Z|([+-])(\d\d):?(\d\d))?"
)
_LATEST = 1 << 40


def unix_seconds(text: str) -> int | None:
    """Seconds since 1970, never negative; None when `text` is no time. Without a zone it is UTC."""
    match = _ISO.fullmatch(text)
    if match is None:
        return None
    year, month, day, hour, minute, second = map(int, match.groups()[:6])
    if not (1 <= month <= 12 and 1 <= day <= 31 and hour < 24 and minute < 60 and second <= 60):
        return None
    seconds = _days(year, month, day) * 86400 + hour * 3600 + minute * 60 + second
    if match[7]:
        shift = int(match[8]) * 3600 + int(match[9]) * 60
        seconds += shift if match[7] == "-" else -shift
    return min(max(seconds, 0), _LATEST)


def _days(year: int, month: int, day: int) -> int:
    """Days since 1970-01-01 in the Gregorian calendar, counting years from March."""
    year -= month < 3
    month = (month + 9) % 12
    leaps = year // 4 - year // 100 + year // 400
    return 365 * year + leaps + (153 * month + 2) // 5 + day - 719469
