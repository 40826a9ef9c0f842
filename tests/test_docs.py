"""Every command and every Python line of the documentation runs, and prints what the page says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gitsession.cli.verbs import SUMMARIES
from gitsession.config import DEFAULTS

from .docs_pages import ROOT, Machine, check_console

CONSOLE = (
    "README.md",
    "docs/tutorial/first-session.md",
    "docs/how-to/roll-back.md",
    "docs/how-to/mark-decisions.md",
    "docs/how-to/share-with-team.md",
)


@pytest.mark.parametrize("page", CONSOLE)
def test_console(page: str, tmp_path: Path) -> None:
    check_console(page, Machine(tmp_path / "m"))
