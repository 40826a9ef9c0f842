"""Real agents go on with sessions that their services would refuse: killed between calls and
results, with half an emoji in an output, with more screenshots than a request may hold."""

from __future__ import annotations

import base64
import hashlib
import json
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.builders import Claude
from tests.codex_builder import Codex
from tests.gemini_builder import Gemini
from tests.pi_builder import Pi
from tests.qwen_builder import QWEN_ID, Qwen

from . import test_claude, test_codex, test_gemini, test_pi, test_qwen
from .conftest import Model, User, conversation, first_call_of
from .test_convert import ASK

claude_user, codex_user, gemini_user, pi_user, qwen_user = (
    test_claude.claude_user, test_codex.codex_user, test_gemini.gemini_user,
    test_pi.pi_user, test_qwen.qwen_user,
)  # fmt: skip

OUTPUT = "half HALF smile"
FOLLOWS = "Second beta-222"


def killed_claude() -> bytes:
    session = Claude()
    session.prompt("First alpha-111")
    ids = [session.call("Bash", {"command": "ls"}, "one") for _ in range(3)]
    session.result(ids[0], "listed one")
    session.result(ids[2], OUTPUT)
    session.prompt(FOLLOWS)
    session.say("I was interrupted")
    return session.data


def killed_codex() -> bytes:
    session = Codex().starts().says("user", "First alpha-111")
    for number in range(3):
        session.item("function_call", name="exec_command", arguments="{}", call_id=f"c{number}")
    for number, output in ((0, "listed one"), (2, OUTPUT)):
        session.item("function_call_output", call_id=f"c{number}", output=output)
    return session.starts().says("user", FOLLOWS).says("assistant", "interrupted").ends().data


def killed_pi() -> bytes:
    session = Pi()
    session.prompt("First alpha-111")
    calls = [{"type": "toolCall", "id": f"c{n}", "name": "bash", "arguments": {"command": "ls"}}
             for n in range(3)]  # fmt: skip
    session.answer(*calls, stop="toolUse")
    session.result("c0", "bash", "listed one")
    session.result("c2", "bash", OUTPUT)
    session.prompt(FOLLOWS)
    session.say("I was interrupted")
    return session.data


def killed_gemini() -> bytes:
    session = Gemini()
    session.prompt("First alpha-111")
    row = session.say("")
    calls: list[dict[str, Any]] = [
        {"id": f"c{n}", "name": "run_shell_command", "args": {"command": "ls"}} for n in range(3)
    ]
    for number, output in ((0, "listed one"), (2, OUTPUT)):
        response = {"id": f"c{number}", "name": "run_shell_command", "response": {"output": output}}
        calls[number] |= {"status": "success", "result": [{"functionResponse": response}]}
    session.raw({**row, "toolCalls": calls})
    session.prompt(FOLLOWS)
    session.say("I was interrupted")
    return session.data


def killed_qwen() -> bytes:
    session = Qwen()
    session.prompt("First alpha-111")
    session.answer(*({"functionCall": {"id": f"c{n}", "name": "run_shell_command",
                                       "args": {"command": "ls"}}} for n in range(3)))  # fmt: skip
    session.result("c0", "run_shell_command", "listed one")
    session.result("c2", "run_shell_command", OUTPUT)
    session.prompt(FOLLOWS)
    session.say("I was interrupted")
    return session.data


KILLED: dict[str, Callable[[], bytes]] = {
    "claude-code": killed_claude, "codex": killed_codex, "pi": killed_pi, "gemini": killed_gemini,
    "qwen": killed_qwen,
}  # fmt: skip


def taken_in(user: User, agent: str, data: bytes, tmp_path: Path) -> dict[str, Any]:
    """The file imported, and checked out where it ended."""
    file = tmp_path / (f"{QWEN_ID}.jsonl" if agent == "qwen" else "session-a.jsonl")
    file.write_bytes(data)
    user.gitsession("import", str(file))
    done: dict[str, Any] = user.json("checkout", "HEAD")["checkout"]
    assert done["agent"] == agent
    return done


@pytest.mark.parametrize("agent", KILLED)
def test_killed_between_three_calls_and_two_results(
    request: pytest.FixtureRequest, model: Model, tmp_path: Path, agent: str
) -> None:
    user: User = request.getfixturevalue(f"{agent.partition('-')[0]}_user")
    data = KILLED[agent]().replace(b"half HALF", b"half \\ud83d")
    assert rb"\ud83d" in data
    done = taken_in(user, agent, data, tmp_path)
    repairs = " ".join(done["repairs"])
    assert "half surrogate" in repairs
    assert "interrupted" in repairs
    assert ASK[agent](user, "Continued omega-777", done["native_id"]) == done["native_id"]
    body = first_call_of(model, "Continued omega-777")
    said = conversation(body)
    assert sum(results for _, _, results in said) == 3
    text = json.dumps(body, ensure_ascii=False)
    assert all(word in text for word in ("alpha-111", "listed one", "half \ufffd smile", FOLLOWS))
    assert "never got a result" in text


def screenshot(number: int) -> str:
    """Half a megabyte of base64: a picture of noise that repeats in no other one."""
    side = 370
    noise = hashlib.shake_256(str(number).encode()).digest(side * side * 3)
    rows = (noise[at : at + side * 3] for at in range(0, len(noise), side * 3))
    lines = b"".join(b"\0" + row for row in rows)
    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(lines, 0)), (b"IEND", b""))
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*c) for c in chunks)).decode()


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def shown_to_claude() -> bytes:
    session = Claude()
    for number in range(42):
        source = {"type": "base64", "media_type": "image/png", "data": screenshot(number)}
        block = {"type": "text", "text": f"Screen {number}"}
        session.prompt([block, {"type": "image", "source": source}])
        session.say("seen")
    return session.data


def shown_to_codex() -> bytes:
    session = Codex()
    for number in range(42):
        url = f"data:image/png;base64,{screenshot(number)}"
        content = [{"type": "input_text", "text": f"Screen {number}"},
                   {"type": "input_image", "image_url": url}]  # fmt: skip
        session.starts().item("message", role="user", content=content)
        session.says("assistant", "seen").ends()
    return session.data


def shown_to_gemini() -> bytes:
    session = Gemini()
    for number in range(42):
        inline = {"mimeType": "image/png", "data": screenshot(number)}
        session.message("user", [{"text": f"Screen {number}"}, {"inlineData": inline}])
        session.say("seen")
    return session.data


SHOWN = {"claude-code": shown_to_claude, "codex": shown_to_codex, "gemini": shown_to_gemini}


@pytest.mark.parametrize("agent", SHOWN)
def test_42_screenshots(
    request: pytest.FixtureRequest, model: Model, tmp_path: Path, agent: str
) -> None:
    user: User = request.getfixturevalue(f"{agent.partition('-')[0]}_user")
    done = taken_in(user, agent, SHOWN[agent](), tmp_path)
    [listed] = [repair for repair in done["repairs"] if "images of 42" in repair]
    gone = int(listed.split()[0])
    assert 0 < gone < 20
    ASK[agent](user, "Continued omega-777", done["native_id"])
    text = json.dumps(first_call_of(model, "Continued omega-777"))
    assert all(f"Screen {number}" in text for number in range(42))
    assert text.count("left out here for its size") == gone
    assert screenshot(41)[:2000] in text
    assert screenshot(0)[:2000] not in text
    assert len(text) < 24 << 20
