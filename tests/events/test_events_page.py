"""The page of all types says what the rules do."""

from __future__ import annotations

import re
from pathlib import Path

from gitsession.events import events, kinds
from tests.context.real_files import sessions

ROOT = Path(__file__).resolve().parents[2]
_ROW = re.compile(r"^\| `(\w+)` \| `([\w-]+)` \| (\d)(?: (?:to|or) (\d))? \| \S", re.MULTILINE)
_FOUND = re.compile(r"Found\(\s*f?\"(\w+)(?:\{(\w+)\})?\",\s*\"([\w-]+)\"")


def page() -> dict[str, tuple[str, range]]:
    """Category and priorities of each type."""
    text = (ROOT / "docs" / "reference" / "events.md").read_text(encoding="utf-8")
    return {
        kind: (category, range(int(low), int(high or low) + 1))
        for kind, category, low, high in _ROW.findall(text)
    }


def test_the_page_has_every_type_that_a_rule_makes() -> None:
    made: set[tuple[str, str]] = set()
    for path in (ROOT / "gitsession" / "events").glob("*.py"):
        for kind, part, category in _FOUND.findall(path.read_text(encoding="utf-8")):
            made |= (
                {(kind, category)}
                if not part
                else {(kind + one, category) for one in ("write", "edit")}
            )
    assert made == {(kind, category) for kind, (category, _) in page().items()}


def test_the_types_that_can_be_asked_for_are_those() -> None:
    assert {kind: category for kind, (category, _) in page().items()} == dict(kinds.TYPES)


def test_the_page_tells_categories_and_priorities(samples: Path) -> None:
    told = page()
    for name, given in sessions(samples, every=False):
        for event in events(given):
            category, priorities = told[event.type]
            assert event.category == category, name
            assert event.priority in priorities, (name, event.type)
