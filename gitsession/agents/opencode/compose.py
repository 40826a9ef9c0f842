"""Composes a file that `opencode import` imports as a new session, from any agent's messages."""

from __future__ import annotations

import datetime
import os
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from gitsession.agents.base import Target, Written
from gitsession.agents.lenient import mapping_of
from gitsession.agents.opencode.ids import NewIds
from gitsession.agents.opencode.model import chosen_model
from gitsession.agents.opencode.write import fresh_id, unused, waiting
from gitsession.agents.opencode_family import Member, data_folder
from gitsession.agents.said import NO_TIME, Call, Image, Said
from gitsession.agents.speech import speech
from gitsession.agents.times import utc_time
from gitsession.environment import Environment
from gitsession.model.message import Message
from gitsession.model.session import Info

_PROVIDER = "gitsession"
_UNKNOWN = "unknown"

Values = dict[str, Any]


def compose(
    messages: tuple[Message, ...],
    info: Info,
    target: Target,
    environment: Environment,
    member: Member,
) -> Written:
    """See `protocol.Composer`."""
    native_id = target.native_id or fresh_id()
    spoken = speech(messages)
    cwd = os.path.realpath(target.cwd)
    model = chosen_model(environment, member)
    writer = _Writer(native_id, spoken.said, (cwd, member.mode), mapping_of(model.get("model")))
    written = list(writer.messages(_milliseconds(info.created)))
    head = {
        "id": native_id,
        "slug": "session",
        "projectID": "global",
        "directory": cwd,
        "title": " ".join((target.title or info.title).split()),
        "version": member.version,
        **model,
        "time": {
            "created": written[0]["info"]["time"]["created"] if written else 0,
            "updated": written[-1]["info"]["time"]["created"] if written else 0,
        },
    }
    value = {"info": head, "messages": written}
    return waiting(data_folder(member, environment), native_id, value, spoken.repairs)


def _milliseconds(time: str) -> int:
    moment = datetime.datetime.fromisoformat(utc_time(time) or NO_TIME)
    return round(moment.timestamp() * 1000)


class _Writer:
    """Writes one message for each thing said. The user's messages name the model that will
    continue, the assistant's the one that spoke."""

    def __init__(
        self, native_id: str, said: Sequence[Said], where: tuple[str, str], model: Values
    ) -> None:
        """`where` is the folder, and the mode the agent works in."""
        self._native_id, self._said = native_id, said
        self._cwd, self._mode = where
        provider = str(model.get("providerID", "")) or _PROVIDER
        self._model = {"providerID": provider, "modelID": str(model.get("id", "")) or _UNKNOWN}
        parts = sum(len(one.blocks) + len(one.calls) + _pictures(one) for one in said)
        self._ids = NewIds(native_id, len(said) + parts)
        self._asked = ""

    def messages(self, time: int) -> Iterator[Values]:
        nothing = Said("user")
        for one, following in pairwise((*self._said, nothing)):
            time = max(time, _milliseconds(one.time)) if one.time else time
            name = self._ids.new("msg")
            if one.role == "user":
                self._asked = name
                told = self._asks(time)
            else:
                told = self._answers(one, time, name, last=following.role == "user")
            info = {**told, "id": name, "sessionID": self._native_id}
            yield {"info": info, "parts": list(self._parts(one, time, name))}

    def _asks(self, time: int) -> Values:
        return {
            "role": "user",
            "time": {"created": time},
            "agent": self._mode,
            "model": self._model,
        }

    def _answers(self, one: Said, time: int, name: str, *, last: bool) -> Values:
        finish = "tool-calls" if one.calls else "stop" if last else "unknown"
        return {
            "role": "assistant",
            "time": {"created": time, "completed": time},
            "parentID": self._asked or name,
            "modelID": one.model or _UNKNOWN,
            "providerID": _PROVIDER,
            "mode": self._mode,
            "agent": self._mode,
            "path": {"cwd": self._cwd, "root": self._cwd},
            **unused(),
            "finish": finish,
        }

    def _parts(self, one: Said, time: int, message: str) -> Iterator[Values]:
        for block in one.blocks:
            yield self._named(_block(block), message)
        for call in one.calls:
            yield self._named(self._tool(call, time, message), message)

    def _named(self, part: Values, message: str) -> Values:
        own = {"id": self._ids.new("prt"), "sessionID": self._native_id, "messageID": message}
        return {**part, **own}

    def _tool(self, call: Call, time: int, message: str) -> Values:
        state = {"input": call.arguments, "time": {"start": time, "end": time}}
        if call.error and not call.images:
            state |= {"status": "error", "error": call.output}
        else:  # a failed call has no other place for an image
            failed = {"isError": True} if call.error else {}
            state |= {"status": "completed", "output": call.output, "title": call.name,
                      "metadata": failed}  # fmt: skip
        if call.images:
            state["attachments"] = [self._named(_block(one), message) for one in call.images]
        return {"type": "tool", "tool": call.name, "callID": call.call_id, "state": state}


def _pictures(one: Said) -> int:
    return sum(len(call.images) for call in one.calls)


def _block(block: str | Image) -> Values:
    if isinstance(block, str):
        return {"type": "text", "text": block}
    name = "image." + block.media.partition("/")[2].partition("+")[0]
    url = f"data:{block.media};base64,{block.data}"
    return {"type": "file", "mime": block.media, "filename": name, "url": url}
