"""The conversation of a Gemini CLI session as messages, in its state after all events."""

from __future__ import annotations

from gitsession.agents import parts
from gitsession.agents.gemini.log import Entry, replay, time_of
from gitsession.agents.gemini.records import (
    LEAD,
    Row,
    calls,
    own_responses,
    role,
    tool_calls,
    usage,
)
from gitsession.agents.lenient import list_of, mapping_of, text_of
from gitsession.model.message import Message, Part
from gitsession.model.session import Session


def messages(session: Session) -> tuple[Message, ...]:
    """Return one Message per prompt, answer and note; results follow their calls.

    Each result appears once, although it is recorded with the call and again as the message that
    the model saw.
    """
    entries = replay(session).messages
    results: dict[str, Part] = {}
    for entry in entries:
        for part in _results(entry.value):
            results.setdefault(part.call_id, part)
    found = []
    for entry in entries:
        said = _parts(entry.value, results)
        if said:
            found.append(_message(entry, said))
    return tuple(found)


def _results(message: Row) -> list[Part]:
    given = parts.native_parts(message.get("content"))
    found = [parts.result_part(one) for one in parts.responses(given)]
    if len(found) == 1:
        found = [parts.result_part(one, beside=given) for one in parts.responses(given)]
    for call in tool_calls(message):
        failed = call.get("status") in ("error", "cancelled")
        beside = parts.native_parts(call.get("result"))
        for response in own_responses(call):
            response = {**response, "id": call.get("id")}
            found.append(parts.result_part(response, failed=failed, beside=beside))
    return found


def _parts(message: Row, results: dict[str, Part]) -> list[Part]:
    kind = role(message)
    if not kind:
        return []
    if kind == "system":
        return [Part("compaction", parts.text_in(message.get("content")))]
    found = _thoughts(message)
    given = parts.native_parts(message.get("content"))
    plain = map(parts.part_of, given[given[:1] == [{"text": LEAD}] :])
    found += [part for part in plain if part.kind not in ("tool_call", "tool_result")]
    for call_id, name, arguments in calls(message):
        found.append(parts.call_part(call_id, name, arguments))
        if call_id in results:
            found.append(results.pop(call_id))
    return [part for part in found if part.kind != "text" or part.text] or [Part("text")]


def _thoughts(message: Row) -> list[Part]:
    found = []
    for thought in map(mapping_of, list_of(message.get("thoughts"))):
        texts = (text_of(thought.get("subject")), text_of(thought.get("description")))
        found.append(Part("reasoning", "\n".join(filter(None, texts)), native=thought))
    return found


def _message(entry: Entry, said: list[Part]) -> Message:
    message = entry.value
    return Message(
        role=role(message),
        parts=tuple(said),
        time=time_of(message),
        model=text_of(message.get("model")),
        native_id=text_of(message.get("id")),
        record=entry.record,
        usage=usage(message),
        extra={"kind": message["type"]} if message.get("type") in ("error", "warning") else {},
    )
