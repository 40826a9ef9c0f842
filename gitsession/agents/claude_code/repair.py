"""Repairs a Claude Code session on its way out, so that the agent and its service accept it."""

from __future__ import annotations

import re
from typing import Any

from gitsession.agents.claude_code.records import CONVERSATION, calls, results
from gitsession.agents.claude_code.tree import active_path
from gitsession.agents.lenient import list_of, mapping_of, text_of
from gitsession.agents.pairs import INTERRUPTED, pair
from gitsession.agents.rows import OutRow, Repairs, derived_id, new_row, without

_SIGNATURE = re.compile(r"[A-Za-z0-9+/_-]+={0,2}")
_MASKED = ("__REDACTED_", "REDACTED")
_ENVELOPE = (
    "isSidechain", "timestamp", "userType", "entrypoint", "cwd", "sessionId", "version",
    "gitBranch", "agentId",
)  # fmt: skip


def repair(rows: list[OutRow], native_id: str, repairs: Repairs) -> list[OutRow]:
    rows = _drop_thinking(rows, repairs)
    rows = _drop_surplus_results(rows, repairs)
    rows = _add_missing_results(rows, native_id, repairs)
    _join_gaps(rows, repairs)
    return rows


def _drop_thinking(rows: list[OutRow], repairs: Repairs) -> list[OutRow]:
    """Remove thinking blocks that were changed or cut, as a whole: the service refuses them."""
    empty: list[OutRow] = []
    for row in rows:
        if row.row.get("type") == "assistant":
            content = _content(row)
            kept = [block for block in content if not _is_broken_thinking(block)]
            repairs.note("{} thinking block{s} without a valid signature left out",
                         len(content) - len(kept))  # fmt: skip
            if _keep(row, content, kept):
                empty.append(row)
    return without(rows, empty)


def _is_broken_thinking(block: object) -> bool:
    told = mapping_of(block)
    if told.get("type") == "redacted_thinking":
        return not _is_whole(text_of(told.get("data")))
    if told.get("type") != "thinking":
        return False
    masked = _MASKED[0] in text_of(told.get("thinking"))
    return masked or not _is_whole(text_of(told.get("signature")))


def _is_whole(signature: str) -> bool:
    whole = len(signature) % 4 == 0 and _SIGNATURE.fullmatch(signature)
    return bool(whole) and not any(mark in signature for mark in _MASKED)


def _content(row: OutRow) -> list[Any]:
    return list_of(mapping_of(row.row.get("message")).get("content"))


def _keep(row: OutRow, content: list[Any], kept: list[Any]) -> bool:
    """Replace the content by the shortened one; True if nothing is left of it."""
    if len(kept) == len(content):
        return False
    row.set("message", {**row.row["message"], "content": kept})
    return not kept


def _drop_surplus_results(rows: list[OutRow], repairs: Repairs) -> list[OutRow]:
    found = [(row, block) for row in rows for block in results(row.row)]
    paired = pair(_call_ids(rows), [text_of(block.get("tool_use_id")) for _, block in found])
    repairs.note("{} doubled tool result{s} left out", len(paired.doubled))
    repairs.note("{} tool result{s} without a call left out", len(paired.orphaned))
    gone = {id(found[position][1]) for position in paired.surplus}
    empty: list[OutRow] = []
    for row in {id(found[position][0]): found[position][0] for position in paired.surplus}.values():
        content = _content(row)
        if _keep(row, content, [block for block in content if id(block) not in gone]):
            empty.append(row)
    return without(rows, empty)


def _call_ids(rows: list[OutRow]) -> list[str]:
    return [call_id for row in rows for call_id, _, _ in calls(row.row)]


def _add_missing_results(rows: list[OutRow], native_id: str, repairs: Repairs) -> list[OutRow]:
    answers = [text_of(block.get("tool_use_id")) for row in rows for block in results(row.row)]
    missing = set(pair(_call_ids(rows), answers).missing)
    repairs.note("{} tool call{s} without result marked as interrupted", len(missing))
    if not missing:
        return rows
    whole: list[OutRow] = []
    moved: dict[str, str] = {}
    for row in rows:
        whole.append(row)
        lost = [call_id for call_id, _, _ in calls(row.row) if call_id in missing]
        if lost:
            whole.append(_interrupted(row, lost, native_id))
            moved[row.name] = whole[-1].name
    _move_continuations(rows, moved)
    return whole


def _interrupted(call: OutRow, lost: list[str], native_id: str) -> OutRow:
    content = [
        {"tool_use_id": call_id, "type": "tool_result", "content": INTERRUPTED, "is_error": True}
        for call_id in lost
    ]
    row = {
        "parentUuid": call.name or None,
        "type": "user",
        "message": {"role": "user", "content": content},
        "uuid": derived_id(native_id, *lost),
        **{key: call.row[key] for key in _ENVELOPE if key in call.row},
    }
    return new_row(row)


def _move_continuations(rows: list[OutRow], moved: dict[str, str]) -> None:
    """Move what continued a call without result below the result that was added for it.

    Further pieces of the same answer and results of its other calls stay where they are.
    """
    for row in rows:
        target = moved.get(text_of(row.row.get("parentUuid")))
        goes_on = row.row.get("type") != "assistant" and not any(True for _ in results(row.row))
        if target and goes_on:
            row.set("parentUuid", target)


def _join_gaps(rows: list[OutRow], repairs: Repairs) -> None:
    """Give records with an unknown parent one: the agent would forget everything before them."""
    path = active_path([row.row for row in rows])
    talk = [at for at in path.positions if rows[at].row.get("type") in CONVERSATION]
    for position, above in path.gaps.items():
        if talk and talk[0] < position:
            if "parentUuid" not in rows[position].row:
                rows[position] = new_row({**rows[position].row, "parentUuid": None})
            rows[position].set("parentUuid", rows[above].name)
            repairs.note("{} broken link{s} in the history joined")
