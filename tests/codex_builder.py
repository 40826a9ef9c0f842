"""Codex rollouts made by hand: one record at a time, in the form of today or of earlier years."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

CODEX_ID = "01a228b9-437c-7591-8401-a4e7acb3ea4f"
PARENT_ID = "01a228b0-0000-7000-8000-000000000001"


class Codex:
    """A growing rollout. Times go up by one second a record, ordinals by one."""

    def __init__(self, native_id: str = CODEX_ID, cwd: str = "/project", **meta: Any) -> None:
        self.native_id = native_id
        self.cwd = cwd
        self.lines: list[bytes] = []
        self._calls = self._spent = 0
        self._turn = ""
        self.add(
            "session_meta",
            id=native_id,
            session_id=native_id,
            timestamp="2026-11-29T19:12:39.808Z",
            cwd=cwd,
            originator="codex_exec",
            cli_version="0.171.0",
            source="exec",
            model_provider="fake",
            history_mode="paginated",
            **meta,
        )

    @property
    def data(self) -> bytes:
        return b"".join(self.lines)

    def add(self, kind: str, **payload: Any) -> Codex:
        number = len(self.lines)
        return self.raw(
            {
                "timestamp": f"2026-11-29T{19 + number // 3600:02}:{number // 60 % 60:02}:"
                f"{number % 60:02}.000Z",
                "ordinal": number,
                "type": kind,
                "payload": payload,
            }
        )

    def raw(self, value: object) -> Codex:
        text = value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))
        self.lines.append(text.encode() + b"\n")
        return self

    def event(self, kind: str, **fields: Any) -> Codex:
        return self.add("event_msg", type=kind, **fields)

    def item(self, kind: str, **fields: Any) -> Codex:
        return self.add("response_item", type=kind, **fields)

    def says(self, role: str, text: str) -> Codex:
        kind = "output_text" if role == "assistant" else "input_text"
        return self.item("message", role=role, content=[{"type": kind, "text": text}])

    def starts(self) -> Codex:
        self._turn = f"turn-{len(self.lines)}"
        self.event("task_started", turn_id=self._turn)
        return self.add(
            "turn_context",
            turn_id=self._turn,
            cwd=self.cwd,
            model="gpt-5",
            approval_policy="never",
            sandbox_policy={"type": "danger-full-access"},
        )

    def ends(self) -> Codex:
        return self.event("task_complete", turn_id=self._turn)

    def call(self, name: str, arguments: Any, output: str | None, **fields: Any) -> Codex:
        self._calls += 1
        call_id = f"call_{self._calls}"
        given = json.dumps(arguments)
        self.item("function_call", name=name, arguments=given, call_id=call_id, **fields)
        if output is not None:
            self.item("function_call_output", call_id=call_id, output=output)
        return self

    def runs(self, command: str, output: str, code: int = 0) -> Codex:
        answer = f"Wall time: 0.0 seconds\nProcess exited with code {code}\nOutput:\n{output}"
        return self.call("exec_command", {"cmd": command}, answer)

    def patches(self, patch: str, *, applied: bool = True) -> Codex:
        self._calls += 1
        call_id = f"call_{self._calls}"
        answer = "Success. Updated the following files:\nM a\n" if applied else "Failed"
        self.item("custom_tool_call", name="apply_patch", call_id=call_id, input=patch)
        return self.item("custom_tool_call_output", call_id=call_id, output=answer)

    def spends(self) -> Codex:
        self._spent += 1000
        return self.event(
            "token_count",
            info={
                "total_token_usage": {
                    "input_tokens": self._spent,
                    "cached_input_tokens": self._spent // 2,
                    "output_tokens": 10,
                    "total_tokens": self._spent + 10,
                },
                "last_token_usage": {"input_tokens": 1000, "output_tokens": 10},
            },
        )

    def turn(self, prompt: str, answer: str) -> Codex:
        """A whole turn with one shell command."""
        self.starts().says("user", prompt)
        self.event("user_message", message=prompt)
        self.runs("ls", "a.py\n")
        return self.says("assistant", answer).spends().ends()

    def save(self, home: Path) -> Path:
        """Put it where Codex keeps its sessions, for a user whose HOME that is."""
        path = home / ".codex" / "sessions" / "2026" / "11" / "29"
        path.mkdir(parents=True, exist_ok=True)
        path /= f"rollout-2026-11-29T19-12-39-{self.native_id}.jsonl"
        path.write_bytes(self.data)
        return path


def codex_session(turns: int) -> bytes:
    """A rollout of so many finished turns."""
    session = Codex()
    for number in range(1, turns + 1):
        session.turn(f"question {number}", f"answer to question {number}")
    return session.data
