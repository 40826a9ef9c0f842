"""The essence of a written session: what it says, taken from its bytes. Some agents import the file
and continue in another one, others rewrite it as a whole; a keyed hash of the essence identifies
the session in both cases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitsession.agents.base import essences
from gitsession.operations.native_files import keyed_hash

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from gitsession.agents.base import Agent, Source


def note(agent: Agent, main: bytes, key: bytes) -> dict[str, Any]:
    """Return what a binding records about a written file besides its bytes: the number of messages
    and a keyed hash of what they say. Empty for agents that only append."""
    said = essences(agent, main)
    return {"says": {"messages": len(said), "mac": _mac(said, key)}} if said else {}


def length(agent: Agent, source: Source, says: Mapping[str, Any], key: bytes) -> int:
    """Return how many bytes of the source say what was written, -1 if it says something else."""
    wanted, end = int(says["messages"]), 0
    said: list[bytes] = []
    for part in agent.read(source, None):
        for record in part.stream().records:
            end += len(record.data)
            said += essences(agent, record.data)
            if len(said) == wanted:
                return end if _mac(said, key) == says["mac"] else -1
    return -1


def _mac(said: list[bytes], key: bytes) -> str:
    return keyed_hash(key, b"\n".join(said))
