"""Where pi keeps sessions, and which file is which session."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from gitsession.agents.base import Source
from gitsession.agents.family import newest_first
from gitsession.agents.lenient import parse_line, text_of
from gitsession.agents.pi.records import Row, is_header, is_prompt, prompt_text
from gitsession.environment import Environment
from gitsession.files import folders_in, is_regular, lines
from gitsession.giants import short

NAME = "pi"
_NAMED = re.compile(r"\d{4}-\d\d-\d\dT[0-9-]+Z_(.+)\.jsonl")
_HEAD = 1 << 16


def home(environment: Environment) -> Path:
    configured = environment.get("PI_CODING_AGENT_DIR")
    return Path(configured).expanduser() if configured else environment.home / ".pi" / "agent"


def folder_name(cwd: str) -> str:
    """Return the folder name of a project's sessions, spelled as pi spells it."""
    return f"--{re.sub(r'[/:]|' + re.escape(chr(92)), '-', cwd.lstrip('/'))}--"


def find(environment: Environment, *, cwd: str = "", native_id: str = "") -> Iterator[Source]:
    top = home(environment) / "sessions"
    if cwd:
        folders = [top / name for name in {folder_name(p): 0 for p in (os.path.realpath(cwd), cwd)}]
    else:
        folders = _folders(top)
    found = [source for folder in folders for source in _sessions_in(folder, native_id)]
    yield from newest_first(found, cwd, native_id)


def _folders(top: Path) -> list[Path]:
    return [top, *map(Path, folders_in(top))]


def _sessions_in(folder: Path, native_id: str) -> Iterator[Source]:
    try:
        names = os.listdir(folder)
    except OSError:
        return
    for name in names:
        named = _NAMED.fullmatch(name)
        if not name.endswith(".jsonl") or (named and not named[1].startswith(native_id)):
            continue
        source = recognise(folder / name)
        if source is not None and source.native_id.startswith(native_id):
            yield source


def recognise(path: Path) -> Source | None:
    """Return the session in any file that begins with a session header; its id is the header's."""
    if not is_regular(path):
        return None
    try:
        status = path.stat()
        header, title = _look(path, status.st_size)
    except OSError:
        return None
    if not header:
        return None
    cwd = text_of(header.get("cwd"))
    return Source(NAME, text_of(header["id"]), path, status.st_size, status.st_mtime_ns, cwd, title)


def _look(path: Path, size: int) -> tuple[Row, str]:
    """Return the header, and the first prompt's first line if it is near the beginning."""
    header: Row = {}
    for data in lines(path, 0, min(size, _HEAD)):
        for row in parse_line(short(data)).objects:
            if not header:
                if not is_header(row):
                    return {}, ""
                header = row
            elif is_prompt(row):
                return header, prompt_text(row).split("\n", 1)[0]
    return header, ""
