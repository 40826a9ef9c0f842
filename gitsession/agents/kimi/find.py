"""Where Kimi Code keeps sessions, and which file is which session."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gitsession.agents.base import Source
from gitsession.agents.family import newest_first
from gitsession.agents.kimi.records import is_header, is_prompt, prompt_text
from gitsession.agents.lenient import mapping_of, number_of, parse_line, text_of
from gitsession.digests import sha256
from gitsession.environment import Environment
from gitsession.files import folders_in, is_regular, lines, read_range
from gitsession.giants import short

NAME = "kimi"
WIRE, STATE = "wire.jsonl", "state.json"
MAIN = "main"
_HEAD = 1 << 17
_LONGEST_SLUG = 40
AGENT_NAME = re.compile(r"[0-9A-Za-z_][0-9A-Za-z_-]{0,99}")


def home(environment: Environment) -> Path:
    configured = environment.get("KIMI_CODE_HOME")
    return Path(configured).expanduser() if configured else environment.home / ".kimi-code"


def folder_name(cwd: str) -> str:
    """Return the folder name of a project's sessions, spelled as the agent spells it."""
    path = cwd.replace("\\", "/").rstrip("/")
    slug = re.sub(r"[^a-z0-9._-]+", "-", path.rpartition("/")[2].lower()).strip("-")
    slug = slug[:_LONGEST_SLUG].strip("-")
    named = slug if slug not in ("", ".", "..") else "workspace"
    return f"wd_{named}_{sha256(path.encode('utf-8', 'surrogateescape')).hexdigest()[:12]}"


def find(environment: Environment, *, cwd: str = "", native_id: str = "") -> Iterator[Source]:
    top = home(environment) / "sessions"
    if cwd:
        folders = [top / folder_name(path) for path in dict.fromkeys((os.path.realpath(cwd), cwd))]
    else:
        folders = [Path(one) for one in folders_in(top)]
    found = [source for folder in folders for source in _sessions_in(folder, native_id)]
    yield from newest_first(found, cwd, native_id)


def _sessions_in(folder: Path, native_id: str) -> Iterator[Source]:
    for session in folders_in(folder):
        if os.path.basename(session).startswith(native_id):
            source = recognise(Path(session) / "agents" / MAIN / WIRE)
            if source is not None:
                yield source


def recognise(path: Path) -> Source | None:
    """Return the session in the log of any agent. A subagent's log is a session of its own."""
    if not is_regular(path):
        return None
    try:
        status = path.stat()
        created, title = _look(path, status.st_size)
    except OSError:
        return None
    if created is None:
        return None
    native_id, state, beside = f"kimi-{created}", {}, {}
    if path.name == WIRE and path.parent.parent.name == "agents":
        session = path.parent.parent.parent
        state, agent = state_in(session), path.parent.name
        native_id = session.name if agent == MAIN else f"{session.name}.{agent}"
        beside = streams(session) if agent == MAIN else {}
    title = text_of(state.get("title")) or title
    cwd = text_of(state.get("cwd"))
    return Source(NAME, native_id, path, status.st_size, status.st_mtime_ns, cwd, title, beside)


def streams(session: Path) -> dict[str, Path]:
    """Return `subagents/<id>` → file."""
    found = {}
    for folder in sorted(folders_in(session / "agents")):
        name, path = os.path.basename(folder), Path(folder) / WIRE
        if name != MAIN and AGENT_NAME.fullmatch(name) and is_regular(path):
            found[f"subagents/{name}"] = path
    return found


def state_in(session: Path) -> dict[str, Any]:
    """Return what the agent records next to the logs: folder, title, who started whom."""
    try:
        if is_regular(session / STATE):
            return mapping_of(json.loads(read_range(session / STATE, 0, 1 << 20)))
    except (OSError, ValueError, RecursionError):
        pass
    return {}


def _look(path: Path, size: int) -> tuple[int | None, str]:
    """Return when this agent's log began (None for any other file), and its first prompt."""
    created: int | None = None
    for data in lines(path, 0, min(size, _HEAD)):
        for row in parse_line(short(data)).objects:
            if created is None and not is_header(row):
                return None, ""
            created = number_of(row.get("created_at")) if created is None else created
            if is_prompt(row):
                return created, prompt_text(row.get("input")).split("\n", 1)[0]
    return created, ""


def model_for(path: str) -> str:
    """Return the model to start a written session with: the user's own choice for new sessions.

    "" if the session names a model itself.
    """
    try:
        begin = read_range(path, 0, _HEAD)
        if b'"profile.bind"' in begin.partition(b'"turn.prompt"')[0]:
            return ""
        settings = Path(path).parents[5] / "config.toml"
        return text_of(_settings(settings).get("default_model"))
    except (OSError, ValueError, IndexError):
        return ""


def _settings(path: Path) -> dict[str, Any]:
    import tomllib

    return tomllib.loads(read_range(path, 0, 1 << 20).decode()) if is_regular(path) else {}
