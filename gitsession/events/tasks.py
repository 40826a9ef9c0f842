"""Tasks: whole lists (`task`), and tasks that are created and changed one by one.

A task is a line `#ID [status] text`, in which ID and text may be missing. `tasks(events)` and
`open_tasks(events)` parse these lines again; to know what is still to be done, pass them *all*
events of a session, including repeats.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple, Protocol

from gitsession.events.short import MOST, line, short, size
from gitsession.events.tools import done, first_text
from gitsession.events.used import Found, Used

_TEXTS = ("content", "step", "subject", "description", "title", "text", "task", "name")
_IDS = ("taskId", "task_id", "id")
_LONGEST = 400
_LINE = re.compile(r"(?:#(\S+) ?)?(?:\[([^\]\n]*)\] ?)?(.*)")
_BOX = re.compile(r"^[ \t]*(?:[-*+]|\d+[.)])[ \t]+\[(.)\][ \t]*(.*\S)", re.MULTILINE)
_BOXES = {" ": "pending", "x": "completed", "X": "completed", "-": "cancelled"}
_CREATED = re.compile(r"[Tt]ask #?([\w.-]{1,64}) created|\"(?:id|taskId)\":\s*\"([\w.-]{1,64})\"")
CLOSED = frozenset(("completed", "complete", "done", "cancelled", "canceled", "deleted",
                    "closed"))  # fmt: skip


class Task(NamedTuple):
    """`status` is the agent's own word, mostly pending, in_progress or completed."""

    id: str
    status: str
    text: str


class _Told(Protocol):
    @property
    def type(self) -> str: ...
    @property
    def data(self) -> str: ...


def tasks_found(used: Used) -> Iterator[Found]:
    """Yield the tasks of a tool call; nothing for a call that failed or never returned."""
    if not done(used):
        return
    if used.kind == "todos":
        listed = _whole(list(_listed(used.input)))
        if listed:
            yield Found("task", "task", 1, listed)
    elif used.kind == "task_create" and used.text:
        task = Task(_made(used), first_text(used.input, ("status",)) or "pending", used.text)
        yield Found("task_create", "task", 1, _shown(task))
    elif used.kind == "task_update" and used.text:
        status = first_text(used.input, ("status",))
        text = first_text(used.input, ("subject", "title"))
        if status or text:
            yield Found("task_update", "task", 1, _shown(Task(used.text, status, text)))


def tasks(events: Iterable[_Told]) -> list[Task]:
    """Return every task with its newest status: first those created one by one, by id, then the
    newest list."""
    single: dict[str, Task] = {}
    listed: list[Task] = []
    for event in events:
        if event.type == "task":
            listed = list(map(_read, event.data.split("\n")))
        elif event.type == "task_create":
            task = _read(event.data)
            single[task.id or f"\n{len(single)}"] = task
        elif event.type == "task_update":
            change = _read(event.data)
            known = single.get(change.id, change)
            single[change.id] = Task(
                change.id, change.status or known.status, change.text or known.text
            )
    return [*single.values(), *listed]


def open_tasks(events: Iterable[_Told]) -> list[Task]:
    """Return the tasks that are still to be done."""
    return [task for task in tasks(events) if task.status.lower() not in CLOSED]


def _whole(listed: list[Task]) -> str:
    """Return all tasks of a list, each as short as necessary for all of them to fit."""
    shown = ""
    for longest in (_LONGEST, 160, 60):
        shown = "\n".join(_shown(task, longest) for task in listed)
        if size(shown) <= MOST:
            break
    return short(shown)


def _shown(task: Task, longest: int = _LONGEST) -> str:
    name = f"#{''.join(task.id.split())} " if task.id else ""
    status = f"[{line(task.status, 40).replace(']', ')')}] " if task.status else ""
    return f"{name}{status}{line(task.text, longest)}".rstrip()


def _read(data: str) -> Task:
    found = _LINE.match(data)
    return Task(found[1] or "", found[2] or "", found[3]) if found else Task("", "", data)


def _made(used: Used) -> str:
    """Return the id of a created task: the one in the input, else the one in the tool's output."""
    said = _CREATED.search(used.output)
    return first_text(used.input, _IDS) or ((said[1] or said[2]) if said else "")


def _listed(given: Mapping[str, object]) -> Iterator[Task]:
    for key in ("todos", "plan", "items", "tasks", "content", "todoList"):
        value = given.get(key)
        if isinstance(value, str):
            value = _parsed(value)
        if isinstance(value, (list, tuple)):
            yield from filter(None, map(_item, value))
            return


def _parsed(text: str) -> list[object]:
    """Parse a list in JSON or in Markdown with check boxes."""
    if text.lstrip().startswith("["):
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            found = None
        if isinstance(found, list):
            return found
    return [
        {"content": words, "status": _BOXES.get(box, "in_progress")}
        for box, words in _BOX.findall(text)
    ]


def _item(value: object) -> Task | None:
    if isinstance(value, str) and value.strip():
        return Task("", "pending", value)
    if not isinstance(value, Mapping):
        return None
    told = {str(key): one for key, one in value.items()}
    text = first_text(told, _TEXTS)
    return Task("", first_text(told, ("status", "state")) or "pending", text) if text else None
