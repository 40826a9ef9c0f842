"""The kit's secrets inside of what transcripts are made of: JSON lines, JSON in JSON, YAML, diffs,
numbered listings. The same bars as alone, and every document still parses alike."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import pytest
import yaml

from gitsession import redact
from tests.redaction.test_gates import _BARS, _KIT, pytestmark

__all__ = ["pytestmark"]

Carrier = tuple[Callable[[str], str], Callable[[str], str]]
"""Puts a text in; takes it out again, and fails where the document no longer parses to one."""


def _member(name: str) -> Callable[[str], str]:
    return lambda text: json.dumps({"type": "user", name: text}, ensure_ascii=False)


def _taken(name: str) -> Callable[[str], str]:
    def take(text: str) -> str:
        value = json.loads(text)
        assert list(value) == ["type", name]
        assert isinstance(value[name], str)
        return str(value[name])

    return take


def _block(text: str) -> str:
    return "log: |2+\n" + "\n".join(f"  {line}" if line else "" for line in text.split("\n"))


def _yaml(text: str) -> str:
    value = yaml.safe_load(text)
    assert list(value) == ["log"]
    return str(value["log"])


def _lines(before: Callable[[int], str]) -> Callable[[str], str]:
    return lambda text: "\n".join(
        f"{before(number)}{line}" for number, line in enumerate(text.split("\n"), 1)
    )


def _nothing(text: str) -> str:
    return text


CARRIERS: dict[str, Carrier] = {
    "json-line": (_member("content"), _taken("content")),
    "json-in-json": (
        lambda text: _member("content")(_member("stdout")(text)),
        lambda text: _taken("stdout")(_taken("content")(text)),
    ),
    "yaml-block": (_block, _yaml),
    "yaml-quoted": (
        lambda text: str(yaml.safe_dump({"log": text}, default_style='"', allow_unicode=True)),
        _yaml,
    ),
    "diff": (_lines(lambda number: "+" if number > 1 else "@@ -1 +1 @@\n+"), _nothing),
    "numbered": (_lines(lambda number: f"{number:6d}\u2192"), _nothing),
}


def _kit() -> tuple[Any, Any]:
    """The kit's generator and its measure of what is left."""
    found = []
    sys.path.insert(0, str(_KIT))
    try:
        for name in ("gen", "harness"):
            spec = importlib.util.spec_from_file_location(
                f"redaction_kit_{name}", _KIT / f"{name}.py"
            )
            assert spec is not None
            assert spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            found.append(module)
    finally:
        sys.path.remove(str(_KIT))
    return found[0], found[1]


@pytest.mark.parametrize("name", CARRIERS)
def test_recall_inside(name: str) -> None:
    generator, harness = _kit()
    put, take = CARRIERS[name]
    sorts = {"S": "structured", "C": "contextual", "F": "free prose"}
    scores: dict[str, list[bool]] = defaultdict(list)
    missed = []
    for row in generator.positives(1, 60_013):
        text = row["text"]
        if name.startswith("yaml") and not _survives(put, take, text):
            continue  # what YAML itself cannot carry (tabs before text, lone controls)
        left = take(redact(put(text)))
        gone = harness.leak(text, left, row["needles"]) < 0.05
        sort = "wrapped lines" if row["ctx"] == "wrapped" else sorts[row["tier"]]
        scores[sort].append(gone)
        if not gone:
            missed.append(row["id"])
    for sort, bar in _BARS.items():
        assert len(scores[sort]) >= 7
        assert 100 * sum(scores[sort]) / len(scores[sort]) >= bar, (sort, missed)


def _survives(put: Callable[[str], str], take: Callable[[str], str], text: str) -> bool:
    try:
        return take(put(text)) == text
    except (yaml.YAMLError, AssertionError):
        return False
