"""Answers as JSON: one object whose `schema` names its shape (`gitsession.log/1`).

Documented in docs/reference/json-output.md; within one schema number, keys are added but never
renamed. The text is ASCII, so no character of a session reaches a terminal unescaped, and every
value is exact.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping

from gitsession.render import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gitsession.model.history import Tip, Version
    from gitsession.model.report import Operation

Json = dict[str, object]
DEPTH = 200
"""Arguments nested deeper than this end in a note, so that they break neither the reader nor us."""


def answer(schema: str, members: Mapping[str, object]) -> str:
    """Return the text that a verb prints with `--json`, with a final newline."""
    values = {name: plain(value) for name, value in members.items()}
    return json.dumps({"schema": f"gitsession.{schema}/1", **values}, indent=2) + "\n"


def plain(value: object, depth: int = 0) -> object:
    """Return any value as JSON: by its own shape if it has one, other dataclasses and named tuples
    by their fields, bytes as text, numbers that JSON lacks by name."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if depth > DEPTH:
        return "(nested too deep to be shown)"
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, Mapping):
        return {str(key): plain(item, depth + 1) for key, item in value.items()}
    shape = _shape(type(value))
    if shape is not None:
        return plain(shape(value), depth + 1)
    if _fields(value):
        return {name: plain(item, depth + 1) for name, item in _row(value).items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(item, depth + 1) for item in value]
    return str(value)


def _fields(value: object) -> tuple[str, ...]:
    # Dataclasses and named tuples both have it; importing `dataclasses` costs as much as a `log`.
    kind = type(value)
    names: tuple[str, ...] = getattr(kind, "__match_args__", ())
    return names


def _row(value: object) -> Json:
    """Return a value's fields: its time as text, without the trailers (which `version` spells
    out)."""
    values: Json = {name: getattr(value, name) for name in _fields(value) if name != "trailers"}
    if isinstance(time := values.get("time"), int):
        values["time"] = words.iso(time)
    return values


def _shape(kind: type) -> Any:
    """Return the function that shapes a class of model/, None if its fields are its shape."""
    if not kind.__module__.startswith("gitsession.model."):
        return None
    if kind.__name__ in _LIGHT:
        return _LIGHT[kind.__name__]
    if kind.__module__ in ("gitsession.model.history", "gitsession.model.listed"):
        return _row
    from gitsession.render import json_session  # loads the session's classes, unlike a log

    return json_session.SHAPES.get(kind.__name__)


def version(version: Version) -> Json:
    """Return a version, as its commit describes it."""
    trailers = version.trailers
    return {
        "id": version.id,
        "tree": version.tree,
        "parents": list(version.parents),
        "time": words.iso(version.time),
        "subject": version.subject,
        "kind": trailers.get("Kind", "turn"),
        "number": words.number(trailers.get("Version", "")),
        "session": trailers.get("Session", ""),
        "native": trailers.get("Native", "") or trailers.get("Session", ""),
        "title": trailers.get("Title", ""),
        "project": trailers.get("Project", ""),
        "code": trailers.get("Code", ""),
        "messages": words.number(trailers.get("Messages", "")),
        "bytes": words.number(trailers.get("Bytes", "")),
        "tokens": words.number(trailers.get("Tokens", "")),
        "compactions": words.number(trailers.get("Compactions", "")),
        "masked": words.number(trailers.get("Redacted", "")),
    }


def tip(tip: Tip) -> Json:
    """Return a branch or tag with the version that it names."""
    return {
        "ref": tip.ref,
        "id": tip.id,
        "time": words.iso(tip.time),
        "subject": tip.subject,
        "title": tip.trailers.get("Title", ""),
    }


def operation(operation: Operation) -> Json:
    """Return an entry of the operation log."""
    moves = [{"ref": ref, "old": old, "new": new} for ref, old, new in operation.refs]
    return {**_row(operation), "refs": moves}


_LIGHT: dict[str, Any] = {"Version": version, "Tip": tip, "Operation": operation}
