"""The reasons for which a session starts, and whether it can be given anything then.

compact   this very session's current state: the state block and the snapshot
resume    the snapshot of this session; for one that the store does not know, a claim
startup   nothing, unless claims are configured
clear     nothing, and nothing is used up; likewise for any unknown reason

A claim gives, once, the newest snapshot of another session of this project that nobody has claimed.
Nothing of another session is ever given except by a claim.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.config import Config

COMPACT, RESUME, STARTUP = "compact", "resume", "startup"


def may_give(config: Config, source: str) -> bool:
    """Whether a session that starts for this reason may be given anything at all."""
    claims = config["snapshot.startup"] == "claim"
    return source in (COMPACT, RESUME) or (source == STARTUP and claims)
