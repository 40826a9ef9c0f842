"""The limits of models, from a table next to this file and an optional one of the user's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gitsession.context.tail import Limits
from gitsession.errors import FormatError

DEFAULT = Limits(128_000, 8_192)
"""The limits of a model that no table names."""

_MEMBERS = ("context", "output", "input")


def limits(model: str, own: Path | None = None) -> Limits:
    """Return the limits of a model, by the longest table name that is a prefix of its name; the
    user's table `own` takes precedence.

    A provider before a slash (`anthropic/claude-…`) is ignored. Raises FormatError if the user's
    table cannot be read; a missing file counts as no table.
    """
    name = model.rpartition("/")[2].lower()
    for table in (_own(own), _ours()):
        fitting = [key for key in table if name.startswith(key.lower())]
        if fitting:
            return _limits(table[max(fitting, key=len)])
    return DEFAULT


def _ours() -> dict[str, Any]:
    from gitsession.yaml_values import values_in

    document: dict[str, Any] = values_in((Path(__file__).parent / "limits.yaml").read_bytes())
    return document


def _own(path: Path | None) -> dict[str, Any]:
    from gitsession.yaml_values import values_in

    try:
        document = values_in(path.read_bytes()) if path else None
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise FormatError("the table of model limits cannot be read", f"look at {path}") from error
    document = document or {}
    if not isinstance(document, dict) or not all(map(_is_row, document.values())):
        raise FormatError(
            "the table of model limits is not of the form `name: {context: N, output: N}`",
            hint=f"correct {path}",
        )
    return {str(name): row for name, row in document.items()}


def _is_row(row: object) -> bool:
    if not isinstance(row, dict) or not set(row) <= set(_MEMBERS):
        return False
    return all(type(value) is int and value >= 0 for value in row.values())


def _limits(row: dict[str, int]) -> Limits:
    return Limits(**{name: row.get(name, 0) for name in _MEMBERS})
