"""Compare two sessions with their messages and return a SessionDiff, without any files or store.

Two messages are the same if they share a native id or a payload (role and parts, without times and
envelope), so a fork that copied the history under new ids still lines up.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Hashable, Iterable, Iterator, Sequence
from hashlib import blake2b

from gitsession.model.align import Pairs, align
from gitsession.model.call import Call, message_calls
from gitsession.model.diff import (
    CallChange,
    FieldChange,
    FileChange,
    LeftContext,
    MessageChange,
    SessionDiff,
    TodoChange,
    TurnChange,
)
from gitsession.model.message import Message
from gitsession.model.record import File, Sidecar
from gitsession.model.session import Session, Todo

INFO_FIELDS = (
    "agent", "native_id", "identity", "title", "cwd", "models", "agent_version", "git_branch",
    "parent", "roots", "project", "code",
)  # fmt: skip
STATE_FIELDS = (
    "active_file", "active_line", "last_command", "exit_code", "output_snippet", "tools", "memory",
    "markers", "analysis", "prompt_hash",
)  # fmt: skip

_LONG = 1 << 20


def compare(old: Session, new: Session) -> SessionDiff:
    """Return the changes from `old` to `new`; both must have `messages` filled in."""
    pairs = _pair(old.messages, new.messages)
    messages = tuple(_message_changes(old.messages, new.messages, pairs))
    return SessionDiff(
        messages=messages,
        turns=_turn_changes(old.messages, new.messages, pairs, messages),
        calls=tuple(_call_changes(messages)),
        files=_file_changes(*_with_originals(old, new)),
        instructions=_file_changes(old.instructions, new.instructions),
        sidecars=_file_changes(_as_files(old.sidecars), _as_files(new.sidecars)),
        todos=_todo_changes(old.state.todos, new.state.todos),
        fields=tuple(_field_changes(old, new)),
        left=_left_context(old.messages, new.messages),
        unchanged=len(pairs) - sum(change.status == "changed" for change in messages),
        old_counts=old.counts,
        new_counts=new.counts,
        old_usage=old.usage,
        new_usage=new.usage,
    )


def payload(message: Message) -> bytes:
    """Hash what a message says: a copy with new ids and new times has the same hash."""
    parts = [
        (part.kind, _brief(part.text), part.name, part.input, part.error)
        if part.kind != "opaque"
        else (part.kind, _brief(part.text), part.name, part.native)
        for part in message.parts
    ]
    try:
        text = json.dumps((message.role, parts), sort_keys=True, default=repr)
    except (TypeError, ValueError, RecursionError):
        # Arguments that cannot be serialized (nested too deep) do not distinguish messages.
        text = json.dumps((message.role, [(part[0], part[1], part[2]) for part in parts]))
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _brief(text: str) -> str | tuple[int, str]:
    """Return what represents a text in that hash: the text itself or, for one of megabytes, its
    length and its own hash, computed without copying the text."""
    if len(text) < _LONG:
        return text
    state = blake2b(digest_size=16)
    for at in range(0, len(text), _LONG):
        state.update(text[at : at + _LONG].encode("utf-8", "surrogatepass"))
    return len(text), state.hexdigest()


def _pair(old: Sequence[Message], new: Sequence[Message]) -> Pairs:
    """Align messages by native id where both sides know it, otherwise by payload."""
    shared = {m.native_id for m in old if m.native_id} & {m.native_id for m in new if m.native_id}
    keys = [
        [m.native_id if m.native_id in shared else payload(m) for m in side] for side in (old, new)
    ]
    pairs = align(*keys)
    grown: Pairs = []
    i = j = 0
    for end_i, end_j in [*pairs, (len(old), len(new))]:
        grown += _grown(old, new, range(i, end_i), range(j, end_j))
        i, j = end_i + 1, end_j + 1
    return sorted(pairs + grown)


def _grown(old: Sequence[Message], new: Sequence[Message], left: range, right: range) -> Pairs:
    """Pair the first messages of a gap if the new one merely extends the old one (an answer that
    was still being written when the older version was saved)."""
    if not left or not right:
        return []
    before, after = old[left[0]], new[right[0]]
    same = before.role == after.role and before.role != "user" and before.parts
    if same and after.parts[: len(before.parts)] == before.parts:
        return [(left[0], right[0])]
    return []


def _message_changes(
    old: Sequence[Message], new: Sequence[Message], pairs: Pairs
) -> Iterator[MessageChange]:
    i = j = 0
    for end_i, end_j in [*pairs, (len(old), len(new))]:
        for gone in range(i, end_i):
            yield MessageChange("removed", old_number=gone + 1, old=old[gone])
        for came in range(j, end_j):
            yield MessageChange("added", new_number=came + 1, new=new[came])
        if end_i < len(old) and end_j < len(new) and _differs(old[end_i], new[end_j]):
            yield MessageChange("changed", end_i + 1, end_j + 1, old[end_i], new[end_j])
        i, j = end_i + 1, end_j + 1


def _differs(old: Message, new: Message) -> bool:
    same = old is new or (old.role == new.role and old.parts == new.parts)
    return not same and payload(old) != payload(new)


def starts_turn(message: Message) -> bool:
    """Whether a person sent this message: not a summary, not a note."""
    return message.role == "user" and not _summaries(message)


def _turn_numbers(messages: Iterable[Message]) -> list[int]:
    """Return the turn of each message, counted from 1; 0 before the first prompt."""
    numbers, turn = [], 0
    for message in messages:
        turn += starts_turn(message)
        numbers.append(turn)
    return numbers


def _turn_changes(
    old: Sequence[Message],
    new: Sequence[Message],
    pairs: Pairs,
    changes: Sequence[MessageChange],
) -> tuple[TurnChange, ...]:
    """Group the changed messages by turn. A turn whose prompt exists on both sides is one turn."""
    old_turns, new_turns = _turn_numbers(old), _turn_numbers(new)
    same = {old_turns[i]: new_turns[j] for i, j in pairs if starts_turn(old[i])}
    if pairs and pairs[0] == (0, 0):
        same.setdefault(old_turns[0], new_turns[0])
    groups: dict[tuple[int, int], list[MessageChange]] = {}
    back = {after: before for before, after in same.items()}
    for change in changes:
        if change.new_number:
            after = new_turns[change.new_number - 1]
            key = (back.get(after, -1), after)
        else:
            before = old_turns[change.old_number - 1]
            key = (before, same.get(before, -1))
        groups.setdefault(key, []).append(change)
    return tuple(
        _turn_change(before, after, tuple(group), (old, old_turns), (new, new_turns))
        for (before, after), group in groups.items()
    )


def _turn_change(
    before: int,
    after: int,
    group: tuple[MessageChange, ...],
    old: tuple[Sequence[Message], list[int]],
    new: tuple[Sequence[Message], list[int]],
) -> TurnChange:
    status = "removed" if after < 0 else "added" if before < 0 else "changed"
    messages, turns = old if after < 0 else new
    turn = before if after < 0 else after
    first = bisect_left(turns, turn)
    opening = messages[first] if first < len(turns) else group[0].message
    prompt = opening.text if starts_turn(opening) else ""
    return TurnChange(status, prompt, group, max(before, 0), max(after, 0))


def _call_changes(changes: Iterable[MessageChange]) -> Iterator[CallChange]:
    for change in changes:
        before = list(message_calls(change.old, change.old_number)) if change.old else []
        after = list(message_calls(change.new, change.new_number)) if change.new else []
        pairs = dict(align([_call_key(c) for c in before], [_call_key(c) for c in after]))
        for i, call in enumerate(before):
            if i not in pairs:
                yield CallChange("removed", old=call)
            elif _call_differs(call, after[pairs[i]]):
                yield CallChange("changed", call, after[pairs[i]])
        met = set(pairs.values())
        for j, call in enumerate(after):
            if j not in met:
                yield CallChange("added", new=call)


def _call_key(call: Call) -> Hashable:
    return call.call.call_id or (call.call.name, repr(call.call.input))


def _call_differs(old: Call, new: Call) -> bool:
    return (old.call.name, old.call.input, old.outcome, old.result and old.result.text) != (
        new.call.name, new.call.input, new.outcome, new.result and new.result.text,
    )  # fmt: skip


def _as_files(sidecars: Iterable[Sidecar]) -> tuple[File, ...]:
    return tuple(File(sidecar.path, sidecar.data) for sidecar in sidecars)


def _with_originals(old: Session, new: Session) -> tuple[Iterable[File], Iterable[File]]:
    """Return the files of both sides. If both record all changes since the same commit, a file
    missing from one side was as in that commit."""
    if not old.info.changed_from or old.info.changed_from != new.info.changed_from:
        return old.files, new.files
    originals = {file.path: file for file in (*old.originals, *new.originals)}
    sides = []
    for session in (old, new):
        listed = {file.path for file in session.files}
        unlisted = (file for path, file in originals.items() if path not in listed)
        sides.append((*session.files, *unlisted))
    return sides[0], sides[1]


def _file_changes(old: Iterable[File], new: Iterable[File]) -> tuple[FileChange, ...]:
    before = {file.path: file for file in old}
    after = {file.path: file for file in new}
    changes = []
    for path in sorted(before.keys() | after.keys()):
        was, now = before.get(path), after.get(path)
        old_content, old_reason = (was.content, was.reason) if was else (None, "")
        new_content, new_reason = (now.content, now.reason) if now else (None, "")
        runs = _runs(was, now)
        same = was and now and (old_content, old_reason) == (new_content, new_reason)
        if same and runs is None:
            continue
        gone = now is None or (new_content is None and new_reason == "deleted")
        absent = was is None or (old_content is None and old_reason == "deleted")
        if gone and absent:
            continue
        status = "removed" if gone else "added" if absent else "changed"
        changes.append(
            FileChange(path, status, old_content, new_content, old_reason, new_reason, runs)
        )
    return tuple(changes)


def _runs(was: File | None, now: File | None) -> bool | None:
    """Whether the file is executable now; None if unchanged or either side has no content."""
    if was is None or now is None or was.content is None or now.content is None:
        return None
    return None if was.executable == now.executable else now.executable


def _todo_changes(old: Sequence[Todo], new: Sequence[Todo]) -> tuple[TodoChange, ...]:
    """Match tasks by id where both lists have it, otherwise by text. Removed tasks come first, then
    the others in the order of the new list."""
    waiting: dict[str, list[Todo]] = {}
    shared = {todo.id for todo in old if todo.id} & {todo.id for todo in new if todo.id}

    def key(todo: Todo) -> str:
        return f"#{todo.id}" if todo.id in shared else f"={todo.text}"

    for todo in reversed(old):
        waiting.setdefault(key(todo), []).append(todo)
    changes = []
    for todo in new:
        if not waiting.get(key(todo)):
            changes.append(TodoChange("added", todo.text, "", todo.status))
            continue
        was = waiting[key(todo)].pop()
        if (was.status, was.text) != (todo.status, todo.text):
            text = was.text if was.text != todo.text else ""
            changes.append(TodoChange("changed", todo.text, was.status, todo.status, text))
    gone = [todo for left in waiting.values() for todo in left]
    gone.sort(key=old.index)
    return (*(TodoChange("removed", todo.text, todo.status) for todo in gone), *changes)


def _field_changes(old: Session, new: Session) -> Iterator[FieldChange]:
    sides = (
        ("info", INFO_FIELDS, old.info, new.info),
        ("state", STATE_FIELDS, old.state, new.state),
    )
    for place, names, before, after in sides:
        for name in names:
            was, now = getattr(before, name), getattr(after, name)
            if was != now:
                yield FieldChange(f"{place}.{name}", was, now)


def _summaries(message: Message) -> list[str]:
    return [part.text for part in message.parts if part.kind == "compaction"]


def view(messages: Sequence[Message]) -> int:
    """Return the index of the first message the model still sees: the newest compaction, or 0."""
    for position in range(len(messages) - 1, -1, -1):
        if _summaries(messages[position]):
            return position
    return 0


def _left_context(old: Sequence[Message], new: Sequence[Message]) -> LeftContext | None:
    """Return what the model saw in `old` but not in `new`; None without a new compaction.

    `extra["kept"]` of the compaction message holds the texts that it carries over verbatim.
    """
    before = {_identity(message) for message in old if _summaries(message)}
    fresh = [m for m in new if _summaries(m) and _identity(m) not in before]
    if not fresh:
        return None
    seen = new[view(new) :]
    ids = {message.native_id for message in seen if message.native_id}
    payloads = {payload(message) for message in seen}
    kept = {text for message in seen[:1] for text in _kept(message)}
    start = view(old)
    left = tuple(
        (number, message)
        for number, message in enumerate(old[start:], start + 1)
        if message.native_id not in ids
        and payload(message) not in payloads
        and message.text not in kept
    )
    summaries = tuple(text for message in fresh for text in _summaries(message))
    return LeftContext(left, summaries)


def _kept(message: Message) -> tuple[str, ...]:
    kept = message.extra.get("kept")
    return kept if isinstance(kept, tuple) else ()


def _identity(message: Message) -> Hashable:
    return message.native_id or payload(message)
