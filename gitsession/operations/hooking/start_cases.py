"""The reasons for which a session starts, and whether it can be given anything then.

compact   where this very session stands: the state block and the snapshot
resume    the snapshot of this session; of one that the store does not know, a claim
startup   nothing, unless it is configured to claim
clear     nothing, and nothing is used up; the same for a reason that is not known here

A claim gives, once, the newest snapshot of another session of this project that nobody has had. Of
another session nothing is ever given but by a claim.
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
