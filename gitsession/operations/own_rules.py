"""`redaction.yaml`: the user's own file, in the configuration folder, and a project's, in its
`.gitsession` folder. The user's configuration says which projects are trusted to allow values."""

from __future__ import annotations

import json
import os

from gitsession.errors import FormatError
from gitsession.files import is_regular, read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsession.environment import Environment
    from gitsession.operations.workspace import Workspace
    from gitsession.redaction.settings import Settings

NAME = "redaction.yaml"
_LARGEST = 1 << 20


def settings_for(workspace: Workspace, folder: str) -> Settings | None:
    """Return the combined settings of the user and of a folder's project; None if neither has a
    file, which costs two checks on disk. Raises FormatError for a file that cannot be used."""
    own = os.path.join(workspace.environment.folder("config"), NAME)
    root = _root(folder)
    theirs = os.path.join(root, ".gitsession", NAME) if root else ""
    has_own, has_theirs = os.path.exists(own), bool(theirs) and os.path.exists(theirs)
    if not has_own and not has_theirs:
        return None
    from gitsession.redaction.settings import Settings

    settings = _read(workspace, own) if has_own else Settings()
    if has_theirs:
        trusted = os.path.realpath(root) in map(os.path.realpath, _trusted(workspace))
        settings = settings.and_also(_read(workspace, theirs), trusted=trusted)
    return settings


def unusable(environment: Environment) -> Iterator[FormatError]:
    """Yield what is wrong with the user's file and with that of the project around the current
    directory. Creates nothing."""
    from gitsession.redaction.settings import settings_in

    root = _root(environment.cwd)
    for folder in (environment.folder("config"), os.path.join(root, ".gitsession") if root else ""):
        path = os.path.join(folder, NAME)
        if folder and os.path.lexists(path):
            try:
                settings_in(_parsed(path, os.path.getsize(path)), path)
            except FormatError as error:
                yield error
            except OSError:
                yield FormatError(f"{path} cannot be read", hint="check its permissions")


def _root(folder: str) -> str:
    """Return the nearest folder at or above `folder` that holds a code repository, else the folder
    itself. (This does not identify the project: that needs a scanner, which is what these settings
    are for.)"""
    above = folder if os.path.isabs(folder) else ""
    while above and not os.path.exists(os.path.join(above, ".git")):
        parent = os.path.dirname(above)
        above = parent if parent != above else ""
    return above or (folder if os.path.isabs(folder) else "")


def _trusted(workspace: Workspace) -> list[str]:
    return list(workspace.config.mappings["trusted"])


def _read(workspace: Workspace, path: str) -> Settings:
    from gitsession.redaction.settings import settings_in

    return settings_in(_document(workspace, path), path)


def _document(workspace: Workspace, path: str) -> object:
    """Return the file as a value; its YAML is parsed once per change of the file."""
    if not is_regular(path):
        raise FormatError(f"{path} is not a regular file")
    state = os.stat(path)
    stamp = [path, state.st_mtime_ns, state.st_size, state.st_ino]
    name = f"rules-{workspace.mac(path.encode())[:16]}.json"
    cache = os.path.join(workspace.environment.folder("cache"), name)
    try:
        cached = json.loads(read(cache))
        if cached["stamp"] == stamp:
            return cached["document"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        pass
    document = _parsed(path, state.st_size)
    _remember(cache, {"stamp": stamp, "document": document})
    return document


def _parsed(path: str, size: int) -> object:
    from gitsession.yaml_values import values_in

    if size > _LARGEST:
        raise FormatError(f"{path} is too large to be a file of rules")
    try:
        return values_in(read(path))
    except (OSError, ValueError) as error:
        raise FormatError(f"{path} cannot be read as YAML", hint="correct it or move it") from error


def _remember(path: str, value: object) -> None:
    from gitsession.files import make_private, replace

    try:
        data = json.dumps(value).encode()
        make_private(os.path.dirname(path))
        replace(path, data)
    except (OSError, TypeError, ValueError):
        return  # costs only time
