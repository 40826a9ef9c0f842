"""The adapter for Qwen Code: one append-only JSONL file per session, in Claude Code's envelope."""

from __future__ import annotations

from gitsession.agents.base import Capabilities, Source
from gitsession.agents.envelope import CONSTANTS
from gitsession.agents.family import FamilyAgent
from gitsession.agents.qwen import find as qwen_find
from gitsession.agents.qwen.fold import QwenFold
from gitsession.model.session import Session


class Qwen(FamilyAgent):
    """See `agents.base.Agent`."""

    name = qwen_find.NAME
    title = "Qwen Code"
    capabilities = Capabilities(subagents=True, sidecars=True, hooks=True, tree=True, compose=True)
    constants: tuple[str, ...] = CONSTANTS

    def fold(self, source: Source, since: Session | None) -> QwenFold:
        return QwenFold(source, since)

    def resume_command(self, native_id: str, cwd: str) -> tuple[str, ...]:  # noqa: ARG002
        return ("qwen", "--resume", native_id)


AGENT = Qwen()
