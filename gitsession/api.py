"""The functions of `import gitsession`: `open`, `init` and `clone`."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from gitsession.environment import Environment
from gitsession.repository import Repository, open_repository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.model.report import Transfer


def open(
    store: str | os.PathLike[str] | None = None, *, directory: str | os.PathLike[str] | None = None
) -> Repository:
    """Open the store that the command line would use in `directory` (default: the current one).

    `store` selects another store. A store that does not exist yet is created. Raises the errors of
    `gitsession.errors`.
    """
    environment = _environment(directory)
    return open_repository(environment, store=Path(store) if store is not None else None)


def init(name: str, *, directory: str | os.PathLike[str] | None = None) -> Repository:
    """Open the store called `name`, creating it if necessary, and bind the directory to it in the
    user's configuration."""
    from gitsession.config import load_config
    from gitsession.operations import place

    environment = _environment(directory)
    place.bind(environment, load_config(environment), name)
    return open_repository(environment)


@dataclass(frozen=True, slots=True)
class Clone:
    """A cloned store and the report of its transfer."""

    repository: Repository
    transfer: Transfer


def clone(url: str, name: str = "") -> Clone:
    """Clone a remote into a new named store. Its sessions count as foreign unless they were saved
    with the same key."""
    from gitsession.operations.sharing import share

    environment = _environment(None)
    path, transfer = share.clone(environment, url, name)
    return Clone(open_repository(environment, store=path), transfer)


def _environment(directory: str | os.PathLike[str] | None) -> Environment:
    environment = Environment.current()
    if directory is not None:
        environment.cwd = os.path.abspath(directory)
    return environment
