"""Native times in the model's form: ISO-8601 UTC with milliseconds and Z, comparable as text."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import datetime

_LONGEST = 1e11  # seconds; above it a number is milliseconds


def utc_time(value: object) -> str:
    """Return text, Unix seconds or milliseconds as `2026-01-31T12:00:00.000Z`; "" for the rest."""
    if isinstance(value, str):
        if len(value) == 24 and value[10] == "T" and value[23] == "Z":
            return value
        return _from_text(value)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _from_number(value)
    return ""


def milliseconds(time: object) -> int:
    """Return the same times as milliseconds since 1970, 0 for anything else."""
    import datetime

    told = utc_time(time)
    return round(datetime.datetime.fromisoformat(told).timestamp() * 1000) if told else 0


def _from_text(text: str) -> str:
    import datetime

    try:
        moment = datetime.datetime.fromisoformat(text)
    except ValueError:
        return ""
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=datetime.UTC)
    return _format(moment)


def _from_number(number: float) -> str:
    import datetime

    try:
        seconds = number / 1000 if abs(number) > _LONGEST else number
        return _format(datetime.datetime.fromtimestamp(seconds, datetime.UTC))
    except (OverflowError, ValueError, OSError):
        return ""


def _format(moment: datetime.datetime) -> str:
    import datetime

    try:
        text = moment.astimezone(datetime.UTC).isoformat(timespec="milliseconds")
    except (OverflowError, ValueError):
        return ""
    return text.replace("+00:00", "Z")
