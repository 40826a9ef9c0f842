"""What newer Pythons refuse, found by the older ones too."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from .conftest import ROOT

NUMBERED = re.compile(r"(?<![\w'\"])\?[0-9]+\b")
SQL = re.compile(r"\b(SELECT|INSERT|UPDATE|DELETE|WHERE|VALUES)\b")


def texts() -> Iterator[tuple[str, str]]:
    for path in sorted((ROOT / "gitsession").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield f"{path.name}:{node.lineno}", node.value


def test_no_statement_numbers_its_values() -> None:
    """sqlite3 takes `?1` for a name and refuses a sequence with it, from Python 3.14 on."""
    statements = [(place, text) for place, text in texts() if SQL.search(text)]
    assert len(statements) > 20
    assert [place for place, text in statements if NUMBERED.search(text)] == []
