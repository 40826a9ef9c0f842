"""Makes native sessions of agents for tests: small, deterministic, in the agents' own shape."""

from __future__ import annotations

import datetime
import hashlib
import json
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path

from gitsession.model import finding
from gitsession.model.encoded import Encoded
from gitsession.model.finding import Clean
from gitsession.model.session import Info, Session

CLAUDE_ID = "11111111-2222-4333-8444-555555555555"
_START = datetime.datetime(2026, 1, 31, 12, 0, tzinfo=datetime.UTC)


def a_uuid(*seed: object) -> str:
    """A version 4 looking uuid that depends on the seed alone."""
    digest = hashlib.sha256(repr(seed).encode()).digest()
    return str(uuid.UUID(bytes=digest[:16], version=4))


class Claude:
    """A Claude Code session that grows record by record; `data` is the file so far.

    Ids and times are functions of the session id and the number of the row, so that two builders
    fed the same way give the same bytes, and a longer one extends a shorter one.
    """

    def __init__(
        self, session_id: str = CLAUDE_ID, cwd: str = "/project", version: str = "2.1.332"
    ) -> None:
        self.session_id, self.cwd, self.version = session_id, cwd, version
        self.rows: list[bytes] = []
        self.tip: str | None = None
        self.extra: dict[str, object] = {}

    @property
    def data(self) -> bytes:
        return b"".join(self.rows)

    def raw(self, data: bytes) -> Claude:
        """Bytes as they are (bring your own line end)."""
        self.rows.append(data)
        return self

    def row(self, **fields: object) -> Claude:
        """A side record without uuid, e.g. `row(type="custom-title", customTitle="x")`."""
        return self.raw(_line({**fields, "sessionId": self.session_id}))

    def tree(self, kind: str, parent: str | None = "", **fields: object) -> str:
        """A record of the tree under `parent` ("" for the tip); gives its uuid."""
        number = len(self.rows)
        name = a_uuid(self.session_id, number)
        record: dict[str, object] = {
            "parentUuid": self.tip if parent == "" else parent,
            "isSidechain": False,
            "type": kind,
            **fields,
            "uuid": name,
            "timestamp": self.time(number),
            "userType": "external",
            "entrypoint": "sdk-cli",
            "cwd": self.cwd,
            "sessionId": self.session_id,
            "version": self.version,
            "gitBranch": "main",
            **self.extra,
        }
        self.rows.append(_line(record))
        self.tip = name
        return name

    def time(self, number: int) -> str:
        moment = _START + datetime.timedelta(seconds=number)
        return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def prompt(self, text: object, parent: str | None = "") -> str:
        message = {"role": "user", "content": text}
        return self.tree("user", parent, message=message, permissionMode="default")

    def assistant(self, block: Mapping[str, object], stop: str | None, message: str = "") -> str:
        """One content block of an API message; `message` names it when it has several blocks."""
        api = {
            "id": f"msg_{message or len(self.rows)}",
            "type": "message",
            "role": "assistant",
            "model": "claude-opus-5-5",
            "content": [block],
            "stop_reason": stop,
            "usage": {"input_tokens": 100, "output_tokens": 10, "cache_read_input_tokens": 5},
        }
        return self.tree("assistant", message=api, requestId=f"req_{message or len(self.rows)}")

    def say(self, text: str, stop: str | None = "end_turn", message: str = "") -> str:
        return self.assistant({"type": "text", "text": text}, stop, message)

    def think(self, text: str, signature: str = "c2lnbmF0dXJl", stop: str | None = None) -> str:
        block = {"type": "thinking", "thinking": text, "signature": signature}
        return self.assistant(block, stop)

    def call(self, name: str, arguments: Mapping[str, object], message: str = "") -> str:
        """A tool call; gives its id for `result`."""
        call_id = f"toolu_{len(self.rows)}"
        block = {"type": "tool_use", "id": call_id, "name": name, "input": dict(arguments)}
        self.assistant(block, "tool_use", message)
        return call_id

    def result(
        self, call_id: str, output: object, native: object = None, error: bool = False
    ) -> str:
        block: dict[str, object] = {
            "tool_use_id": call_id,
            "type": "tool_result",
            "content": output,
        }
        if error:
            block["is_error"] = True
        content = {"role": "user", "content": [block]}
        more = {} if native is None else {"toolUseResult": native}
        return self.tree("user", message=content, **more)

    def bash(self, command: str, output: str = "") -> Claude:
        native = {"stdout": output, "stderr": "", "interrupted": False, "isImage": False}
        self.result(self.call("Bash", {"command": command}), output, native)
        return self

    def write(self, path: str, content: str) -> Claude:
        native = {"type": "create", "filePath": path, "content": content, "structuredPatch": []}
        call_id = self.call("Write", {"file_path": path, "content": content})
        self.result(call_id, f"File created successfully at: {path}", native)
        return self

    def edit(self, path: str, original: str, old: str, new: str) -> Claude:
        arguments = {"file_path": path, "old_string": old, "new_string": new}
        native = {
            "filePath": path,
            "oldString": old,
            "newString": new,
            "originalFile": original,
            "structuredPatch": [],
            "userModified": False,
            "replaceAll": False,
        }
        self.result(self.call("Edit", arguments), f"The file {path} has been updated.", native)
        return self

    def compact(self, summary: str = "what was said before") -> Claude:
        before = self.tip
        meta = {"trigger": "auto", "preTokens": 1000}
        self.tree(
            "system",
            None,
            subtype="compact_boundary",
            content="Conversation compacted",
            logicalParentUuid=before,
            compactMetadata=meta,
        )
        message = {"role": "user", "content": summary}
        self.tree("user", message=message, isCompactSummary=True)
        return self

    def turn(self, prompt: str, answer: str = "", *, command: str = "") -> Claude:
        """A whole turn: prompt, a shell command if given, the answer, the rows that follow it."""
        self.prompt(prompt)
        if command:
            self.bash(command, f"output of {command}")
        self.say(answer or f"answer to {prompt}")
        leaf = self.tip
        return self.row(type="last-prompt", lastPrompt=prompt, leafUuid=leaf)

    def save(self, home: Path) -> Path:
        """Put the file where Claude Code would, below this HOME; gives its path."""
        from gitsession.agents.claude_code.find import folder_name

        folder = home / ".claude" / "projects" / folder_name(self.cwd)
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.session_id}.jsonl"
        path.write_bytes(self.data)
        return path


def claude_session(
    turns: int | Sequence[str] = 1,
    *,
    session_id: str = CLAUDE_ID,
    cwd: str = "/project",
    command: str = "ls",
    padding: int = 0,
) -> bytes:
    """A finished Claude Code session of some turns (a number, or their prompts).

    `padding` adds that many characters to each answer. More turns extend fewer byte for byte.
    """
    prompts = [f"question {n}" for n in range(1, turns + 1)] if isinstance(turns, int) else turns
    session = Claude(session_id, cwd)
    for prompt in prompts:
        session.turn(prompt, f"answer to {prompt}" + " pad" * (padding // 4), command=command)
    return session.data


def _line(record: Mapping[str, object]) -> bytes:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def clean(text: str) -> Clean:
    """A text declared free of secrets, as redaction would."""
    return finding.Clean(text, finding._PROOF)


def redacted(session: Session | None = None) -> finding.Redacted:
    """A session declared free of secrets, without findings."""
    session = session or Session(Info("generic", "native-1"))
    return finding.Redacted(session, (), finding._PROOF)


def encoded(
    files: Mapping[str, bytes | None], message: str = "a turn", time: int = 1_770_000_000
) -> Encoded:
    """A version's content as snapshot would hand it to the store."""
    return Encoded(redacted(), files, message, time)
