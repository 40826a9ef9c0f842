"""Deterministic sessions as Claude Code writes them: the same seed and size give the same bytes.

The shapes follow real transcripts: a turn has a prompt, some tool calls with results and UI copies
of them, and an answer; `originalFile` contains whole files (a quarter of all bytes); a third of the
file reads repeat an earlier read; one text in ten is Chinese; one line in two hundred is long.
"""

from __future__ import annotations

import base64
import json
import random
import sys
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

WORDS = [
    "the",
    "parser",
    "reads",
    "a",
    "record",
    "and",
    "keeps",
    "its",
    "bytes",
    "while",
    "cache",
    "index",
    "branch",
    "token",
    "budget",
    "handler",
    "returns",
    "value",
    "error",
    "test",
    "config",
    "module",
    "function",
    "import",
    "session",
    "version",
    "store",
    "commit",
    "tree",
    "when",
    "user",
    "asks",
    "for",
    "a",
    "change",
    "we",
    "look",
    "at",
    "the",
    "file",
    "first",
    "then",
    "edit",
    "it",
    "and",
    "run",
    "the",
    "checks",
    "again",
    "request",
    "response",
    "client",
    "server",
    "queue",
    "worker",
    "retry",
    "timeout",
    "log",
    "metric",
    "field",
    "schema",
    "table",
    "row",
]
CHINESE = (
    "我们先看一下这个文件然后修改解析器再运行测试如果失败就回到上一个版本继续讨论上下文压缩的问题"
)
START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


class Texts:
    """The material of any session: prose, changing files of a project, ids, a clock."""

    def __init__(self, seed: int, project: str) -> None:
        self._random = random.Random(seed)
        self._project = project
        self._session = str(uuid.UUID(int=self._random.getrandbits(128), version=4))
        self._time = START + timedelta(seconds=seed)
        self._files = [self._source(self._random.randint(20, 400)) for _ in range(24)]
        self.planted: list[str] = []
        """Values to put into the next texts, one into each: secrets that a save has to find."""

    @property
    def session(self) -> str:
        return self._session

    def _moment(self) -> str:
        """Return the time of the next record."""
        self._time += timedelta(milliseconds=self._random.randint(40, 9000))
        return self._time.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def _prose(self, low: int, high: int) -> str:
        count = self._random.randint(low, max(low, high))
        if self.planted:
            return f"{self._random.choice(WORDS)} {self.planted.pop()} {self._random.choice(WORDS)}"
        if self._random.random() < 0.1:
            return "".join(self._random.choice(CHINESE) for _ in range(count * 2))
        return " ".join(self._random.choice(WORDS) for _ in range(count))

    def _output(self) -> str:
        """Return a command's output: one in thirty is long."""
        size = 20000 if self._random.random() < 0.03 else self._random.randint(40, 1500)
        return self._prose(size // 6, size // 5)

    def _source(self, lines: int) -> str:
        rows = []
        for _ in range(lines):
            first, second = self._random.choice(WORDS), self._random.choice(WORDS)
            rows.append(f"    {first}_{self._random.randint(0, 99)} = {second}({first!r})")
        return "\n".join(rows) + "\n"

    def _token(self, length: int) -> str:
        raw = self._random.randbytes(length)
        return base64.b32encode(raw).decode()[:length]

    def _uuid(self) -> str:
        return str(uuid.UUID(int=self._random.getrandbits(128), version=4))


class Generator(Texts):
    """The lines of one Claude Code session, turn by turn."""

    def __init__(self, seed: int, project: str = "/home/dev/demo") -> None:
        super().__init__(seed, project)
        self._parent: str | None = None

    def path(self, home: Path) -> Path:
        """Return the path at which Claude Code keeps this session for a user with that HOME."""
        name = "".join(c if c.isalnum() and c.isascii() else "-" for c in self._project)
        return home / ".claude" / "projects" / name / f"{self._session}.jsonl"

    def turn(self) -> Iterator[bytes]:
        """Yield the lines of one finished turn, about 16 KB on average."""
        yield self._user(self._prose(8, 60))
        for _ in range(self._random.randint(1, 5)):
            yield from self._tool()
        yield self._assistant({"type": "text", "text": self._prose(20, 160)}, "end_turn")

    def _tool(self) -> Iterator[bytes]:
        kind = self._random.random()
        number = self._random.randrange(len(self._files))
        path = f"{self._project}/src/module_{number}.py"
        call = "toolu_" + self._token(24)
        if kind < 0.45:
            content = self._files[number]
            yield self._assistant(_use(call, "Read", {"file_path": path}), "tool_use")
            lines = content.count("\n")
            result = {"type": "text", "file": {"filePath": path, "content": content,
                      "numLines": lines, "startLine": 1, "totalLines": lines}}  # fmt: skip
            yield self._result(call, content, result)
        elif kind < 0.65:
            yield from self._edit(call, number, path)
        else:
            command = f"pytest -q tests/test_{number}.py"
            yield self._assistant(_use(call, "Bash", {"command": command}), "tool_use")
            output = self._output()
            yield self._result(call, output, {"stdout": output, "stderr": "", "interrupted": False})

    def _edit(self, call: str, number: int, path: str) -> Iterator[bytes]:
        before = self._files[number]
        old = self._random.choice([line for line in before.split("\n") if line])
        new = f"    value = {self._random.randint(0, 10**6)}"
        self._files[number] = before.replace(old, new, 1)
        given = {"file_path": path, "old_string": old, "new_string": new}
        yield self._assistant(_use(call, "Edit", given), "tool_use")
        yield self._result(
            call,
            f"The file {path} has been updated.",
            {"filePath": path, "oldString": old, "newString": new, "originalFile": before,
             "structuredPatch": [], "userModified": False, "replaceAll": False},
        )  # fmt: skip

    def _user(self, text: str) -> bytes:
        return self._row("user", {"message": {"role": "user", "content": text}})

    def _result(self, call: str, text: str, detail: dict[str, Any]) -> bytes:
        block = {"tool_use_id": call, "type": "tool_result", "content": text}
        message = {"role": "user", "content": [block]}
        return self._row("user", {"message": message, "toolUseResult": detail})

    def _assistant(self, block: dict[str, Any], stop: str) -> bytes:
        usage = {"input_tokens": self._random.randint(3, 2000),
                 "cache_read_input_tokens": self._random.randint(0, 90000),
                 "output_tokens": self._random.randint(5, 900)}  # fmt: skip
        message = {"id": "msg_" + self._token(24), "type": "message", "role": "assistant",
                   "model": "claude-opus-4-5", "content": [block], "stop_reason": stop,
                   "usage": usage}  # fmt: skip
        return self._row("assistant", {"message": message, "requestId": "req_" + self._token(24)})

    def _row(self, kind: str, body: dict[str, Any]) -> bytes:
        moment = self._moment()
        identity = self._uuid()
        row = {
            "parentUuid": self._parent, "isSidechain": False, "userType": "external",
            "cwd": self._project, "sessionId": self._session, "version": "2.1.205",
            "gitBranch": "main", "type": kind, **body, "uuid": identity,
            "timestamp": moment,
        }  # fmt: skip
        self._parent = identity
        return line(row)


def line(value: object) -> bytes:
    """Return one record as the agents write it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _use(call: str, name: str, given: dict[str, Any]) -> dict[str, Any]:
    return {"type": "tool_use", "id": call, "name": name, "input": given}


def session(seed: int, size: int, project: str = "/home/dev/demo") -> Iterator[bytes]:
    """Yield whole turns until at least `size` bytes are reached."""
    generator = Generator(seed, project)
    written = 0
    while written < size:
        for record in generator.turn():
            written += len(record)
            yield record


if __name__ == "__main__":
    for record in session(int(sys.argv[1]), int(sys.argv[2])):
        sys.stdout.buffer.write(record)
