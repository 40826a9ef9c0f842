"""What of a session is missing in another agent, counted in what its own agent wrote down."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from typing import Any

from .conftest import User

Row = dict[str, Any]

CALLS = 4
"""Calls of the model in a talk of two turns, the first with two tools: each has its usage."""


def missing(agent: str, user: User, native_id: str) -> dict[str, int]:
    """By the names of a loss report; only what there is any of."""
    rows = _rows_of_opencode(user, native_id) if agent == "opencode" else _lines(user, native_id)
    found = {**_COUNTS[agent](rows), "usage": CALLS}
    return {name: count for name, count in found.items() if count}


def _lines(user: User, native_id: str) -> list[Row]:
    """Of the files named by an id (Gemini takes its beginning), the agent's own is the largest."""
    patterns = (f"*{native_id}*.jsonl", f"*-{native_id[:8]}.jsonl", f"{native_id}/events.jsonl")
    named = next(filter(None, ([*user.home.rglob(pattern)] for pattern in patterns)))
    path = max(named, key=lambda path: path.stat().st_size)
    return [json.loads(line) for line in path.read_text().splitlines()]


def _rows_of_opencode(user: User, native_id: str) -> list[Row]:
    path = user.home / ".local" / "share" / "opencode" / "opencode.db"
    with sqlite3.connect(path) as connection:
        query = "SELECT data FROM part WHERE session_id = ?"
        rows = [json.loads(data) for (data,) in connection.execute(query, (native_id,))]
        query = "SELECT permission FROM session WHERE id = ?"
        [(permission,)] = connection.execute(query, (native_id,))
    connection.close()
    return [*rows, {"permission": json.loads(permission or "null")}]


def _in_claude(rows: list[Row]) -> dict[str, int]:
    """What follows the last answer is no part of that version."""
    rows = rows[: max(place for place, row in enumerate(rows) if row["type"] == "assistant") + 1]
    modes = ("permission-mode", "mode")
    return {
        "permissions": sum("permissionMode" in row or row["type"] in modes for row in rows),
        "screen": sum("toolUseResult" in row for row in rows),
    }


def _in_codex(rows: list[Row]) -> dict[str, int]:
    told = [row["payload"] for row in rows if row["type"] == "response_item"]
    said = [item for item in told if item["type"] == "message"]
    base = [row for row in rows if "base_instructions" in row["payload"]]
    return {
        "permissions": sum(row["type"] == "turn_context" for row in rows),
        "screen": sum(row["type"] == "event_msg" for row in rows),
        "system_prompts": len(base) + sum(item["role"] == "developer" for item in said),
        "notes": sum("<environment_context>" in str(item["content"]) for item in said),
    }


def _in_pi(rows: list[Row]) -> dict[str, int]:
    told = [row["message"] for row in rows if "message" in row]
    return {"system_prompts": sum(message["role"] == "system" for message in told)}


def _in_gemini(rows: list[Row]) -> dict[str, int]:
    """Each start writes down again what there is."""
    said: dict[str, Row] = {}
    for row in rows:
        if "messages" in row.get("$set", {}):
            said = {message["id"]: message for message in row["$set"]["messages"]}
        elif "type" in row:
            said[row["id"]] = row
    shown = [call for row in said.values() for call in row.get("toolCalls", ())]
    return {
        "notes": sum("<session_context>" in str(row["content"]) for row in said.values()),
        "screen": sum(bool(call.get("resultDisplay")) for call in shown),
    }


def _in_qwen(rows: list[Row]) -> dict[str, int]:
    told = [row.get("toolCallResult") or {} for row in rows]
    return {"screen": sum(bool(result.get("resultDisplay")) for result in told)}


def _in_opencode(rows: list[Row]) -> dict[str, int]:
    return {
        "permissions": sum(bool(row.get("permission")) for row in rows),
        "screen": sum(bool(row.get("state", {}).get("metadata")) for row in rows),
        "steps": sum(row.get("type") in ("step-start", "step-finish") for row in rows),
    }


def _in_copilot(rows: list[Row]) -> dict[str, int]:
    """What it says while it ends comes after the answer."""
    results = [row["data"].get("result", {}) for row in rows]
    return {
        "system_prompts": sum(row["type"] == "system.message" for row in rows),
        "screen": sum(bool(result.get("detailedContent")) for result in results),
    }


_COUNTS: dict[str, Callable[[list[Row]], dict[str, int]]] = {
    "claude-code": _in_claude, "codex": _in_codex, "pi": _in_pi, "gemini": _in_gemini,
    "qwen": _in_qwen, "opencode": _in_opencode, "copilot": _in_copilot,
}  # fmt: skip
