"""The files of ours that some agents load: a hooks file, a script, a plugin, an extension."""

from __future__ import annotations

import json
import shlex

TITLE = "Made by `gitsession hooks install`"
"""Appears in each of these files: a file that contains it is ours to replace and to remove."""

_CONSTANT = "const program = "


def copilot(line: str, events: tuple[str, ...]) -> str:
    """Return a hooks file for GitHub Copilot CLI."""
    hook = {"type": "command", "bash": line, "timeoutSec": 10}
    return json.dumps({"version": 1, "hooks": {event: [hook] for event in events}}, indent=2) + "\n"


def script(line: str) -> str:
    """Return an executable hook for Cline."""
    return f"#!/bin/sh\n# {TITLE}; `gitsession hooks uninstall` removes it.\n{line}\n"


_START = """\
const start = (hook) => {
  try {
    const child = spawn(program, ["save", "--auto", "--hook", agent], {
      detached: true,
      stdio: ["pipe", "ignore", "ignore"],
    });
    child.on("error", () => {});
    child.stdin.on("error", () => {});
    child.stdin.end(JSON.stringify(hook));
    child.unref();
  } catch {}
};
"""


def _head(program: str, agent: str, typed: bool = False) -> str:
    start = _START.replace("(hook)", "(hook: object)", 1) if typed else _START
    return (
        f"// {TITLE}; `gitsession hooks uninstall` removes it.\n"
        'import { spawn } from "node:child_process";\n\n'
        f"const program = {json.dumps(program)};\n"
        f"const agent = {json.dumps(agent)};\n\n"
        f"{start}\n"
    )


def opencode(program: str, tools: bool, agent: str) -> str:
    """Return a plugin for OpenCode and its forks: saves when a session is idle or was compacted."""
    within = """
    "tool.execute.after": async (input) => {
      start({ hook_event_name: "tool.execute.after", session_id: input.sessionID, cwd: directory });
    },"""
    return _head(program, agent) + (
        """\
export const Gitsession = async ({ directory }) => {
  return {
    event: async ({ event }) => {
      if (event.type !== "session.idle" && event.type !== "session.compacted") return;
      const session_id = event.properties && event.properties.sessionID;
      start({ hook_event_name: event.type, session_id, cwd: directory });
    },"""
        + (within if tools else "")
        + """
  };
};
"""
    )


def pi(program: str, tools: bool) -> str:
    """Return an extension for pi: saves when the agent has finished its work on a prompt."""
    within = ', "tool_result"' if tools else ""
    return _head(program, "pi", typed=True) + (
        f"""\
export default function (pi: any) {{
  for (const event of ["agent_end", "session_compact", "session_shutdown"{within}]) {{
    pi.on(event, async (_: unknown, context: any) => {{
      try {{
        const sessions = context.sessionManager;
        start({{
          hook_event_name: event,
          session_id: sessions.getSessionId(),
          transcript_path: sessions.getSessionFile(),
          cwd: context.cwd,
        }});
      }} catch {{}}
    }});
  }}
}}
"""
    )


def programs(text: str) -> list[str]:
    """Return the programs that a file of ours calls; none for a line that somebody has changed."""
    if TITLE not in text:
        lines = [hook["bash"] for hook in _copilot_hooks(text)]
        return [program for line in lines for program in called(line)]
    found: list[str] = []
    for row in text.splitlines():
        if row.startswith(_CONSTANT):
            found += _named(row.removeprefix(_CONSTANT).removesuffix(";"))
        elif row.startswith("sh -c "):
            found += called(row)
    return found


def called(line: str) -> list[str]:
    """Return the program that a line of ours calls, if the line is still as we wrote it."""
    try:
        return shlex.split(line)[3:4]
    except ValueError:
        return []


def _named(text: str) -> list[str]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return []
    return [value] if isinstance(value, str) else []


def _copilot_hooks(text: str) -> list[dict[str, str]]:
    try:
        events = json.loads(text)["hooks"].values()
        return [hook for hooks in events for hook in hooks if hook["bash"].startswith("sh -c ")]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return []
