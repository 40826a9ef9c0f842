"""Whether automatic saves of an agent are paused: each call of a hook asks."""

from __future__ import annotations

from gitsession.config import load_config

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.environment import Environment

ALL = "all"
"""What stands in the configuration for a pause of every agent."""


def is_paused(environment: Environment, agent: str) -> bool:
    paused = load_config(environment).mappings["paused"]
    return agent in paused or ALL in paused
