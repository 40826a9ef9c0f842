"""Real sessions of real agents: what went in comes out, whatever stood in the file."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import subprocess
import zlib
from pathlib import Path

import pytest

from tests.acceptance.conftest import Person
from tests.acceptance.test_history import open_other
from tests.conftest import _SAMPLES

_PLACEHOLDER = re.compile(rb"__REDACTED_[a-z0-9.-]+_[0-9a-f]{8,}__")


def _files(*agents: str) -> list[Path]:
    found = [path for agent in agents for path in (_SAMPLES / agent).rglob("*.json*")]
    others = ("hooks.jsonl", "extension-events.jsonl")
    return sorted(
        path
        for path in found
        if path.name not in others and not path.name.endswith((".meta.json", ".zst"))
    )


EVERY = _files("claude", "codex", "recorded/claude", "recorded/codex") + _files(
    "pi", "gemini", "recorded/pi", "recorded/gemini", "recorded/qwen"
)


@pytest.mark.parametrize("path", EVERY, ids=lambda path: str(path.relative_to(_SAMPLES)))
def test_what_was_saved_comes_back_byte_for_byte(person: Person, path: Path) -> None:
    done = person.types("import", str(path))
    assert done.code == 0, done
    assert_only_findings_differ(path.read_bytes(), person.raw())
    person.is_sound()
    again = person.types("import", str(path))
    assert again.code == 0
    assert "Nothing to save" in again.out


def assert_only_findings_differ(native: bytes, stored: bytes) -> None:
    """Line by line, a placeholder standing for any text; what was JSON before still is."""
    if native == stored:
        return
    before, after = native.split(b"\n"), stored.split(b"\n")
    assert len(before) == len(after)
    for number, (old, new) in enumerate(zip(before, after, strict=True)):
        if old == new:
            continue
        assert matches(new, old), f"line {number} differs in more than its findings"
        if is_json(old):
            assert is_json(new), f"line {number} is no JSON any more"


def matches(stored: bytes, native: bytes) -> bool:
    pieces = _PLACEHOLDER.split(stored)
    if len(pieces) == 1 or not native.startswith(pieces[0]) or not native.endswith(pieces[-1]):
        return False
    at, end = len(pieces[0]), len(native) - len(pieces[-1])
    for piece in pieces[1:-1]:
        found = native.find(piece, at, end)
        if found < 0:
            return False
        at = found + len(piece)
    return at <= end


def is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return False
    return True


class Series:
    """States of one growing session, put one after another where its agent keeps it."""

    def __init__(self, states: list[Path], home: Path) -> None:
        self.states = states
        data = states[0].read_bytes()
        found = re.search(rb'"(?:sessionId|id)":"([0-9a-f-]{36})"', data)
        assert found is not None
        self.id = found[1].decode()
        if b'"sessionId"' in data[:4096]:
            self.target = home / ".claude" / "projects" / "-p" / f"{self.id}.jsonl"
        else:
            name = f"rollout-2026-01-01T00-00-00-{self.id}.jsonl"
            self.target = home / ".codex" / "sessions" / "2026" / "01" / "01" / name

    def saved(self, person: Person, state: Path, *how: str) -> None:
        self.target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(state, self.target)
        done = person.types("save", self.id, *how)
        assert done.code == 0, done


SERIES = {
    "claude/entire/seq-fe3ed705": ["01.jsonl", "10.jsonl", "18.jsonl"],
    "codex/entire/seq-019dc0d3": ["11.jsonl", "31.jsonl"],
}


@pytest.mark.parametrize("folder", SERIES)
def test_a_series_is_one_history_however_it_was_saved(
    person: Person, samples: Path, folder: str
) -> None:
    states = [samples / folder / name for name in SERIES[folder]]
    series = Series(states, person.environment.home)
    seen = b""
    for state in series.states:
        before, data = person.size(), state.read_bytes()
        series.saved(person, state, "--auto")
        assert data.startswith(seen)
        new = data[len(seen) :]
        assert person.size() - before <= 2 * len(zlib.compress(new)) + 8192
        assert_only_findings_differ(data, person.raw(series.id))
        seen = data
    person.is_sound()
    other = open_other(person)
    series.saved(other, series.states[-1], "--auto")
    assert person.trees(series.id) == other.trees(series.id)
    assert packed(person) <= 1.15 * len(gzip.compress(seen, 9))


def packed(person: Person) -> int:
    subprocess.run(
        ["git", "-C", str(person.repository.store_path), "repack", "-adfq", "--window=250"],
        env=person.environment.git(), check=True,
    )  # fmt: skip
    packs = (person.repository.store_path / "objects" / "pack").glob("*.pack")
    return sum(path.stat().st_size for path in packs)


def test_a_rewritten_series_keeps_both(person: Person, samples: Path) -> None:
    folder = samples / "codex" / "entire" / "seq-019dc0d3"
    states = [folder / "01.jsonl", folder / "11.jsonl"]
    series = Series(states, person.environment.home)
    series.saved(person, series.states[0])
    first = person.repository.version("HEAD")
    series.saved(person, series.states[1])
    kinds = [version.trailers["Kind"] for version in person.repository.log(limit=0)]
    assert kinds.count("rewrite") == 1
    assert_only_findings_differ(series.states[1].read_bytes(), person.raw())
    assert_only_findings_differ(series.states[0].read_bytes(), person.raw(first.id))
    person.is_sound()


def add_to_codex(path: Path) -> None:
    rows = (
        ("event_msg", {"type": "task_started", "turn_id": "more"}),
        ("response_item", {"type": "message", "role": "user",
                           "content": [{"type": "input_text", "text": "one more thing"}]}),
        ("event_msg", {"type": "user_message", "message": "one more thing"}),
        ("response_item", {"type": "message", "role": "assistant",
                           "content": [{"type": "output_text", "text": "done"}]}),
        ("event_msg", {"type": "task_complete", "turn_id": "more"}),
    )  # fmt: skip
    with path.open("ab") as stream:
        for kind, payload in rows:
            row = {"timestamp": "2027-01-01T00:00:00.000Z", "type": kind, "payload": payload}
            stream.write(json.dumps(row).encode() + b"\n")


def add_to_claude(path: Path) -> None:
    rows = [json.loads(line) for line in path.read_bytes().splitlines() if line.strip()]
    last = next(row for row in reversed(rows) if row.get("uuid"))
    common = {key: last[key] for key in ("cwd", "sessionId", "version") if key in last}
    asked = {
        **common, "parentUuid": last["uuid"], "isSidechain": False, "type": "user",
        "message": {"role": "user", "content": "one more thing"},
        "uuid": "aaaaaaaa-0000-4000-8000-000000000001", "timestamp": "2027-01-01T00:00:00.000Z",
    }  # fmt: skip
    answer = {
        **common, "parentUuid": asked["uuid"], "isSidechain": False, "type": "assistant",
        "message": {
            "id": "msg_more", "type": "message", "role": "assistant", "model": "m",
            "content": [{"type": "text", "text": "done"}], "stop_reason": "end_turn",
        },
        "uuid": "aaaaaaaa-0000-4000-8000-000000000002", "timestamp": "2027-01-01T00:00:01.000Z",
    }  # fmt: skip
    with path.open("ab") as stream:
        stream.write("".join(json.dumps(row) + "\n" for row in (asked, answer)).encode())


GROWING = {
    "claude/entire/seq-fe3ed705/01.jsonl": add_to_claude,
    "codex/entire/seq-019dc0d3/11.jsonl": add_to_codex,
}


@pytest.mark.parametrize("name", GROWING)
def test_a_checkout_and_one_more_turn_cost_little(person: Person, samples: Path, name: str) -> None:
    assert person.types("import", str(samples / name)).code == 0
    parent = person.repository.version("HEAD")
    before = person.size()
    made = person.repository.checkout("HEAD", project=str(person.project))
    GROWING[name](Path(made.path))
    done = person.types("save", made.native_id)
    assert done.code == 0, done
    assert person.size() - before < 100_000
    assert person.repository.version(made.branch).parents == (parent.id,)
