"""Working state of a Claude Code session: todos, last command, active file, tools, compactions."""

from __future__ import annotations

import re
from collections.abc import Mapping

from gitsession.agents.claude_code.records import Row, calls, results
from gitsession.agents.lenient import list_of, mapping_of, number_of, text_of
from gitsession.agents.project_files import relative, snippet
from gitsession.model.session import State, Todo

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_EXIT = r"(?:Error: )?Exit code (\d+)\b"
_CREATED = r"Task #(\S+) created successfully: (.*)"
_FILE_TOOLS = ("Read", "Edit", "Write", "MultiEdit", "NotebookEdit")
_MOST_TOOLS = 200


class Work:
    """The running State. `open` holds the calls of this turn that have no result yet."""

    def __init__(self, since: State | None) -> None:
        state = since or State()
        self.open: dict[str, tuple[str, Mapping[str, Any]]] = {}
        self._todos = list(state.todos)
        self._file, self._line = state.active_file, state.active_line
        self._command, self._exit = state.last_command, state.exit_code
        self._snippet = state.output_snippet
        self._tools = dict.fromkeys(state.tools)
        self._markers = list(state.markers)
        self._since = state

    def see(self, row: Row, root: str) -> None:
        for call_id, name, arguments in calls(row):
            self.open[call_id] = name, arguments
            if name and len(self._tools) < _MOST_TOOLS:
                self._tools[name] = None
        for block in results(row):
            call = self.open.pop(text_of(block.get("tool_use_id")), ("", {}))
            self._see_result(call[0], call[1], block, row.get("toolUseResult"), root)

    def _see_result(
        self, name: str, arguments: Mapping[str, Any], block: Row, native: object, root: str
    ) -> None:
        failed = block.get("is_error") is True
        if name == "Bash":
            self._see_command(arguments, block, native, failed)
        elif failed:
            return
        elif name == "TodoWrite":
            self._todos = [_todo(item) for item in list_of(arguments.get("todos"))]
        elif name == "TaskCreate":
            self._create(arguments, block, native)
        elif name == "TaskUpdate":
            self._update(arguments)
        elif name in _FILE_TOOLS:
            self._see_file(arguments, native, root)

    def _see_command(
        self, arguments: Mapping[str, Any], block: Row, native: object, failed: bool
    ) -> None:
        self._command = text_of(arguments.get("command"))
        output = _output(block, native)
        found = re.match(_EXIT, output) if failed or isinstance(native, str) else None
        self._exit = int(found[1][:9]) if found else None
        quiet = ("interrupted", "backgroundTaskId", "returnCodeInterpretation")
        if not failed and not any(mapping_of(native).get(key) for key in quiet):
            self._exit = 0
        self._snippet = snippet(output)

    def _see_file(self, arguments: Mapping[str, Any], native: object, root: str) -> None:
        path = text_of(arguments.get("file_path")) or text_of(arguments.get("notebook_path"))
        if not path:
            return
        self._file = relative(path, root)
        hunks = list_of(mapping_of(native).get("structuredPatch"))
        line = number_of(arguments.get("offset"))
        line = line or (number_of(mapping_of(hunks[0]).get("newStart")) if hunks else 0)
        self._line = line or None

    def _create(self, arguments: Mapping[str, Any], block: Row, native: object) -> None:
        task = mapping_of(mapping_of(native).get("task"))
        said = re.match(_CREATED, block_text(block))
        task_id = text_of(task.get("id")) or (said[1] if said else "")
        subject = text_of(arguments.get("subject")) or text_of(task.get("subject"))
        self._todos.append(Todo(subject, "pending", task_id))

    def _update(self, arguments: Mapping[str, Any]) -> None:
        task_id, status = text_of(arguments.get("taskId")), text_of(arguments.get("status"))
        for at, todo in enumerate(self._todos):
            if todo.id == task_id and task_id:
                subject = text_of(arguments.get("subject")) or todo.text
                self._todos[at] = Todo(subject, status or todo.status, task_id)
        self._todos = [todo for todo in self._todos if todo.status != "deleted"]

    def mark_compaction(self, record: int, row: Row) -> None:
        told = mapping_of(row.get("compactMetadata"))
        marker = {
            "record": record,
            "trigger": text_of(told.get("trigger")),
            "tokens": number_of(told.get("preTokens")),
        }
        self._markers.append(marker)

    def state(self) -> State:
        return State(
            todos=tuple(self._todos),
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


def _todo(item: object) -> Todo:
    told = mapping_of(item)
    text = text_of(told.get("content")) or text_of(told.get("subject"))
    return Todo(text, text_of(told.get("status")) or "pending", text_of(told.get("id")))


def block_text(block: Row) -> str:
    """Return the text of a tool_result block, whose content is a string or a list of blocks."""
    content = block.get("content")
    if isinstance(content, str):
        return content
    parts = (text_of(mapping_of(part).get("text")) for part in list_of(content))
    return "\n".join(part for part in parts if part)


def _output(block: Row, native: object) -> str:
    told = mapping_of(native)
    parts = [text_of(told.get("stdout")), text_of(told.get("stderr"))]
    return "\n".join(part for part in parts if part) or block_text(block)
