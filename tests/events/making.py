"""Conversations for the tests of events: short words for messages, calls and what is found."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

from gitsession.events import events
from gitsession.model.event import Event
from gitsession.model.message import Message, Part
from gitsession.model.session import Info, Session

_IDS = itertools.count()
TIME = "2026-01-31T12:00:00.000Z"


def user(text: str) -> Message:
    return Message("user", (Part("text", text),), time=TIME)


def note(text: str) -> Message:
    return Message("note", (Part("text", text),), time=TIME)


def call(
    name: str,
    given: object,
    output: str | None = "",
    *,
    error: bool = False,
    lost: bool = False,
    native: object = None,
) -> Message:
    """One tool call with its result; `output` None for one that still runs, `lost` for one whose
    result was made up."""
    call_id = f"call_{next(_IDS)}"
    parts = [Part("tool_call", name=name, call_id=call_id, input=given)]
    if output is not None:
        result = Part("tool_result", output, "", call_id, None, error, lost, native)
        parts.append(result)
    return Message("assistant", tuple(parts), time=TIME)


def bash(command: str, output: str = "", *, error: bool = False) -> Message:
    return call("Bash", {"command": command}, output, error=error)


def read(path: str, output: str = "1\tx", *, error: bool = False) -> Message:
    return call("Read", {"file_path": path}, output, error=error)


def edit(path: str, output: str = "updated", *, error: bool = False) -> Message:
    given = {"file_path": path, "old_string": "a", "new_string": "b"}
    return call("Edit", given, output, error=error)


def session(*messages: Message, cwd: str = "/project", roots: Iterable[str] = ()) -> Session:
    info = Info("claude-code", "native-1", cwd=cwd, roots=(cwd, *roots))
    return Session(info, messages=messages)


def found(*messages: Message, cwd: str = "/project", roots: Iterable[str] = ()) -> list[Event]:
    return events(session(*messages, cwd=cwd, roots=roots))


def of_type(*types: str, among: Iterable[Event]) -> list[str]:
    """The data of the events of these types."""
    return [event.data for event in among if event.type in types]


def types(among: Iterable[Event]) -> list[str]:
    return [event.type for event in among]
