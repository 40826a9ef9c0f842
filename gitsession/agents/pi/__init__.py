"""The adapter for pi: one append-only JSONL file per session, which contains a tree of entries."""

from __future__ import annotations

from gitsession.agents.base import Capabilities, Source
from gitsession.agents.family import FamilyAgent
from gitsession.agents.pi import find as pi_find
from gitsession.agents.pi.fold import PiFold
from gitsession.model.session import Session


class Pi(FamilyAgent):
    """See `agents.base.Agent`."""

    name = pi_find.NAME
    title = "pi"
    capabilities = Capabilities(hooks=True, tree=True, compose=True)
    constants: tuple[str, ...] = ()

    def fold(self, source: Source, since: Session | None) -> PiFold:
        return PiFold(source, since)

    def resume_command(self, native_id: str, cwd: str) -> tuple[str, ...]:  # noqa: ARG002
        return ("pi", "--session", native_id)


AGENT = Pi()
