"""Where Claude Code keeps sessions, and which file is which session."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from gitsession.agents.base import Source
from gitsession.agents.claude_code.records import is_claude, is_prompt, prompt_text
from gitsession.agents.envelope import dashed, is_uuid, utf16_units
from gitsession.agents.lenient import parse_line, text_of
from gitsession.environment import Environment
from gitsession.files import folders_in, is_regular, lines
from gitsession.giants import short

TYPE_CHECKING = False
if TYPE_CHECKING:
    from os import PathLike
    from pathlib import Path

    AnyPath = str | PathLike[str]

_FLAT_AGENT = r"agent-[0-9A-Za-z_-]{1,64}"
_SAFE_ID = r"[0-9A-Za-z][0-9A-Za-z._-]{0,99}"
_LONGEST_NAME = 200
_HEADS = (1 << 16, 1 << 20, 1 << 25)
"""Bytes read from a file to identify it: a larger size only if the one before is not enough."""


def home(environment: Environment) -> Path:
    from pathlib import Path

    return Path(home_folder(environment))


def home_folder(environment: Environment) -> str:
    """Return `home` as a string."""
    configured = environment.get("CLAUDE_CONFIG_DIR")
    return configured or os.path.join(environment.home_folder, ".claude")


def folder_name(path: str) -> str:
    """Return the project folder of a working directory, spelled as the agent spells it.

    A long name is cut, and a base-31 hash of the path is appended.
    """
    name = dashed(path)
    if len(name) <= _LONGEST_NAME:
        return name
    total = 0
    for unit in utf16_units(path):
        total = (total * 31 + unit) & 0xFFFFFFFF
    return f"{name[:_LONGEST_NAME]}-{_base36(abs(total - (1 << 32) if total >> 31 else total))}"


def _base36(number: int) -> str:
    digits = ""
    while True:
        number, digit = divmod(number, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[digit] + digits
        if not number:
            return digits


def find(environment: Environment, *, cwd: str = "", native_id: str = "") -> Iterator[Source]:
    """Yield sessions newest first; old flat subagent files (`agent-<id>`) after all others."""
    folders = _folders_of(os.path.join(home_folder(environment), "projects"), cwd)
    found = [source for folder in folders for source in _sessions_in(folder, native_id)]
    if native_id:
        found = [s for s in found if s.native_id == native_id] or found
    found.sort(key=lambda s: (s.native_id.startswith("agent-"), -s.mtime, s.native_id))
    for source in found:
        if not cwd or _belongs(source, cwd):
            yield source


def _folders_of(projects: str, cwd: str) -> list[str]:
    if cwd:
        names = dict.fromkeys(folder_name(path) for path in (os.path.realpath(cwd), cwd))
        return [os.path.join(projects, name) for name in names]
    return folders_in(projects)


def _sessions_in(folder: str, native_id: str) -> Iterator[Source]:
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in entries]
    except OSError:
        return
    for name in names:
        stem, dot, ending = name.rpartition(".")
        if dot and ending == "jsonl" and stem.startswith(native_id) and _is_id(stem):
            source = _source(os.path.join(folder, name), stem)
            if source is not None:
                yield source


def _is_id(stem: str) -> bool:
    return bool(is_uuid(stem) or re.fullmatch(_FLAT_AGENT, stem))


def _source(path: str, native_id: str, cwd: str = "", title: str = "") -> Source | None:
    if not is_regular(path):
        return None
    try:
        status = os.stat(path)
    except OSError:
        return None
    streams = _subagent_streams(path)
    return Source(
        "claude-code", native_id, path, status.st_size, status.st_mtime_ns, cwd, title, streams
    )


def _subagent_streams(path: str) -> dict[str, str]:
    """Return `subagents/<id>` (or `subagents/workflows/<run>/<id>`) → file next to the main one."""
    top = os.path.join(os.path.splitext(path)[0], "subagents")
    found = {}
    for folder, _, names in os.walk(top):
        inner = os.path.relpath(folder, top).replace(os.sep, "/")
        for name in names:
            stem = name.removesuffix(".jsonl")
            file = os.path.join(folder, name)
            if stem != name and re.fullmatch(_FLAT_AGENT, stem) and is_regular(file):
                parts = ("subagents", *(() if inner == "." else (inner,)), stem[len("agent-") :])
                found["/".join(parts)] = file
    return dict(sorted(found.items()))


def _belongs(source: Source, cwd: str) -> bool:
    """Whether a session belongs to that folder.

    Two folders can share one encoded name (`/a.b`, `/a-b`); then the records decide.
    """
    said = peek(source.file, source.size).cwd
    if not said or said in (cwd, os.path.realpath(cwd)):
        return True
    return folder_name(said) != os.path.basename(os.path.dirname(source.file))


class Peek:
    """What the beginning of a file reveals; `known` is None while it decides nothing."""

    __slots__ = ("cwd", "first_uuid", "known", "session_id", "title")

    def __init__(self) -> None:
        self.known: bool | None = None
        self.session_id = self.first_uuid = self.cwd = self.title = ""


def peek(path: AnyPath, size: int) -> Peek:
    seen = Peek()
    for most in _HEADS:
        seen = _look(path, min(size, most))
        if (seen.known is not None and (seen.cwd or seen.known is False)) or most >= size:
            break
    return seen


def _look(path: AnyPath, end: int) -> Peek:
    seen = Peek()
    try:
        for data in lines(path, 0, end):
            for row in parse_line(short(data)).objects:
                verdict = is_claude(row)
                if verdict is not None and seen.known is not False:
                    seen.known = verdict
                seen.session_id = seen.session_id or text_of(row.get("sessionId"))
                seen.first_uuid = seen.first_uuid or text_of(row.get("uuid"))
                seen.cwd = seen.cwd or text_of(row.get("cwd"))
                if not seen.title and is_prompt(row):
                    seen.title = prompt_text(row).strip().split("\n", 1)[0]
            if seen.known is False or (seen.known and seen.cwd and seen.title):
                break
    except OSError:
        return Peek()
    return seen


def recognise(path: AnyPath) -> Source | None:
    """Return the session in any `.jsonl` of this agent, else None.

    Its id is the file's name if that is an id, else the records' session id.
    """
    if not is_regular(path):
        return None
    try:
        size = os.path.getsize(path)
    except OSError:
        return None
    seen = peek(path, size)
    if not seen.known:
        return None
    name = os.path.basename(path).removesuffix(".jsonl")
    return _source(os.fspath(path), _native_id(name, seen), seen.cwd, seen.title)


def _native_id(stem: str, seen: Peek) -> str:
    if _is_id(stem):
        return stem
    if re.fullmatch(_SAFE_ID, seen.session_id):
        return seen.session_id
    import uuid

    # Hand-made files may name no session at all: use something that stays as the file grows.
    return str(uuid.uuid5(uuid.NAMESPACE_OID, seen.session_id + seen.first_uuid + stem))
