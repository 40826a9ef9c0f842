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
    """The part of `Repository` that a builder needs."""

    def save_source(self, source: Source, *, message: str = "") -> SaveReport:
        """Save whatever is new in one source, which need not have a file."""
        ...


class SessionBuilder:
    """A session under construction. `save` writes it; nothing is written before, or written twice.

    The bytes only grow: whatever was saved once remains a prefix of `to_bytes()`, so every save
    adds a version to the same history. Several threads may add to one session. A repository belongs
    to one thread; give `autosave` a repository that nothing but this session uses.
    """

    def __init__(self, metadata: Mapping[str, Any], saved: bytes) -> None:
        """Use `new` or `load` instead."""
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
        """Start a session without messages.

        Only the SHA-256 of `system_prompt` is kept. `project` is the folder that the session works
        in (default: the current one). `file_tree` lists the names of its files (default: all files
        there now, except hidden ones), never their contents.
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
        """Continue a session that is kept as bytes in the line form of the generic format.

        Raises SourceUnreadable for any other bytes, FormatError for a newer format.
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
        """Continue a session file in line form, such as one written by a checkout.

        `save` appends the new lines to that file before it saves the version. Raises the errors of
        `load`, and SourceUnreadable if the file cannot be read.
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
        """Whether anything has been added or changed since the last save."""
        return bool(self._pending) or self._failed

    def autosave(
        self, repository: Saves, *, messages: int = 0, seconds: float = 0, tools: bool = False
    ) -> None:
        """Save automatically from now on: once `messages` messages are waiting, `seconds` seconds
        after the first unsaved change, and after each tool result if `tools` is set. Without any of
        these, stop.

        The next change raises the error of a failed background save; nothing is lost then,
        everything is still waiting to be saved. Call `save` at the end to write the rest.
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
        """Add a message and return its number. `role` is user, assistant, system or note.

        `files` holds paths, or `{"path": …, "content": …}` for a file attached in full. `timestamp`
        is ISO-8601 (default: now). Raises UsageError for another role or a timestamp in another
        form.
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
        """Add a tool call to the newest assistant message and return its id.

        `type` names the tool. If `output` is None, supply it later with `tool_result`. `input` and
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
        """Return the assistant message that a call belongs to, adding an empty one if needed."""
        if not self._pending or self._pending[-1].get("role") != "assistant":
            self._pending.append({
                "role": "assistant", "content": "", "files": [], "timestamp": _now(),
                "tool_calls": [],
            })  # fmt: skip
            self._messages += 1
        return self._pending[-1]

    def tool_result(self, id: str, output: object, *, error: bool = False) -> None:
        """Supply the output of a call that was added without one."""
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
        """Change working state. Only values that really differ make the session dirty.

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
        """The session in the generic format, including what is not saved yet."""
        added = b"".join(map(line, self._pending))
        torn = added and not self._saved.endswith(b"\n")
        return self._saved + (b"\n" if torn else b"") + added

    def save(self, repository: Saves, message: str = "") -> SaveReport:
        """Save everything new as one version with subject `message`, or nothing if nothing is new.

        Raises Conflict if the session file has changed since it was opened, and the errors of
        `Repository.save`; the session then stays dirty.
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
    """Return a copy that nobody can change later. Raises UsageError if it is not valid JSON."""
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
    """Names of the files below a folder, relative, with `/`. No contents are read."""
    names: list[str] = []
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        inside = os.path.relpath(folder, root).replace(os.sep, "/")
        prefix = "" if inside == "." else f"{inside}/"
        names.extend(prefix + name for name in sorted(files) if not name.startswith("."))
        if len(names) >= _TREE_LIMIT:
            break
    return names[:_TREE_LIMIT]
