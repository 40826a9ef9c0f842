"""What a person typed in a user message, without the blocks that programs put around it."""

from __future__ import annotations

import re

from gitsession.events.short import between

_BLOCK = re.compile(
    r"<(system-reminder|system_reminder|qwen:user-prompt-submit-context|ide_opened_file"
    r"|ide_selection|ide_diagnostics|environment_context|environment_details|user_instructions"
    r"|INSTRUCTIONS|task-notification|subagent_notification"
    r"|local-command-caveat|local-command-stdout|local-command-stderr|bash-stdout|bash-stderr"
    r"|user-memory-input|turn_aborted|session_context|hook_context|permissions instructions"
    r"|collaboration_mode|skills_instructions|current_datetime|reminder|system_notification"
    r"|session_resume|session_state|agent_rules)\b[^>]{0,400}>.*?(?:</\1>|\Z)\s*",
    re.DOTALL,
)
_AROUND = re.compile(
    r"\A<(user_query|user_input|task|user_message|feedback)\b[^>]{0,200}>(.*)</\1>\s*\Z", re.DOTALL
)
_REQUEST = "## My request for Codex:"
"""The end of what an editor puts before the prompt."""
_NOT_TYPED = (
    "[Request interrupted by user",
    "Caveat: The messages below were generated",
    "This session is being continued from a previous conversation",
    "# AGENTS.md instructions for",
    "Base directory for this skill:",
    "[SYSTEM",
    "<system",
)


def typed(text: str) -> str:
    """Return the person's words, "" if there are none; a slash command as it was typed."""
    text = text.strip()
    if "<" in text:
        text = _unwrapped(text)
    text = text.rpartition(_REQUEST)[2].strip() if _REQUEST in text else text
    return "" if text.startswith(_NOT_TYPED) else text


def _unwrapped(text: str) -> str:
    command = between(text, "command-name")
    if command:
        return f"{command} {between(text, 'command-args')}".strip()
    if text.startswith("<bash-input>"):
        return f"! {between(text, 'bash-input')}"
    text = _BLOCK.sub("", text).strip()
    around = _AROUND.match(text)
    return around[2].strip() if around else text
