"""What is searched in a message: all that was said, and each tool call with its answer."""

from __future__ import annotations

from collections.abc import Iterator

from gitsession.model.call import message_calls
from gitsession.search.entries import Entry, Text
from gitsession.search.texts import storable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.model.message import Message, Part

_DEPTH = 60


def entry(message: Message, number: int) -> Entry:
    """Return a message in the form that the index takes."""
    calls = list(message_calls(message, number))
    taken = {id(call.call) for call in calls}
    taken |= {id(call.result) for call in calls if call.result is not None}
    said = [text for part in message.parts if id(part) not in taken for text in _said(part)]
    texts = [Text(storable("\n".join(said)))] if said else []
    for call in calls:
        answer = [call.result.text] if call.result is not None and call.result.text else []
        called = "\n".join([call.call.name, *_leaves(call.call.input, _DEPTH), *answer])
        texts.append(Text(storable(called), storable(call.call.name)))
    texts += [
        Text(storable(part.text), "")
        for part in message.parts
        if part.kind == "tool_result" and id(part) not in taken and part.text
    ]
    return Entry(number, message.role, _seconds(message.time), tuple(texts), message.stream)


def _said(part: Part) -> Iterator[str]:
    if part.kind == "tool_result":
        return
    if part.text:
        yield part.text
    if part.name and part.kind in ("file", "image", "patch", "subtask"):
        yield part.name


def _leaves(value: object, depth: int) -> Iterator[str]:
    """Yield the texts and numbers in the arguments of a call, members with their names."""
    if depth == 0 or value is None:
        return
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, item in value.items():
            if isinstance(item, (dict, list)):
                yield str(name)
                yield from _leaves(item, depth - 1)
            else:
                yield f"{name}: {'' if item is None else item}"
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _leaves(item, depth - 1)
    else:
        yield str(value)


def _seconds(time: str) -> int:
    """Return the unix seconds of a message's time, 0 if there is none."""
    if not time:
        return 0
    import datetime

    try:
        return max(0, int(datetime.datetime.fromisoformat(time).timestamp()))
    except (ValueError, OverflowError, OSError):
        return 0
