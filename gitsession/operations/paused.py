"""Whether automatic saves of an agent are paused; every call of a hook asks this."""

from __future__ import annotations

from gitsession.config import load_config

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.environment import Environment

ALL = "all"
"""The configuration entry that pauses every agent."""


def is_paused(environment: Environment, agent: str) -> bool:
    paused = load_config(environment).mappings["paused"]
    return agent in paused or ALL in paused
