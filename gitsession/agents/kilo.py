"""The adapter for Kilo Code CLI, which grew out of OpenCode and keeps sessions the same way."""

from __future__ import annotations

from gitsession.agents.opencode import OpenCode
from gitsession.agents.opencode_family import KILO

AGENT = OpenCode(KILO)
