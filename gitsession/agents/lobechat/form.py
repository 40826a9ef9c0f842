"""LobeChat's messages in neutral terms, and which of its branches is the one being shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from gitsession.agents.entries import Draft, Entry, json_or_text, output_text
from gitsession.agents.lenient import list_of, mapping_of, number_of, text_of
from gitsession.agents.times import utc_time
from gitsession.model.message import Part, Usage

Values = dict[str, Any]

_ROLES = ("user", "assistant", "system")
_SHOWN_AS = {"assistantGroup": "assistant", "supervisor": "assistant", "agent": "assistant"}


def message_entry(row: Values) -> Entry:
    """Return a message; a tool's message is the result that belongs to the call before it."""
    role = text_of(row.get("role"))
    metadata = mapping_of(row.get("metadata"))
    model = text_of(row.get("model")) or text_of(mapping_of(row.get("extra")).get("fromModel"))
    common: dict[str, Any] = {
        "time": utc_time(row.get("createdAt")) or utc_time(row.get("created_at")),
        "native_id": text_of(row.get("id")),
        "parent": text_of(row.get("parentId")),
        "facts": {"cwd": metadata.get("workingDirectory")},
    }
    if role == "tool":
        return Entry(parts=(_result(row),), **common)
    error = mapping_of(row.get("error"))
    extra: dict[str, object] = {"error": error} if error else {}
    if "activeBranchIndex" in metadata:
        extra["active_branch"] = metadata["activeBranchIndex"]
    if isinstance(row.get("search"), dict):
        extra["search"] = row["search"]
    role = _SHOWN_AS.get(role, role)
    return Entry(
        role if role in _ROLES else "note",
        tuple(_parts(row)),
        model=model,
        usage=_usage(row, metadata),
        extra=extra,
        compaction=text_of(row.get("role")) == "compressedGroup",
        **common,
    )


def _parts(row: Values) -> Iterator[Part]:
    thought = row.get("reasoning")
    told = text_of(mapping_of(thought).get("content")) or text_of(thought)
    if told:
        yield Part("reasoning", told, native=thought)
    content = row.get("content")
    if isinstance(content, str):
        if content:
            yield Part("text", content)
    elif content is not None:
        yield Part("opaque", name="content", native=content)
    for call in map(mapping_of, list_of(row.get("tools")) or list_of(row.get("tool_calls"))):
        function = mapping_of(call.get("function"))
        name = text_of(call.get("apiName")) or text_of(function.get("name"))
        given = call.get("arguments", function.get("arguments"))
        yield Part("tool_call", name=name, call_id=text_of(call.get("id")),
                   input=json_or_text(given), native=call)  # fmt: skip
    for kind, name in (("image", "imageList"), ("file", "fileList")):
        for item in map(mapping_of, list_of(row.get(name))):
            label = text_of(item.get("alt")) or text_of(item.get("name"))
            yield Part(kind, name=label or text_of(item.get("id")), native=item)


def _result(row: Values) -> Part:
    """Return a tool's message as a result. An account's export has the call in its own table."""
    plugin = mapping_of(row.get("plugin"))
    call_id = text_of(row.get("tool_call_id")) or text_of(plugin.get("toolCallId"))
    error = row.get("pluginError") or plugin.get("error")
    return Part(
        "tool_result",
        output_text(row.get("content")),
        name=text_of(plugin.get("apiName")) or text_of(row.get("name")),
        call_id=call_id,
        error=bool(error),
        native={"error": error} if error else None,
    )


def _usage(row: Values, metadata: Values) -> Usage | None:
    stated = mapping_of(row.get("usage")) or mapping_of(metadata.get("usage"))
    stated = stated or {key: value for key, value in metadata.items() if "Tokens" in key}
    if not stated or row.get("role") == "user":
        return None
    cached = number_of(stated.get("inputCachedTokens"))
    written = number_of(stated.get("inputWriteCacheTokens"))
    total = number_of(stated.get("totalInputTokens")) or number_of(stated.get("inputTokens"))
    spoken = number_of(stated.get("totalOutputTokens")) or number_of(stated.get("outputTokens"))
    return Usage(max(total - cached - written, 0), spoken, cached, written)


def active_path(drafts: list[Draft], links: Mapping[str, str]) -> list[Draft]:
    """Return the branch that is shown. If no message names its parent, all are one chain.

    Among several answers, the parent's `activeBranchIndex` decides; an index out of range means the
    newest. Without one it is the first answer with a continuation, else the first.
    """
    if not any(draft.entry.parent for draft in drafts):
        return drafts
    names = {draft.entry.native_id: at for at, draft in enumerate(drafts) if draft.entry.native_id}
    children: dict[int, list[int]] = {}
    for at in range(len(drafts)):
        children.setdefault(_above(at, drafts, names, links), []).append(at)
    found: list[Draft] = []
    # Messages without a parent follow each other: only siblings share a parent.
    for root in children.get(-1, []):
        here: int | None = root
        while here is not None:
            below = children.get(here, [])
            found.append(drafts[here])
            here = _chosen(drafts[here], below, children)
            if here is not None and len(below) > 1:
                told = f"{below.index(here) + 1} of {len(below)}"
                entry = drafts[here].entry
                drafts[here].entry = replace(entry, extra={**entry.extra, "branch": told})
    return found


def _above(at: int, drafts: list[Draft], names: Mapping[str, int], links: Mapping[str, str]) -> int:
    """Return the message before this one; -1 if it is the first.

    If a parent was deleted, its children are attached to the message stored before them.
    """
    name, walked = drafts[at].entry.parent, set[str]()
    while name in links and name not in walked:
        walked.add(name)
        name = links[name]
    if name in names and (names[name] < at or not _leads_to(name, at, drafts, names)):
        return names[name]
    return at - 1 if drafts[at].entry.parent else -1


def _leads_to(name: str, at: int, drafts: list[Draft], names: Mapping[str, int]) -> bool:
    """Whether the parents of a later message lead back to this one: a cycle."""
    walked = set[int]()
    while name in names and names[name] not in walked:
        walked.add(names[name])
        name = drafts[names[name]].entry.parent
    return at in walked or name in names


def _chosen(parent: Draft, below: list[int], children: Mapping[int, list[int]]) -> int | None:
    if len(below) < 2:
        return below[0] if below else None
    index = parent.entry.extra.get("active_branch")
    if isinstance(index, int) and not isinstance(index, bool):
        return below[index] if 0 <= index < len(below) else below[-1]
    return next((at for at in below if at in children), below[0])
