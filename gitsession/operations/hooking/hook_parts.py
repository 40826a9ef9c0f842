"""The parts of a hooking in files: computed for all files first, then written, each atomically."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from gitsession.agents import hook_files, settings_edit, settings_line
from gitsession.agents.hooks import Entry, Line, OwnFile, Part, is_ours
from gitsession.errors import Conflict, SourceUnreadable
from gitsession.operations.hooking.hook_memory import Memory

_LARGEST = 16 << 20


def put(parts: Sequence[Part], memory: Memory) -> list[str]:
    """Write what is missing, renew what differs, and drop entries of ours that are no longer
    wanted; return sentences about settings that a person had already made and that therefore
    stayed."""
    kept: list[str] = []
    texts: dict[Path, str | None] = {}
    for file in _files(parts):
        before = _read(file)
        here = [part for part in parts if part.file == file]
        after = _with(before, here, memory, kept)
        if after != before:
            texts[file] = after
    executable = {part.file for part in parts if isinstance(part, OwnFile) and part.executable}
    for file, text in texts.items():
        if text is not None:
            _make(file, memory)
    memory.save()  # before the files: a killed install can be undone, too
    for file, text in texts.items():
        if text is not None:
            _write(file, text, 0o700 if file in executable else 0o600)
    return kept


def _with(before: str | None, parts: Sequence[Part], memory: Memory, kept: list[str]) -> str | None:
    text = before
    wanted: dict[tuple[str, ...], Entry] = {}
    for part in parts:
        if isinstance(part, OwnFile):
            if before is not None and not is_ours(before):
                raise Conflict(
                    f"{part.file} exists and is not from gitsession",
                    hint="move it away, or merge it",
                )
            text = part.text
        elif isinstance(part, Line):
            text = _with_line(text or "", part, kept)
        else:
            wanted[part.path] = part
    if wanted:
        text = _with_entries(text if text is not None else "{}\n", wanted, memory)
    return text


def _with_line(text: str, part: Line, kept: list[str]) -> str:
    settings = _settings(part.file, text, settings_line.parse)
    value = settings.get(part.key)
    if value == list(part.words):
        return text
    if value is not None and not is_ours(value):
        kept.append(f"{part.key} in {part.file} is already set and stays as it is")
        return text
    text = settings_line.take_out(text, part.key, is_ours)
    after = settings_line.put(text, part.key, part.words)
    rest = {key: value for key, value in settings.items() if key != part.key}
    if settings_line.parse(after) != {part.key: list(part.words), **rest}:
        raise _unsafe(part.file)
    return after


def _with_entries(text: str, wanted: Mapping[tuple[str, ...], Entry], memory: Memory) -> str:
    file = next(iter(wanted.values())).file
    settings = _settings(file, text, settings_edit.parse)
    try:
        for path in [*_hooked(settings), *wanted]:
            ours = [item for item in settings_edit.elements(text, path) if is_ours(item)]
            element = wanted[path].element if path in wanted else None
            if ours == ([element] if element else []):
                continue
            text = settings_edit.remove(text, path, is_ours, () if element else
                                        memory.containers(file))  # fmt: skip
            if element:
                text, made = settings_edit.append(text, path, element)
                memory.made_containers(file, made)
    except ValueError:
        raise _unsafe(file) from None
    if _others(settings_edit.parse(text)) != _others(settings):
        raise _unsafe(file)
    return text


def _hooked(settings: Mapping[str, object]) -> list[tuple[str, ...]]:
    """Return the paths of the arrays that hold hooks, ours or others'."""
    events = settings.get("hooks")
    if not isinstance(events, dict):
        return []
    return [("hooks", event) for event, groups in events.items() if isinstance(groups, list)]


def _others(settings: Mapping[str, object]) -> object:
    """Return the settings without our entries and without containers that are empty then."""
    events = settings.get("hooks")
    if not isinstance(events, dict):
        return dict(settings)
    rest = {
        event: [group for group in groups if not is_ours(group)]
        if isinstance(groups, list) else groups
        for event, groups in events.items()
    }  # fmt: skip
    rest = {event: groups for event, groups in rest.items() if groups or groups is False}
    return {**{key: value for key, value in settings.items() if key != "hooks"},
            **({"hooks": rest} if rest else {})}  # fmt: skip


def take_out(parts: Sequence[Part], memory: Memory) -> None:
    """Remove our entries; a file or folder that we created and that is now empty goes too."""
    texts: dict[Path, str | None] = {}
    for file in _files(parts):
        before = _read(file)
        if before is None:
            continue
        after = _without(before, [part for part in parts if part.file == file], memory)
        if after != before:
            texts[file] = after
    for file, text in texts.items():
        if text is None or (memory.is_made(file) and text.strip() in ("", "{}")):
            file.unlink(missing_ok=True)
            for folder in file.parents:
                if not memory.is_made(folder) or any(folder.iterdir()):
                    break
                folder.rmdir()
        else:
            _write(file, text, 0o600)
    memory.forget()


def _without(before: str, parts: Sequence[Part], memory: Memory) -> str | None:
    text = before
    for part in parts:
        if isinstance(part, OwnFile):
            return None if is_ours(before) else before
        if isinstance(part, Line):
            _settings(part.file, before, settings_line.parse)
            text = settings_line.take_out(text, part.key, is_ours)
    file = parts[0].file
    if any(isinstance(part, Entry) for part in parts):
        settings = _settings(file, before, settings_edit.parse)
        for path in _hooked(settings):
            if any(is_ours(item) for item in settings_edit.elements(text, path)):
                text = settings_edit.remove(text, path, is_ours, memory.containers(file))
        if _others(settings_edit.parse(text)) != _others(settings):
            raise _unsafe(file)
    return text


def state(parts: Sequence[Part]) -> str:
    """Return installed, partly or absent. Raises SourceUnreadable."""
    there = [stands for stands in map(_stands, parts) if stands is not None]
    return "installed" if all(there) else "partly" if any(there) else "absent"


def _stands(part: Part) -> bool | None:
    """Whether a part is in place; None if a person's own setting takes its place."""
    text = _read(part.file)
    if text is None:
        return False
    if isinstance(part, OwnFile):
        return is_ours(text)
    if isinstance(part, Line):
        value = _settings(part.file, text, settings_line.parse).get(part.key)
        return None if value is not None and not is_ours(value) else is_ours(value)
    _settings(part.file, text, settings_edit.parse)
    return any(is_ours(item) for item in settings_edit.elements(text, part.path))


def gone(parts: Iterable[Part]) -> str:
    """Return a sentence if an entry calls a gitsession that no longer exists, else ""."""
    for part in parts:
        text = _read(part.file) or ""
        for program in _programs(part, text):
            if not os.access(program, os.X_OK):
                return f"{program} no longer exists; `gitsession hooks install` renews the entry"
    return ""


def _programs(part: Part, text: str) -> Iterable[str]:
    """Return the programs that our entries in a settings file call; nothing for an entry that
    somebody has changed, or in a file that cannot be read."""
    if isinstance(part, OwnFile):
        return hook_files.programs(text)
    try:
        if isinstance(part, Line):
            value = settings_line.parse(text).get(part.key)
            return map(str, value[3:4]) if isinstance(value, list) and is_ours(value) else ()
        groups = settings_edit.elements(text, part.path) if settings_edit.parse(text) else []
    except ValueError:
        return ()
    return [program for line in _lines_in(groups) for program in hook_files.called(line)]


def _lines_in(groups: Iterable[object]) -> Iterator[str]:
    """Yield our command lines in the elements of a hook's array."""
    for group in groups:
        hooks = group.get("hooks") if isinstance(group, dict) else None
        for hook in hooks if isinstance(hooks, list) else ():
            command = hook.get("command") if isinstance(hook, dict) else None
            if isinstance(command, str) and is_ours(command):
                yield command


def _files(parts: Iterable[Part]) -> list[Path]:
    return list(dict.fromkeys(part.file for part in parts))


def _read(file: Path) -> str | None:
    """Return the text of a settings file, None if it does not exist; raises SourceUnreadable."""
    try:
        status = os.stat(file)
        if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST:
            raise _unreadable(file)
        with open(file, encoding="utf-8", newline="") as stream:
            return stream.read()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError):
        raise _unreadable(file) from None


def _settings(file: Path, text: str, parse: object) -> dict[str, object]:
    try:
        value: dict[str, object] = parse(text)  # type: ignore[operator]
    except ValueError:
        raise _unreadable(file) from None
    return value


def _unreadable(file: Path) -> SourceUnreadable:
    return SourceUnreadable(
        f"the settings in {file} cannot be read; they were not touched",
        hint="comments and duplicate keys are errors, too: correct the file, then try again",
    )


def _unsafe(file: Path) -> SourceUnreadable:
    return SourceUnreadable(
        f"the settings in {file} have a shape that cannot be added to; they were not touched",
        hint="`gitsession watch` saves changes without hooks",
    )


def _make(file: Path, memory: Memory) -> None:
    """Record that we are about to create a file and its missing parent folders."""
    if not file.exists():
        memory.made(file)
    for folder in file.parents:
        if folder.exists():
            break
        memory.made(folder)


def _write(file: Path, text: str, mode: int) -> None:
    """Replace a file atomically: at the target of a link, and with its previous mode."""
    target = os.path.realpath(file)
    os.makedirs(os.path.dirname(target), mode=0o700, exist_ok=True)
    with contextlib.suppress(FileNotFoundError):
        mode = stat.S_IMODE(os.stat(target).st_mode)
    temporary = f"{target}.gitsession{os.getpid()}"
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as stream:
            stream.write(text)
            os.fchmod(stream.fileno(), mode)
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise


def is_current(parts: Sequence[Part], memory: Memory) -> bool:
    """Whether an install now would change nothing. Raises SourceUnreadable, Conflict."""
    for file in _files(parts):
        before = _read(file)
        here = [part for part in parts if part.file == file]
        if before is None or _with(before, here, memory, []) != before:
            return False
    return True
