"""Redaction of any text, any JSON value, any record, and any patch or summary read from texts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from gitsession.agents.claude_code import patch as claude_patch
from gitsession.agents.codex import patch as codex_patch
from gitsession.agents.lenient import mend_surrogates, parse_line
from gitsession.redaction import Redactor, redact_all, redact_json, redact_text
from tests.fuzz.of_versions import is_json
from tests.fuzz.reader import Reader

KEY = b"k" * 32
_NAMES = (
    b"password=", b"api_key: ", b"Authorization: Bearer ", b"AKIA", b"ghp_", b"sk-ant-api03-",
    b"-----BEGIN RSA PRIVATE KEY-----\n", b"-----END RSA PRIVATE KEY-----", b"eyJhbGciOi", b"https://a:b@",
    b"\\u0067hp_", b"%67hp_", b"\\n", b"\\\\", b"__REDACTED_secret_0a1b2c3d__", b"postgres://u:p@h/",
)  # fmt: skip

_PATCH = (
    b"*** Begin Patch\n", b"*** Update File: a\n", b"*** End Patch", b"@@ x\n", b"+a\n", b"-a\n",
    b"*** Add File: b\n", b"*** Move to: c\n", b"*** End of File\n", b"*** Delete File: a\n",
)  # fmt: skip


def readers() -> Iterator[Reader]:
    yield Reader("redact-text", "text", clean_text, text_seeds, _NAMES)
    yield Reader("redact-json", "json", clean_json, json_seeds, _NAMES)
    yield Reader("redact-record", "lines", clean_records, record_seeds, _NAMES)
    yield Reader("json-line", "lines", read_line, record_seeds)
    yield Reader("codex-patch", "text", read_patch, patch_seeds, _PATCH)
    yield Reader("claude-patch", "json", read_hunks, hunk_seeds)


def clean_text(data: bytes, folder: Path) -> None:
    text = data.decode("utf-8", "surrogateescape").encode("utf-8", "replace").decode()
    once = redact_text(text, KEY)
    assert isinstance(once, str)
    redact_all([text[: len(text) // 2], text[len(text) // 2 :]], KEY)
    Redactor(KEY).findings_in(text)


def clean_json(data: bytes, folder: Path) -> None:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return
    same_shape(value, redact_json(value, KEY))


def same_shape(before: object, after: object) -> None:
    waiting = [(before, after)]
    while waiting:
        old, new = waiting.pop()
        assert type(old) is type(new)
        if isinstance(old, dict) and isinstance(new, dict):
            assert len(new) <= len(old)
            waiting += [(old[key], new[key]) for key in old if key in new]
        elif isinstance(old, list) and isinstance(new, list):
            assert len(new) == len(old)
            waiting += zip(old, new, strict=True)


def clean_records(data: bytes, folder: Path) -> None:
    """Lines as records of a session: those that were JSON still are."""
    from gitsession.model.record import Record, Stream
    from gitsession.model.session import Info, Session

    lines = tuple(Record(line) for line in data.splitlines(keepends=True))
    session = Session(Info("generic", "n"), (Stream("main", lines),))
    redactor = Redactor(KEY)
    redactor.learn(session)
    cleaned = redactor.redact(session).session.stream().records
    assert len(cleaned) == len(lines)
    for old, new in zip(lines, cleaned, strict=True):
        assert not is_json(old.data) or is_json(new.data), "valid JSON stays valid"


def read_line(data: bytes, folder: Path) -> None:
    for line in data.splitlines(keepends=True):
        parse_line(line)
        mend_surrogates(line)


def text_seeds() -> Iterable[bytes]:
    yield b"export GITHUB_TOKEN=" + b"gh" + b"p_" + b"Ab3dEf6hIj" * 3 + b"Kl2mNo\nplain words\n"
    yield b"password: correct-horse-battery\ncurl -u ann:hunter2hunter2 https://x.example/\n"
    yield b"-----BEGIN RSA PRIVATE KEY-----\n" + b"MIIB" * 40 + b"\n-----END RSA PRIVATE KEY-----\n"
    yield b"aws_secret_access_key = " + b"wJalrXUtnFEMI/K7MDENG/" + b"bPxRfiCYzEXAMPLEKEY\n"


def json_seeds() -> Iterable[bytes]:
    for text in text_seeds():
        row = {"env": text.decode(), "password": "hunter2hunter2", "signature": "c2ln"}
        yield json.dumps({**row, "list": [text.decode(), 1, None]}).encode()


def record_seeds() -> Iterable[bytes]:
    rows = [json.loads(row) for row in json_seeds()]
    yield b"".join(json.dumps(row).encode() + b"\n" for row in rows[:2])
    yield b"".join(json.dumps({"message": {"content": row}}).encode() + b"\n" for row in rows[2:])


def read_patch(data: bytes, folder: Path) -> None:
    for change in codex_patch.parse(data.decode("utf-8", "replace")):
        for content in (b"", b"a\nb\nc\n", data):
            codex_patch.apply(change, content)
        codex_patch.added(change)


def read_hunks(data: bytes, folder: Path) -> None:
    """`data` is JSON: [content, hunks]."""
    try:
        content, hunks = json.loads(data)
    except (ValueError, TypeError, RecursionError):
        return
    if isinstance(content, str) and isinstance(hunks, list):
        claude_patch.patched(content, hunks)


def patch_seeds() -> Iterable[bytes]:
    yield b"*** Begin Patch\n*** Update File: a\n@@ a\n-b\n+B\n c\n*** End Patch"
    yield b"*** Begin Patch\n*** Add File: b\n+x\n*** Delete File: c\n*** End Patch\n"


def hunk_seeds() -> Iterable[bytes]:
    hunk = {"oldStart": 1, "oldLines": 2, "newStart": 1, "newLines": 2, "lines": [" a", "-b", "+B"]}
    yield json.dumps(["a\nb\nc\n", [hunk]]).encode()
