"""`state.yaml`: convert the working state at the end of a turn to a mapping and back."""

from __future__ import annotations

from collections.abc import Mapping

from gitsession.errors import FormatError
from gitsession.model.session import State, Todo
from gitsession.snapshot.fields import Fields, Schema, with_unknown, without_empty
from gitsession.snapshot.yamlsubset import dump

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_LONG = 1 << 14
_TEXTS = ("active_file", "last_command", "output_snippet", "prompt_hash")
_LISTS = ("tools", "memory")
_SCHEMA: Schema = dict.fromkeys(
    ("todos", "active_line", "exit_code", "markers", "analysis", *_TEXTS, *_LISTS)
)


def state_document(state: State, rest: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content of `state.yaml`, including `rest`, the keys that an earlier read did not
    know. Empty values are left out; an empty mapping means no file."""
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
    return with_unknown(known, rest)


def state_from(document: Mapping[str, Any]) -> tuple[State, dict[str, Any]]:
    """Return the State, and the part of `document` that this release does not know. Raises
    FormatError."""
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


def fit(state: State, rest: Mapping[str, Any]) -> State:
    """Return `state`, cut down if the file would be larger than a reader accepts: first long texts,
    then fields that continuing the session does not need."""
    if _is_short(state, rest) or _fits(state, rest):
        return state
    shortened: dict[str, Any] = {name: getattr(state, name)[:_LONG] for name in _TEXTS}
    shortened["memory"] = tuple(text[:_LONG] for text in state.memory)
    shortened["todos"] = tuple(todo._replace(text=todo.text[:_LONG]) for todo in state.todos)
    state = state._replace(**shortened)
    dispensable: dict[str, Any] = {
        "analysis": {}, "markers": (), "memory": (), "tools": (), "todos": ()
    }  # fmt: skip
    for name, empty in dispensable.items():
        if _fits(state, rest):
            break
        state = state._replace(**{name: empty})
    return state


def _is_short(state: State, rest: Mapping[str, Any]) -> bool:
    """Whether the state is certain to fit without encoding it, as nearly all states are."""
    if state.markers or state.analysis or rest:
        return False
    texts = [getattr(state, name) for name in _TEXTS]
    texts += [text for name in _LISTS for text in getattr(state, name)]
    texts += [text for todo in state.todos for text in todo]
    return sum(map(len, texts)) < _LONG and len(texts) < _LONG


def _fits(state: State, rest: Mapping[str, Any]) -> bool:
    try:
        dump(state_document(state, rest))
    except FormatError:
        return False
    return True
