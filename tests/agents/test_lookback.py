"""Looking back in a session file gives the same answer wherever its blocks are cut."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitsession.agents import lookback
from gitsession.agents.lookback import Past, lines_backward
from tests.builders import CLAUDE_ID, Claude, a_uuid


@pytest.mark.parametrize("chunk", [1, 37, 64, 1000, 1 << 20])
def test_records_are_found_by_their_own_id_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    monkeypatch.setattr(lookback, "_CHUNK", chunk)
    session = Claude().turn("one").turn("two")
    data = session.data.replace(b'"uuid":"', b'"uuid" : "', 1)
    path = tmp_path / "s.jsonl"
    path.write_bytes(data)
    past = Past(path)
    for number in (0, 1, 3, 4):
        name = a_uuid(CLAUDE_ID, number)
        position = past.position(name, len(data))
        assert data[:position].rstrip(b" ").endswith((b'"uuid":', b'"uuid" :'))
        assert data[position:].startswith(f'"{name}"'.encode())
        assert past.position(name, position) == -1
    assert past.position(a_uuid("nowhere"), len(data)) == -1
    assert past.position("", len(data)) == -1
    assert Past(tmp_path / "missing").position(a_uuid("x"), 10) == -1


@pytest.mark.parametrize("chunk", [1, 3, 7, 1000])
@pytest.mark.parametrize("text", [b"", b"a\n", b"a\n\nbb\nccc", b"\n\n", b"abc\ndefghij\nk\n"])
def test_lines_backward_are_the_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int, text: bytes
) -> None:
    monkeypatch.setattr(lookback, "_CHUNK", chunk)
    path = tmp_path / "s"
    path.write_bytes(text + b"more")
    found = list(lines_backward(path, len(text), 0))
    assert [line for _, line in reversed(found)] == text.splitlines(keepends=True)
    assert all(text[at : at + len(line)] == line for at, line in found)
    for start in range(len(text)):
        later = list(lines_backward(path, len(text), start))
        assert later == [(at, line) for at, line in found if at >= start]
