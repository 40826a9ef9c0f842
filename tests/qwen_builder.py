"""Makes Qwen Code sessions for tests: small, deterministic, in the agent's own shape."""

from __future__ import annotations

import datetime
import json
from collections.abc import Mapping
from pathlib import Path

from gitsession.agents.envelope import dashed
from tests.builders import a_uuid

QWEN_ID = "ce8999c9-a05d-4973-93b8-1855b68d878d"
_START = datetime.datetime(2026, 1, 31, 12, 0, tzinfo=datetime.UTC)


class Qwen:
    """A Qwen Code session that grows record by record."""

    def __init__(self, session_id: str = QWEN_ID, cwd: str = "/project") -> None:
        self.session_id, self.cwd = session_id, cwd
        self.rows: list[bytes] = []
        self.tip: str | None = None

    @property
    def data(self) -> bytes:
        return b"".join(self.rows)

    def tree(self, kind: str, parent: str | None = "", **fields: object) -> str:
        """A record under `parent` ("" for the tip); gives its uuid."""
        number = len(self.rows)
        moment = _START + datetime.timedelta(seconds=number)
        name = a_uuid(self.session_id, number)
        record: dict[str, object] = {
            "uuid": name,
            "parentUuid": self.tip if parent == "" else parent,
            "sessionId": self.session_id,
            "timestamp": moment.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "type": kind,
            "cwd": self.cwd,
            "version": "0.24.4",
            **fields,
        }
        text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
        self.rows.append(text.encode() + b"\n")
        self.tip = name
        return name

    def system(self, subtype: str, payload: object, parent: str | None = "") -> str:
        return self.tree(
            "system", parent, provenance="system", subtype=subtype, systemPayload=payload
        )

    def prompt(self, text: str, parent: str | None = "", **fields: object) -> str:
        message = {"role": "user", "parts": [{"text": text}]}
        return self.tree("user", parent, **{"provenance": "real_user", **fields}, message=message)

    def answer(self, *parts: Mapping[str, object]) -> str:
        usage = {"promptTokenCount": 100, "candidatesTokenCount": 10, "thoughtsTokenCount": 3,
                 "totalTokenCount": 113, "cachedContentTokenCount": 5}  # fmt: skip
        self.system("ui_telemetry", {"uiEvent": {"event.name": "qwen-code.api_response"}})
        return self.tree(
            "assistant", provenance="assistant_output", model="fake-model",
            message={"role": "model", "parts": list(parts)}, usageMetadata=usage,
        )  # fmt: skip

    def say(self, text: str) -> str:
        return self.answer({"text": text})

    def call(self, name: str, **arguments: object) -> str:
        call_id = f"call_{len(self.rows)}"
        call = {"id": call_id, "name": name, "args": arguments}
        self.answer({"text": f"I use {name}."}, {"functionCall": call})
        return call_id

    def result(self, call_id: str, name: str, output: str, display: object = "") -> str:
        response = {"id": call_id, "name": name, "response": {"output": output}}
        message = {"role": "user", "parts": [{"functionResponse": response}]}
        kept = {"callId": call_id, "status": "success", "resultDisplay": display}
        return self.tree(
            "tool_result", provenance="tool_result", message=message, toolCallResult=kept
        )

    def tool(self, name: str, output: str, display: object = "", **arguments: object) -> Qwen:
        self.result(self.call(name, **arguments), name, output, display)
        return self

    def turn(self, prompt: str, answer: str = "", *, command: str = "") -> Qwen:
        self.prompt(prompt)
        if command:
            shown = {"type": "shell_result", "exitCode": 0, "output": f"output of {command}"}
            self.tool("run_shell_command", f"Output: output of {command}\nExit Code: 0", shown,
                      command=command)  # fmt: skip
        self.say(answer or f"answer to {prompt}")
        return self

    def save(self, home: Path) -> Path:
        folder = home / ".qwen" / "projects" / dashed(self.cwd) / "chats"
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.session_id}.jsonl"
        path.write_bytes(self.data)
        return path


def qwen_session(turns: int = 1, *, command: str = "ls") -> bytes:
    """A finished session; more turns extend fewer byte for byte."""
    session = Qwen()
    for number in range(1, turns + 1):
        session.turn(f"question {number}", command=command)
    return session.data
