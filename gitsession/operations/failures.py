"""Automatic saves that failed, remembered until a save of the same session succeeds.

The next status and save report them. They are kept in the store, or in the user's state folder if
the store cannot be written to.
"""

from __future__ import annotations

import json
import os

from gitsession.errors import GitSessionError
from gitsession.files import make_private, read, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.environment import Environment
    from gitsession.model.finding import Clean
    from gitsession.operations.workspace import Workspace

_MOST = 200


def note(workspace: Workspace, name: Clean, text: Clean) -> None:
    """Record that saving `<agent>/<native id>` failed, and why."""
    try:
        workspace.store.records.write("failures", name, {"error": text})
    except (GitSessionError, OSError):
        note_outside(workspace.environment, name, text)


def note_outside(environment: Environment, name: str, text: str) -> None:
    """Record the same without a store; if that cannot be written either, it is lost."""
    rows = {**_outside(environment), name: text}
    _write(environment, dict(list(rows.items())[-_MOST:]))


def clear(workspace: Workspace, *names: str) -> None:
    """Forget the failures of these sessions, after a save that succeeded: nothing is missing."""
    for name in names:
        workspace.store.records.remove("failures", name)
    rows = _outside(workspace.environment)
    if any(name in rows for name in names):
        _write(
            workspace.environment,
            {name: text for name, text in rows.items() if name not in names},
        )


def known(workspace: Workspace) -> tuple[tuple[str, str], ...]:
    """Return `<agent>/<native id>` and the reason of every failure that still counts."""
    inside = {
        name: str(record.get("error", ""))
        for name, record in workspace.store.records.items("failures")
    }
    return tuple(sorted({**_outside(workspace.environment), **inside}.items()))


def _file(environment: Environment) -> str:
    return os.path.join(environment.folder("state"), "hooks", "failures.json")


def _outside(environment: Environment) -> dict[str, str]:
    try:
        value = json.loads(read(_file(environment)))
    except (OSError, ValueError, RecursionError):
        return {}
    return {str(k): str(v) for k, v in value.items()} if isinstance(value, dict) else {}


def _write(environment: Environment, rows: dict[str, str]) -> None:
    path = _file(environment)
    try:
        make_private(os.path.dirname(path))
        replace(path, json.dumps(rows).encode() + b"\n")
    except OSError:
        return
