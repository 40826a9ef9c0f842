"""Where a value is beyond our control: at remotes, and in the agents' own files."""

from __future__ import annotations

import os
from collections.abc import Iterator

from gitsession.agents import registry
from gitsession.errors import FormatError
from gitsession.files import regular
from gitsession.operations import natives
from gitsession.operations.project_files import backups
from gitsession.store import remotes as addresses
from gitsession.store.names import REMOTE_TAGS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.operations.secrets.removal import Removal
    from gitsession.operations.workspace import Workspace

_BLOCK = 8 << 20
_OVERLAP = 64 << 10


def remotes(workspace: Workspace, removal: Removal) -> Iterator[str]:
    """Yield the names of remotes that were sent a history with the value."""
    for name in addresses.every(workspace.store):
        tips = [*workspace.store.refs(f"refs/remotes/{name}/").values(),
                *workspace.store.refs(f"{REMOTE_TAGS}{name}/").values()]  # fmt: skip
        if tips and _reach(workspace, tips, removal):
            yield name


def _reach(workspace: Workspace, tips: list[str], removal: Removal) -> bool:
    """Whether one of the objects found is reachable from these tips."""
    from gitsession.store import process

    command = workspace.store.git("rev-list", "--objects", "--no-object-names", *tips)
    child = process.Child(command, workspace.store.variables)
    try:
        with os.fdopen(child.output, "rb", closefd=False) as stream:
            ids = (line.decode("ascii", "replace").strip() for line in stream)
            found = any(identity in removal.objects for identity in ids)
    finally:
        child.close()
    return found


def native_files(workspace: Workspace, removal: Removal) -> Iterator[str]:
    """Yield the agents' files (those bound here, and all that can be found) and the backups of
    project files that hold the value now."""
    paths: dict[str, None] = {}
    for record in natives.known(workspace):
        for path in (natives.path_of(workspace, record), *map(str, record.get("files") or ())):
            paths[path] = None
    for agent in registry.all_agents():
        try:
            for source in agent.find(workspace.environment):
                paths[source.file] = None
                paths.update(dict.fromkeys(source.side_files.values()))
        except (OSError, FormatError):
            continue
    paths.update(dict.fromkeys(backups.files(workspace.environment)))
    for path in paths:
        if path and os.path.isfile(path) and _holds(path, removal):
            yield path


def _holds(path: str, removal: Removal) -> bool:
    tail = b""
    try:
        with open(path, "rb", opener=regular) as stream:
            while block := stream.read(_BLOCK):
                if removal.stands_in(tail + block):
                    return True
                tail = block[-_OVERLAP:]
    except OSError:
        return False
    return False
