"""Which model a user talks to in OpenCode: a session that is taken in names it, or else is refused
as soon as it names one that this user has not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gitsession.agents.databases import columns_in, is_database, opened, rows_of, tables_in
from gitsession.agents.lenient import mapping_of, text_of
from gitsession.environment import Environment
from gitsession.files import is_regular, read_range

_CONFIGS = ("opencode.json", "opencode.jsonc", "config.json")
_LARGEST = 1 << 20


def chosen_model(environment: Environment) -> dict[str, Any]:
    """`{"model": {"id": …, "providerID": …}}` of the newest session here, else of the user's
    settings; empty if neither says."""
    for provider, name in (*_of_sessions(environment), *_of_settings(environment)):
        return {"model": {"id": name, "providerID": provider}}
    return {}


def _of_sessions(environment: Environment) -> Iterator[tuple[str, str]]:
    from gitsession.agents.opencode import AGENT

    for path in AGENT.paths(environment, ""):
        try:
            if is_regular(path) and is_database(path):
                yield from _in_database(path)
        except OSError:
            continue


def _in_database(path: Path) -> Iterator[tuple[str, str]]:
    with opened(path, ("session",)) as connection:
        if "session" not in tables_in(connection):
            return
        if not {"model", "time_updated"} <= columns_in(connection, "session"):
            return
        query = "SELECT model FROM session WHERE model IS NOT NULL ORDER BY time_updated DESC"
        for row in rows_of(connection, query):
            value = mapping_of(_parsed(text_of(row["model"])))
            provider, name = text_of(value.get("providerID")), text_of(value.get("id"))
            if provider and name:
                yield provider, name
                return


def _of_settings(environment: Environment) -> Iterator[tuple[str, str]]:
    configured = environment.get("XDG_CONFIG_HOME")
    base = Path(configured) if configured.startswith("/") else environment.home / ".config"
    for file in _CONFIGS:
        provider, _, name = _setting(base / "opencode" / file).partition("/")
        if provider and name:
            yield provider, name


def _setting(path: Path) -> str:
    try:
        data = read_range(path, 0, _LARGEST) if is_regular(path) else b""
    except OSError:
        return ""
    rows = data.decode("utf-8", "replace").splitlines()
    text = "\n".join(row for row in rows if not row.lstrip().startswith("//"))
    return text_of(mapping_of(_parsed(text)).get("model"))


def _parsed(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
