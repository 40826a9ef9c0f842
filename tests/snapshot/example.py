"""The session that the golden bytes and the examples of docs/reference/format-v1.md are made of.

`python -m tests.snapshot.example` writes both anew: only for a new format.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

from gitsession.model.message import Usage
from gitsession.model.record import File, Record, Sidecar, Stream
from gitsession.model.session import Counts, Info, Session, State, Todo, Turn
from gitsession.snapshot import Head, encode
from tests.snapshot.making import FIELDS, apply, redacted

GOLDEN = Path(__file__).with_name("golden-v1.json")
PAGE = Path(__file__).parents[2] / "docs" / "reference" / "format-v1.md"
NATIVE = "0f8b6a52-6a0e-4f4e-9c1f-3f8f2b7f6c11"
LONG = "def main():\\n    return 0  # caf\u00e9\\n" * 128
_EXAMPLE = re.compile(r"<!-- example: (\S+) -->\n```(\w*)\n(.*?)```\n", re.S)


def _line(kind: str, rest: str) -> Record:
    common = f'"cwd":"/home/ada/app","sessionId":"{NATIVE}","version":"2.1.300"'
    return Record(f'{{"type":"{kind}",{common},{rest}}}\n'.encode())


def _info(updated: str) -> Info:
    return Info(
        agent="claude-code",
        native_id=NATIVE,
        title="Fix the failing test",
        cwd="/home/ada/app",
        created="2026-03-01T09:00:00.000Z",
        updated=updated,
        models=("claude-opus-5",),
        agent_version="2.1.300",
        git_branch="main",
        project="git:4b825dc642cb6eb9a060e54bf8d69288fbee4904",
        code="9fceb02d0ae598e95dc970b74767f19372d61af8",
    )


def first_turn() -> Session:
    records = (
        _line("user", '"message":{"role":"user","content":"Why does test_main fail?"}'),
        _line("user", f'"toolUseResult":{{"file":{{"content":"{LONG}"}}}}'),
        _line("assistant", '"message":{"role":"assistant","content":"main() returns 0."}'),
    )
    size = sum(len(record.data) for record in records)
    return Session(
        _info("2026-03-01T09:00:30.000Z"),
        streams=(Stream("main", records, 0, size),),
        files=(
            File("src/app.py", json.loads(f'"{LONG}"').encode(), size=len(LONG)),
            File("/etc/hosts", b"127.0.0.1 localhost\n", size=20),
            File(".env", None, "secret", 120),
        ),
        state=State(
            todos=(Todo("Look at app.py", "completed", "1"), Todo("Fix it", "pending", "2")),
            active_file="src/app.py",
            last_command="pytest -q",
            exit_code=1,
            output_snippet="1 failed\n",
            tools=("Bash", "Read"),
        ),
        usage=Usage(1200, 80, 4000, 300),
        counts=Counts(1, 3, 2, size),
        carry={"leaf": "b1"},
        turn=Turn("turn", "Why does test_main fail?\n\nHere is the log.", _time(30), True, 2),
        instructions=(File("CLAUDE.md", b"Run the tests first.\n", size=21),),
    )


def second_turn(first: Session) -> Session:
    """Another directory, a line with a NUL, a torn tail, a subagent; a sidecar; a file removed."""
    moved = _line("user", '"message":{"role":"user","content":"Fix it"}').data
    records = (
        Record(moved.replace(b"/home/ada/app", b"/home/ada/app/src")),
        Record(b"\0\0\0\n"),
        Record(b'{"type":"assistant","mess'),
    )
    size = first.counts.bytes + sum(len(record.data) for record in records)
    helper = (_line("user", '"isSidechain":true,"message":{"content":"Search"}'),)
    return Session(
        _info("2026-03-01T09:05:00.000Z"),
        streams=(
            Stream("main", records, 3, size),
            Stream("subagents/a1", helper, 0, len(helper[0].data)),
        ),
        sidecars=(Sidecar("tool-results/b2.txt", b"all of a long output\n"),),
        files=(
            File("src/aux.py", b"fixed = True\n", size=13),
            File("/etc/hosts", None, "deleted"),
        ),
        state=first.state,
        usage=Usage(2500, 200, 9000, 300),
        counts=Counts(2, 7, 3, size + len(helper[0].data), damaged=2),
        carry={"leaf": "b4"},
        turn=Turn("open", "Fix it", _time(300), False, 1),
    )


def _time(second: int) -> str:
    return f"2026-03-01T09:{second // 60:02d}:{second % 60:02d}.000Z"


def versions() -> list[tuple[dict[str, bytes], str, Head]]:
    """Tree, message and head of both versions."""
    first = first_turn()
    names = {"rules": "2026-03", "key": "k1"}
    encoded, head = encode(redacted(first), None, FIELDS, redaction=names)
    tree = apply({}, encoded)
    made = [(tree, encoded.message, head)]
    encoded, head = encode(redacted(second_turn(first)), head, FIELDS, redaction=names)
    made.append((apply(tree, encoded), encoded.message, head))
    return made


def golden() -> str:
    """Both versions as text: bytes as the characters of Latin-1."""
    rows = [
        {"files": {path: data.decode("latin-1") for path, data in sorted(tree.items())},
         "message": message}
        for tree, message, _ in versions()
    ]  # fmt: skip
    return json.dumps(rows, indent=1, ensure_ascii=True) + "\n"


def shown(name: str) -> str:
    """What the page shows under `<!-- example: NAME -->`; `2:` before a path is the second tree."""
    made = versions()
    if name.startswith("message"):
        return made[0][1]
    number, _, path = name.rpartition(":")
    tree = made[int(number or 1) - 1][0]
    if path == "tree":
        return "".join(f"{len(data):>6}  {path}\n" for path, data in sorted(tree.items()))
    return _visible(tree[path])


def _visible(data: bytes) -> str:
    """Bytes as a person reads them: marks as ␀ ␁ ␂, long texts cut, an open end marked."""
    text = data.decode().translate({0: "␀", 1: "␁", 2: "␂"})
    lines = [line if len(line) <= 160 else f"{line[:150]}…" for line in text.split("\n")]
    return "\n".join(lines) if text.endswith("\n") else "\n".join(lines) + "⏎̸\n"


def rendered(page: str) -> str:
    """`page` with every example made again."""

    def again(match: re.Match[str]) -> str:
        body = shown(match[1])
        return f"<!-- example: {match[1]} -->\n```{match[2]}\n{body}```\n"

    return _EXAMPLE.sub(again, page)


def examples(page: str) -> Mapping[str, str]:
    return {match[1]: match[3] for match in _EXAMPLE.finditer(page)}


if __name__ == "__main__":
    GOLDEN.write_text(golden(), encoding="utf-8")
    PAGE.write_text(rendered(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
