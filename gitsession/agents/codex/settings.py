"""What of Codex's settings decides whether it accepts a session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitsession.agents.codex import find as codex_find
from gitsession.agents.lenient import mapping_of, text_of
from gitsession.files import read_range

if TYPE_CHECKING:
    from gitsession.environment import Environment

_LARGEST = 1 << 20
_USUAL = "openai"


def provider(environment: Environment) -> str:
    """The model provider that this user's Codex is set up with: it continues no session that names
    another one, and opens none in its terminal that names none."""
    from gitsession.agents.settings_line import parse

    try:
        data = read_range(codex_find.home(environment) / "config.toml", 0, _LARGEST)
        settings = mapping_of(parse(data.decode()))
    except (OSError, ValueError):
        return _USUAL
    profiles = mapping_of(settings.get("profiles"))
    profile = mapping_of(profiles.get(text_of(settings.get("profile"))))
    chosen = text_of(profile.get("model_provider")) or text_of(settings.get("model_provider"))
    return chosen or _USUAL
