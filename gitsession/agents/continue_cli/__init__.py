"""The adapter for Continue's command line `cn`: one JSON document per session, in one folder."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import unquote

from gitsession.agents import whole_json
from gitsession.agents.base import Capabilities, Source, Target, Written
from gitsession.agents.continue_cli.items import entry_of
from gitsession.agents.entries import Entry, Seen
from gitsession.agents.lenient import compact, list_of, mapping_of, text_of
from gitsession.agents.reading import Values, WholeAgent
from gitsession.agents.times import utc_time
from gitsession.agents.work import Call, Result
from gitsession.environment import Environment
from gitsession.files import is_regular, read_range
from gitsession.model.message import Message, Part
from gitsession.model.session import Info, Session

NAME = "continue"
LIST = "sessions.json"
_HEAD = 1 << 14
_LONGEST_LIST = 16 << 20
_NO_TITLES = ("Untitled Session", "New Session")
_PASSING = ("title",)
"""Members of a session's head that describe the present, not the past."""
_TOOLS = {"Bash": "bash", "Read": "read", "Write": "write", "Edit": "edit", "MultiEdit": "edit",
          "Checklist": "todo_write"}  # fmt: skip
_SHOWN = "Content of "
_BOXES = {"- [ ] ": "pending", "- [x] ": "completed", "- [X] ": "completed"}


class Continue(WholeAgent):
    """See `agents.base.Agent`."""

    name = NAME
    title = "Continue CLI"
    capabilities = Capabilities(compose=True)
    container = "history"
    grows = True

    def home(self, environment: Environment) -> Path:
        named = environment.get("CONTINUE_GLOBAL_DIR")
        base = Path(named) if named.startswith("/") else environment.home / ".continue"
        return base / "sessions"

    def paths(self, environment: Environment, cwd: str) -> Iterable[Path]:  # noqa: ARG002
        try:
            found = sorted(self.home(environment).glob("*.json"))
        except OSError:
            return ()
        return [path for path in found if path.name != LIST]

    def newest(self, environment: Environment, cwd: str, after: int) -> Source | None:
        """See `base.newest_in`."""
        changed = []
        for path in self.paths(environment, cwd):
            if is_regular(path):
                status = path.stat()
                changed.append((status.st_size > 0, status.st_mtime_ns, path))
        for _, moment, path in sorted(changed, reverse=True):
            if moment <= after:
                continue
            source = self.recognise(path)
            if source is not None and source.cwd == cwd:
                return source
        return None

    def look(self, path: Path) -> Iterator[Source]:
        status = path.stat()
        head = read_range(path, 0, min(_HEAD, status.st_size))
        if b'"sessionId"' not in head or b'"history"' not in head:
            return
        first = next(whole_json.records(head, self.container), b"")
        kind, values, _ = whole_json.piece_of(first)
        native_id = text_of(mapping_of(values).get("sessionId"))
        if kind == "head" and native_id and "workspaceDirectory" in values:
            yield Source(NAME, native_id, path, status.st_size, status.st_mtime_ns,
                         _folder(values), _title(values))  # fmt: skip

    def read(self, source: Source, since: Session | None = None) -> Iterator[Session]:
        """Yield continuations. No message has a time; the separate list has the session's start."""
        begun = _begun(source.path) if since is None else ""
        for session in super().read(source, since):
            if begun:
                info = session.info._replace(created=begun, updated=begun)
                session = session._replace(info=info)
            yield session

    def settled(self, data: bytes) -> bytes:
        """See `base.settled`: the head contains the title, which is added or changed later."""
        if data.lstrip()[:1] != b"{" or not data.rstrip().endswith(b"["):
            return data
        kind, value, damaged = whole_json.piece_of(data)
        if kind != "head" or damaged or "sessionId" not in mapping_of(value):
            return data
        told = {key: one for key, one in value.items() if key not in _PASSING}
        return compact(told).encode("utf-8", "replace")

    def essences(self, data: bytes) -> Iterator[bytes]:
        """See `base.essences`: the whole file is rewritten on each change."""
        for record in whole_json.records(data, self.container):
            kind, value, _ = whole_json.piece_of(record)
            message = mapping_of(mapping_of(value).get("message"))
            if kind == "item" and message:
                told = [message.get(key) for key in ("role", "content", "toolCalls")]
                states = [mapping_of(value).get("toolCallStates"), value.get("contextItems")]
                yield json.dumps([*told, *states], sort_keys=True).encode()

    def understand(self, kind: str, value: Values, damaged: bool) -> Seen:
        if kind == "item" and isinstance(value.get("message"), dict):
            return Seen((entry_of(value),), damaged, True)
        facts = {"session": value.get("sessionId"), "cwd": _folder(value), "title": _title(value)}
        known = kind == "head" and "sessionId" in value
        return Seen((Entry(facts=facts),) if known else (), damaged, known)

    def tool(self, part: Part) -> Call:
        given = mapping_of(part.input)
        path = given.get("filepath") or given.get("file_path")
        if part.name == "Checklist":
            return Call("todo_write", {"todos": list(_tasks(text_of(given.get("checklist"))))})
        return Call(_TOOLS.get(part.name, part.name), {**given, "path": path})

    def result(self, part: Part) -> Result:
        text = part.text
        if part.name == "Read" and text.startswith(_SHOWN):
            text = text.partition(":\n")[2]
        return Result(text, part.error)

    def write(self, session: Session, target: Target, environment: Environment) -> Written:
        from gitsession.agents.continue_cli.write import write

        return write(session, target, environment)

    def compose(
        self, messages: tuple[Message, ...], info: Info, target: Target, environment: Environment
    ) -> Written:
        """See `protocol.Composer`."""
        from gitsession.agents.continue_cli.compose import compose

        return compose(messages, info, target, environment)

    def start_command(self, native_id: str, cwd: str, path: str) -> tuple[str, ...]:  # noqa: ARG002
        """See `base.start_command`. The agent resumes the session whose file changed last."""
        return ("sh", "-c", 'touch "$1" && exec cn --resume', "cn", path)

    def resume_command(self, native_id: str, cwd: str) -> tuple[str, ...]:  # noqa: ARG002
        place = '"${CONTINUE_GLOBAL_DIR:-$HOME/.continue}/sessions/""$1"".json"'
        return ("sh", "-c", f"touch {place} && exec cn --resume", "cn", native_id)


def _begun(path: Path) -> str:
    try:
        listed = path.with_name(LIST)
        rows = json.loads(read_range(listed, 0, _LONGEST_LIST)) if is_regular(listed) else []
    except (OSError, ValueError, RecursionError):
        return ""
    for row in map(mapping_of, list_of(rows)):
        if row.get("sessionId") == path.stem:
            moment = text_of(row.get("dateCreated"))
            return utc_time(int(moment) if moment.isdecimal() and len(moment) < 16 else moment)
    return ""


def _folder(values: Values) -> str:
    """Return the project's folder; an editor that shares the place states it as a `file://` URL."""
    place = text_of(values.get("workspaceDirectory"))
    return unquote(place.removeprefix("file://")) if place.startswith("file:///") else place


def _title(values: Values) -> str:
    title = text_of(values.get("title"))
    return "" if title in _NO_TITLES else title


def _tasks(checklist: str) -> Iterator[Values]:
    for row in checklist.splitlines():
        for box, status in _BOXES.items():
            if row.lstrip().startswith(box):
                yield {"content": row.lstrip().removeprefix(box).strip(), "status": status}


AGENT = Continue()
