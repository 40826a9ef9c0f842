"""Ensures exactly one output for every call, right after it, as providers require of a history."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from gitsession.agents.codex.records import OUTPUT_OF, OUTPUTS
from gitsession.agents.pairs import INTERRUPTED, pair

Pair = tuple[dict[str, Any], bytes | None]


def paired(lines: Iterable[Pair], repairs: Counter[str]) -> list[Pair]:
    """Return the lines with missing outputs added, surplus ones left out; bytes stay with lines."""
    given = list(lines)
    calls = [call_id for value, _ in given if (call_id := _called(value))]
    outputs = [_answered(value) for value, _ in given]
    found = pair(calls, [call_id for call_id in outputs if call_id])
    missing = set(found.missing)
    repairs.update(
        {
            "tool call without result marked as interrupted": len(missing),
            "tool result without a call left out": len(found.orphaned),
            "second result of a tool call left out": len(found.doubled),
            "second record of a tool call left out": len(calls) - len(set(calls)),
        }
    )
    result: list[Pair] = []
    position = -1
    begun: set[str] = set()
    for (value, data), call_id in zip(given, outputs, strict=True):
        position += bool(call_id)
        wanted = _called(value)
        if (call_id and position in found.surplus) or wanted in begun:
            continue
        result.append((value, data))
        begun |= {wanted} - {""}
        if wanted in missing:
            missing.discard(wanted)
            result.append((_interrupted(value), None))
    return result


def mended(items: list[Any]) -> list[Any]:
    """Do the same for a bare list of items: the history that a compaction record contains."""
    wrapped = [({"type": "response_item", "payload": item}, None) for item in items]
    return [value["payload"] for value, _ in paired(wrapped, Counter())]


def _called(value: dict[str, Any]) -> str:
    return _id(value, OUTPUT_OF)


def _answered(value: dict[str, Any]) -> str:
    return _id(value, OUTPUTS)


def _id(value: dict[str, Any], kinds: Iterable[str]) -> str:
    payload = value.get("payload")
    if value.get("type") != "response_item" or not isinstance(payload, dict):
        return ""
    call_id = payload.get("call_id")
    known = payload.get("type") in tuple(kinds)
    return call_id if known and isinstance(call_id, str) else ""


def _interrupted(call: dict[str, Any]) -> dict[str, Any]:
    payload = call["payload"]
    answer: dict[str, Any] = {"type": OUTPUT_OF[payload["type"]], "call_id": payload["call_id"]}
    if answer["type"] == "tool_search_output":
        answer.update(status="completed", execution="client", tools=[])
    else:
        answer["output"] = INTERRUPTED
    line = {"type": "response_item", "payload": answer}
    return {"timestamp": call["timestamp"], **line} if "timestamp" in call else line
