"""Format v1 to the byte: what it is today it is for ever, and its page shows what the code does."""

from __future__ import annotations

import json
import re

import pytest

from gitsession.model.record import File
from gitsession.snapshot import decode, decode_head
from tests.snapshot.example import (
    GOLDEN,
    PAGE,
    examples,
    first_turn,
    golden,
    rendered,
    second_turn,
    versions,
)  # fmt: skip


def stored() -> list[dict[str, bytes]]:
    rows = json.loads(GOLDEN.read_text(encoding="utf-8"))
    return [{p: text.encode("latin-1") for p, text in row["files"].items()} for row in rows]


def test_the_same_session_gives_the_same_bytes_for_ever() -> None:
    assert golden() == GOLDEN.read_text(encoding="utf-8")


def test_G31_the_first_format_is_readable_for_ever() -> None:
    """From the stored bytes alone: nothing of today's writer is asked."""
    first, second = first_turn(), second_turn(first_turn())
    native = [r.data for r in (*first.stream().records, *second.stream().records)]
    session = decode(stored()[1])
    assert [record.data for record in session.stream().records] == native
    assert session.stream().records[4].data == b"\0\0\0\n"
    assert session.stream("subagents/a1").records == second.stream("subagents/a1").records
    identity = f"claude-code/{second.info.native_id}"
    assert session.info == second.info._replace(identity=identity, roots=("/home/ada/app",))
    for name in ("state", "usage", "counts", "carry", "turn", "sidecars"):
        assert getattr(session, name) == getattr(second, name), name
    assert {file.path: file.content for file in session.files} == {
        ".env": None, "src/app.py": first.files[0].content, "src/aux.py": b"fixed = True\n",
        "/etc/hosts": None,
    }  # fmt: skip
    assert session.instructions == (File("CLAUDE.md", b"Run the tests first.\n", "", 21),)


@pytest.mark.parametrize("number", [0, 1])
def test_what_is_read_is_what_was_written(number: int) -> None:
    tree, _, head = versions()[number]
    assert stored()[number] == tree
    assert decode_head(tree) == head
    assert head.number == number + 1


def test_the_page_shows_what_the_code_makes() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert rendered(page) == page
    assert len(examples(page)) >= 7
    assert all(body.strip() for body in examples(page).values())


def test_the_page_names_every_key() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for tree in stored():
        for name in ("session.yaml", "state.yaml"):
            for key in re.findall(r"^(\w+):", tree[name].decode(), re.M):
                assert f"{key}:" in page or f"`{key}`" in page
