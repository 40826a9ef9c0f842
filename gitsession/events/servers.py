"""Calls to tools of MCP servers: the request and the response."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from gitsession.events.short import short
from gitsession.events.used import Found, Used

MASK = "[REDACTED]"
_SECRET = re.compile(
    r"authori[sz]ation|token|secret|passw(?:or)?d|passphrase|\bpwd\b|api[-_]?key|bearer|cookie"
    r"|signature|private[-_]?key|credential|access[-_]?key",
    re.IGNORECASE,
)
_INPUT = 2_048
_DEEPEST = 40


def mcp(used: Used) -> Iterator[Found]:
    """Yield the response for readers, the call for counting."""
    if used.kind != "mcp":
        return
    name = used.call.call.name
    given = used.call.call.input
    said = next((one for key, one in used.input.items()
                 if isinstance(one, str) and not _SECRET.search(key)), "")  # fmt: skip
    told = name.rsplit("__", 1)[-1] + (f": {short(said, 500)}" if said else "")
    if used.output.strip():
        told += f"\nresponse: {used.output.strip()}"
    yield Found("mcp", "mcp", 3, short(told))
    yield Found("mcp_tool_call", "mcp-tool-call", 4, _call(name, given))


def _call(name: str, given: object) -> str:
    """Return JSON with every value under a secret's name masked, and at most 2,048 bytes of
    arguments."""
    arguments = json.dumps(masked(given), ensure_ascii=False, default=str)
    if len(arguments.encode("utf-8", "surrogatepass")) <= _INPUT:
        return f'{{"tool_name": {json.dumps(name)}, "params": {arguments}}}'
    cut = {"tool_name": name, "params_raw": short(arguments, _INPUT), "truncated": True}
    return json.dumps(cut, ensure_ascii=False)


def masked(value: object, depth: int = 0) -> object:
    """Return `value` with a mask in place of every value whose key sounds like a secret."""
    if depth > _DEEPEST:
        return "…"
    if isinstance(value, Mapping):
        return {
            str(key): MASK if _SECRET.search(str(key)) else masked(one, depth + 1)
            for key, one in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [masked(one, depth + 1) for one in value]
    return value
