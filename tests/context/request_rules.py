"""The rules that providers refuse a request by and that no shape can say: roles, pairs, order."""

from __future__ import annotations

import itertools
import json
import re
from typing import Any

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def check(body: dict[str, Any], form: str) -> None:
    """A body is JSON without half surrogates, and keeps the rules of its provider."""
    json.loads(json.dumps(body, ensure_ascii=False).encode())
    {"anthropic": _anthropic, "openai": _openai, "gemini": _gemini}[form](body)


def _anthropic(body: dict[str, Any]) -> None:
    roles = [message["role"] for message in body["messages"]]
    assert roles[:1] in ([], ["user"])
    assert all(first != second for first, second in itertools.pairwise(roles))
    waiting: list[str] = []
    seen: set[str] = set()
    offered = {tool["name"] for tool in body.get("tools", ())}
    assert all(_NAME.fullmatch(name) for name in offered)
    for message in body["messages"]:
        blocks = message["content"]
        assert blocks
        assert not any(b["type"] == "text" and not b["text"].strip() for b in blocks)
        answered = [b["tool_use_id"] for b in blocks if b["type"] == "tool_result"]
        assert answered == waiting
        kinds = [block["type"] == "tool_result" for block in blocks]
        assert kinds == sorted(kinds, reverse=True)
        calls = [block for block in blocks if block["type"] == "tool_use"]
        assert all(isinstance(call["input"], dict) and call["name"] in offered for call in calls)
        waiting = [call["id"] for call in calls]
        assert not seen & set(waiting) and len(set(waiting)) == len(waiting)
        seen.update(waiting)
        assert not calls or message["role"] == "assistant"
    assert not waiting or body["messages"][-1]["role"] == "assistant"


def _openai(body: dict[str, Any]) -> None:
    waiting: list[str] = []
    offered = {tool["function"]["name"] for tool in body.get("tools", ())}
    for place, message in enumerate(body["messages"]):
        assert message["role"] != "system" or place == 0
        if message["role"] == "tool":
            waiting.remove(message["tool_call_id"])
            continue
        assert not waiting
        calls = message.get("tool_calls", ())
        assert message["content"] or calls
        for call in calls:
            assert isinstance(json.loads(call["function"]["arguments"]), dict)
            assert len(call["id"]) <= 40 and call["function"]["name"] in offered
        waiting = [call["id"] for call in calls]
        assert len(set(waiting)) == len(waiting)
    assert not waiting


def _gemini(body: dict[str, Any]) -> None:
    roles = [content["role"] for content in body["contents"]]
    assert set(roles) <= {"user", "model"} and roles[:1] in ([], ["user"])
    assert all(first != second for first, second in itertools.pairwise(roles))
    calls: list[str] = []
    for content in body["contents"]:
        assert content["parts"]
        responses = [part for part in content["parts"] if "functionResponse" in part]
        assert [part["functionResponse"]["name"] for part in responses] == calls
        calls = [p["functionCall"]["name"] for p in content["parts"] if "functionCall" in p]
