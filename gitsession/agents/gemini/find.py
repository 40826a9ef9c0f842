"""Where Gemini CLI keeps sessions: which folder is which project's, which file which session."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from gitsession.agents.base import Source
from gitsession.agents.envelope import is_uuid
from gitsession.agents.gemini.form import (
    is_lines,
    is_metadata,
    may_be_gemini,
    messages_in,
    object_records,
    parse,
)
from gitsession.agents.gemini.records import prompt_text, role, workspace
from gitsession.agents.lenient import mapping_of, text_of
from gitsession.environment import Environment
from gitsession.files import folders_in, is_regular, lines, read_range

NAME = "gemini"
MARKER = ".project_root"
_HEAD = 1 << 17
SUBAGENT = re.compile(r"subagents/([0-9A-Za-z_][0-9A-Za-z_-]{0,99})")
_LARGEST_OBJECT = 256 << 20
_LARGEST_NOTE = 64 << 20


def home(environment: Environment) -> Path:
    configured = environment.get("GEMINI_CLI_HOME")
    return (Path(configured) if configured else environment.home) / ".gemini"


def project_hash(cwd: str) -> str:
    return hashlib.sha256(cwd.encode("utf-8", "surrogatepass")).hexdigest()


def registered(top: Path) -> dict[str, str]:
    """Return project folder → name of its session folder, as recorded by the agent."""
    try:
        noted = json.loads(read_range(top / "projects.json", 0, _LARGEST_NOTE))
    except (OSError, ValueError, RecursionError):
        return {}
    projects = mapping_of(mapping_of(noted).get("projects"))
    return {path: name for path, name in projects.items() if isinstance(name, str)}


def marked_root(folder: Path) -> str:
    """Return the project that a session folder says it belongs to, "" if it says nothing."""
    try:
        data = read_range(folder / MARKER, 0, 1 << 14) if is_regular(folder / MARKER) else b""
    except OSError:
        return ""
    return data.decode("utf-8", "replace").strip()


def folder_for(environment: Environment, cwd: str) -> Path:
    """Return the session folder of a project: its own, else the one the agent would create."""
    top = home(environment)
    noted = registered(top)
    own = noted.get(cwd, "")
    if own and marked_root(top / "tmp" / own) in ("", cwd) and "/" not in own:
        return top / "tmp" / own
    for folder in _folders(top):
        if marked_root(folder) == cwd:
            return folder
    base = re.sub(r"-+", "-", re.sub(r"[^a-z0-9]", "-", os.path.basename(cwd).lower()))
    slug = base.strip("-") or "project"
    counter, name = 0, slug
    while name in noted.values() or not _is_free(top, name, cwd):
        counter += 1
        name = f"{slug}-{counter}"
    return top / "tmp" / name


def _is_free(top: Path, name: str, cwd: str) -> bool:
    return all(marked_root(top / base / name) in ("", cwd) for base in ("tmp", "history"))


def newest(environment: Environment, cwd: str, after: int) -> Source | None:
    """Return the last changed session of a folder if it changed after that time.

    A session may have several files, so if one file of a project is newer, all its files are read.
    """
    folders = [each for each in _folders(home(environment)) if _is_newer(each / "chats", after)]
    found = max(_find(environment, folders, cwd, ""), key=lambda each: each.mtime, default=None)
    return found if found is not None and found.mtime > after else None


def _is_newer(folder: Path, after: int) -> bool:
    """Whether a file in the folder changed, or may have changed, after that time."""
    try:
        with os.scandir(folder) as entries:
            return any(entry.stat().st_mtime_ns > after for entry in entries)
    except OSError:
        return True


def find(environment: Environment, *, cwd: str = "", native_id: str = "") -> Iterator[Source]:
    yield from _find(environment, _folders(home(environment)), cwd, native_id)


def _find(
    environment: Environment, folders: Iterable[Path], cwd: str, native_id: str
) -> Iterator[Source]:
    top = home(environment)
    names = {name: path for path, name in registered(top).items()}
    wanted = {cwd, os.path.realpath(cwd)} if cwd else set()
    hashes = {project_hash(path) for path in wanted}
    found: list[Source] = []
    for folder in folders:
        root = marked_root(folder) or names.get(folder.name, "")
        if wanted and root and root not in wanted:
            continue
        asked = "" if root or folder.name not in hashes else cwd
        for source, hashed in _sessions_in(folder / "chats", native_id, root or asked):
            if not wanted or source.cwd in wanted:
                found.append(source)
            elif not source.cwd and hashed in hashes:
                found.append(_at(source, cwd))
    if native_id:
        found = [source for source in found if source.native_id == native_id] or found
    yield from sorted(_one_each(found), key=lambda source: (-source.mtime, source.native_id))


def _folders(top: Path) -> list[Path]:
    return list(map(Path, folders_in(top / "tmp")))


def _sessions_in(folder: Path, native_id: str, root: str) -> Iterator[tuple[Source, str]]:
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return
    for name in names:
        if name.startswith("session-") and name.endswith((".json", ".jsonl")):
            found = _look(folder / name, root)
            if found is not None and found[0].native_id.startswith(native_id):
                yield found


def _one_each(found: Iterable[Source]) -> list[Source]:
    """Return one file per session.

    Resuming leaves stubs with the same id, and an older single object is followed by a log made
    from it. Among files with a prompt the log wins, then the larger file.
    """
    best: dict[str, Source] = {}

    def worth(source: Source) -> tuple[bool, bool, int]:
        return bool(source.title), source.path.suffix == ".jsonl", source.size

    for source in found:
        if source.native_id not in best or worth(source) > worth(best[source.native_id]):
            best[source.native_id] = source
    return list(best.values())


def recognise(path: Path) -> Source | None:
    """Return a session of either format in a file of any name."""
    folder = path.parent.parent if path.parent.name == "chats" else None
    found = _look(path, marked_root(folder) if folder else "")
    return found[0] if found else None


def _look(path: Path, root: str) -> tuple[Source, str] | None:
    """Return the session in a file and the hash of its project; None if there is none."""
    if not is_regular(path):
        return None
    try:
        status = path.stat()
        head = read_range(path, 0, _HEAD)
        if not may_be_gemini(head):
            return None
        records = _first_records(path, head, status.st_size)
        whole = not is_lines(head.split(b"\n", 1)[0])
        metadata, cwd, title = _facts(records, whole)
    except OSError:
        return None
    if not metadata:
        return None
    native_id, hashed = text_of(metadata["sessionId"]), text_of(metadata["projectHash"])
    place = (path, status.st_size, status.st_mtime_ns)
    beside = subagents(path.parent, native_id)
    return Source(NAME, native_id, *place, root or cwd, title, beside), hashed


def subagents(chats: Path, native_id: str) -> dict[str, Path]:
    """Return `subagents/<id>` → file in the folder named after the session."""
    folder = chats / native_id
    try:
        names = sorted(os.listdir(folder)) if is_uuid(native_id) else []
    except OSError:
        return {}
    stems = ((name.removesuffix(".jsonl"), folder / name) for name in names)
    return {
        f"subagents/{stem}": path
        for stem, path in stems
        if path.name != stem and SUBAGENT.fullmatch(f"subagents/{stem}") and is_regular(path)
    }


def _first_records(path: Path, head: bytes, size: int) -> Iterable[bytes]:
    if is_lines(head.split(b"\n", 1)[0]):
        return lines(path, 0, min(size, _HEAD))
    if size > _LARGEST_OBJECT:
        return ()
    return object_records(read_range(path, 0, size))


def _facts(records: Iterable[bytes], whole: bool) -> tuple[dict[str, object], str, str]:
    """Return the metadata, the folder stated to the model, and the first prompt's first line."""
    metadata: dict[str, object] = {}
    cwd = ""
    for data in records:
        for event in parse(data, whole=whole).objects:
            if is_metadata(event):
                metadata = metadata or event
            for message in [event, *messages_in(mapping_of(event.get("$set")))]:
                cwd = cwd or workspace(message)
                if role(message) == "user":
                    return metadata, cwd, prompt_text(message).split("\n", 1)[0]
    return metadata, cwd, ""


def _at(source: Source, cwd: str) -> Source:
    return source._replace(cwd=cwd)
