"""The adapter for OpenCode and its forks.

It reads their database while they run, and the output of `opencode export`.
"""

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
    children_in,
    lines_of,
    sessions_in,
    todos_of,
)
from gitsession.agents.opencode_family import OPENCODE, Member, data_folder, databases, maker
from gitsession.agents.reading import RowsAgent, Values
from gitsession.agents.work import Call, Result
from gitsession.environment import Environment
from gitsession.files import is_regular, read_range
from gitsession.model.message import Message, Part
from gitsession.model.session import Info, Session

_HEAD = 1 << 12
_PASSING = ("title", "cost", "summary", "tokens", "time", "permission", "share", "agent", "model",
            "slug", "version", "metadata")  # fmt: skip
"""Members of a session's head that describe the present, not the past."""


class OpenCode(RowsAgent):
    """See `agents.base.Agent`."""

    capabilities = Capabilities(sidecars=True, hooks=True, compose=True)
    constants = ("session_id",)

    def __init__(self, member: Member) -> None:
        self.member, self.name, self.title = member, member.name, member.title

    def home(self, environment: Environment) -> Path:
        return data_folder(self.member, environment)

    def paths(self, environment: Environment, cwd: str) -> Iterable[Path]:  # noqa: ARG002
        return databases(self.member, environment)

    def find(
        self, environment: Environment, *, cwd: str = "", native_id: str = ""
    ) -> Iterator[Source]:
        """Yield sessions; if `cwd` is given, without those that another session began."""
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
            yield from sessions_in(path, self.name)
            return
        status = path.stat()
        if b'"info"' not in read_range(path, 0, _HEAD):
            return
        head = next(whole_json.records(read_range(path, 0, status.st_size), "messages"), b"")
        info = mapping_of(mapping_of(whole_json.piece_of(head).value).get("info"))
        ours = maker(text_of(info.get("version"))) == self.name
        if ours and text_of(info.get("id")).startswith("ses"):
            place = (path, status.st_size, status.st_mtime_ns)
            cwd, title = text_of(info.get("directory")), text_of(info.get("title"))
            yield Source(self.name, info["id"], *place, cwd, form.own_title(title))

    def rows(self, source: Source) -> Iterable[bytes]:
        if not is_database(source.path):
            return whole_json.records(read_range(source.path, 0, source.size), "messages")
        return list(lines_of(source))

    def read(self, source: Source, since: Session | None = None) -> Iterator[Session]:
        """Yield continuations; the separately stored task list is added to the last turn read."""
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
        """See `base.settled`: a record without the members that OpenCode changes afterwards."""
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
        """See `base.written_anew`: true for an export; rows of the database stay as they are."""
        return not is_database(source.path)

    def essences(self, data: bytes) -> Iterator[bytes]:
        """See `base.essences`: the names and words of each message.

        Import omits fields that it does not know, reorders the rest, and adds its defaults.
        """
        for record in whole_json.records(data, "messages"):
            message = form.message_in(whole_json.piece_of(record).value)
            if message is not None:
                info, parts = message
                told = [info.get("id"), info.get("role"), *map(_words, parts)]
                yield compact(told).encode("utf-8", "replace")

    def superseded(self, stored: bytes, native: bytes) -> bool:
        """See `base.superseded`: the tail of a shorter export, or a message with fewer parts."""
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
        if part.name == "read":  # its output does not show whether the last line has an end
            return Call("read", {"path": path, "offset": given.get("offset"), "limit": 1})
        if part.name == "todowrite":
            return Call("todo_write", given)
        return Call(part.name, {"path": path, **given})

    def result(self, part: Part) -> Result:
        code = mapping_of(part.native).get("exit")
        return Result(part.text, part.error, code if isinstance(code, int) else None)

    def path(self, drafts: list[Draft], facts: Mapping[str, object]) -> list[Draft]:
        """Return the messages without the undone ones; the session names the first of these."""
        gone = facts.get("revert")
        names = [draft.entry.native_id for draft in drafts]
        return drafts[: names.index(gone)] if gone in names else drafts

    def write(self, session: Session, target: Target, environment: Environment) -> Written:
        from gitsession.agents.opencode.write import write

        return write(session, target, environment, self.member)

    def compose(
        self, messages: tuple[Message, ...], info: Info, target: Target, environment: Environment
    ) -> Written:
        """See `protocol.Composer`."""
        from gitsession.agents.opencode.compose import compose

        return compose(messages, info, target, environment, self.member)

    def start_command(self, native_id: str, cwd: str, path: str) -> tuple[str, ...]:  # noqa: ARG002
        """See `base.start_command`. Importing a session again changes nothing."""
        script = f'{self.name} import "$1" && exec {self.name} --session="$2"'
        return ("sh", "-c", script, self.name, path, native_id)

    def resume_command(self, native_id: str, cwd: str) -> tuple[str, ...]:  # noqa: ARG002
        return (self.name, f"--session={native_id}")


def _without(values: Mapping[str, Any], names: Iterable[str]) -> Values:
    return {key: value for key, value in values.items() if key not in names}


def _finished(values: Values) -> Values:
    """Return a message or part without its later summary and the marker of pruned output."""
    state = mapping_of(values.get("state"))
    if "compacted" in mapping_of(state.get("time")):
        values = {**values, "state": {**state, "time": _without(state["time"], ("compacted",))}}
    return _without(values, ("summary",)) if values.get("role") == "user" else values


def _words(part: Values) -> list[object]:
    state = mapping_of(part.get("state"))
    outcome = [state.get(key) for key in ("status", "input", "output", "error")]
    return [part.get("id"), part.get("type"), part.get("text"), part.get("callID"), *outcome]


AGENT = OpenCode(OPENCODE)
