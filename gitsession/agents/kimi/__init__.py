"""The adapter for Kimi Code CLI: an append-only event log for each agent of a session."""

from __future__ import annotations

from gitsession.agents.base import Capabilities, Source
from gitsession.agents.family import FamilyAgent
from gitsession.agents.kimi import find as kimi_find
from gitsession.agents.kimi.fold import KimiFold
from gitsession.model.session import Session


class Kimi(FamilyAgent):
    """See `agents.base.Agent`."""

    name = kimi_find.NAME
    title = "Kimi Code CLI"
    capabilities = Capabilities(subagents=True, sidecars=True, tree=True, compose=True)

    def fold(self, source: Source, since: Session | None) -> KimiFold:
        return KimiFold(source, since)

    def start_command(self, native_id: str, cwd: str, path: str) -> tuple[str, ...]:  # noqa: ARG002
        """See `base.start_command`: a session without the agent's instructions gets them together
        with the model named at its start."""
        model = kimi_find.model_for(path)
        name = ("--model", model) if model else ()
        return ("kimi", *name, "--session", native_id)

    def resume_command(self, native_id: str, cwd: str) -> tuple[str, ...]:  # noqa: ARG002
        return ("kimi", "--session", native_id)


AGENT = Kimi()
