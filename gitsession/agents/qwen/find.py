"""Where Qwen Code keeps sessions, and which file is which session."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from gitsession.agents.base import Source
from gitsession.agents.envelope import dashed, is_uuid
from gitsession.agents.family import newest_first
from gitsession.agents.lenient import parse_line, text_of
from gitsession.agents.qwen.records import is_prompt, is_qwen, prompt_text
from gitsession.agents.qwen.sides import streams
from gitsession.environment import Environment
from gitsession.files import folders_in, is_regular, lines
from gitsession.giants import short

NAME = "qwen"
_HEAD = 1 << 17


def home(environment: Environment) -> Path:
    configured = environment.get("QWEN_RUNTIME_DIR") or environment.get("QWEN_HOME")
    return Path(configured).expanduser() if configured else environment.home / ".qwen"


def chats(environment: Environment, cwd: str) -> Path:
    """Return the folder of a project's sessions, spelled as the agent spells it."""
    return home(environment) / "projects" / dashed(cwd) / "chats"


def find(environment: Environment, *, cwd: str = "", native_id: str = "") -> Iterator[Source]:
    if cwd:
        paths = dict.fromkeys((os.path.realpath(cwd), cwd))
        folders = [chats(environment, path) for path in paths]
    else:
        folders = [Path(one) / "chats" for one in folders_in(home(environment) / "projects")]
    found = [source for folder in folders for source in _sessions_in(folder, native_id)]
    yield from newest_first(found, cwd, native_id)


def _sessions_in(folder: Path, native_id: str) -> Iterator[Source]:
    try:
        names = os.listdir(folder)
    except OSError:
        return
    for name in names:
        stem = name.removesuffix(".jsonl")
        if stem != name and stem.startswith(native_id) and is_uuid(stem):
            source = recognise(folder / name)
            if source is not None:
                yield source


def recognise(path: Path) -> Source | None:
    """Return the session in any `.jsonl` of this agent, else None.

    Its id is the file's name if that is a UUID, else the records' session id.
    """
    if not is_regular(path):
        return None
    try:
        status = path.stat()
        known, session_id, cwd, title = _look(path, status.st_size)
    except OSError:
        return None
    if not known:
        return None
    stem = path.name.removesuffix(".jsonl")
    native_id = stem if is_uuid(stem) else session_id
    beside = streams(path, native_id)
    return Source(NAME, native_id, path, status.st_size, status.st_mtime_ns, cwd, title, beside)


def _look(path: Path, size: int) -> tuple[bool, str, str, str]:
    """Return whether it is a session of this agent, and its id, folder and first prompt."""
    session_id = cwd = ""
    known = False
    for data in lines(path, 0, min(size, _HEAD)):
        for row in parse_line(short(data)).objects:
            verdict = is_qwen(row)
            if verdict is False:
                return False, "", "", ""
            known = known or verdict is True
            session_id = session_id or text_of(row.get("sessionId"))
            cwd = cwd or text_of(row.get("cwd"))
            if is_prompt(row):
                return known, session_id, cwd, prompt_text(row).split("\n", 1)[0]
    return known, session_id, cwd, ""
