"""What tools did in a session (last command, files, todos), for agents with few tools."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from gitsession.agents.lenient import list_of, mapping_of, number_of, text_of
from gitsession.agents.project_files import file_of, relative, snippet
from gitsession.model.record import File
from gitsession.model.session import State, Todo

_EXIT = re.compile(r"(?:^|\n)(?:Exit Code: |Command exited with code |exit code:? )(\d{1,9})\b")
_NO_TEXT = re.compile(
    r"\.(?:png|jpe?g|gif|webp|bmp|ico|icns|tiff?|hei[cf]|avif|psd|pdf|mp[34]|m4a|wav|ogg|flac|aac"
    r"|aiff?|mov|avi|mkv|webm|mpe?g|zip|gz|tgz|bz2|xz|zst|7z|tar|docx?|xlsx?|pptx?|sqlite3?"
    r"|db|woff2?|[ot]tf)\Z",
    re.IGNORECASE,
)
"""Files for which a reading tool shows something other than their text."""
_MOST_TOOLS = 200


class Call(NamedTuple):
    """A tool call: the tool's name and its arguments."""

    name: str
    arguments: Mapping[str, Any]


class Result(NamedTuple):
    """How a call ended: what the model saw, and whether it failed.

    `code` is the exit code if the agent records it, `after` the file's whole text after an edit if
    the agent keeps it.
    """

    output: str
    failed: bool = False
    code: int | None = None
    after: str | None = None


class Work:
    """The running State; `files` are those of this turn. `open` holds calls without a result.

    Contents are followed inside one turn only: if the turn has not shown the whole file and the
    agent does not keep the outcome, an edit cannot be reconstructed.
    """

    def __init__(self, since: State | None) -> None:
        state = since or State()
        self._since = state
        self.open: dict[str, Call] = {}
        self.files: dict[str, File] = {}
        self._texts: dict[str, str | None] = {}
        self._todos = state.todos
        self._file, self._line = state.active_file, state.active_line
        self._command, self._exit = state.last_command, state.exit_code
        self._snippet = state.output_snippet
        self._tools = dict.fromkeys(state.tools)
        self._markers = list(state.markers)

    def begin_turn(self) -> None:
        self.open, self.files, self._texts = {}, {}, {}

    def call(self, call_id: str, name: str, arguments: object) -> None:
        self.open[call_id] = Call(name, mapping_of(arguments))
        if name and len(self._tools) < _MOST_TOOLS:
            self._tools[name] = None

    def result(self, call_id: str, result: Result, root: str) -> None:
        call = self.open.pop(call_id, None)
        if call is None:
            return
        name, arguments = call
        if name in ("bash", "run_shell_command"):
            command = text_of(arguments.get("command")) or text_of(arguments.get("cmd"))
            self.ran(command, result)
        elif result.failed:
            return
        elif name in ("read", "read_file"):
            self._read(arguments, result, root)
        elif name in ("write", "write_file"):
            self._changed(arguments, text_of(arguments.get("content")), root)
        elif name in ("edit", "replace"):
            self._edited(arguments, result, root)
        elif name in ("todo_write", "write_todos"):
            self._todos = tuple(map(_todo, list_of(arguments.get("todos"))))

    def ran(self, command: str, result: Result) -> None:
        """Note a command run by the model or by the user."""
        self._command, self._snippet = command, snippet(result.output)
        found = _EXIT.search(result.output[-4096:])
        stated = int(found[1]) if found else None
        quiet = 0 if not result.failed and stated is None else stated
        self._exit = result.code if result.code is not None else quiet

    def _read(self, arguments: Mapping[str, Any], result: Result, root: str) -> None:
        path = _path(arguments)
        part = any(arguments.get(key) is not None for key in ("offset", "limit"))
        self._look_at(path, arguments, root)
        if path and not part and not _NO_TEXT.search(path) and not _is_cut(result.output):
            self._keep(path, result.output, root)

    def _edited(self, arguments: Mapping[str, Any], result: Result, root: str) -> None:
        path, text = _path(arguments), result.after
        if text is None:
            text = _applied(self._texts.get(path), arguments)
        self._changed(arguments, text, root)

    def _changed(self, arguments: Mapping[str, Any], text: str | None, root: str) -> None:
        path = _path(arguments)
        if path:
            self._look_at(path, arguments, root)
            self._keep(path, text, root)

    def _look_at(self, path: str, arguments: Mapping[str, Any], root: str) -> None:
        self._file = relative(path, root)
        self._line = number_of(arguments.get("offset")) or None

    def _keep(self, path: str, text: str | None, root: str) -> None:
        self._texts[path] = text
        file = file_of(path, text, root)
        self.files[file.path] = file

    def plan(self, items: list[Any]) -> None:
        """Set the whole task list, for agents that keep it apart from their tools."""
        self._todos = tuple(map(_todo, items))

    def keep(self, path: str, text: str | None, root: str) -> None:
        """Set the whole text of a file after this, for agents that keep it outside their tools."""
        self._keep(path, text, root)

    def look_at(self, path: str, root: str) -> None:
        """Set the file being worked on, for agents that state it."""
        self._file, self._line = relative(path, root), None

    def mark_compaction(self, record: int, tokens: object) -> None:
        self._markers.append({"record": record, "trigger": "", "tokens": number_of(tokens)})

    def state(self) -> State:
        return State(
            todos=self._todos,
            active_file=self._file,
            active_line=self._line,
            last_command=self._command,
            exit_code=self._exit,
            output_snippet=self._snippet,
            tools=tuple(self._tools),
            memory=self._since.memory,
            markers=tuple(self._markers),
            analysis=self._since.analysis,
            prompt_hash=self._since.prompt_hash,
        )


def _path(arguments: Mapping[str, Any]) -> str:
    for key in ("path", "file_path", "absolute_path"):
        if text_of(arguments.get(key)):
            return text_of(arguments[key])
    return ""


def _is_cut(output: str) -> bool:
    """Whether the output itself says that it is only part of the file, or not its text at all."""
    head, tail = output[:400], output[-400:]
    return (
        "truncated" in head.lower()
        or head.startswith(("Showing lines", "Read image file", "Successfully read"))
        or ("Use offset=" in tail and tail.rstrip().endswith("]"))
    )


def _applied(before: str | None, arguments: Mapping[str, Any]) -> str | None:
    """Return the text after replacements of one place each; None if one does not fit."""
    edits = list_of(arguments.get("edits")) or [arguments]
    text = before
    for edit in map(mapping_of, edits):
        old = text_of(edit.get("oldText")) or text_of(edit.get("old_string"))
        new = text_of(edit.get("newText")) or text_of(edit.get("new_string"))
        if text is None or not old or text.count(old) != 1:
            return None
        text = text.replace(old, new)
    return text


def _todo(item: object) -> Todo:
    told = mapping_of(item)
    text = text_of(told.get("content")) or text_of(told.get("description"))
    return Todo(text, text_of(told.get("status")) or "pending", text_of(told.get("id")))
