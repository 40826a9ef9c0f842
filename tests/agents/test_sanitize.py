"""export --sanitize: the shape of a session, and not one of its texts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gitsession.agents import registry, sanitize
from gitsession.agents.opencode import AGENT
from tests.agents.contract import the_source, whole
from tests.agents.contract_reading import place
from tests.opencode_builder import OpenCode, tool

PLANTED = tuple(f"planted-{word}-zq" for word in (
    "title", "slug", "cwd", "path", "metadata", "summary", "prompt", "system", "file", "url",
    "source", "input", "output", "label", "detail", "failure", "apology", "patch", "task",
    "helper", "thought", "signature", "raw", "rule",
))  # fmt: skip


def _planted() -> OpenCode:
    (title, slug, cwd, path, metadata, summary, prompt, system, file, url, source, given, output,
     label, detail, failure, apology, patch, task, helper, thought, signature, raw,
     rule) = PLANTED  # fmt: skip
    session = OpenCode(cwd=f"/home/bob/{cwd}")
    session.title = title
    rules = [{"permission": "bash", "pattern": rule, "action": "allow"}]
    session.more = {"slug": slug, "path": path, "metadata": {metadata: metadata},
                    "permission": rules}  # fmt: skip
    session.user(
        {"type": "text", "text": prompt},
        {"type": "file", "mime": "text/plain", "filename": file, "url": f"file:///{url}",
         "source": {"type": "file", "path": source, "text": {"value": source, "start": 0}}},
        {"type": "subtask", "prompt": task, "description": task, "agent": helper},
        system=system, summary={"title": summary, "body": summary, "diffs": [{"file": summary}]},
    )  # fmt: skip
    return session.assistant(
        "tool-calls",
        {"type": "reasoning", "text": thought, "metadata": {"a": {"signature": signature}}},
        tool("c1", "bash", {given: given}, output, title=label, metadata={detail: [detail]}),
        {"type": "tool", "tool": "bash", "callID": "c2", "state": {"status": "error", "input": {},
         "error": f"no such file /home/bob/{failure}", "time": {"start": 1, "end": 2}}},
        {"type": "tool", "tool": "bash", "callID": "c3",
         "state": {"status": "pending", "input": {}, "raw": raw}},
        {"type": "patch", "hash": "ab" * 20, "files": [f"/home/bob/{patch}"]},
        {"type": "agent", "name": helper},
        error={"name": "UnknownError", "data": {"message": f"/home/bob/{apology}"}},
    )  # fmt: skip


@pytest.mark.parametrize("form", ["export", "db"])
def test_OC21_nothing_planted_remains(tmp_path: Path, form: str) -> None:
    session = _planted()
    path = (place(tmp_path / "a.json", session.export) if form == "export"
            else session.save(tmp_path / "opencode.db"))  # fmt: skip
    read = whole(AGENT.read(the_source(AGENT, path)))
    text = sanitize.dump(read).decode()
    assert [word for word in PLANTED if word in text] == []
    assert "bob" not in text
    value = json.loads(text)
    assert _shape(value["messages"]) == _shape(session.messages)
    assert value["info"]["time"] == session.info()["time"]
    assert [m["info"]["id"] for m in value["messages"]] == [
        m["info"]["id"] for m in session.messages
    ]
    back = whole(AGENT.read(the_source(AGENT, place(tmp_path / "b.json", text.encode()))))
    assert [m.role for m in AGENT.messages(back)] == [m.role for m in AGENT.messages(read)]


def _shape(value: Any) -> Any:
    """Types of values, names of what is no tool's own."""
    if isinstance(value, dict):
        own = "status" in value or "role" in value or "type" in value
        return {key if own else "": _shape(item) for key, item in sorted(value.items())}
    if isinstance(value, list):
        return [_shape(item) for item in value]
    return type(value)


@pytest.mark.parametrize("name", ["claude-code", "codex", "gemini", "pi", "qwen", "copilot"])
def test_recorded_sessions_lose_every_word(samples: Path, name: str) -> None:
    folder = samples / "recorded" / name.removesuffix("-code")
    for path in sorted(folder.rglob("*.jsonl")):
        agent = registry.get(name)
        source = agent.recognise(path)
        if source is None:
            continue
        read = whole(agent.read(source))
        text = sanitize.dump(read).decode()
        said = [m.text for m in agent.messages(read) if len(m.text) > 12]
        assert said
        assert not [words for words in said if json.dumps(words)[1:-1] in text]
        assert not any(word in text for word in ("alpha-111", "shell-says-hi", "/tmp/demo"))
        rows = sum(bool(json.loads(line)) for line in text.splitlines())
        assert rows == read.counts.records - read.counts.damaged
