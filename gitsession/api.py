"""The functions of `import gitsession`: open, init, clone."""

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
    """The store that the command line would use in `directory` (default: the current one).

    It is made at first use. `store` names another one. Raises the errors of `gitsession.errors`.
    """
    environment = _environment(directory)
    return open_repository(environment, store=Path(store) if store is not None else None)


def init(name: str, *, directory: str | os.PathLike[str] | None = None) -> Repository:
    """A further store called `name`, bound to the directory in the user's configuration."""
    from gitsession.config import load_config
    from gitsession.operations import place

    environment = _environment(directory)
    place.bind(environment, load_config(environment), name)
    return open_repository(environment)


@dataclass(frozen=True, slots=True)
class Clone:
    """A cloned store, and what came with it."""

    repository: Repository
    transfer: Transfer


def clone(url: str, name: str = "") -> Clone:
    """A new named store from a remote; its sessions are foreign unless the key is the same."""
    from gitsession.operations.sharing import share

    environment = _environment(None)
    path, transfer = share.clone(environment, url, name)
    return Clone(open_repository(environment, store=path), transfer)


def _environment(directory: str | os.PathLike[str] | None) -> Environment:
    environment = Environment.current()
    if directory is not None:
        environment.cwd = os.path.abspath(directory)
    return environment
