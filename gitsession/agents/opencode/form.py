"""OpenCode's messages and parts in neutral terms, from an export document or from database rows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from gitsession.agents.entries import Entry, json_or_text, output_text
from gitsession.agents.lenient import list_of, mapping_of, number_of, text_of
from gitsession.agents.times import utc_time
from gitsession.model.message import Part, Usage
from gitsession.model.session import Session

Values = dict[str, Any]

GOES_ON = ("", "tool-calls", "unknown")
"""How a step of the model ends if another one follows."""
_NO_TITLE = re.compile(r"(New|Child) session - \d{4}-\d\d-\d\dT[\d:.]+Z")
_TIMES = ("created", "updated", "compacting", "archived")
_NESTED = {
    "project_id": "projectID",
    "workspace_id": "workspaceID",
    "parent_id": "parentID",
}


class Document(NamedTuple):
    """A session as `opencode export` prints it."""

    info: Values
    messages: list[Values]


def message_entry(info: Values, parts: list[Values]) -> Entry:
    """Return a message with its parts."""
    role, time = text_of(info.get("role")), mapping_of(info.get("time"))
    compaction = any(part.get("type") == "compaction" for part in parts)
    if role == "user":
        role = role_of_user(parts)
    facts: dict[str, object] = {"cwd": mapping_of(info.get("path")).get("cwd")}
    if text_of(info.get("system")):
        facts["instruction"] = info["system"]
    error = mapping_of(info.get("error"))
    found = [made for part in parts for made in part_of(part)]
    if info.get("summary") is True:
        found = [summary_of(part) for part in found]
    return Entry(
        role if role in ("user", "assistant", "system", "note") else "note",
        tuple(found),
        utc_time(time.get("completed")) or utc_time(time.get("created")),
        text_of(info.get("modelID")),
        text_of(info.get("id")),
        _usage(info),
        {"error": error} if error else {},
        end=role == "assistant" and text_of(info.get("finish")) not in GOES_ON,
        aborted=text_of(error.get("name")) == "MessageAbortedError",
        compaction=compaction,
        facts=facts,
    )


def role_of_user(parts: list[Values]) -> str:
    """Return a user-side message's role: a prompt, a compaction marker, the agent's own text."""
    kinds = {text_of(part.get("type")) for part in parts}
    if "compaction" in kinds:
        return "system"
    own = [part for part in parts if not part.get("synthetic") and not part.get("ignored")]
    return "user" if own or not parts else "note"


def summary_of(part: Part) -> Part:
    return Part("compaction", part.text, native=part.native) if part.kind == "text" else part


def _usage(info: Values) -> Usage | None:
    spent = mapping_of(info.get("tokens"))
    if info.get("role") != "assistant" or not spent:
        return None
    cache = mapping_of(spent.get("cache"))
    return Usage(
        number_of(spent.get("input")),
        number_of(spent.get("output")) + number_of(spent.get("reasoning")),
        number_of(cache.get("read")),
        number_of(cache.get("write")),
    )


def part_of(part: Values) -> Iterator[Part]:
    """Yield a native part as Parts; a tool is a call and, once it has ended, its result."""
    kind = text_of(part.get("type"))
    text = text_of(part.get("text"))
    if kind == "text":
        beside = part.get("synthetic") or part.get("ignored")
        yield Part("text", text, native={**part, "synthetic": True} if beside else None)
    elif kind == "reasoning":
        yield Part("reasoning", text, native=part)
    elif kind == "tool":
        yield from _tool(part)
    elif kind == "file":
        media = text_of(part.get("mime"))
        name = text_of(part.get("filename")) or media
        yield Part("image" if media.startswith("image/") else "file", name=name, native=part)
    elif kind in ("step-start", "step-finish", "snapshot"):
        yield Part("step", name=kind, native=part)
    elif kind == "patch":
        yield Part("patch", "\n".join(map(str, list_of(part.get("files")))), native=part)
    elif kind == "subtask":
        yield Part("subtask", text_of(part.get("prompt")), name=text_of(part.get("agent")),
                   native=part)  # fmt: skip
    elif kind == "retry":
        data = mapping_of(mapping_of(part.get("error")).get("data"))
        yield Part("retry", text_of(data.get("message")), native=part)
    elif kind == "compaction":
        yield Part("compaction", native=part)
    else:
        yield Part("opaque", name=kind, native=part)


def _tool(part: Values) -> Iterator[Part]:
    state = mapping_of(part.get("state"))
    call_id, name = text_of(part.get("callID")), text_of(part.get("tool"))
    yield Part("tool_call", name=name, call_id=call_id, input=state.get("input"), native=part)
    status, metadata = state.get("status"), mapping_of(state.get("metadata"))
    if status == "completed":
        pictures = list_of(state.get("attachments"))
        beside = {**metadata, "attachments": pictures} if pictures else metadata
        yield Part("tool_result", output_text(state.get("output")), call_id=call_id,
                   error=metadata.get("isError") is True, native=beside or None)  # fmt: skip
    elif status == "error":
        yield Part("tool_result", text_of(state.get("error")), call_id=call_id, error=True,
                   native=metadata or None)  # fmt: skip


def session_facts(info: Values) -> dict[str, object]:
    """Return the facts in the head of an export; `revert` is the first message that was undone."""
    return {
        "session": info.get("id"),
        "title": own_title(text_of(info.get("title"))),
        "cwd": info.get("directory"),
        "version": info.get("version"),
        "parent": info.get("parentID"),
        "time": utc_time(mapping_of(info.get("time")).get("created")),
        "revert": text_of(mapping_of(info.get("revert")).get("messageID")),
    }


def own_title(title: str) -> str:
    """Return the title, "" for a placeholder that OpenCode uses until it has a better one."""
    return "" if _NO_TITLE.fullmatch(title) else title


def _structured(key: str, value: object) -> object:
    return json_or_text(value) if key in ("revert", "permission", "model", "metadata") else value


def info_of(row: Values) -> Values:
    """Return a row of the table `session` as the head of an export."""
    info: Values = {}
    time: Values = {}
    tokens: Values = {}
    summary: Values = {}
    for key, value in row.items():
        group, _, rest = key.partition("_")
        if value is None or key == "table":
            continue
        if group == "time" and rest in _TIMES:
            time[rest] = value
        elif group == "summary":
            summary[rest] = value
        elif key in ("tokens_cache_read", "tokens_cache_write"):
            tokens.setdefault("cache", {})[key.removeprefix("tokens_cache_")] = value
        elif group == "tokens":
            tokens[rest] = value
        elif key == "share_url":
            info["share"] = {"url": value}
        else:
            info[_NESTED.get(key, key)] = _structured(key, value)
    groups = {"summary": summary, "tokens": tokens, "time": time}
    return {**info, **{name: group for name, group in groups.items() if group}}


def message_in(value: object) -> tuple[Values, list[Values]] | None:
    """Return the info and parts of a message in either format; None if the record is none."""
    told = mapping_of(value)
    parts = [part for part in list_of(told.get("parts")) if isinstance(part, dict)]
    if told.get("table") == "message":
        names = {"id": told.get("id"), "sessionID": told.get("session_id")}
        return {**mapping_of(json_or_text(told.get("data"))), **names}, [
            _part_info(part) for part in parts
        ]
    if isinstance(told.get("info"), dict) and "parts" in told:
        return told["info"], parts
    return None


def _part_info(row: Values) -> Values:
    names = {"id": row.get("id"), "sessionID": row.get("session_id"),
             "messageID": row.get("message_id")}  # fmt: skip
    return {**mapping_of(json_or_text(row.get("data"))), **names}


def document(session: Session) -> Document:
    """Return the stored records, in either format, as an export."""
    from gitsession.agents import whole_json

    found = Document({}, [])
    for record in session.stream().records:
        value = whole_json.piece_of(record.data).value
        message = message_in(value)
        if message is not None:
            found.messages.append({"info": message[0], "parts": message[1]})
        elif mapping_of(value).get("table") == "session":
            found.info.update(info_of(value))
        elif isinstance(mapping_of(value).get("info"), dict):
            found.info.update(value["info"])
    return found


def undone_from(told: Document) -> int:
    """Return how many messages remain in a session that was reverted to before one of them."""
    gone = text_of(mapping_of(told.info.get("revert")).get("messageID"))
    names = [text_of(message["info"].get("id")) for message in told.messages]
    return names.index(gone) if gone in names else len(names)
