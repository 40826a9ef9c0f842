"""The model that a user talks to in OpenCode or its forks.

An imported session must name it: naming one that this user does not have gets the session refused.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gitsession.agents.databases import columns_in, is_database, opened, rows_of, tables_in
from gitsession.agents.lenient import mapping_of, text_of
from gitsession.agents.opencode_family import Member, databases, settings_folder
from gitsession.environment import Environment
from gitsession.files import is_regular, read_range

_LARGEST = 1 << 20


def chosen_model(environment: Environment, member: Member) -> dict[str, Any]:
    """Return `{"model": {"id": …, "providerID": …}}` of the newest session here, else of the user's
    settings; empty if neither states one."""
    for provider, name in (*_of_sessions(environment, member), *_of_settings(environment, member)):
        return {"model": {"id": name, "providerID": provider}}
    return {}


def _of_sessions(environment: Environment, member: Member) -> Iterator[tuple[str, str]]:
    for path in databases(member, environment):
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


def _of_settings(environment: Environment, member: Member) -> Iterator[tuple[str, str]]:
    for file in member.settings:
        path = settings_folder(member, environment) / file
        provider, _, name = _setting(path).partition("/")
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
