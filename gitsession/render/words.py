"""Numbers, sizes and times as people read them."""

from __future__ import annotations

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_AGES = (
    (90, 1, "second"),
    (90 * 60, 60, "minute"),
    (36 * 3600, 3600, "hour"),
    (14 * 86400, 86400, "day"),
    (70 * 86400, 7 * 86400, "week"),
    (2 * 365 * 86400, 30 * 86400, "month"),
)
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = (
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
)  # fmt: skip


def plural(number: int, word: str, many: str = "") -> str:
    """Return `1 message`, `2,000 messages`."""
    return f"{number:,} {word if number == 1 else many or word + 's'}"


def masked(values: int, places: int) -> str:
    """Return `2 values masked in 6 places`: a value in several places counts once; "" for none."""
    if not values:
        return ""
    said = f"{plural(values, 'value')} masked"
    return said if places == values else f"{said} in {plural(places, 'place')}"


def tokens(fresh: int, output: int, read: int, written: int) -> str:
    """Return `14,700 in, 1,440 out, 48,000 cache read, 0 cache write`."""
    cached = f", {read:,} cache read, {written:,} cache write"
    return f"{fresh:,} in, {output:,} out" + (cached if read or written else "")


def size(number: int) -> str:
    """Return bytes with at most three digits: `512 B`, `1.4 KB`, `23 MB` (powers of 1,000)."""
    if number < 1000:
        return f"{number} B"
    value = float(number)
    for unit in ("KB", "MB", "GB", "TB"):
        value /= 1000
        if value < 999.5 or unit == "TB":
            return f"{value:.1f} {unit}" if value < 9.95 else f"{value:,.0f} {unit}"
    raise AssertionError("unreachable")


UNDATED = "undated"


def age(then: int, now: int) -> str:
    """Return `3 hours ago`, as git counts; `in the future` if clocks disagree. The time is 0 for
    versions of a source without times."""
    if not then:
        return UNDATED
    seconds = now - then
    if seconds < -60:
        return "in the future"
    if seconds < 5:
        return "just now"
    for limit, unit, word in _AGES:
        if seconds < limit:
            return f"{plural(max(1, round(seconds / unit)), word)} ago"
    return f"{plural(round(seconds / (365 * 86400)), 'year')} ago"


def moment(then: int) -> str:
    """Return local date and time, `2026-11-29 20:25`."""
    return time.strftime("%Y-%m-%d %H:%M", _local(then))


def local(iso: str) -> str:
    """Return an ISO-8601 UTC time as local date and time with the zone, since somebody elsewhere
    may read it; anything else unchanged."""
    seconds = unix(iso)
    return iso if seconds is None else f"{moment(seconds)} {_zone(_local(seconds))}"


def new_days(times: Iterable[str]) -> Iterator[bool]:
    """Yield, for each ISO-8601 time of a conversation, whether its local day differs from the one
    before."""
    day = ""
    for text in times:
        seconds = unix(text)
        told, day = day, day if seconds is None else moment(seconds)[:10]
        yield bool(told) and day != told


def date(then: int) -> str:
    """Return the full local date, as `git log` prints it: `Sun Nov 29 20:25:21 2026 +0000`."""
    if not then:
        return "unknown"
    # Not strftime's %a and %b: a log must not change with the locale.
    local = _local(then)
    weekday, month = _WEEKDAYS[local.tm_wday], _MONTHS[local.tm_mon - 1]
    clock = time.strftime("%H:%M:%S", local)
    return f"{weekday} {month} {local.tm_mday} {clock} {local.tm_year} {_zone(local)}"


def _zone(local: time.struct_time) -> str:
    minutes = (local.tm_gmtoff or 0) // 60
    sign = "-" if minutes < 0 else "+"
    return f"{sign}{abs(minutes) // 60:02d}{abs(minutes) % 60:02d}"


def day(then: int, now: int) -> str:
    """Return the heading of a day in a list: `Today`, `Yesterday`, or the date."""
    if not then:
        return UNDATED.capitalize()
    local, today = _local(then), _local(now)
    if local[:3] == today[:3]:
        return "Today"
    if local[:3] == _local(now - 86400)[:3]:
        return "Yesterday"
    return time.strftime("%Y-%m-%d", local)


def _local(then: int) -> time.struct_time:
    try:
        return time.localtime(then)
    except (OverflowError, OSError, ValueError):
        return time.localtime(0)


def clock(iso: str) -> str:
    """Return the local `HH:MM` of an ISO-8601 UTC time, "" for anything else."""
    seconds = unix(iso)
    return time.strftime("%H:%M", _local(seconds)) if seconds is not None else ""


def unix(iso: str) -> int | None:
    """Return the unix seconds of `2026-11-29T20:25:21.123Z`; None for anything else."""
    import calendar

    try:
        parsed = time.strptime(iso[:19], "%Y-%m-%dT%H:%M:%S")
    except ValueError:
        return None
    return calendar.timegm(parsed)


def iso(then: int) -> str:
    """Return unix seconds as ISO-8601 UTC, the form that `--json` prints."""
    try:
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(then))
    except (OverflowError, OSError, ValueError):
        return ""


def number(text: str) -> int:
    """Return the integer of a trailer, 0 if there is none."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else 0
