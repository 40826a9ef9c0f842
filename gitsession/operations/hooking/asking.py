"""Which agents ask for a snapshot when a session starts: one empty file per agent, for saves.

The agents' settings say so as well, but reading them at each save would cost more than the save.
"""

from __future__ import annotations

import os

from gitsession.files import forget, make_private

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.environment import Environment


def note(environment: Environment, agent: str, asks: bool) -> None:
    path = _path(environment, agent)
    if not asks:
        forget(path)
        return
    make_private(os.path.dirname(path))
    with open(path, "w", encoding="utf-8"):
        pass


def is_noted(environment: Environment, agent: str) -> bool:
    """Whether a snapshot that is prepared in advance will be asked for."""
    return os.path.exists(_path(environment, agent))


def _path(environment: Environment, agent: str) -> str:
    return os.path.join(environment.folder("state"), "hooks", f"{agent}.asks")
