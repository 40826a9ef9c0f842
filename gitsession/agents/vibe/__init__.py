"""The adapter for Mistral Vibe: a store of generations for each session.

A checkout is written in the older format; on resume the agent imports it and continues under that
id.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from gitsession.agents.base import Capabilities, Source, Target, Written
from gitsession.agents.entries import Entry, Seen
from gitsession.agents.lenient import compact, list_of, mapping_of, parse_line, text_of
from gitsession.agents.reading import RowsAgent, Values
from gitsession.agents.times import utc_time
from gitsession.agents.vibe import store, tools
from gitsession.agents.work import Call, Result
from gitsession.environment import Environment
from gitsession.model.message import Part
from gitsession.model.session import Session

NAME = "vibe"
_KEPT = ("table", "id", "parent", "cwd", "branch", "started")
"""The members of a session's row that do not change with each turn."""


class Vibe(RowsAgent):
    """See `agents.base.Agent`."""

    name = NAME
    title = "Mistral Vibe"
    capabilities = Capabilities()
    constants = ("sessionId",)

    def home(self, environment: Environment) -> Path:
        configured = environment.get("VIBE_HOME")
        top = Path(configured).expanduser() if configured else environment.home / ".vibe"
        return top / "logs" / "session"

    def paths(self, environment: Environment, cwd: str) -> Iterable[Path]:  # noqa: ARG002
        try:
            return sorted(self.home(environment).glob(f"unified/*/{store.CURRENT}"))
        except OSError:
            return ()

    def look(self, path: Path) -> Iterator[Source]:
        status = path.stat()
        native_id = text_of(store.current(path).get("session_id"))
        if native_id and path.name == store.CURRENT:
            native_id = store.taken_from(path) or native_id
            meta = store.meta(path.parent)
            cwd = text_of(mapping_of(meta.get("environment")).get("working_directory"))
            title = text_of(meta.get("title"))
            yield Source(NAME, native_id, path, status.st_size, status.st_mtime_ns, cwd, title)

    def rows(self, source: Source) -> Iterator[bytes]:
        """Yield the session, then its entries; a row of ours ends each turn that is over."""
        entries, newest = store.history(source.path)
        if not entries:
            return
        yield _line(_session(source))
        before = ""
        for entry in entries:
            turn = text_of(entry.get("turnId"))
            if before and turn and turn != before:
                yield _line({"table": "turn", "id": before})
            before = turn or before
            yield _line({"table": "entry", **entry})
        over = newest.get("id") != before or newest.get("status") not in (None, "in_progress")
        if before and over:
            yield _line({"table": "turn", "id": before})

    def parse(self, data: bytes) -> Seen:
        parsed = parse_line(data)
        entries = []
        for row in parsed.objects:
            make = _TABLES.get(text_of(row.get("table")))
            if make is not None:
                entries.append(make(row))
        return Seen(tuple(entries), parsed.damaged, bool(entries))

    def settled(self, data: bytes) -> bytes:
        """See `base.settled`."""
        for row in parse_line(data).objects:
            if row.get("table") == "session":
                return compact({key: row[key] for key in _KEPT if key in row}).encode()
        return data

    def essences(self, data: bytes) -> Iterator[bytes]:
        """See `base.essences`: the agent imports what is written into a store of its own."""
        for line in data.splitlines():
            for row in parse_line(line).objects:
                said = _said(row)
                if said:
                    yield said

    def write(self, session: Session, target: Target, environment: Environment) -> Written:
        from gitsession.agents.vibe.write import write

        return write(session, target, environment)

    def resume_command(self, native_id: str, cwd: str) -> tuple[str, ...]:  # noqa: ARG002
        return ("vibe", "--resume", native_id)

    def tool(self, part: Part) -> Call:
        return tools.as_call(part)

    def result(self, part: Part) -> Result:
        return tools.as_result(part)


def _said(row: Values) -> bytes:
    """Return the text of a message, ours or of the older format.

    Tool work is left out: the two formats record it differently.
    """
    role, content = text_of(row.get("role")), row.get("content")
    if role not in ("user", "assistant") or ("table" in row and row.get("type") != "message"):
        return b""
    texts = (part.text for part in _parts(content) if part.kind == "text")
    text = content if isinstance(content, str) else "\n".join(texts)
    return compact([role, text.strip()]).encode("utf-8", "replace") if text.strip() else b""


def _line(row: Values) -> bytes:
    return compact(row).encode("utf-8", "replace") + b"\n"


def _session(source: Source) -> Values:
    meta = store.meta(source.path.parent)
    return {
        "table": "session",
        "id": source.native_id,
        "parent": meta.get("parent_session_id"),
        "cwd": source.cwd,
        "branch": meta.get("git_branch"),
        "started": meta.get("start_time"),
        "title": meta.get("title"),
        "model": mapping_of(meta.get("config")).get("model_name"),
    }


def _told(row: Values) -> Entry:
    facts = {
        "session": row.get("id"),
        "title": row.get("title"),
        "cwd": row.get("cwd"),
        "branch": row.get("branch"),
        "parent": row.get("parent"),
        "time": utc_time(row.get("started")),
    }
    return Entry(facts=facts, model=text_of(row.get("model")))


def _entry(row: Values) -> Entry:
    kind, time = text_of(row.get("type")), utc_time(row.get("createdAt"))
    name = text_of(row.get("id"))
    if kind == "message":
        role = text_of(row.get("role"))
        role = role if role in ("user", "assistant", "system") else "note"
        return Entry(role, tuple(_parts(row.get("content"))), time, native_id=name)
    if kind == "reasoning":
        thought = "\n".join(part.text for part in _parts(row.get("content")) if part.text)
        parts = (Part("reasoning", thought, native=row.get("content")),)
        return Entry("assistant", parts, time, native_id=name)
    if kind == "effect":
        return Entry("assistant", tools.parts_of(row), time, native_id=name)
    if kind == "checkpoint" and row.get("kind") == "compaction":
        failed = bool(mapping_of(row.get("details")).get("error"))
        if not failed:
            part = Part("compaction", native=row)
            return Entry("system", (part,), time, native_id=name, compaction=True)
    return Entry(time=time)


def _parts(content: object) -> Iterator[Part]:
    for block in map(mapping_of, list_of(content)):
        kind = text_of(block.get("type"))
        if kind == "text":
            yield Part("text", text_of(block.get("text")))
        elif kind == "image":
            yield Part("image", name=text_of(block.get("mimeType")), native=block)
        else:
            yield Part("opaque", name=kind, native=block)


_TABLES: Mapping[str, Callable[[Values], Entry]] = {
    "session": _told,
    "entry": _entry,
    "turn": lambda row: Entry(end=True),  # noqa: ARG005
}


AGENT = Vibe()
