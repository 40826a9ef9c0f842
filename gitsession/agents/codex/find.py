"""Where Codex keeps its sessions: found by folder, by id, all of them, or in a given file."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

from gitsession.agents.base import Source
from gitsession.agents.codex.records import Row
from gitsession.agents.codex.source import header, id_in_name, rollouts
from gitsession.environment import Environment
from gitsession.files import regular

NAME = "codex"


def home(environment: Environment) -> Path:
    """Return `CODEX_HOME`, else `~/.codex`."""
    given = environment.get("CODEX_HOME")
    return Path(given) if given else environment.home / ".codex"


def find(environment: Environment, *, cwd: str = "", native_id: str = "") -> Iterator[Source]:
    """Yield sessions newest first; `native_id` may be a prefix, `cwd` must be the session's folder.

    Threads that Codex started for part of a task come last in a folder's list, so that its newest
    session is one that a person talks in.
    """
    titles = thread_names(home(environment))
    candidates = _newest_first(home(environment))
    if native_id:
        named = [path for path in candidates if id_in_name(path).startswith(native_id)]
        candidates = named or candidates
    wanted = {cwd, os.path.realpath(cwd)} if cwd else set()
    started_by_codex: list[Source] = []
    for path in candidates:
        row = header(path)
        if row is None:
            if not cwd and (damaged := _damaged(path, titles)):
                yield damaged
            continue
        source = _source(path, row, titles)
        if source is None or not source.native_id.startswith(native_id):
            continue
        if cwd and source.cwd not in wanted and _real(source.cwd) not in wanted:
            continue
        if cwd and _is_part_of_a_task(row):
            started_by_codex.append(source)
        else:
            yield source
    yield from started_by_codex


def newest(environment: Environment, cwd: str, after: int) -> Source | None:
    """Return a folder's last changed session if it changed after that time; opens no older file."""
    wanted = {cwd, os.path.realpath(cwd)}
    for changed, path in _dated(home(environment)):
        if changed <= after:
            break
        row = header(path)
        if row is not None and (_cwd(row) in wanted or _real(_cwd(row)) in wanted):
            return _source(path, row, thread_names(home(environment)))
    return None


def recognise(path: Path) -> Source | None:
    """Return the session in one file, or None if it is not a rollout."""
    row = header(path)
    return _source(path, row, _names_near(path)) if row is not None else None


def _source(path: Path, row: Row, titles: dict[str, str]) -> Source | None:
    native_id = row.payload.get("id")
    if not isinstance(native_id, str) or not native_id:
        native_id = id_in_name(path) or path.name.split(".")[0]
    try:
        status = path.stat()
    except OSError:
        return None
    return Source(
        agent=NAME,
        native_id=native_id,
        path=path,
        size=status.st_size,
        mtime=status.st_mtime_ns,
        cwd=_cwd(row),
        title=titles.get(native_id, ""),
    )


def _damaged(path: Path, titles: dict[str, str]) -> Source | None:
    """Return a rollout identified by its name alone, so that reading it reports what is wrong.

    An empty one was only just begun and is left out.
    """
    source = _source(path, Row("session_meta", {}, "", {}), titles) if id_in_name(path) else None
    return source if source is not None and source.size else None


def _is_part_of_a_task(row: Row) -> bool:
    source = row.payload.get("source")
    return isinstance(source, dict) and "subagent" in source


def _real(cwd: str) -> str:
    # A path from another operating system (`\\\\host\\share`) must not be looked up.
    return os.path.realpath(cwd) if cwd.startswith("/") and os.sep == "/" else cwd


def _cwd(row: Row) -> str:
    cwd = row.payload.get("cwd")
    return cwd if isinstance(cwd, str) else ""


def _newest_first(folder: Path) -> list[Path]:
    return [path for _, path in _dated(folder)]


def _dated(folder: Path) -> list[tuple[int, Path]]:
    dated = []
    for name in ("sessions", "archived_sessions"):
        for path in rollouts(folder / name):
            try:
                dated.append((path.stat().st_mtime_ns, path))
            except OSError:
                continue
    return sorted(dated, reverse=True)


def _names_near(path: Path) -> dict[str, str]:
    for folder in path.parents:
        if folder.name in ("sessions", "archived_sessions"):
            return thread_names(folder.parent)
    return {}


def thread_names(folder: Path) -> dict[str, str]:
    """Return the names that users gave their threads, by id; the last line about an id wins."""
    names: dict[str, str] = {}
    try:
        with open(folder / "session_index.jsonl", "rb", opener=regular) as stream:
            lines = stream.readlines(64 << 20)
    except OSError:
        return names
    for line in lines:
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict) and isinstance(value.get("id"), str):
            names[value["id"]] = str(value.get("thread_name") or "")
    return names
