"""Points in time as a person types them."""

from __future__ import annotations

import re

from gitsession.errors import UsageError

_AGO = re.compile(r"(\d{1,5})\s*(h|d|w)").fullmatch
_SECONDS = {"h": 3600, "d": 86400, "w": 7 * 86400}
_DAY = re.compile(r"\d{4}-\d\d-\d\d").fullmatch


def moment(text: str, now: float, *, end: bool = False) -> int:
    """Return the unix seconds of `2026-01-31`, `2026-01-31T12:00` (local, or with its zone), `12h`,
    `3d` or `2w` (ago); 0 for "". A day means its beginning, or with `end` its end. Raises
    UsageError."""
    if not text:
        return 0
    if ago := _AGO(text.strip().lower()):
        return max(1, int(now) - int(ago[1]) * _SECONDS[ago[2]])
    import datetime

    try:
        found = datetime.datetime.fromisoformat(text.strip())
        if end and _DAY(text.strip()):
            found += datetime.timedelta(days=1, seconds=-1)
        return max(1, int(found.timestamp()))
    except (ValueError, OverflowError, OSError):
        raise UsageError(
            "that is not a time", hint="2026-01-31, 2026-01-31T12:00, 12h, 3d or 2w (ago)"
        ) from None
