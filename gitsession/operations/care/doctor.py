"""doctor: is everything around the store in order, and is anything about to be lost? Reads only."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator

from gitsession.config import load_config, load_key
from gitsession.errors import GitSessionError, StoreNotFound
from gitsession.model.care import Check
from gitsession.operations import own_rules, place
from gitsession.operations.care import doctor_agents, doctor_machine, doctor_store
from gitsession.operations.workspace import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.config import Config
    from gitsession.environment import Environment


def examine(
    environment: Environment, store: str | os.PathLike[str] | None = None, program: str = ""
) -> list[Check]:
    """Return all checks, in a fixed order. `program` is the path that hooks should call, "" if
    unknown.

    Creates nothing, repairs nothing and needs no store: whatever cannot be checked gets a line
    itself.
    """
    checks = list(doctor_machine.checks(environment))
    config, said = _config(environment)
    checks += said
    checks += [Check("FAIL", "redaction", str(error), error.hint)
               for error in own_rules.unusable(environment)]  # fmt: skip
    workspace = None
    if config is not None:
        path = place.store_path(environment, config, store)
        workspace, said = _open(environment, config, path)
        checks += [*said, *_guarded("permissions",
                   lambda: doctor_machine.permissions(environment, config, path)),
                   *_guarded("disk", lambda: doctor_machine.disk(environment, path))]  # fmt: skip
    if workspace is not None:
        opened = workspace
        with opened.store:
            for name, look in doctor_store.CHECKS:
                checks += _guarded(name, lambda look=look: look(opened))  # type: ignore[misc]
            checks += _guarded("sources", lambda: doctor_agents.sources(opened))
            checks += _guarded("retention", lambda: doctor_agents.retentions(environment, opened))
    else:
        checks += _guarded("retention", lambda: doctor_agents.retentions(environment, None))
    checks += _guarded("hooks", lambda: doctor_agents.hooks(environment, program))
    return checks


def _config(environment: Environment) -> tuple[Config | None, list[Check]]:
    try:
        config = load_config(environment)
    except GitSessionError as error:
        return None, [Check("FAIL", "configuration", str(error), error.hint)]
    there = os.path.exists(os.path.join(config.folder, "config.yaml"))
    if config.unknown:
        told = "; ".join(config.unknown)
        hint = "gitsession config lists all settings"
        return config, [Check("WARN", "configuration", told, hint)]
    said = "is readable" if there else "none, defaults apply"
    return config, [Check("OK", "configuration", said)]


def _open(
    environment: Environment, config: Config, path: str
) -> tuple[Workspace | None, list[Check]]:
    """Open the store, if that is possible; no key is created for it."""
    try:
        place.must_exist(path)
    except StoreNotFound as error:
        return None, [Check("OK", "store", str(error), error.hint)]
    try:
        if not doctor_machine.has_key(environment, config):
            text = (
                f"the store {path} exists, but the key that its versions were sealed with does not"
            )
            return None, [Check("FAIL", "key", text, "restore it from a backup before you save")]
        key = load_key(environment, config)
        store = place.open_store(path, key, environment, config, create=False)
    except GitSessionError as error:
        return None, [Check("FAIL", "store", str(error), error.hint)]
    except OSError as error:
        text = f"{error.filename or path} cannot be read: {error.strerror or 'unknown reason'}"
        return None, [Check("FAIL", "store", text, "check its permissions")]
    return Workspace(store, environment, config, key), [Check("OK", "key", "present")]


def _guarded(name: str, look: Callable[[], Iterable[Check]]) -> Iterator[Check]:
    """Yield the results of a check; one that fails becomes a line, and the others run."""
    try:
        yield from look()
    except GitSessionError as error:
        yield Check("FAIL", name, str(error), error.hint)
    except OSError as error:
        yield Check("FAIL", name, f"cannot be looked at: {error.strerror or 'unknown reason'}")
