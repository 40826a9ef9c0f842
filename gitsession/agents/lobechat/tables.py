"""An export of a LobeChat account: tables of several sessions, joined topic by topic.

Only the tables named here are read; settings, providers and their keys are not.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from gitsession.agents.lenient import compact, list_of, mapping_of, text_of
from gitsession.agents.lobechat import branches as lobechat_branches
from gitsession.agents.times import utc_time
from gitsession.files import read

Values = dict[str, Any]

_TABLES = ("sessions", "topics", "threads", "messages", "messagePlugins", "agents",
           "agentsToSessions", "sessionGroups")  # fmt: skip
_AGENT_COLUMNS = ("id", "title", "description", "systemRole", "model", "provider")
_LARGEST = 1 << 30


class Talk(NamedTuple):
    """One topic, thread or hidden branch of answers, or a session's content outside its topics."""

    native_id: str
    title: str
    rows: tuple[Values, ...]
    parent: str = ""


@lru_cache(maxsize=1)
def talks(path: Path, size: int, mtime: int) -> tuple[Talk, ...]:
    """Return everything in an export, in its order; empty if the file is not one. Raises OSError.

    The last file is cached: each of its sessions is read separately.
    """
    del mtime
    if size > _LARGEST:
        return ()
    try:
        document = mapping_of(json.loads(read(path)))
    except (ValueError, RecursionError):
        return ()
    tables = tables_of(document)
    return tuple(_talks(tables)) if tables else ()


def tables_of(document: Values) -> dict[str, list[Values]]:
    """Return an account export's tables: today's (`data`) or version 7 (`state` or outermost)."""
    data = mapping_of(document.get("data"))
    if not data:
        if not isinstance(document.get("version"), int):
            return {}
        data = mapping_of(document.get("state")) or document
    if not isinstance(data.get("messages"), list) or not ("topics" in data or "sessions" in data):
        return {}
    return {
        name: [row for row in list_of(data.get(name)) if isinstance(row, dict)] for name in _TABLES
    }


def _talks(tables: dict[str, list[Values]]) -> Iterator[Talk]:
    plugins = {text_of(row.get("id")): row for row in tables["messagePlugins"]}
    by_topic: dict[str, list[Values]] = {}
    alone: dict[str, list[Values]] = {}
    for message in sorted(tables["messages"], key=_moment):
        row = {"table": "messages", **message}
        if text_of(row.get("id")) in plugins and "plugin" not in row:
            row["plugin"] = plugins[row["id"]]
        topic = text_of(row.get("topicId"))
        if topic:
            by_topic.setdefault(topic, []).append(row)
        else:
            alone.setdefault(text_of(row.get("sessionId")) or "inbox", []).append(row)
    for topic_row in tables["topics"]:
        name = text_of(topic_row.get("id"))
        if name:
            yield from _topic(tables, topic_row, by_topic.pop(name, []))
    for name, rows in by_topic.items():  # topics that were deleted or have no row
        yield from _topic(tables, {"id": name}, rows)
    for name, rows in alone.items():
        heads = [*_session_rows(tables, name)]
        title = text_of(heads[0].get("title")) if heads else ""
        yield Talk(name, title, (*heads, *rows))
        yield from every_line(name, title, heads, rows)


def _topic(
    tables: dict[str, list[Values]], topic: Values, messages: list[Values]
) -> Iterator[Talk]:
    name, title = text_of(topic.get("id")), text_of(topic.get("title"))
    heads = ({"table": "topics", **topic}, *_session_rows(tables, text_of(topic.get("sessionId"))))
    main = [row for row in messages if not text_of(row.get("threadId"))]
    yield Talk(name, title, (*heads, *main))
    yield from every_line(name, title, heads, main)
    threads = {text_of(row.get("id")): row for row in tables["threads"]
               if row.get("topicId") == name}  # fmt: skip
    for thread_id, thread in threads.items():
        own = [row for row in messages if row.get("threadId") == thread_id]
        before = prefix(thread, threads, main, messages)
        head = {"table": "threads", **thread}
        label = text_of(thread.get("title")) or title
        yield Talk(thread_id, label, (*heads, head, *before, *own), name)
        yield from every_line(thread_id, label, heads, [*before, *own])


def every_line(
    topic: str, title: str, heads: Iterable[Values], messages: list[Values]
) -> Iterator[Talk]:
    """Yield the branches of a topic that it does not show."""
    for line in lobechat_branches.hidden(messages):
        label = f"{title} ({line.place})" if title else ""
        head = {"table": "threads", "type": "branch", "topicId": topic, "title": label}
        yield Talk(f"{topic}.{line.name}", label, (*heads, head, *line.rows), topic)


def prefix(
    thread: Values,
    threads: dict[str, Values],
    main: list[Values],
    messages: list[Values],
    depth: int = 0,
) -> list[Values]:
    """Return the part of the topic that a thread begins with.

    That is everything up to its source message, that message alone, or nothing.
    """
    kind, source = text_of(thread.get("type")), text_of(thread.get("sourceMessageId"))
    if kind == "standalone":
        return [row for row in messages if row.get("id") == source]
    if kind not in ("continuation", ""):
        return []
    outer = threads.get(text_of(thread.get("parentThreadId")))
    around = main
    if outer is not None and depth < len(threads):
        own = [row for row in messages if row.get("threadId") == outer.get("id")]
        around = [*prefix(outer, threads, main, messages, depth + 1), *own]
    return _up_to(source, around)


def _up_to(source: str, rows: list[Values]) -> list[Values]:
    """Return the message and its ancestors or, if no parents are stated, everything up to it."""
    known = {text_of(row.get("id")): row for row in rows}
    if source not in known:
        return []
    if not any(text_of(row.get("parentId")) for row in rows):
        at = [text_of(row.get("id")) for row in rows].index(source)
        return rows[: at + 1]
    chain: set[str] = set()
    name = source
    while name in known and name not in chain:
        chain.add(name)
        name = text_of(known[name].get("parentId"))
    return [row for row in rows if text_of(row.get("id")) in chain]


def _session_rows(tables: dict[str, list[Values]], name: str) -> Iterator[Values]:
    for row in tables["sessions"]:
        if name and row.get("id") == name:
            yield {"table": "sessions", **_plain_session(row)}
    agents = {text_of(link.get("agentId")) for link in tables["agentsToSessions"]
              if name and link.get("sessionId") == name}  # fmt: skip
    for row in tables["agents"]:
        if text_of(row.get("id")) in agents - {""}:
            yield {"table": "agents", **{key: row[key] for key in _AGENT_COLUMNS if key in row}}


def _plain_session(row: Values) -> Values:
    """Return a session; what version 7 stores of its agent is reduced to what is not a setting."""
    config = mapping_of(row.get("config"))
    kept = {key: value for key, value in row.items() if key != "config"}
    return (
        {**kept, "config": {k: config[k] for k in _AGENT_COLUMNS if k in config}}
        if config
        else kept
    )


def _moment(row: Values) -> str:
    return utc_time(row.get("createdAt")) or utc_time(row.get("created_at"))


def lines_of(rows: Iterable[Values]) -> Iterator[bytes]:
    for row in rows:
        yield compact(row).encode("utf-8", "replace") + b"\n"
