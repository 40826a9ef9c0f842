"""Makes Mistral Vibe stores for tests: small, deterministic, in the agent's own shape."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

VIBE_ID = "81efe91a-7531-003c-a40f-05e729a3a4ea"
_START = 1_769_860_800_000
_GENERATION = "0000000000000034"


class Vibe:
    """The public history of a session, as one generation of its store holds it."""

    def __init__(self) -> None:
        self.entries: list[dict[str, Any]] = []
        self.turn = ""
        self.status = "completed"
        self.deltas: list[dict[str, Any]] = []
        self.taken_from = ""

    def entry(self, kind: str, /, **fields: Any) -> Vibe:
        number = len(self.entries)
        told = {"id": f"{kind}-{number}", "type": kind, "turnId": self.turn or None,
                "sessionId": VIBE_ID, "createdAt": _START + number * 1000, **fields}  # fmt: skip
        self.entries.append(told)
        return self

    def said(self, role: str, text: str, *blocks: dict[str, Any]) -> Vibe:
        return self.entry("message", role=role, content=[{"type": "text", "text": text}, *blocks])

    def prompt(self, text: str, *blocks: dict[str, Any]) -> Vibe:
        self.turn = f"turn-{len(self.entries)}"
        return self.said("user", text, *blocks)

    def tool(
        self, name: str, given: dict[str, Any], told: Any, status: str = "completed",
        before: str | None = None,
    ) -> Vibe:  # fmt: skip
        beside = {} if before is None else {
            "_meta": {"mistralai.vibe.sdk.search_replace": {"previous_content": before}}
        }  # fmt: skip
        output = {"type": "success", "content": [], "structured_content": told, **beside}
        state = {"status": status, "output": output, "outputText": ""}
        detail = {"kind": "tool", "toolName": f"file_system.{name}", "input": given}
        return self.entry("effect", title=f"file_system.{name}", detail=detail, state=state)

    def turn_of(self, prompt: str, *, command: str = "ls") -> Vibe:
        self.prompt(prompt)
        if command:
            told = {"command": command, "returncode": 0, "stderr": "", "stdout": "a.py\n"}
            self.said("assistant", "I look.").tool("bash", {"command": command}, told)
        return self.said("assistant", f"answer to {prompt}")

    def save(self, home: Path, cwd: str = "/project", title: str | None = None) -> Path:
        """The file that stands for the session."""
        top = home / ".vibe" / "logs" / "session" / "unified" / VIBE_ID
        place = top / "generations" / _GENERATION
        for folder in (place, top / "chunks", top / "journal"):
            folder.mkdir(parents=True, exist_ok=True)
        half = len(self.entries) // 2
        chunk = json.dumps(self.entries[:half]).encode()
        name = hashlib.sha256(chunk).hexdigest()
        (top / "chunks" / f"{name}.json").write_bytes(chunk)
        turn = {"id": self.turn, "status": self.status}
        snapshot = {"history": {"entries": self.entries[half:]}, "latestTurn": turn}
        _write(place / "projection-state.json", {"snapshot": snapshot})
        _write(place / "manifest.json", {
            "projection_state": {"chunks": [name], "path": "projection-state.json"},
            "recovery_journal_segment": {"path": "journal/0000000000000035.jsonl"},
        })  # fmt: skip
        source = {"backend": "legacy", "session_id": self.taken_from}
        provenance = {"history_sha256": "0", "imported_at": "", "source": source}
        taken = {"import_provenance": provenance if self.taken_from else None}
        text = json.dumps({"actions": [], **taken}, separators=(",", ":"))
        (place / "runtime-state.json").write_text(text)
        rows = [{"type": "projection_delta", "payload": {"delta": [one]}} for one in self.deltas]
        journal = top / "journal" / "0000000000000035.jsonl"
        journal.write_text("".join(json.dumps(row) + "\n" for row in rows))
        _write(top / "meta.json", {
            "session_id": VIBE_ID, "start_time": "2026-01-31T12:00:00+00:00", "title": title,
            "environment": {"working_directory": cwd}, "config": {"model_name": "m"},
        })  # fmt: skip
        current = {"generation": _GENERATION, "session_id": VIBE_ID,
                   "store_format": "mistral.vibe.unified-session-store/v1"}  # fmt: skip
        return _write(top / "CURRENT", current)


def _write(path: Path, value: Any) -> Path:
    path.write_text(json.dumps(value))
    return path
