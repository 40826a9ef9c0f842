"""Makes pi sessions for tests: small, deterministic, in the agent's own shape."""

from __future__ import annotations

import datetime
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

PI_ID = "01a228b8-c725-7448-9a65-601f5cb3d787"
_START = datetime.datetime(2026, 1, 31, 12, 0, tzinfo=datetime.UTC)
_COST = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0}


class Pi:
    """A pi session that grows entry by entry; ids and times follow from the number of the row."""

    def __init__(self, session_id: str = PI_ID, cwd: str = "/project") -> None:
        self.session_id, self.cwd = session_id, cwd
        self.tip: str | None = None
        self.rows: list[bytes] = []
        self.raw(
            {"type": "session", "version": 3, "id": session_id, "timestamp": self.time(0),
             "cwd": cwd}
        )  # fmt: skip

    @property
    def data(self) -> bytes:
        return b"".join(self.rows)

    def raw(self, value: Mapping[str, object] | bytes) -> Pi:
        if not isinstance(value, bytes):
            value = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        self.rows.append(value)
        return self

    def time(self, number: int) -> str:
        moment = _START + datetime.timedelta(seconds=number)
        return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def entry(self, kind: str, parent: str | None = "", **fields: object) -> str:
        """An entry under `parent` ("" for the tip); gives its id."""
        number = len(self.rows)
        name = hashlib.sha256(f"{self.session_id}{number}".encode()).hexdigest()[:8]
        place = {"id": name, "parentId": self.tip if parent == "" else parent}
        self.raw({"type": kind, **place, "timestamp": self.time(number), **fields})
        self.tip = name
        return name

    def message(self, role: str, parent: str | None = "", **fields: object) -> str:
        stamp = 1_770_000_000_000 + len(self.rows)
        return self.entry("message", parent, message={"role": role, **fields, "timestamp": stamp})

    def prompt(self, text: str, parent: str | None = "") -> str:
        return self.message("user", parent, content=[{"type": "text", "text": text}])

    def answer(self, *blocks: Mapping[str, object], stop: str = "stop", **fields: object) -> str:
        usage = {"input": 100, "output": 10, "cacheRead": 5, "cacheWrite": 0, "totalTokens": 115,
                 "cost": _COST}  # fmt: skip
        return self.message(
            "assistant", content=list(blocks), api="openai-completions", provider="fake",
            model="fake-model", usage=usage, stopReason=stop, **fields,
        )  # fmt: skip

    def say(self, text: str, stop: str = "stop") -> str:
        return self.answer({"type": "text", "text": text}, stop=stop)

    def call(self, name: str, **arguments: object) -> str:
        """An answer with one tool call; gives the call's id."""
        call_id = f"call_{len(self.rows)}"
        block = {"type": "toolCall", "id": call_id, "name": name, "arguments": arguments}
        self.answer(block, stop="toolUse")
        return call_id

    def result(self, call_id: str, name: str, output: str, error: bool = False) -> str:
        content = [{"type": "text", "text": output}]
        return self.message("toolResult", toolCallId=call_id, toolName=name, content=content,
                            isError=error)  # fmt: skip

    def tool(self, name: str, output: str, **arguments: object) -> Pi:
        self.result(self.call(name, **arguments), name, output)
        return self

    def turn(self, prompt: str, answer: str = "", *, command: str = "") -> Pi:
        self.prompt(prompt)
        if command:
            self.tool("bash", f"output of {command}\n", command=command)
        self.say(answer or f"answer to {prompt}")
        return self

    def save(self, home: Path) -> Path:
        """Put the file where pi would, below this HOME; gives its path."""
        folder = home / ".pi" / "agent" / "sessions" / f"-{self.cwd.replace('/', '-')}--"
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"2026-01-31T12-00-00-000Z_{self.session_id}.jsonl"
        path.write_bytes(self.data)
        return path


def pi_session(turns: int = 1, *, command: str = "ls") -> bytes:
    """A finished session; more turns extend fewer byte for byte."""
    session = Pi()
    for number in range(1, turns + 1):
        session.turn(f"question {number}", command=command)
    return session.data
