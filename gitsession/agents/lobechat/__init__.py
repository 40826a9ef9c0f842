"""The adapter for LobeChat: exports of an account (today's and version 7) and of one topic."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from gitsession.agents import whole_json
from gitsession.agents.base import Source
from gitsession.agents.entries import Draft, Entry, Seen
from gitsession.agents.lenient import mapping_of, text_of
from gitsession.agents.lobechat import form as form
from gitsession.agents.lobechat.tables import Talk, every_line, lines_of, talks
from gitsession.agents.reading import EXPORT, RowsAgent, Values
from gitsession.agents.times import utc_time
from gitsession.files import read_range

NAME = "lobechat"
_HEAD = 1 << 16
_ROLES = ("user", "assistant", "system", "tool")


class LobeChat(RowsAgent):
    """See `agents.base.Agent`. Each topic is a session. So is each thread, and each branch of
    answers that a topic does not show; the topic is their parent."""

    name = NAME
    title = "LobeChat"
    capabilities = EXPORT._replace(tree=True)

    def look(self, path: Path) -> Iterator[Source]:
        status = path.stat()
        head = read_range(path, 0, min(_HEAD, status.st_size)).lstrip(b"\xef\xbb\xbf \t\r\n")
        place = (path, status.st_size, status.st_mtime_ns)
        topic = _topic_in(path, status.st_size, head)
        if topic:
            yield Source(NAME, topic[0], *place, "", topic[1])
            for talk in _hidden(path, status.st_size, *topic):
                yield Source(NAME, talk.native_id, *place, "", talk.title)
            return
        if not head.startswith(b"{") or not (b'"data"' in head or b'"version"' in head):
            return
        for talk in talks(*place):
            if any(row["table"] == "messages" for row in talk.rows):
                yield Source(NAME, talk.native_id, *place, "", talk.title)

    def rows(self, source: Source) -> Iterable[bytes]:
        for talk in talks(source.path, source.size, source.mtime):
            if talk.native_id == source.native_id:
                return lines_of(_with_end(talk))
        data = read_range(source.path, 0, source.size)
        topic, dot, _ = source.native_id.partition(".")
        for talk in _hidden(source.path, source.size, topic, "") if dot else ():
            if talk.native_id == source.native_id:
                return lines_of(_with_end(talk))
        return whole_json.records(data, "" if data.lstrip()[:1] == b"[" else "messages")

    def parse(self, data: bytes) -> Seen:
        kind, value, damaged = whole_json.piece_of(data)
        if not isinstance(value, dict):
            return Seen((), True)
        table = value.get("table")
        if table in (None, "messages") and value.get("role") is not None:
            return Seen((form.message_entry(value),), damaged, True)
        if table is not None:
            return Seen(tuple(_facts(value)), damaged, True)
        facts = {"title": value.get("title"), "time": utc_time(value.get("exportedAt"))}
        return Seen((Entry(facts=facts, end=kind == "tail"),), damaged)

    def path(self, drafts: list[Draft], facts: Mapping[str, object]) -> list[Draft]:
        return form.active_path(drafts, mapping_of(facts.get("links")))


def _with_end(talk: Talk) -> Iterator[Values]:
    """Yield the rows of a talk, then one that marks the end: an export is complete."""
    yield from talk.rows
    yield {"table": "end", "parent": talk.parent} if talk.parent else {"table": "end"}


def _facts(row: Values) -> Iterator[Entry]:
    table = row["table"]
    if table == "topics":
        yield Entry(facts={"title": row.get("title")})
        if text_of(row.get("historySummary")):
            yield Entry(facts={"summary": row["historySummary"]})
    elif table == "threads":
        facts = {"title": row.get("title"), "parent": row.get("topicId")}
        yield Entry(facts=facts)
    elif table == "agents":
        yield Entry(facts={"instruction": row.get("systemRole")}, model=text_of(row.get("model")))
    elif table == "sessions":
        config = mapping_of(row.get("config"))
        yield Entry(facts={"instruction": config.get("systemRole")})
    elif table == "end":
        yield Entry(end=True)


def _topic_in(path: Path, size: int, head: bytes) -> tuple[str, str] | None:
    """Return name and title of the one topic in a file: a version 2.0 document or a bare list."""
    if head.startswith(b"["):
        found = list(whole_json.records(read_range(path, 0, size), ""))
        items = [whole_json.piece_of(data) for data in found]
        messages = [piece.value for piece in items if piece.kind == "item"]
        if messages and all(map(_is_message, messages)):
            return _named(found[1]), ""
        return None
    if b'"version"' not in head or b'"messages"' not in head:
        return None
    found = list(whole_json.records(read_range(path, 0, size), "messages"))
    values: Values = {}
    for data in (found[0], found[-1]):
        piece = whole_json.piece_of(data)
        values |= piece.value if piece.kind in ("head", "tail") else {}
    version = values.get("version")
    if not isinstance(version, str) or "exportedAt" not in values or len(found) < 2:
        return None
    first = mapping_of(whole_json.piece_of(found[1]).value)
    title = text_of(values.get("title"))
    return text_of(first.get("topicId")) or _named(found[1]), title


def _hidden(path: Path, size: int, topic: str, title: str) -> Iterator[Talk]:
    """Yield the branches that the one topic in a file does not show."""
    data = read_range(path, 0, size)
    found = whole_json.records(data, "" if data.lstrip()[:1] == b"[" else "messages")
    pieces = [whole_json.piece_of(record) for record in found]
    values = [piece.value for piece in pieces if piece.kind == "item"]
    messages = [{"table": "messages", **value} for value in values if isinstance(value, dict)]
    yield from every_line(topic, title, (), messages)


def _is_message(value: object) -> bool:
    told = mapping_of(value)
    return told.get("role") in _ROLES and ("content" in told or "tool_calls" in told)


def _named(first: bytes) -> str:
    """Return a name for a topic whose export states none, derived from its first message."""
    value = mapping_of(whole_json.piece_of(first).value)
    seed = text_of(value.get("id")) or f"{value.get('role')}\n{value.get('content')}"
    return "topic-" + hashlib.sha256(seed.encode("utf-8", "replace")).hexdigest()[:16]


AGENT = LobeChat()
