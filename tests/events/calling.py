"""Tool calls as agents record them, and what the rules find in them."""

from __future__ import annotations

from gitsession.events.rules import TOOL_RULES
from gitsession.events.tools import use
from gitsession.events.used import Found, Used
from gitsession.model.call import Call
from gitsession.model.message import Part


def called(name: str, given: object, output: str | None = "done", *, failed: bool = False) -> Call:
    """A call and its result; no result if `output` is None."""
    call = Part("tool_call", name=name, call_id="1", input=given)
    if output is None:
        return Call(1, call)
    return Call(1, call, Part("tool_result", output, call_id="1", error=failed))


def used(name: str, given: object, output: str | None = "done", *, failed: bool = False) -> Used:
    return use(called(name, given, output, failed=failed))


def ran(command: str, output: str | None = "", *, failed: bool = False) -> Used:
    """A shell command."""
    return used("Bash", {"command": command}, output, failed=failed)


def found(one: Used) -> list[Found]:
    """Everything that the rules for tool calls find."""
    return [each for rule in TOOL_RULES for each in rule(one)]


def told(one: Used, *types: str) -> list[tuple[str, str]]:
    """Type and data of what they find, of these types alone if any are given."""
    return [(each.type, each.data) for each in found(one) if not types or each.type in types]
