"""Files that tell an agent how to work: instructions of a project or a person, and memories."""

from __future__ import annotations

import re

_NAMES = re.compile(
    r"(?:^|/)(?:(?:claude|claude\.local|agents|agents\.override|agent|gemini|qwen|kiro|crush"
    r"|opencode|copilot-instructions|[^/]+\.instructions)\.md|\.cursorrules|\.windsurfrules"
    r"|\.clinerules|\.goosehints|context-mode\.mdc)$"
)
_FOLDERS = re.compile(
    r"(?:^|/)(?:\.clinerules|\.kilo(?:code)?/rules|\.continue/rules|\.cursor/rules|\.windsurf/rules|\.kiro/steering|memory-bank)"
    r"/[^/]+\.(?:md|mdc|txt)$"
)
_MEMORY = re.compile(r"(?:^|/)\.[^/]+/(?:.*/)?memor(?:y|ies)/[^/]+\.md$")
_CLAUDE = re.compile(r"(?:^|/)\.claude/(?P<inside>.+\.(?:md|mdc|json|txt))$")
_RECORDS = re.compile(
    r"(?:projects|plans|todos|tasks|worktrees|shell-snapshots|file-history|session-env"
    r"|debug|statsig|plugins/cache)/"
)
"""What Claude Code keeps next to its rules: transcripts, plans, other checkouts."""
_LONGEST = 1_024
_PLAN = re.compile(r"(?:^|/)\.[^/]+/(?:.*/)?plans/[^/]+$")


def is_rule(path: str) -> bool:
    """Whether a path, with `/` or `\\`, is that of a rule file."""
    path = path.replace("\\", "/").lower()[:_LONGEST]
    if _NAMES.search(path) or _FOLDERS.search(path) or _MEMORY.search(path):
        return True
    claude = _CLAUDE.search(path)
    return claude is not None and _RECORDS.match(claude["inside"]) is None


def is_plan(path: str) -> bool:
    """Whether a path is that of a plan that an agent keeps in a folder of its own."""
    return _PLAN.search(path.replace("\\", "/").lower()[:_LONGEST]) is not None
