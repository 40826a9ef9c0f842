"""Makes Kimi Code sessions for tests: small, deterministic, in the agent's own shape."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from gitsession.agents.kimi.find import folder_name
from tests.builders import a_uuid

KIMI_ID = "session_6a76f041-1a5c-43ef-a8df-0d0b22514b34"
_START = 1_769_860_800_000


class Kimi:
    """The log of one agent of a session that grows event by event."""

    def __init__(self, agent: str = "main", start: int = _START) -> None:
        self.agent, self.start = agent, start
        self.rows: list[dict[str, Any]] = []
        self.steps = self.turns = 0
        self.rows.append({"type": "metadata", "protocol_version": "1.5", "created_at": start})
        self.add("runtime.set_binding", workspaceId="wd_project_0", runtimeId="local")
        self.add(
            "profile.bind", modelAlias="fake", profileName="agent", thinkingEffort="off",
            systemPrompt="You help in /project.", disallowedTools=[],
        )  # fmt: skip
        self.add("permission.set_mode", mode="auto")

    @property
    def data(self) -> bytes:
        return b"".join(json.dumps(row).encode() + b"\n" for row in self.rows)

    def add(self, kind: str, /, **fields: Any) -> Kimi:
        moment = self.start + len(self.rows) * 1000
        self.rows.append({"type": kind, "agentId": self.agent, **fields, "time": moment})
        return self

    def event(self, kind: str, /, **fields: Any) -> Kimi:
        return self.add("context.append_loop_event", event={"type": kind, **fields})

    def put_in(self, text: str, **origin: Any) -> Kimi:
        """A message that the user may not have typed."""
        content = [{"type": "text", "text": text}]
        message = {"role": "user", "content": content, "toolCalls": [], "origin": origin}
        return self.add("context.append_message", message=message)

    def prompt(self, text: str, *blocks: dict[str, Any], **more: Any) -> Kimi:
        content, origin = [{"type": "text", "text": text}, *blocks], {"kind": "user", **more}
        name = f"msg_{self.turns}"
        self.add("turn.prompt", input=content, origin=origin, promptId=name, turnId=self.turns)
        message = {"role": "user", "content": content, "id": name, "toolCalls": [],
                   "origin": origin}  # fmt: skip
        self.add("context.append_message", message=message)
        return self.put_in("<system-reminder>today</system-reminder>", kind="injection",
                           variant="date_change")  # fmt: skip

    def step(self, text: str = "", *calls: tuple[str, str, dict[str, Any]]) -> Kimi:
        """One answer of the model, its calls not yet answered: `done` ends it."""
        self.steps += 1
        name = a_uuid(self.agent, self.steps)
        inside = {"turnId": str(self.turns), "step": self.steps, "stepUuid": name}
        self.event("step.begin", uuid=name, turnId=str(self.turns), step=self.steps)
        self.add("llm.request", kind="loop", provider="openai", model="fake-model")
        usage = {"inputOther": 100, "output": 10, "inputCacheRead": 5, "inputCacheCreation": 0}
        self.add("usage.record", model="fake", usage=usage, usageScope="turn")
        if text:
            self.event("content.part", uuid=f"p{name}", **inside,
                       part={"type": "text", "text": text})  # fmt: skip
        for call_id, tool, arguments in calls:
            self.event("tool.call", uuid=f"c{call_id}", **inside, toolCallId=call_id, name=tool,
                       args=arguments, display={"kind": "x", "cwd": "/project"})  # fmt: skip
        return self

    def result(self, call_id: str, output: Any, **more: Any) -> Kimi:
        return self.event("tool.result", parentUuid=f"c{call_id}", toolCallId=call_id,
                          result={"output": output, **more})  # fmt: skip

    def done(self, reason: str = "end_turn") -> Kimi:
        usage = {"inputOther": 100, "output": 10, "inputCacheRead": 5, "inputCacheCreation": 0}
        return self.event("step.end", uuid=a_uuid(self.agent, self.steps), turnId=str(self.turns),
                          step=self.steps, finishReason=reason, usage=usage)  # fmt: skip

    def tool(self, name: str, output: Any, *, note: str = "", **arguments: Any) -> Kimi:
        call_id = f"call_{len(self.rows)}"
        self.step(f"I use {name}.", (call_id, name, arguments))
        more = {"note": note} if note else {}
        return self.result(call_id, output, **more).done("tool_use")

    def read(self, path: str, text: str) -> Kimi:
        shown = "\n".join(f"{n}\t{row}" for n, row in enumerate(text.splitlines(), 1))
        note = "read from file starting from line 1. End of file reached."
        return self.tool("Read", shown, note=note, path=path)

    def end(self, reason: str = "completed") -> Kimi:
        self.add("turn.ended", turnId=self.turns, reason=reason, durationMs=5)
        self.turns += 1
        return self

    def turn(self, prompt: str, answer: str = "", *, command: str = "") -> Kimi:
        self.prompt(prompt)
        if command:
            self.tool("Bash", f"output of {command}\n", command=command)
        return self.step(answer or f"answer to {prompt}").done().end()

    def undo(self, line: int, base: str = "main", branch: str = "b1", turns: int = 1) -> Kimi:
        """As `/undo` does it: what stands behind that line is no more part of the talk."""
        here = len(self.rows)
        self.add("agent.switched", branch=branch, reason="undo", turns=turns,
                 base={"branch": base, "line": line}, legacyUndoLine=here + 2)  # fmt: skip
        self.add("context.undo", count=turns)
        return self.add("context.undone", turns=turns, fromTurnId=self.turns)

    def compact(self, summary: str, kept: int = 1, **more: Any) -> Kimi:
        return self.add(
            "context.apply_compaction", summary=summary, contextSummary=f"So far: {summary}",
            compactedCount=4, tokensBefore=900, keptUserMessageCount=kept,
            wireLines={"start": 1, "end": len(self.rows)}, **more,
        )  # fmt: skip


def kimi_session(turns: int = 1, *, command: str = "ls") -> bytes:
    """A finished session; more turns extend fewer byte for byte."""
    session = Kimi()
    for number in range(1, turns + 1):
        session.turn(f"question {number}", command=command)
    return session.data


def folder(home: Path, cwd: str = "/project", native_id: str = KIMI_ID) -> Path:
    return home / ".kimi-code" / "sessions" / folder_name(cwd) / native_id


def put(home: Path, data: bytes, cwd: str = "/project", **beside: bytes) -> Path:
    """A session's files; `beside` are the logs of subagents by their names."""
    top = folder(home, cwd)
    for name, log in {**beside, "main": data}.items():
        (top / "agents" / name).mkdir(parents=True, exist_ok=True)
        (top / "agents" / name / "wire.jsonl").write_bytes(log)
    state = {"id": KIMI_ID, "version": 2, "cwd": cwd, "agents": {}}
    (top / "state.json").write_text(json.dumps(state))
    return top / "agents" / "main" / "wire.jsonl"
