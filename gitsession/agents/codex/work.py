"""What a Codex session did: its plan, its last command, the files it left behind."""

from __future__ import annotations

from gitsession.agents.codex.commands import Command, call_of, completed
from gitsession.agents.codex.files import Files
from gitsession.agents.codex.patch import succeeded
from gitsession.agents.codex.records import OUTPUTS, Row, arguments, excerpt
from gitsession.agents.lenient import list_of, mapping_of, text_of
from gitsession.model.record import File
from gitsession.model.session import State, Todo

_SNIPPET = 2000
_MARKERS = 50
_NOTHING = Command("")


class Work:
    """Follows calls to their ends. `see` takes every row, with the position of its record."""

    def __init__(self, files: Files, state: State) -> None:
        self._files = files
        self._state = state
        self._pending: dict[str, tuple[Command, int]] = {}

    @property
    def waits(self) -> bool:
        """Whether a call has no output yet."""
        return bool(self._pending)

    @property
    def state(self) -> State:
        active = self._files.active or self._state.active_file
        return self._state._replace(active_file=active)

    def mark(self, marker: dict[str, object]) -> None:
        """Mark a place in the session, e.g. a compaction; only the newest marks are kept."""
        self._state = self._state._replace(markers=(*self._state.markers, marker)[-_MARKERS:])

    def close(self) -> tuple[File, ...]:
        """Return the files this turn touched, as it leaves them."""
        self._pending.clear()
        return self._files.close()

    def forget_state(self, state: State) -> None:
        """Keep what was learned about files, but take everything else from the stored state."""
        self.close()
        self._files.active = ""
        self._state = state

    def see(self, row: Row, position: int) -> None:
        if row.kind == "response_item" and row.type not in OUTPUTS:
            self._called(row, position)
        else:
            self._ended(row, position)

    def _called(self, row: Row, position: int) -> None:
        call_id = text_of(row.payload.get("call_id"))
        if row.payload.get("name") == "update_plan":
            self._state = self._state._replace(todos=_todos(arguments(row.payload)))
        if call_id and row.type.endswith("_call"):
            self._pending[call_id] = (call_of(row) or _NOTHING, position)

    def _ended(self, row: Row, position: int) -> None:
        ended = completed(row)
        if ended is None:
            return
        asked, called_at = self._pending.get(ended.call_id, (_NOTHING, -1))
        command = ended.command or asked
        final = row.kind == "response_item"
        if final:
            self._pending.pop(ended.call_id, None)
        if command.patch:
            if final and called_at >= 0 and succeeded(ended.output):
                self._files.patched(asked, called_at)
        elif command.text:
            self._ran(command, ended.output, ended.code, position)

    def _ran(self, command: Command, output: str, code: int | None, position: int) -> None:
        self._state = self._state._replace(
            last_command=excerpt(command.text, _SNIPPET),
            exit_code=code,
            output_snippet=excerpt(output, _SNIPPET),
        )
        if code == 0:
            self._files.ran(command, output, position)


def _todos(given: object) -> tuple[Todo, ...]:
    return tuple(
        Todo(text_of(step.get("step")), text_of(step.get("status")))
        for step in map(mapping_of, list_of(mapping_of(given).get("plan")))
    )
