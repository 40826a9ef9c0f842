"""Format v1: the YAML subset, a version's tree, turn blobs, and a save there and back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from gitsession.agents import registry
from gitsession.errors import SourceUnreadable
from gitsession.redaction import Redactor
from gitsession.snapshot import (
    commit_message,
    decode,
    decode_head,
    encode,
    session_name,
    turnblob,
    yamlsubset,
)
from gitsession.snapshot.head import Head
from gitsession.store import history
from tests.builders import Claude
from tests.fuzz.of_agents import PLACES
from tests.fuzz.reader import Reader
from tests.snapshot.making import FIELDS, apply, grow

_LONG = b'{"uuid":"u-7","out":"' + b"x" * 5000 + b'"}\n'
_SECRET = "gh" + "p_" + "Ab3dEf6hIj" * 3 + "Kl2mNo"


def readers() -> Iterator[Reader]:
    yield Reader("yaml", "text", read_yaml, yaml_seeds, (b"- ", b": ", b"!!", b"&a", b"*a", b"? "))
    yield Reader("tree", "json", read_tree, tree_seeds)
    yield Reader("turn-blob", "bytes", read_blob, blob_seeds)
    yield Reader("commit", "text", read_commit, commit_seeds)
    yield Reader("save", "lines", save, save_seeds)


def read_yaml(data: bytes, folder: Path) -> None:
    """What is read can be written, and reads as the same."""
    value = yamlsubset.load(data, "session.yaml")
    again = yamlsubset.load(yamlsubset.dump(value), "session.yaml")
    assert repr(again) == repr(value)


def read_tree(data: bytes, folder: Path) -> None:
    """`data` is JSON: {path: text of the blob, or the value of a document}."""
    try:
        values = json.loads(data)
    except (ValueError, RecursionError):
        return
    if not isinstance(values, dict):
        return
    tree = {path: blob_of(value) for path, value in values.items()}
    head = decode_head(tree)
    session = decode(tree)
    assert session.counts == head.session.counts
    commit_message(session, 1, 0)
    session_name(session)


def blob_of(value: object) -> bytes:
    if isinstance(value, str):
        return value.encode("latin-1", "replace")
    return yamlsubset.dump(value) if isinstance(value, dict) else json.dumps(value).encode()


def read_blob(data: bytes, folder: Path) -> None:
    try:
        for entry in turnblob.entries(data):
            turnblob.restore(entry, [], [b"x"] * entry.marks)
    except turnblob.Damaged as error:
        assert str(error)


def read_commit(data: bytes, folder: Path) -> None:
    version = history.parse("0" * 40, data)
    assert isinstance(version.subject, str)


def save(data: bytes, folder: Path) -> None:
    """Read, cleaned, encoded, decoded: JSON stays JSON, the secret is gone, no record is."""
    path = folder / PLACES["claude-code"]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    agent = registry.get("claude-code")
    source = agent.recognise(path)
    if source is None:
        return
    try:
        parts = list(agent.read(source))
    except SourceUnreadable:
        return
    redactor = Redactor(b"k" * 32)
    for part in parts:
        redactor.learn(part)
    tree: dict[str, bytes] = {}
    head: Head | None = None
    kept: list[bytes] = []
    for part in parts:
        redacted = redactor.redact(part)
        after = [record.data for record in redacted.session.stream().records]
        check_lines([record.data for record in part.stream().records], after)
        kept += after
        encoded, head = encode(redacted, head, FIELDS)
        tree = apply(tree, encoded)
    assert [record.data for record in decode(tree).stream().records] == kept
    assert not any(_SECRET.encode() in blob for blob in tree.values())


def check_lines(before: list[bytes], after: list[bytes]) -> None:
    assert len(before) == len(after), "a record is a record"
    for old, new in zip(before, after, strict=True):
        if is_json(old):
            assert is_json(new), "valid JSON stays valid"
        assert old.endswith(b"\n") == new.endswith(b"\n")


def is_json(data: bytes) -> bool:
    try:
        json.loads(data)
    except (ValueError, RecursionError):
        return False
    return True


def yaml_seeds() -> Iterable[bytes]:
    tree, _ = grow([[b'{"cwd":"/p"}\n', b"{}\n"], [b"{}\n", _LONG]])
    yield from (data for path, data in tree.items() if path.endswith(".yaml"))
    yield b'format: 1\na:\n  - "x\\u2028"\n  -\n    - 1\n  - b: 1.5e+10\n    c: .nan\n? "k"\n: {}\n'


def tree_seeds() -> Iterable[bytes]:
    short = [[b'{"cwd":"/p"}\n', b"{}\n"], [b"{}\n", b'{"version":"2"}\n']]
    for turns in (short, [[b'{"cwd":"/p"}\n'], [_LONG]]):
        tree, _ = grow(turns)
        plain = {path: data.decode("latin-1") for path, data in tree.items()}
        yield json.dumps(plain).encode()
        values = {
            path: yamlsubset.load(data, path) if path.endswith(".yaml") else data.decode("latin-1")
            for path, data in tree.items()
        }
        yield json.dumps(values).encode()


def blob_seeds() -> Iterable[bytes]:
    for records in ([b"{}\n"], [_LONG, b"{}\n"], [b"\0 torn"], [b"{}\n", b'{"a":"\0"}\n', b"x"]):
        yield from (blob.data for blob in turnblob.pack(records, {"cwd": b"/project"}))


def commit_seeds() -> Iterable[bytes]:
    tree, _ = grow([[b'{"cwd":"/p"}\n', b"{}\n"]])
    message = commit_message(decode(tree), 1, 0)
    who = "A <a@b> 1770000000 +0100"
    head_lines = f"tree {'1' * 40}\nparent {'2' * 40}\nauthor {who}\ncommitter {who}\n"
    yield f"{head_lines}\n{message}".encode()
    yield f"{head_lines}encoding latin-1\nmergetag x\n y\n\n{message}".encode()


def save_seeds() -> Iterable[bytes]:
    session = Claude()
    session.turn("one", command="ls")
    session.bash("env", f"GH_TOKEN={_SECRET}\n")
    session.say("done")
    yield session.data
    session.compact().turn("two " + _SECRET)
    yield session.data.replace(_SECRET.encode(), b"password=hunter2hunter2 " * 20)
    yield session.data
