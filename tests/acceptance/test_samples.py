"""Real sessions of real agents: what went in comes out, whatever stood in the file."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import sqlite3
import subprocess
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.conftest import Person
from tests.acceptance.test_history import open_other
from tests.conftest import _SAMPLES

_PLACEHOLDER = re.compile(rb"__REDACTED_[a-z0-9.-]+_[0-9a-f]{8,}__")


_NO_SESSION = {"hooks.jsonl", "extension-events.jsonl", "plugin-events.jsonl"}
_ONE_AGENT = ("claude", "codex", "pi", "gemini", "qwen", "copilot", "claw", "aider", "cline",
              "opencode", "goose")  # fmt: skip


def _is_session(path: Path) -> bool:
    """A file that holds a session: not a list of hook calls, not what lies beside a session."""
    if path.name in _NO_SESSION or path.name.endswith(".meta.json"):
        return False
    if path.parent.name == "cline":
        return path.name.endswith(".messages.json")
    return path.suffix in (".json", ".jsonl", ".md")


def _files_of(kind: Callable[[Path], bool]) -> list[Path]:
    folders = [top / agent for top in (_SAMPLES, _SAMPLES / "recorded") for agent in _ONE_AGENT]
    return sorted(path for folder in folders for path in folder.rglob("*") if kind(path))


EVERY = _files_of(_is_session)
DATABASES = _files_of(lambda path: path.suffix == ".db")


def test_no_sample_is_left_out(samples: Path) -> None:
    """What is neither a session nor a database is known by name."""
    known = {*EVERY, *DATABASES}
    rest = [path for path in samples.rglob("*") if path.is_file() and path not in known]
    beside = {"INDEX.tsv", "README.md", "aider.input.history", *_NO_SESSION}
    ends = (".meta.json", ".workspace.yaml", "_9flu6.json")
    assert [path for path in rest if path.name not in beside and not path.name.endswith(ends)] == []
    assert len(EVERY) > 60


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


@pytest.mark.parametrize("path", DATABASES, ids=lambda path: path.name)
def test_a_database_gives_the_same_rows_back(person: Person, path: Path) -> None:
    assert person.types("import", str(path)).code == 0
    sessions = person.repository.list(everything=True)
    lines = [line for row in sessions for line in person.raw(row.session).splitlines()]
    stored = [row for line in lines for row in rows_in(json.loads(line))]
    assert stored
    with closing(sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)) as database:
        database.row_factory = sqlite3.Row
        for table in {row["table"] for row in stored}:
            rows = database.execute(f"SELECT * FROM {table}")
            native = [{"table": table, **dict(row)} for row in rows]
            here = [row for row in stored if row["table"] == table]
            assert sorted(map(as_text, here)) == sorted(map(as_text, native))
    person.is_sound()


def rows_in(value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A stored row, and those that were put into it."""
    for inner in value.pop("parts", ()):
        yield from rows_in(inner)
    yield value


def as_text(row: dict[str, Any]) -> str:
    """A column that holds JSON stands there as a value or as its text."""
    return repr({name: _compact(value) for name, value in sorted(row.items())})


def _compact(value: object) -> object:
    if isinstance(value, (dict, list)):
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return value


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


def test_a_copy_with_new_times_shares_what_it_can(person: Person, samples: Path) -> None:
    """A fork that Codex wrote as a copy of its parent, every record stamped anew."""
    parent, child = (
        samples / "codex" / "entire" / f"fork-{name}.jsonl"
        for name in ("parent-019d7d08", "child-019d7e30")
    )
    assert person.types("import", str(parent)).code == 0
    before = person.size()
    assert person.types("import", str(child)).code == 0
    after_parent = person.size() - before
    assert_only_findings_differ(child.read_bytes(), person.raw("HEAD"))
    alone = open_other(person)
    before = alone.size()
    assert alone.types("import", str(child)).code == 0
    assert after_parent < 0.5 * (alone.size() - before)


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
    # A subagent's own file goes on as a conversation of its own.
    "claude/real_projects/-experiments-worktrees/ef958aa1-0e93-49f0-bb71-150f63befcd1/subagents/"
    "agent-a4ca7529859c158c2.jsonl": add_to_claude,
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
