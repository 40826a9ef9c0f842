"""Which store is meant, and how it is created: no verb requires an `init` first."""

from __future__ import annotations

import os

from gitsession.environment import find_program
from gitsession.errors import SecretsFound, StoreNotFound, UsageError
from gitsession.store import Store, layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.config import Config
    from gitsession.environment import Environment
    from gitsession.operations.workspace import Workspace

DEFAULT = "store"


def store_path(
    environment: Environment, config: Config, given: str | os.PathLike[str] | None
) -> str:
    """Return `--store`, else GITSESSION_DIR, else the store of this project, else the default."""
    if given is not None:
        return os.fspath(given)
    from_variable = environment.get("GITSESSION_DIR")
    if from_variable:
        return os.path.join(environment.cwd, os.path.expanduser(from_variable))
    name = _bound_name(environment, config) or DEFAULT
    return os.path.join(environment.folder("data"), f"{name}.git")


def _bound_name(environment: Environment, config: Config) -> str:
    """Return the store that the innermost bound folder at or above this one names, "" if none."""
    bindings = config.mappings["bindings"]
    folder = os.path.realpath(environment.cwd) if bindings else ""
    while folder:
        if folder in bindings:
            return check_name(bindings[folder])
        above = os.path.dirname(folder)
        folder = above if above != folder else ""
    return ""


def check_name(name: str) -> str:
    """Return the name of a store if it is one plain word; raises UsageError."""
    plain = name.replace("-", "").replace("_", "")
    if not plain.isascii() or not plain.isalnum() or len(name) > 60:
        raise UsageError("the name of a store consists of letters, digits, dashes and underscores")
    return name


def bind(environment: Environment, config: Config, name: str) -> Config:
    """Bind this directory to a named store, new or existing, in the user's own configuration.
    Raises UsageError, SecretsFound, and StoreNotFound if a folder of that name is not a store."""
    from gitsession.redaction import redact_text

    check_name(name)
    path = environment.data_dir / f"{name}.git"
    if os.path.lexists(path):
        layout.check(str(path))
    folder = os.path.realpath(environment.cwd)
    if redact_text(folder) != folder:
        raise SecretsFound(
            "the path of this folder contains a secret, which the configuration would store",
            hint="rename the folder, or use --store",
        )
    changed = config.with_mapping("bindings", folder, name)
    changed.save()
    return changed


def must_exist(path: str) -> None:
    """Raises StoreNotFound; called before anything is created, including the key."""
    if not os.path.exists(path):
        raise StoreNotFound("there is no store yet", hint="`gitsession save` creates one")


def open_store(
    path: str, key: bytes, environment: Environment, config: Config, *, create: bool
) -> Store:
    """Open the store, or create it if `create` allows that. Raises StoreNotFound, Conflict."""
    durable = config["save.durability"] == "safe"
    if not create:
        must_exist(path)
    if not create or os.path.exists(path):
        return Store.open(path, key, environment, durable)
    from gitsession.redaction import Redactor

    name, address = config.author
    author = Redactor(key).clean(f"{name} <{address}>")
    return Store.create(path, key, environment, author, durable)


def missing(environment: Environment, given: str | os.PathLike[str] | None) -> Workspace:
    """Return a workspace on an empty store that is not on disk, at the path where one would be
    created; the key is the user's, or one for this run. Raises StoreNotFound if something else is
    at that path."""
    from gitsession.config import load_config
    from gitsession.operations.workspace import Workspace

    config = load_config(environment)
    path = os.path.abspath(store_path(environment, config, given))
    if os.path.lexists(path):
        layout.check(path)
    key = key_to_look_with(environment, config)
    return Workspace(Store(path, key, environment), environment, config, key)


def key_to_look_with(environment: Environment, config: Config) -> bytes:
    """Return the user's key, or, if there is none yet, one for this run that is not stored: reading
    creates no key."""
    from gitsession.config import KEY_BYTES, load_key

    known = config["redaction.key_file"] or os.path.exists(
        os.path.join(environment.folder("config"), "key")
    )
    return load_key(environment, config) if known else os.urandom(KEY_BYTES)


def with_author(environment: Environment, config: Config) -> Config:
    """Return the configuration with name and address, copied once from the user's git settings."""
    if config.values["author.name"] or os.path.exists(os.path.join(config.folder, "config.yaml")):
        return config
    name, address = _git_config(environment, "user.name"), _git_config(environment, "user.email")
    if not name:
        return config
    changed = config.with_value("author.name", name)
    changed = changed.with_value("author.email", address or "gitsession@localhost")
    changed.save()
    return changed


def _git_config(environment: Environment, name: str) -> str:
    import subprocess

    variables = {
        key: value
        for key, value in environment.variables.items()
        if not key.startswith("GIT_") or key == "GIT_CONFIG_GLOBAL"
    }
    git = find_program("git", environment.variables)
    if not git:
        return ""
    try:
        done = subprocess.run(
            [git, "config", "--global", "--get", name],
            env=variables, cwd="/", capture_output=True, timeout=10, check=False,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return ""
    text = done.stdout.decode("utf-8", "replace").strip()
    return "" if any(character in text for character in "<>\n\0") else text
