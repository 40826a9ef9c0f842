"""The fake model server with one directive more: `[[task:PROMPT]]` calls the agent's own tool that
starts a subagent; ((…)) in PROMPT are directives for that one."""

from __future__ import annotations

import os
import re
import sys
from typing import Any

sys.path.insert(0, os.environ["GITSESSION_HARNESS"])
import fake_llm

fake_llm.TOOLS["task"] = ["Task", "Agent", "task", "agent", "invoke_agent"]
fake_llm.DIRECTIVE = re.compile(r"\[\[(shell|read|write|edit|say|usage|sleep|task):(.*?)\]\]", re.S)
_filled = fake_llm.fill
_KIND = {"task": "general-purpose", "invoke_agent": "generalist"}


def fill(schema: dict[str, Any], kind: str, given: list[str], name: str) -> dict[str, Any]:
    if kind != "task":
        return dict(_filled(schema, kind, given, name))
    members = schema.get("properties", {})
    prompt = given[0].replace("((", "[[").replace("))", "]]")
    made = dict(_filled({"required": schema.get("required", []), "properties": members},
                        "task", [], name))  # fmt: skip
    made["prompt"] = prompt
    for member in ("subagent_type", "agent_type", "agent_name"):
        if member in members:
            made[member] = _KIND.get(name, "general-purpose")
    if members.get("mode", {}).get("enum"):
        made["mode"] = "sync"
    made["description"] = "find the walrus"
    return made


fake_llm.fill = fill
if __name__ == "__main__":
    fake_llm.main()
