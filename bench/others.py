"""Deterministic sessions of Codex, pi and Gemini CLI, with the same texts as those of Claude
Code."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.generate import Texts, line


class Codex(Texts):
    """A rollout: a patch contains a change, and a command's output is returned as text."""

    def __init__(self, seed: int, project: str) -> None:
        super().__init__(seed, project)
        self._started = False

    def path(self, home: Path) -> Path:
        folder = home / ".codex" / "sessions" / "2026" / "03" / "02"
        return folder / f"rollout-2026-03-02T09-00-00-{self._session}.jsonl"

    def turn(self) -> Iterator[bytes]:
        if not self._started:
            self._started = True
            yield self._row("session_meta", id=self._session, timestamp=self._moment(),
                            cwd=self._project, originator="codex_exec", cli_version="0.171.0",
                            source="exec", model_provider="openai")  # fmt: skip
        name = self._uuid()
        prompt = self._prose(8, 60)
        yield self._row("event_msg", type="task_started", turn_id=name)
        yield self._row("turn_context", turn_id=name, cwd=self._project, model="gpt-5",
                        approval_policy="never")  # fmt: skip
        yield self._says("user", prompt)
        yield self._row("event_msg", type="user_message", message=prompt)
        for _ in range(self._random.randint(2, 8)):
            yield from self._tool()
        yield self._says("assistant", self._prose(20, 160))
        yield self._row("event_msg", type="task_complete", turn_id=name)

    def _tool(self) -> Iterator[bytes]:
        call = "call_" + self._token(24)
        number = self._random.randrange(len(self._files))
        if self._random.random() < 0.5:
            given, output = f"cat src/module_{number}.py", self._files[number]
        else:
            given, output = f"pytest -q tests/test_{number}.py", self._output()
        yield self._row("response_item", type="reasoning", summary=[],
                        encrypted_content="gAAAAA" + self._token(900))  # fmt: skip
        yield self._row("response_item", type="function_call", name="exec_command", call_id=call,
                        arguments=json.dumps({"cmd": given}))  # fmt: skip
        answer = f"Wall time: 0.1 seconds\nProcess exited with code 0\nOutput:\n{output}"
        yield self._row("response_item", type="function_call_output", call_id=call, output=answer)

    def _says(self, role: str, text: str) -> bytes:
        kind = "output_text" if role == "assistant" else "input_text"
        return self._row("response_item", type="message", role=role,
                         content=[{"type": kind, "text": text}])  # fmt: skip

    def _row(self, kind: str, **payload: Any) -> bytes:
        return line({"timestamp": self._moment(), "type": kind, "payload": payload})


class Pi(Texts):
    """A tree of entries with a single line of history."""

    def __init__(self, seed: int, project: str) -> None:
        super().__init__(seed, project)
        self._tip: str | None = None
        self._started = False

    def path(self, home: Path) -> Path:
        folder = home / ".pi" / "agent" / "sessions" / f"-{self._project.replace('/', '-')}--"
        return folder / f"2026-03-02T09-00-00-000Z_{self._session}.jsonl"

    def turn(self) -> Iterator[bytes]:
        if not self._started:
            self._started = True
            yield line({"type": "session", "version": 3, "id": self._session,
                        "timestamp": self._moment(), "cwd": self._project})  # fmt: skip
        yield self._message("user", content=[_text(self._prose(8, 60))])
        for _ in range(self._random.randint(1, 5)):
            yield from self._tool()
        yield self._answer(_text(self._prose(20, 160)), "stop")

    def _tool(self) -> Iterator[bytes]:
        call = "call_" + self._token(24)
        number = self._random.randrange(len(self._files))
        name, given, output = "bash", {"command": f"pytest -q tests/test_{number}.py"}, ""
        if self._random.random() < 0.5:
            name, given = "read", {"path": f"src/module_{number}.py"}
            output = self._files[number]
        block = {"type": "toolCall", "id": call, "name": name, "arguments": given}
        yield self._answer(block, "toolUse")
        yield self._message("toolResult", toolCallId=call, toolName=name, isError=False,
                            content=[_text(output or self._output())])  # fmt: skip

    def _answer(self, block: dict[str, Any], stop: str) -> bytes:
        nothing = dict.fromkeys(("input", "output", "cacheRead", "cacheWrite", "total"), 0)
        usage = {**nothing, "input": self._random.randint(3, 2000), "cost": nothing}
        return self._message(
            "assistant", content=[block], api="openai-completions", provider="openai",
            model="gpt-5", usage=usage, stopReason=stop,
        )  # fmt: skip

    def _message(self, role: str, **fields: Any) -> bytes:
        name = self._uuid()[:8]
        moment = self._moment()
        stamp = int(self._time.timestamp() * 1000)
        row = {"type": "message", "id": name, "parentId": self._tip, "timestamp": moment,
               "message": {"role": role, **fields, "timestamp": stamp}}  # fmt: skip
        self._tip = name
        return line(row)


class Gemini(Texts):
    """An event log: every message is followed by the time of change."""

    def __init__(self, seed: int, project: str) -> None:
        super().__init__(seed, project)
        self._started = False

    def path(self, home: Path) -> Path:
        folder = home / ".gemini" / "tmp" / hashlib.sha256(self._project.encode()).hexdigest()
        return folder / "chats" / f"session-2026-03-02T09-00-{self._session[:8]}.jsonl"

    def turn(self) -> Iterator[bytes]:
        if not self._started:
            self._started = True
            project = hashlib.sha256(self._project.encode()).hexdigest()
            yield line({"sessionId": self._session, "projectHash": project, "kind": "main",
                        "startTime": self._moment(), "lastUpdated": self._moment()})  # fmt: skip
        yield from self._message("user", [{"text": self._prose(8, 60)}])
        for _ in range(self._random.randint(1, 5)):
            yield from self._tool()
        yield from self._says(self._prose(20, 160))

    def _tool(self) -> Iterator[bytes]:
        number = self._random.randrange(len(self._files))
        name, given, output = "read_file", {"path": f"src/module_{number}.py"}, self._files[number]
        if self._random.random() < 0.5:
            name = "run_shell_command"
            given, output = {"command": f"pytest -q tests/test_{number}.py"}, self._output()
        identity = f"{name}-{self._token(12)}"
        response = {"functionResponse": {"id": identity, "name": name,
                                         "response": {"output": output}}}  # fmt: skip
        call = {"id": identity, "name": name, "args": given, "result": [response],
                "status": "success", "timestamp": self._moment(),
                "resultDisplay": output[:2000]}  # fmt: skip
        yield from self._says("", toolCalls=[call])
        yield from self._message("user", [response])

    def _says(self, text: str, **fields: Any) -> Iterator[bytes]:
        tokens = {"input": 100, "output": 10, "cached": 5, "thoughts": 0, "tool": 0, "total": 110}
        yield from self._message("gemini", text, thoughts=[], tokens=tokens,
                                 model="gemini-2.5-pro", **fields)  # fmt: skip

    def _message(self, kind: str, content: object, **fields: Any) -> Iterator[bytes]:
        yield line({"id": self._uuid(), "timestamp": self._moment(), "type": kind,
                    "content": content, **fields})  # fmt: skip
        yield line({"$set": {"lastUpdated": self._moment()}})


def _text(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}
