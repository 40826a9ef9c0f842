"""Makes sessions of Continue's `cn` for tests: the document it writes anew, and the list beside."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

CONTINUE_ID = "278cc8ae-d6ad-495f-b97c-490405ac382e"
_BEGUN = 1_796_064_286_455


class Continue:
    """A session that grows item by item."""

    def __init__(self, session_id: str = CONTINUE_ID, cwd: str = "/project") -> None:
        self.session_id, self.cwd, self.title = session_id, cwd, "Untitled Session"
        self.history: list[dict[str, Any]] = []

    def item(self, message: dict[str, Any], **more: Any) -> Continue:
        self.history.append({"message": message, "contextItems": [], **more})
        return self

    def ask(self, content: object, **more: Any) -> Continue:
        return self.item({"role": "user", "content": content}, **more, editorState=content)

    def answer(self, text: str, *calls: dict[str, Any]) -> Continue:
        """What the model says; `calls` are states of its calls (see `call`)."""
        message: dict[str, Any] = {"role": "assistant", "content": text}
        if calls:
            message["toolCalls"] = [state["toolCall"] for state in calls]
        message["usage"] = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110,
                            "model": "fake-model", "cost_cents": 0}  # fmt: skip
        return self.item(message, **({"toolCallStates": list(calls)} if calls else {}))

    def turn(self, n: int) -> Continue:
        self.ask(f"question {n}")
        self.answer("", call(f"c{n}", "Bash", {"command": "ls"}, "a.py\n"))
        return self.answer(f"answer to question {n}")

    def compact(self, summary: str) -> Continue:
        """All that was said goes; the summary stands in its place."""
        self.history = []
        message = {"role": "assistant", "content": summary}
        return self.item(message, conversationSummary=summary)

    @property
    def data(self) -> bytes:
        value = {"sessionId": self.session_id, "title": self.title,
                 "workspaceDirectory": self.cwd, "history": self.history,
                 "usage": {"totalCost": 0, "promptTokens": 100 * len(self.history)}}  # fmt: skip
        return json.dumps(value, indent=2, ensure_ascii=False).encode()

    def save(self, home: Path) -> Path:
        return put(home, self.data, self.session_id)


def call(
    call_id: str, name: str, given: dict[str, Any], output: str | None, status: str = "done"
) -> dict[str, Any]:
    """The state of a tool call; without an output it has none yet."""
    made = {"id": call_id, "type": "function",
            "function": {"name": name, "arguments": json.dumps(given)}}  # fmt: skip
    shown = {"content": output, "name": "Tool Result", "description": "Tool execution result"}
    told = {} if output is None else {"output": [shown]}
    return {"toolCallId": call_id, "toolCall": made, "status": status, "parsedArgs": given, **told}


def grown(turns: int) -> bytes:
    session = Continue()
    for n in range(1, turns + 1):
        session.turn(n)
    return session.data


def put(home: Path, data: bytes, session_id: str = CONTINUE_ID) -> Path:
    folder = home / ".continue" / "sessions"
    folder.mkdir(parents=True, exist_ok=True)
    listed = [{"sessionId": session_id, "title": "x", "dateCreated": str(_BEGUN),
               "workspaceDirectory": "/project", "messageCount": 1}]  # fmt: skip
    (folder / "sessions.json").write_text(json.dumps(listed))
    path = folder / f"{session_id}.json"
    path.write_bytes(data)
    return path
