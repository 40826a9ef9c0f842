"""The adapter to OpenCode: its database, read while it runs, and what `opencode export` prints."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from gitsession.agents import whole_json
from gitsession.agents.base import Capabilities, Source, Target, Written
from gitsession.agents.databases import is_database
from gitsession.agents.entries import Draft, Entry, Seen
from gitsession.agents.lenient import compact, mapping_of, text_of
from gitsession.agents.opencode import form as form
from gitsession.agents.opencode.outputs import Outputs
from gitsession.agents.opencode.rows import (
    NAME,
    children_in,
    lines_of,
    sessions_in,
    todos_of,
)
from gitsession.agents.reading import RowsAgent, Values
from gitsession.agents.work import Call, Result
from gitsession.environment import Environment
from gitsession.files import is_regular, read_range
from gitsession.model.message import Message, Part
from gitsession.model.session import Info, Session

_HEAD = 1 << 12
_PASSING = ("title", "cost", "summary", "tokens", "time", "permission", "share", "agent", "model",
            "slug", "version", "metadata")  # fmt: skip
"""What the head of a session says of now, not of what was."""


class OpenCode(RowsAgent):
    """See `agents.base.Agent`."""

    name = NAME
    title = "OpenCode"
    capabilities = Capabilities(sidecars=True, hooks=True, compose=True)
    constants = ("session_id",)

    def home(self, environment: Environment) -> Path:
        base = environment.get("XDG_DATA_HOME")
        top = Path(base) if base.startswith("/") else environment.home / ".local/share"
        return top / "opencode"

    def paths(self, environment: Environment, cwd: str) -> Iterable[Path]:  # noqa: ARG002
        named = environment.get("OPENCODE_DB")
        try:
            found = sorted(self.home(environment).glob("opencode*.db"))
        except OSError:
            found = []
        return [Path(named), *found] if named.startswith("/") else found

    def find(
        self, environment: Environment, *, cwd: str = "", native_id: str = ""
    ) -> Iterator[Source]:
        """Of a folder's sessions those that a person began; the children of others by their id."""
        children = set(self._children(environment)) if cwd else set()
        for source in super().find(environment, cwd=cwd, native_id=native_id):
            if source.native_id not in children:
                yield source

    def _children(self, environment: Environment) -> Iterator[str]:
        for path in self.paths(environment, ""):
            try:
                if is_regular(path) and is_database(path):
                    yield from children_in(path)
            except OSError:
                continue

    def look(self, path: Path) -> Iterator[Source]:
        if is_database(path):
            yield from sessions_in(path)
            return
        status = path.stat()
        if b'"info"' not in read_range(path, 0, _HEAD):
            return
        head = next(whole_json.records(read_range(path, 0, status.st_size), "messages"), b"")
        info = mapping_of(mapping_of(whole_json.piece_of(head).value).get("info"))
        if text_of(info.get("id")).startswith("ses"):
            place = (path, status.st_size, status.st_mtime_ns)
            cwd, title = text_of(info.get("directory")), text_of(info.get("title"))
            yield Source(NAME, info["id"], *place, cwd, form.own_title(title))

    def rows(self, source: Source) -> Iterable[bytes]:
        if not is_database(source.path):
            return whole_json.records(read_range(source.path, 0, source.size), "messages")
        return list(lines_of(source))

    def read(self, source: Source, since: Session | None = None) -> Iterator[Session]:
        """The list of tasks stands beside the conversation: it is that of the last turn read."""
        held: Session | None = None
        long = Outputs(source.path.parent)
        for session in super().read(source, since):
            if held is not None:
                yield held
            held = long.beside(session)
        if held is not None:
            todos = todos_of(source)
            yield held._replace(state=held.state._replace(todos=todos)) if todos else held

    def parse(self, data: bytes) -> Seen:
        kind, value, damaged = whole_json.piece_of(data)
        if not isinstance(value, dict):
            return Seen((), True)
        if value.get("table") == "session":
            return Seen((Entry(facts=form.session_facts(form.info_of(value))),), damaged, True)
        message = form.message_in(value)
        if message is not None:
            return Seen((form.message_entry(*message),), damaged, True)
        info = value.get("info")
        if isinstance(info, dict):
            return Seen((Entry(facts=form.session_facts(info)),), damaged, kind == "head")
        return Seen((), damaged)

    def settled(self, data: bytes) -> bytes:
        """See `base.settled`: a row without what OpenCode changes in it afterwards."""
        kind, value, damaged = whole_json.piece_of(data)
        if damaged or not isinstance(value, dict) or kind == "tail":
            return data
        message = form.message_in(value)
        if message is not None:
            info, parts = message
            value = {"info": _finished(info), "parts": [_finished(part) for part in parts]}
        elif value.get("table") == "session":
            value = _without(form.info_of(value), _PASSING)
        elif isinstance(value.get("info"), dict):
            value = _without(value["info"], _PASSING)
        return compact(value).encode("utf-8", "replace")

    def written_anew(self, source: Source) -> bool:
        """See `base.written_anew`: an export; rows of the database stay as they are."""
        return not is_database(source.path)

    def essences(self, data: bytes) -> Iterator[bytes]:
        """See `base.essences`: names and words of each message. Import leaves out fields that it
        does not know, puts the rest into its own order, and adds what it has by default."""
        for record in whole_json.records(data, "messages"):
            message = form.message_in(whole_json.piece_of(record).value)
            if message is not None:
                info, parts = message
                told = [info.get("id"), info.get("role"), *map(_words, parts)]
                yield compact(told).encode("utf-8", "replace")

    def superseded(self, stored: bytes, native: bytes) -> bool:
        """See `base.superseded`: the end of a shorter export, or a message with fewer parts."""
        if whole_json.tail_replaced(stored, native):
            return True
        before, after = (form.message_in(whole_json.piece_of(data).value)
                         for data in (stored, native))  # fmt: skip
        same = before and after and before[0].get("id") == after[0].get("id")
        return (
            bool(same)
            and len(stored) < len(native)
            and self.settled(stored) != self.settled(native)
        )

    def tool(self, part: Part) -> Call:
        given = mapping_of(part.input)
        path = given.get("filePath")
        if part.name == "edit":
            old, new = given.get("oldString"), given.get("newString")
            return Call("edit", {"path": path, "oldText": old, "newText": new})
        if part.name == "read":  # what it shows does not tell whether the last line has an end
            return Call("read", {"path": path, "offset": given.get("offset"), "limit": 1})
        if part.name == "todowrite":
            return Call("todo_write", given)
        return Call(part.name, {"path": path, **given})

    def result(self, part: Part) -> Result:
        code = mapping_of(part.native).get("exit")
        return Result(part.text, part.error, code if isinstance(code, int) else None)

    def path(self, drafts: list[Draft], facts: Mapping[str, object]) -> list[Draft]:
        """Without what was undone: the session points at the first message that is gone."""
        gone = facts.get("revert")
        names = [draft.entry.native_id for draft in drafts]
        return drafts[: names.index(gone)] if gone in names else drafts

    def write(self, session: Session, target: Target, environment: Environment) -> Written:
        from gitsession.agents.opencode.write import write

        return write(session, target, environment)

    def compose(
        self, messages: tuple[Message, ...], info: Info, target: Target, environment: Environment
    ) -> Written:
        """See `protocol.Composer`."""
        from gitsession.agents.opencode.compose import compose

        return compose(messages, info, target, environment)

    def start_command(self, native_id: str, cwd: str, path: str) -> tuple[str, ...]:  # noqa: ARG002
        """See `base.start_command`. Importing a session once more changes nothing."""
        script = 'opencode import "$1" && exec opencode --session="$2"'
        return ("sh", "-c", script, "opencode", path, native_id)

    def resume_command(self, native_id: str, cwd: str) -> tuple[str, ...]:  # noqa: ARG002
        return ("opencode", f"--session={native_id}")


def _without(values: Mapping[str, Any], names: Iterable[str]) -> Values:
    return {key: value for key, value in values.items() if key not in names}


def _finished(values: Values) -> Values:
    """A message or part without its later summary and the mark that its output was pruned."""
    state = mapping_of(values.get("state"))
    if "compacted" in mapping_of(state.get("time")):
        values = {**values, "state": {**state, "time": _without(state["time"], ("compacted",))}}
    return _without(values, ("summary",)) if values.get("role") == "user" else values


def _words(part: Values) -> list[object]:
    state = mapping_of(part.get("state"))
    outcome = [state.get(key) for key in ("status", "input", "output", "error")]
    return [part.get("id"), part.get("type"), part.get("text"), part.get("callID"), *outcome]


AGENT = OpenCode()
