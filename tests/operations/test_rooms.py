"""A verb's work is found by its name, in whatever room it stands, and only when it is named."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import gitsession
from gitsession import operations

_HERE = Path(gitsession.__file__).parent


def named_by_repository() -> set[str]:
    """What stands behind `work.` in Repository and its verbs."""
    files = [_HERE / "repository.py", *(_HERE / "operations" / "verbs").glob("*.py")]
    return {
        node.attr
        for file in files
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id in ("work", "operations")
    }


def test_every_verb_of_repository_finds_its_work() -> None:
    names = named_by_repository()
    assert len(names) > 40
    for name in names:
        assert Path(getattr(operations, name).__file__).stem == name


def test_what_is_no_operation_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError):
        operations.nothing_of_the_kind  # noqa: B018
    assert not hasattr(operations, "_hidden")


def test_naming_one_loads_no_other() -> None:
    code = (
        "import sys; from gitsession import operations; operations.history;"
        "print(*(name for name in sys.modules if name.startswith('gitsession.operations.')))"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {name for name in told.stdout.split() if "saving" in name or "checkouts" in name}
