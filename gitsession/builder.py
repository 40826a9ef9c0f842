"""For programs that are an agent themselves: build a session message by message and save it.

from gitsession.builder import SessionBuilder
session = SessionBuilder.new("my-model", project="/path/of/the/project")
session.add_message("user", "What is in a.py?")
session.add_message("assistant", "I look.")
session.tool_call("read", {"path": "a.py"}, "x = 1")
session.save(gitsession.open(), message="first look")
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from gitsession.agents.base import Source
from gitsession.agents.generic import memory
from gitsession.agents.generic.fold import METADATA
from gitsession.agents.generic.form import FORMAT, ROLES, check_version, is_lines, line, pieces
from gitsession.agents.generic.form import version_in as _version_in
from gitsession.agents.generic.state import STATE, flat_state, state_members
from gitsession.agents.generic.write import created_of, new_id
from gitsession.agents.lenient import list_of, mapping_of, text_of
from gitsession.agents.times import utc_time
from gitsession.environment import Environment
from gitsession.errors import Conflict, SourceUnreadable, UsageError
from gitsession.model.report import SaveReport
from gitsession.operations.hooking.autosave import Autosave

_TREE_LIMIT = 2000
_HEAD = 4096
_END = line({"end": True})


class Saves(Protocol):
    """What a builder needs of a `Repository`."""

    def save_source(self, source: Source, *, message: str = "") -> SaveReport:
        """Save what is new of one source, which may have no file."""
        ...


class SessionBuilder:
    """One session in the making. Nothing is written before `save`, and nothing said twice.

    Bytes only grow: what was saved once stays the beginning of what `to_bytes` gives, so that every
    save makes one more version of the same history. Several threads may add to one session; each
    repository is one thread's, that of `autosave` the session's own.
    """

    def __init__(self, metadata: Mapping[str, Any], saved: bytes) -> None:
        """Use `new` or `load`."""
        self._metadata = dict(metadata)
        self._saved = saved
        self._pending: list[dict[str, Any]] = []
        self._state: dict[str, Any] = {}
        self._messages = 0
        self._calls = 0
        self._path: Path | None = None
        self._failed = False
        self._lock = threading.RLock()
        self._autosave: Autosave | None = None

    @classmethod
    def new(
        cls,
        model: str = "",
        *,
        system_prompt: str = "",
        project: str = "",
        title: str = "",
        file_tree: Iterable[str] | None = None,
        session_id: str = "",
    ) -> SessionBuilder:
        """A session without messages.

        Of `system_prompt` only the SHA-256 is kept. `project` is the folder it works in (the
        current one if not given); `file_tree` names its files, by default what stands there now,
        hidden ones left out. Never the contents.
        """
        root = os.path.abspath(project) if project else Environment.current().cwd
        name = session_id or new_id()
        created = created_of(name) or _now()
        digest = hashlib.sha256(system_prompt.encode("utf-8", "replace")).hexdigest()
        metadata: dict[str, Any] = {
            "session_id": name,
            "created_at": created,
            "last_updated_at": created,
            "model": model,
            "system_prompt_hash": f"sha256:{digest}" if system_prompt else "",
            "project_context": {
                "root_path": root,
                "file_tree_snapshot": _tree(root) if file_tree is None else list(file_tree),
            },
        }
        if title:
            metadata["title"] = title
        return cls(metadata, line({"format": FORMAT, METADATA: metadata}))

    @classmethod
    def load(cls, data: bytes) -> SessionBuilder:
        """Go on with a session that is kept as bytes of the form of lines.

        Raises SourceUnreadable for other bytes, FormatError for a newer form.
        """
        number = _version_in(data[:_HEAD])
        check_version(number)
        if not number or not is_lines(data):
            raise SourceUnreadable(
                "the bytes are no session of the generic form that lines can be added to",
                hint="give a file of the form gitsession-generic 1, one value a line",
            )
        builder = cls({}, data)
        for piece in pieces(data):
            for values in piece.values:
                builder._metadata.update(mapping_of(values.get(METADATA)))
                builder._state.update(flat_state(values))
                builder._messages += values.get("role") in ROLES
                builder._calls += len(list_of(values.get("tool_calls")))
        return builder

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> SessionBuilder:
        """Go on with a session file in the form of lines, such as a checkout has written one.

        `save` then adds its lines to that file first. Raises what `load` raises.
        """
        try:
            data = Path(path).read_bytes()
        except OSError as error:
            raise SourceUnreadable(
                f"the session file cannot be read: {error.strerror}",
                hint="check that it exists and that you may read it",
            ) from error
        builder = cls.load(data)
        builder._path = Path(path)
        return builder

    @property
    def id(self) -> str:
        return text_of(self._metadata.get("session_id"))

    @property
    def created_at(self) -> str:
        """ISO-8601 UTC."""
        return text_of(self._metadata.get("created_at"))

    @property
    def dirty(self) -> bool:
        """Whether anything was added or changed since the last save."""
        return bool(self._pending) or self._failed

    def autosave(
        self, repository: Saves, *, messages: int = 0, seconds: float = 0, tools: bool = False
    ) -> None:
        """Save by itself from here on: as soon as so many `messages` wait, so many `seconds` after
        the first change that waits, after each answer of a `tool`; without any of them no more.

        What a save in the background raised is raised by the next change; all is still to be
        saved then. `save` at the end writes what waits.
        """
        with self._lock:
            self._settled()
            self._autosave = None
            if messages or seconds or tools:
                self._autosave = Autosave(lambda: self.save(repository), messages, seconds, tools)
                if self.dirty:
                    self._changed()

    def _changed(self, *, tool: bool = False) -> None:
        if self._autosave is not None:
            waiting = sum(one.get("role") in ROLES for one in self._pending)
            self._autosave.changed(waiting, tool=tool)

    def _settled(self) -> None:
        if self._autosave is not None:
            self._autosave.saved()

    def add_message(
        self,
        role: str,
        content: str,
        *,
        files: Sequence[str | Mapping[str, str]] = (),
        timestamp: str = "",
        model: str = "",
    ) -> int:
        """Add a message and give its number. `role` is user, assistant, system or note.

        `files` are paths, or `{"path": …, "content": …}` for a file that was attached in full.
        `timestamp` is ISO-8601, now if not given. Raises UsageError.
        """
        if role not in ROLES:
            raise UsageError(
                f"{role!r} is no role of a message", hint="use one of " + ", ".join(ROLES)
            )
        if timestamp and not utc_time(timestamp):
            raise UsageError("the timestamp is no ISO-8601 time", hint="for example " + _now())
        message: dict[str, Any] = {
            "role": role,
            "content": content,
            "files": [one if isinstance(one, str) else dict(one) for one in files],
            "timestamp": timestamp or _now(),
            "tool_calls": [],
        }
        if model:
            message["model"] = model
        with self._lock:
            self._pending.append(message)
            self._messages += 1
            number = self._messages
            self._changed()
        return number

    def tool_call(
        self, type: str, input: object, output: object = None, *, id: str = "", error: bool = False
    ) -> str:
        """Add a tool call to the newest message of the assistant and give its id.

        `type` names the tool. Without an output (None) give it later by `tool_result`. `input` and
        `output` are texts or JSON values and are kept in full.
        """
        given, said = _plain(input), _plain(output)
        with self._lock:
            self._calls += 1
            call: dict[str, Any] = {"id": id or f"call-{self._calls}", "type": type, "input": given}
            if said is not None:
                self._answer(call, said, error)
            self._newest_answer()["tool_calls"].append(call)
            self._changed(tool=said is not None)
        return str(call["id"])

    def _newest_answer(self) -> dict[str, Any]:
        """The message of the assistant that a call belongs to; an empty one if none waits."""
        if not self._pending or self._pending[-1].get("role") != "assistant":
            self._pending.append({
                "role": "assistant", "content": "", "files": [], "timestamp": _now(),
                "tool_calls": [],
            })  # fmt: skip
            self._messages += 1
        return self._pending[-1]

    def tool_result(self, id: str, output: object, *, error: bool = False) -> None:
        """Give the output of a call that was added without one."""
        content = _plain(output)
        with self._lock:
            calls = (
                call
                for message in reversed(self._pending)
                for call in message.get("tool_calls", ())
                if call["id"] == id
            )
            call = next(calls, None)
            if call is not None:
                self._answer(call, content, error)
            else:
                result = {
                    "role": "tool", "tool_call_id": id, "content": content, "timestamp": _now(),
                }  # fmt: skip
                self._pending.append({**result, "error": True} if error else result)
            self._changed(tool=True)

    @staticmethod
    def _answer(call: dict[str, Any], output: object, error: bool) -> None:
        call["output"] = output
        if error:
            call["error"] = True

    def set_state(self, **state: Any) -> None:
        """Change working state; only what really changes makes the session dirty.

        Names: active_file, active_line, code_analysis_cache (`{"file:<name>": {"ast_hash": …,
        "complexity_metrics": {…}}}`), working_memory and available_tools (lists of texts),
        last_run_command, exit_code, output_snippet, todos (`[{"text": …, "status": …}]`).
        """
        unknown = [name for name in state if name not in STATE]
        if unknown:
            raise UsageError(
                f"there is no state named {unknown[0]!r}", hint="names: " + ", ".join(STATE)
            )
        given = _plain(state)
        with self._lock:
            changed = {
                name: value
                for name, value in given.items()
                if name not in self._state or self._state[name] != value
            }
            if changed:
                self._state.update(changed)
                self._pending.append(state_members(changed))
                self._changed()

    def to_bytes(self) -> bytes:
        """The session in the generic form, with what is not saved yet."""
        added = b"".join(map(line, self._pending))
        torn = added and not self._saved.endswith(b"\n")
        return self._saved + (b"\n" if torn else b"") + added

    def save(self, repository: Saves, message: str = "") -> SaveReport:
        """Save what is new as one version, `message` its subject; nothing new saves nothing.

        Raises what `Repository.save` raises; the session is still dirty then.
        """
        with self._lock:
            data = self.to_bytes() + _END if self._pending else self._saved
            if self._path is not None:
                self._append(self._path, data)
                self._saved, self._pending = data, []
            self._failed = True
            report = repository.save_source(self._source(data), message=message)
            self._saved, self._pending, self._failed = data, [], False
            self._settled()
        return report

    def _source(self, data: bytes) -> Source:
        context = mapping_of(self._metadata.get("project_context"))
        source = memory(
            self.id,
            data,
            cwd=text_of(context.get("root_path")),
            title=text_of(self._metadata.get("title")),
        )
        if self._path is None:
            return source
        status = self._path.stat()
        return Source(
            source.agent,
            source.native_id,
            self._path,
            status.st_size,
            status.st_mtime_ns,
            source.cwd,
            source.title,
        )

    def _append(self, path: Path, data: bytes) -> None:
        with open(path, "r+b") as stream:
            if stream.seek(0, os.SEEK_END) != len(self._saved):
                raise Conflict(
                    "the session file was changed by somebody else since it was opened",
                    hint="open it again and add to what stands there now",
                )
            stream.write(data[len(self._saved) :])


def _plain(value: Any) -> Any:
    """A copy that nobody changes later, and the proof that it can be written as JSON."""
    try:
        return json.loads(json.dumps(value, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(
            "a value cannot be written as JSON",
            hint="give texts, numbers, true, false, null, lists and mappings",
        ) from error


def _now() -> str:
    return utc_time(time.time())


def _tree(root: str) -> list[str]:
    """Names of the files below a folder, relative, with `/`; no contents are read."""
    names: list[str] = []
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        inside = os.path.relpath(folder, root).replace(os.sep, "/")
        prefix = "" if inside == "." else f"{inside}/"
        names.extend(prefix + name for name in sorted(files) if not name.startswith("."))
        if len(names) >= _TREE_LIMIT:
            break
    return names[:_TREE_LIMIT]
