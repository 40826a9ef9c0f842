"""Makes Gemini CLI sessions for tests, in both forms: small, deterministic, in their own shape."""

from __future__ import annotations

import datetime
import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.builders import a_uuid

GEMINI_ID = "9159418e-890e-41dd-9435-b920295924a9"
_START = datetime.datetime(2026, 1, 31, 12, 0, tzinfo=datetime.UTC)
_TOKENS = {"input": 100, "output": 10, "cached": 5, "thoughts": 0, "tool": 0, "total": 110}


class Gemini:
    """An event log that grows; every message line is followed by the time of change."""

    def __init__(self, session_id: str = GEMINI_ID, cwd: str = "/project") -> None:
        self.session_id, self.cwd = session_id, cwd
        self.rows: list[bytes] = []
        self.history: list[dict[str, Any]] = []
        self.start()

    @property
    def data(self) -> bytes:
        return b"".join(self.rows)

    def time(self) -> str:
        moment = _START + datetime.timedelta(seconds=len(self.rows))
        return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def raw(self, value: object) -> Gemini:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        self.rows.append(text.encode() + b"\n")
        return self

    def metadata(self) -> dict[str, Any]:
        digest = hashlib.sha256(self.cwd.encode()).hexdigest()
        return {"sessionId": self.session_id, "projectHash": digest, "startTime": self.time(),
                "lastUpdated": self.time(), "kind": "main"}  # fmt: skip

    def context(self) -> dict[str, Any]:
        text = (
            f"<session_context>\n- **Workspace Directories:**\n  - {self.cwd}\n</session_context>"
        )
        return {"id": "d04923d38bb0f601", "timestamp": self.time(), "type": "user",
                "content": [{"text": text}]}  # fmt: skip

    def start(self) -> Gemini:
        """What each start of the agent writes first."""
        self.raw(self.metadata())
        return self.set(messages=[self.context()], lastUpdated=self.time())

    def resume(self) -> Gemini:
        """A start that takes the session up again: the whole history is written once more."""
        self.start().set(sessionId=self.session_id)
        listed = [self.context(), *({**m, "timestamp": self.time()} for m in self.history)]
        return self.set(messages=listed, lastUpdated=self.time())

    def set(self, **update: object) -> Gemini:
        return self.raw({"$set": update})

    def message(self, kind: str, content: object, **fields: object) -> dict[str, Any]:
        name = a_uuid(self.session_id, len(self.rows))
        row = {"id": name, "timestamp": self.time(), "type": kind, "content": content, **fields}
        self.raw(row).set(lastUpdated=self.time())
        plain = [{"text": content}] if isinstance(content, str) else content
        self.history.append({"id": name, "timestamp": "", "type": kind, "content": plain})
        return row

    def prompt(self, text: str) -> str:
        return str(self.message("user", [{"text": text}])["id"])

    def say(self, text: str) -> dict[str, Any]:
        return self.message("gemini", text, thoughts=[], tokens=_TOKENS, model="gemini-2.5-flash")

    def tool(self, name: str, output: str, display: object = "", *, words: str = "",
             **arguments: object) -> Gemini:  # fmt: skip
        """An answer, the same again with its call and result, and the result as a message."""
        row = self.say(words)
        call_id = f"{name}__call_{len(self.rows)}"
        response = {"functionResponse": {"id": call_id, "name": name,
                                         "response": {"output": output}}}  # fmt: skip
        call = {"id": call_id, "name": name, "args": arguments, "result": [response],
                "status": "success", "timestamp": self.time(),
                "resultDisplay": display}  # fmt: skip
        self.raw({**row, "toolCalls": [call]})
        made = {"functionCall": {"id": call_id, "name": name, "args": arguments}}
        self.history[-1]["content"] = [*([{"text": words}] if words else []), made]
        self.message("user", [response])
        return self

    def turn(self, prompt: str, answer: str = "", *, command: str = "") -> Gemini:
        self.prompt(prompt)
        if command:
            self.tool("run_shell_command", f"Output: output of {command}", f"output of {command}",
                      command=command)  # fmt: skip
        self.say(answer or f"answer to {prompt}")
        return self

    def save(self, home: Path) -> Path:
        folder = home / ".gemini" / "tmp" / "project"
        (folder / "chats").mkdir(parents=True, exist_ok=True)
        (folder / ".project_root").write_text(self.cwd)
        path = folder / "chats" / f"session-2026-01-31T12-00-{self.session_id[:8]}.jsonl"
        path.write_bytes(self.data)
        return path


def gemini_session(turns: int = 1, *, command: str = "ls") -> bytes:
    """A finished event log; more turns extend fewer byte for byte."""
    session = Gemini()
    for number in range(1, turns + 1):
        session.turn(f"question {number}", command=command)
    return session.data


def gemini_object(
    prompts: Sequence[str], *, changed: str = "2026-01-31T13:00:00.000Z", tail: str = ""
) -> bytes:
    """The older single object, as written after the last of these prompts was answered."""
    messages: list[dict[str, Any]] = []
    for number, prompt in enumerate(prompts):
        time = f"2026-01-31T12:{number:02d}:00.000Z"
        response = {"functionResponse": {"id": f"c{number}", "name": "run_shell_command",
                                         "response": {"output": "Output: x"}}}  # fmt: skip
        call = {"id": f"c{number}", "name": "run_shell_command", "args": {"command": "ls"},
                "result": [response], "status": "success"}  # fmt: skip
        messages += [
            {"id": a_uuid(number, 1), "timestamp": time, "type": "user", "content": prompt},
            {"id": a_uuid(number, 2), "timestamp": time, "type": "gemini", "content": "I look.",
             "toolCalls": [call], "model": "gemini-2.5-pro", "tokens": _TOKENS},
            {"id": a_uuid(number, 3), "timestamp": time, "type": "gemini",
             "content": f"answer to {prompt}", "model": "gemini-2.5-pro", "tokens": _TOKENS},
        ]  # fmt: skip
    value = {
        "sessionId": GEMINI_ID,
        "projectHash": hashlib.sha256(b"/project").hexdigest(),
        "startTime": "2026-01-31T12:00:00.000Z",
        "lastUpdated": changed,
        "messages": messages,
        **({"summary": tail} if tail else {}),
    }
    return json.dumps(value, indent=2, ensure_ascii=False).encode()
