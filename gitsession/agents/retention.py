"""After how many days an agent deletes its own sessions, according to its settings."""

from __future__ import annotations

import re
from collections import namedtuple
from collections.abc import Callable
from pathlib import Path

from gitsession.agents.claude_code import find as claude_find
from gitsession.agents.lenient import mapping_of, parse_line
from gitsession.environment import Environment
from gitsession.files import is_regular, read_range

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple

    class Retention(NamedTuple):
        days: float
        setting: str
        is_default: bool
        most: int = 0
else:
    Retention = namedtuple("Retention", "days setting is_default most", defaults=(0,))
    Retention.__doc__ = """The agent deletes sessions `days` after their last change (0: never for
    their age), or once there are more than `most` (0: no limit). `setting` names the setting and
    its file; `is_default` is true if it is unset and the agent's own default applies."""

_LARGEST = 16 << 20
_MONTH = 30.0
_UNITS = {"h": 1 / 24, "d": 1.0, "w": 7.0, "m": 30.0}
_PERIOD = re.compile(r"([0-9]{1,6})([hdwm])")


def _claude(environment: Environment) -> Retention | None:
    file = claude_find.home(environment) / "settings.json"
    value = _settings(file).get("cleanupPeriodDays")
    name = f"cleanupPeriodDays in {file}"
    if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0:
        return Retention(float(value), name, False)
    return Retention(_MONTH, name, True)


def _gemini(environment: Environment) -> Retention | None:
    file = environment.home / ".gemini" / "settings.json"
    told = mapping_of(mapping_of(_settings(file).get("general")).get("sessionRetention"))
    name = f"general.sessionRetention in {file}"
    if told.get("enabled") is False:
        return None
    most = told.get("maxCount")
    most = most if isinstance(most, int) and not isinstance(most, bool) and most > 0 else 0
    given = told.get("maxAge")
    period = _PERIOD.fullmatch(given) if isinstance(given, str) else None
    if period is not None:
        return Retention(int(period[1]) * _UNITS[period[2]], name, False, most)
    return Retention(_MONTH, name, True, most)


_KNOWN: dict[str, Callable[[Environment], Retention | None]] = {
    "claude-code": _claude,
    "gemini": _gemini,
}
"""By the name of the adapter; the other agents delete nothing on their own."""


def retention(environment: Environment, agent: str) -> Retention | None:
    """Return when an agent deletes sessions, None if never. Unreadable settings count as unset."""
    look = _KNOWN.get(agent)
    return look(environment) if look else None


def _settings(file: Path) -> dict[str, object]:
    try:
        if not is_regular(file) or file.stat().st_size > _LARGEST:
            return {}
        values = parse_line(read_range(file, 0, _LARGEST))[0]
    except OSError:
        return {}
    return dict(mapping_of(values[0])) if values else {}
