"""A folder's own names and its files do not get in each other's way."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import gitsession

_HERE = Path(gitsession.__file__).parent
FOLDERS = sorted(path.parent for path in _HERE.rglob("__init__.py"))


def names_in(file: Path) -> Iterator[str]:
    """What a module defines at its top, without the files of its folder that it imports."""
    dotted = ".".join(file.parent.relative_to(_HERE.parent).parts)
    for node in ast.parse(file.read_text("utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.ImportFrom) and node.module != dotted:
            yield from (alias.asname or alias.name for alias in node.names)
        elif isinstance(node, ast.Assign):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_no_name_of_a_folder_hides_a_file_in_it(folder: Path) -> None:
    files = {path.stem for path in folder.glob("*.py")} | {path.name for path in folder.iterdir()}
    assert not files & set(names_in(folder / "__init__.py")), "an import would give the wrong one"
