"""`state.yaml`: the working state at the end of a turn, as a mapping and back."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from gitsession.model.session import State, Todo
from gitsession.snapshot.fields import Fields, Schema, with_unknown, without_empty

if TYPE_CHECKING:
    from gitsession.snapshot.head import Head

_ROOM = 1 << 20
_LONG = 1 << 14
_INDENT = 70
_TEXTS = ("active_file", "last_command", "output_snippet")
_LISTS = ("tools", "memory")
_SCHEMA: Schema = dict.fromkeys(
    ("todos", "active_line", "exit_code", "markers", "analysis", *_TEXTS, *_LISTS)
)


def state_document(head: Head) -> dict[str, Any]:
    """What `state.yaml` says. Empty values are left out; an empty mapping means no file."""
    state = head.session.state
    known: dict[str, Any] = without_empty({
        "todos": [
            without_empty({"text": todo.text, "status": todo.status, "id": todo.id})
            for todo in state.todos
        ],
        **{name: getattr(state, name) for name in _TEXTS},
        **{name: list(getattr(state, name)) for name in _LISTS},
        "markers": [dict(marker) for marker in state.markers],
        "analysis": dict(state.analysis),
    })  # fmt: skip
    for name in ("active_line", "exit_code"):
        if getattr(state, name) is not None:
            known[name] = getattr(state, name)
    return with_unknown(known, head.unknown.get("state.yaml", {}))


def state_from(document: Mapping[str, Any]) -> tuple[State, dict[str, Any]]:
    """A State, and what in it this release does not know. Raises FormatError."""
    fields = Fields(document, "state.yaml")
    state = State(
        todos=tuple(
            Todo(todo.text("text"), todo.text("status"), todo.text("id"))
            for todo in fields.each("todos")
        ),
        active_line=fields.optional_int("active_line"),
        exit_code=fields.optional_int("exit_code"),
        markers=tuple(marker.unknown({}) for marker in fields.each("markers")),
        analysis=fields.mapping("analysis"),
        **{name: fields.text(name) for name in _TEXTS},  # type: ignore[arg-type]
        **{name: fields.texts(name) for name in _LISTS},  # type: ignore[arg-type]
    )
    return state, fields.unknown(_SCHEMA)


def fit(state: State) -> State:
    """`state` with what would make the file larger than a reader takes cut down: first long
    texts, then the lists that nothing needs for going on."""
    if _size(state) <= _ROOM:
        return state
    shortened: dict[str, Any] = {name: getattr(state, name)[:_LONG] for name in _TEXTS}
    shortened["memory"] = tuple(text[:_LONG] for text in state.memory)
    shortened["todos"] = tuple(
        dataclasses.replace(todo, text=todo.text[:_LONG]) for todo in state.todos
    )
    state = dataclasses.replace(state, **shortened)
    dispensable: dict[str, Any] = {
        "analysis": {}, "markers": (), "memory": (), "tools": (), "todos": ()
    }  # fmt: skip
    for name, empty in dispensable.items():
        if _size(state) <= _ROOM:
            break
        state = dataclasses.replace(state, **{name: empty})
    return state


def _size(value: object) -> int:
    """At least the bytes of `value` in the file, quickly."""
    if isinstance(value, str):
        return 6 * len(value) + 8
    if isinstance(value, Mapping):
        return sum(_size(key) + _size(item) + _INDENT for key, item in value.items())
    if isinstance(value, list | tuple):
        return sum(_size(item) + _INDENT for item in value)
    if dataclasses.is_dataclass(value):
        return sum(_size(getattr(value, item.name)) for item in dataclasses.fields(value)) + 64
    return 32
