"""The Codex settings that decide whether it accepts a session."""

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
    """Return the model provider that this user's Codex is configured with.

    It does not continue a session that names another provider, and its terminal does not open one
    that names none.
    """
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
