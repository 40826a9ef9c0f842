"""Makes GitHub Copilot CLI sessions for tests: small, deterministic, in the agent's own shape."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

COPILOT_ID = "e554e6fe-03a4-4753-8b3a-98d4b90ad89e"


class Events:
    """A chain of events, as the agent appends them."""

    def __init__(self, session_id: str = COPILOT_ID, cwd: str = "/project") -> None:
        self.session_id, self.cwd = session_id, cwd
        self.rows: list[dict[str, Any]] = []
        self.start()

    def start(self) -> Events:
        return self.add("session.start", sessionId=self.session_id, version=1,
                        copilotVersion="1.0.102", startTime=self.time(),
                        context={"cwd": self.cwd, "branch": "main"})  # fmt: skip

    def save(self, home: Path) -> Path:
        self.rows[0]["data"]["context"]["cwd"] = self.cwd
        path = home / ".copilot" / "session-state" / self.session_id / "events.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.data)
        return path

    def time(self) -> str:
        return f"2026-01-31T12:{len(self.rows) // 60:02}:{len(self.rows) % 60:02}.000Z"

    def add(self, kind: str, **data: Any) -> Events:
        number = len(self.rows)
        parent = f"{COPILOT_ID[:-4]}{number - 1:04}" if number else None
        self.rows.append({"type": kind, "data": data, "id": f"{COPILOT_ID[:-4]}{number:04}",
                          "timestamp": self.time(), "parentId": parent})  # fmt: skip
        return self

    def answer(self, text: str, *calls: tuple[str, str, dict[str, Any]], **more: object) -> Events:
        self.add("session.usage_record", usage={"model": "gpt-5", "inputTokens": 100,
                                                "outputTokens": 10,
                                                "cacheReadTokens": 5})  # fmt: skip
        asked = [{"toolCallId": i, "name": n, "arguments": a} for i, n, a in calls]
        return self.add("assistant.message", messageId=f"m{len(self.rows)}", model="gpt-5",
                        content=text, toolRequests=asked, **more)  # fmt: skip

    def result(self, call_id: str, text: str, *, success: bool = True,
               extra: dict[str, Any] | None = None, **more: Any) -> Events:  # fmt: skip
        """`extra` is what the result holds besides its content."""
        return self.add("tool.execution_complete", toolCallId=call_id, success=success,
                        result={"content": text, **(extra or {})}, **more)  # fmt: skip

    def says(self, prompt: str, answer: str) -> Events:
        """A turn of words alone."""
        self.add("user.message", content=prompt)
        self.answer(answer)
        return self.add("assistant.turn_end", turnId="0")

    def turn(self, n: int) -> Events:
        self.add("user.message", content=f"question {n}", transformedContent=f"<x>question {n}")
        self.add("assistant.turn_start", turnId="0")
        self.answer("", (f"call{n}", "bash", {"command": "ls"}))
        self.result(f"call{n}", "a.py\n<shellId: 0 completed with exit code 0>")
        self.add("assistant.turn_end", turnId="0")
        self.answer(f"answer to question {n}")
        return self.add("assistant.turn_end", turnId="1")

    @property
    def data(self) -> bytes:
        return b"".join(
            json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
            for row in self.rows
        )
