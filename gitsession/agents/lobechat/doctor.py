"""Finds defects in the tree of a LobeChat topic, and the changes that would mend them.

Messages are never dropped or edited: only a parent or the index of the chosen branch is set.
"""

from __future__ import annotations

import json
from collections import namedtuple
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gitsession.agents import json_edit, whole_json
from gitsession.agents.lenient import list_of, mapping_of, text_of

if TYPE_CHECKING:
    from typing import NamedTuple

    class Issue(NamedTuple):
        kind: str
        message: str
        said: str
        messages: tuple[str, ...] = ()
        changes: Mapping[str, object] = {}
else:
    Issue = namedtuple("Issue", "kind message said messages changes", defaults=((), {}))
    Issue.__doc__ = """One defect at the message with that id: `said` describes it in a sentence;
    `messages` are those that it hides, cuts off or has lost; `changes` are members of `message`
    with new values, empty if nothing can mend it."""

Row = dict[str, Any]
_DECODER = json.JSONDecoder()


class _Tree:
    """The messages of one topic by id, in order of creation."""

    def __init__(self, records: Sequence[bytes]) -> None:
        rows = [row for data in records if (row := _row(data)) is not None]
        self.rows = {text_of(row["id"]): row for row in rows}
        self.order = list(self.rows)
        self.place = {identity: at for at, identity in enumerate(self.order)}
        self.children: dict[str, list[str]] = {}
        for identity, row in self.rows.items():
            self.children.setdefault(text_of(row.get("parentId")), []).append(identity)

    def role(self, identity: str) -> str:
        role = text_of(self.rows[identity].get("role"))
        return "assistant" if role in ("assistantGroup", "supervisor", "agent") else role

    def below(self, identity: str) -> list[str]:
        """Return the message and everything below it, oldest first."""
        found: dict[str, None] = {}
        waiting = [identity]
        while waiting:
            at = waiting.pop()
            if at not in found:
                found[at] = None
                waiting += self.children.get(at, ())
        return sorted(found, key=self.place.__getitem__)


def diagnose(records: Sequence[bytes]) -> list[Issue]:
    """Return all defects in a topic's records, by kind."""
    tree = _Tree(records)
    if not any(text_of(row.get("parentId")) for row in tree.rows.values()):
        return list(_lost_content(tree))  # one chain: no tree that could be wrong
    return [
        *_concurrent_forks(tree),
        *_orphan_signals(tree),
        *_stale_indexes(tree),
        *_split_segments(tree),
        *_lost_content(tree),
    ]


def _concurrent_forks(tree: _Tree) -> Iterator[Issue]:
    """Yield prompts added under the same message as a continuing run: one of the two is not shown.

    The prompt belongs after the run.
    """
    for parent, children in tree.children.items():
        if not parent or parent not in tree.rows:
            continue
        runs = [one for one in children if tree.role(one) != "user" and not _signal(tree, one)]
        prompts = [one for one in children if tree.role(one) == "user"]
        if not runs or not prompts or tree.role(parent) == "user":
            continue
        last = tree.below(runs[-1])[-1]
        for prompt in prompts:
            hidden = tuple(tree.below(prompt))
            yield Issue(
                "concurrent-fork", prompt,
                f"message {prompt} was put beside a run that went on, under {parent}",
                hidden, {"parentId": last},
            )  # fmt: skip


def _signal(tree: _Tree, identity: str) -> Row:
    row = tree.rows[identity]
    return mapping_of(mapping_of(row.get("metadata")).get("signal"))


def _orphan_signals(tree: _Tree) -> Iterator[Issue]:
    """Yield answers to a tool's signal that are not below a tool: they are shown nowhere."""
    for identity, row in tree.rows.items():
        signal = _signal(tree, identity)
        parent = text_of(row.get("parentId"))
        if not signal or _calls(row) or tree.role(identity) != "assistant":
            continue
        if parent not in tree.rows or tree.role(parent) == "tool":
            continue
        own = set(tree.below(identity))
        tools = [
            one for one in tree.order[: tree.place[identity]]
            if tree.role(one) == "tool" and one not in own
        ]  # fmt: skip
        named = [one for one in tools if _call_id(tree.rows[one]) == signal.get("sourceToolCallId")]
        anchor = (named or tools)[-1:]
        yield Issue(
            "orphan-signal-turn", identity,
            f"message {identity} answers a tool, but stands under {parent}",
            tuple(tree.below(identity)), {"parentId": anchor[0]} if anchor else {},
        )  # fmt: skip


def _call_id(row: Row) -> str:
    plugin = mapping_of(row.get("plugin"))
    return text_of(row.get("tool_call_id")) or text_of(plugin.get("toolCallId"))


def _stale_indexes(tree: _Tree) -> Iterator[Issue]:
    """Yield messages whose chosen branch does not exist, so none is shown."""
    for identity, row in tree.rows.items():
        children = tree.children.get(identity, [])
        metadata = mapping_of(row.get("metadata"))
        index = metadata.get("activeBranchIndex")
        if len(children) < 2 or not isinstance(index, int) or 0 <= index < len(children):
            continue
        hidden = tuple(one for child in children for one in tree.below(child))
        mended = {**metadata, "activeBranchIndex": len(children) - 1}
        yield Issue(
            "stale-branch-index", identity,
            f"message {identity} shows branch {index} of {len(children)}",
            hidden, {"metadata": mended},
        )  # fmt: skip


def _split_segments(tree: _Tree) -> Iterator[Issue]:
    """Yield prompts in the middle without a parent: each begins a conversation of its own."""
    roots = tree.children.get("", [])
    for root in roots[1:]:
        at = tree.place[root]
        if tree.role(root) == "user" and at:
            yield Issue(
                "segment-split", root,
                f"message {root} begins anew in the middle of the conversation",
                tuple(tree.below(root)), {"parentId": tree.order[at - 1]},
            )  # fmt: skip


def _lost_content(tree: _Tree) -> Iterator[Issue]:
    """Yield runs of two or more empty answers: what they said was never stored."""
    run: list[str] = []
    for identity in [*tree.order, ""]:
        if identity and tree.role(identity) == "assistant" and _is_empty(tree.rows[identity]):
            run.append(identity)
            continue
        if len(run) > 1:
            said = f"{len(run)} answers from message {run[0]} on are empty; they cannot be mended"
            yield Issue("lost-content", run[0], said, tuple(run))
        run = []


def _is_empty(row: Row) -> bool:
    said = (row.get("content"), row.get("reasoning"), row.get("error"), row.get("imageList"))
    return not any(said) and not _calls(row)


def _calls(row: Row) -> list[Any]:
    return list_of(row.get("tools")) or list_of(row.get("tool_calls"))


def _row(data: bytes) -> Row | None:
    value = whole_json.piece_of(data).value
    if not isinstance(value, dict) or value.get("table") not in (None, "messages"):
        return None
    return value if text_of(value.get("id")) and value.get("role") is not None else None


def mended(records: Sequence[bytes], issues: Sequence[Issue]) -> list[bytes]:
    """Return the records with the changes of the issues; all other bytes stay as they are."""
    changes: dict[str, dict[str, object]] = {}
    for issue in issues:
        changes.setdefault(issue.message, {}).update(issue.changes)
    found = []
    for data in records:
        row = _row(data)
        wanted = changes.get(text_of(row["id"])) if row else None
        found.append(_changed(data, wanted) if wanted else data)
    return found


def _changed(data: bytes, wanted: Mapping[str, object]) -> bytes:
    text = data.decode("utf-8", "surrogateescape")
    start = text.index("{")
    value, end = _DECODER.raw_decode(text, start)
    inner = text[start:end]
    told = {key: json.dumps(item, ensure_ascii=False) for key, item in wanted.items()}
    inner = json_edit.edited(inner, json_edit.members(inner)[0], told)
    added = "".join(f"{json.dumps(key)}:{item}," for key, item in told.items() if key not in value)
    made = text[:start] + "{" + added + inner[1:] + text[end:]
    return made.encode("utf-8", "surrogateescape")
