"""Whole outputs as plain files, compared exactly; GITSESSION_UPDATE_SNAPSHOTS=1 rewrites them."""

from __future__ import annotations

import os
from pathlib import Path

FOLDER = Path(__file__).parent / "snapshots"
# Read at import: the fixture that cleans the environment runs before each test.
UPDATE = os.environ.get("GITSESSION_UPDATE_SNAPSHOTS") == "1"


def check(name: str, text: str) -> None:
    """`text` is what `snapshots/<name>` holds."""
    same_as_file(FOLDER / name, text)


def same_as_file(path: Path, text: str) -> None:
    if UPDATE:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text
