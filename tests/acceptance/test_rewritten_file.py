"""A session file that its agent writes anew each time (Gemini's single object) grows by turns."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from tests.acceptance.conftest import Person
from tests.gemini_builder import gemini_object


def chat(person: Person) -> Path:
    digest = hashlib.sha256(str(person.project).encode()).hexdigest()
    path = person.environment.home / ".gemini" / "tmp" / digest / "chats" / "session-a.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


@pytest.mark.parametrize("forgetful", [False, True])
def test_each_save_adds_its_turn(person: Person, forgetful: bool) -> None:
    """With the hint of where to read on, and without: then the records are compared."""
    prompts = ["first", "second", "third"]
    counts = []
    for number in range(1, 4):
        changed = f"2026-01-31T13:0{number}:00.000Z"
        chat(person).write_bytes(gemini_object(prompts[:number], changed=changed))
        saved = person.saves()
        assert saved.outcome == "saved", saved
        counts.append(len(saved.versions))
        if forgetful:
            forget(person)
    assert counts == [1, 1, 1]
    log = person.repository.log()
    assert [version.subject for version in log] == prompts[::-1]
    assert not person.saves().versions


def test_snapshots_taken_in_the_middle_of_a_turn_are_turns_too(
    person: Person, samples: Path
) -> None:
    """The last answer is there again with the tools it called: a record more, no rewrite."""
    for number, path in enumerate(sorted((samples / "gemini").glob("2026-*.json"))):
        chat(person).write_bytes(path.read_bytes())
        assert person.saves().versions
        if number == 1:
            forget(person)
    versions = person.repository.log()
    assert len(versions) > 2
    assert all(len(version.parents) <= 1 for version in versions)
    assert {version.trailers["Kind"] for version in versions} == {"turn"}
    session = person.repository.session("HEAD")
    assert [m.role for m in session.messages].count("user") == 1
    assert len({m.native_id for m in session.messages}) == len(session.messages) == 13


def forget(person: Person) -> None:
    """Take the hints away, as another machine would have none."""
    store = person.repository.store_path
    hints = [path for path in (store / "gitsession" / "state").rglob("*") if path.is_file()]
    assert hints
    for path in hints:
        path.unlink()
