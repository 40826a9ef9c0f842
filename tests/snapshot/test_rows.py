"""Rows of the feature list, as far as they are a matter of the format."""

from __future__ import annotations

import base64
import json
import random
import zlib

from gitsession.model.message import Usage
from gitsession.model.session import Counts, Info, State, Turn
from gitsession.snapshot import decode, decode_head, encode
from tests.snapshot.making import Counting, apply, grow, redacted, turn


def compressed(trees: list[dict[str, bytes]]) -> int:
    """What the distinct blobs of some trees take as git stores them."""
    return sum(len(zlib.compress(data)) for data in {d for tree in trees for d in tree.values()})


def test_G1_metadata_comes_back_unchanged() -> None:
    info = Info(
        "claude-code", "n-1", "claude-code/n-1", "A title", "/home/ada/app",
        "2026-01-01T00:00:00.000Z", "2026-01-01T00:01:00.000Z", ("claude-opus-5",), "2.1.300",
        "main", roots=("/home/ada/app", "/tmp/x"), project="p", code="c",
    )  # fmt: skip
    tree = apply({}, encode(redacted(turn([b"{}\n"], info=info)), None)[0])
    assert decode(tree).info == info


def test_G2_records_with_a_huge_output_are_byte_equal() -> None:
    output = ("line é 日本 \\u0000 \\ud83d\\ude00\\r\\n" * 200_000)[: 5 << 20]
    lines = [
        b'{"role":"user","content":"run it\\r\\n"}\r\n',
        f'{{"role":"tool","output":"{output}x","n":1.10}}\n'.encode(),
        b'{"role":"assistant","content":"done \\u0000"}\n',
    ]
    tree, _ = grow([lines])
    assert [record.data for record in decode(tree).stream().records] == lines


def test_G3_only_the_active_file_changes() -> None:
    state = State(
        active_file="a.py", memory=("remember",), tools=("Bash",),
        analysis={"file:a.py": {"ast_hash": "ab12", "complexity_metrics": {"cyclomatic": 3.5}}},
    )  # fmt: skip
    encoded, head = encode(redacted(turn([b"{}\n"], state=state)), None)
    one = apply({}, encoded)
    moved = state._replace(active_file="b.py")
    encoded, _ = encode(redacted(turn([], state=moved)), head)
    other = apply(one, encoded)
    assert decode(one).state == state
    assert decode(other).state == moved
    assert {path for path in other if one.get(path) != other[path]} == {
        "state.yaml",
        "session.yaml",
    }
    changed = set(one["state.yaml"].split(b"\n")) ^ set(other["state.yaml"].split(b"\n"))
    assert changed == {b'active_file: "a.py"', b'active_file: "b.py"'}


def test_G4_the_last_command_comes_back() -> None:
    state = State(last_command="pytest -q", exit_code=0, output_snippet="1 passed\r\n\t\x1b[0m")
    tree = apply({}, encode(redacted(turn([], state=state)), None)[0])
    assert decode(tree).state == state


def test_G8_a_repetitive_transcript_takes_little() -> None:
    words = "the same words again and again "
    turns = [
        [json.dumps({"n": n * 20 + k, "text": words * 32}).encode() + b"\n" for k in range(20)]
        for n in range(520)
    ]
    assert sum(len(record) for records in turns for record in records) > 10_000_000
    assert compressed([grow(turns)[0]]) < 3_000_000


def test_G9_one_content_is_stored_once_across_messages_and_sessions() -> None:
    content = base64.b64encode(random.Random(7).randbytes(750_000))
    trees = []
    for session in range(3):
        turns = [
            [b'{"sessionId":"s%d","n":%d,"file":"%s"}\n' % (session, n, content)] for n in range(10)
        ]
        trees.append(grow(turns)[0])
    assert compressed(trees) < 1_100_000
    assert all(decode(tree).stream().count == 10 for tree in trees)


def test_G30_a_list_needs_no_body() -> None:
    """The commit message has what a list shows; the head is two small blobs, however long it is."""
    tree, head = grow([[b'{"n":%d}\n' % n] for n in range(300)])
    counted = Counting(tree)
    assert decode_head(counted) == head
    assert set(counted.read) == {"session.yaml", "state.yaml"}
    session = turn(
        [], info=Info("pi", "n-1", title="Title"), counts=Counts(messages=12, bytes=4096),
        usage=Usage(5, 5), turn=Turn("turn", "What is this?", "2026-01-01T00:00:00Z"),
    )  # fmt: skip
    encoded, _ = encode(redacted(session), None)
    for part in ("What is this?", "Session: pi/n-1", "Title: Title", "Messages: 12", "Bytes: 4096"):
        assert part in encoded.message
    assert encoded.time == 1767225600


def test_the_head_stays_small() -> None:
    """It is written again with every version, so its size must not follow the session's."""
    line = b'{"sessionId":"0f8b6a52-6a0e-4f4e-9c1f-3f8f2b7f6c11","cwd":"/p/%d","version":"2"}\n'
    sizes = []
    for count in (10, 3000):
        tree, _ = grow([[line % (n % 7)] for n in range(count)])
        sizes.append(len(tree["session.yaml"]))
    assert sizes[1] < 2048 + 1024
