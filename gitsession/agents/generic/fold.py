"""Folds the records of a generic session into continuations: header, messages, state, ends."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import Any

from gitsession.agents.base import Source
from gitsession.agents.generic.form import Piece, Values, line_piece, message_of
from gitsession.agents.lenient import compact, list_of, mapping_of, text_of, whole_text
from gitsession.agents.times import utc_time
from gitsession.agents.turns import OpenTurn
from gitsession.model.record import File
from gitsession.model.session import Counts, Info, Session, State, Todo, Turn
from gitsession.model.usage import Usage

_TITLE = 100
METADATA = "session_metadata"
"""Also the kind of the marker that holds metadata for which Info has no field."""


class GenericFold:
    """Running facts; a Fold for `turns.cut`."""

    def __init__(self, source: Source, since: Session | None) -> None:
        self._info = since.info if since else Info(source.agent, source.native_id)
        self._state = since.state if since else State()
        self._usage = since.usage if since else Usage()
        self._counts = since.counts if since else Counts()
        self._files: dict[str, File] = {}

    def parse(self, data: bytes) -> Piece:
        return line_piece(data)

    def asks(self, seen: Piece) -> bool:
        return any(values.get("role") == "user" for values in seen.values)

    def take(self, seen: Piece, turn: OpenTurn) -> bool:
        ended = False
        for values in seen.values:
            if METADATA in values:
                self._describe(mapping_of(values[METADATA]))
            if "role" in values:
                self._say(values, turn)
            else:
                self._take_files(values)
            self._set_state(values)
            ended = ended or values.get("end") is True
        self._counts = self._counts._replace(
            records=self._counts.records + 1,
            bytes=self._counts.bytes + len(turn.records[-1].data),
            damaged=self._counts.damaged + seen.damaged,
        )
        return ended

    def close(self, turn: OpenTurn, said: Turn) -> Session:
        begun = said.finished or said.messages > 0
        self._counts = self._counts._replace(turns=self._counts.turns + begun)
        if turn.time > utc_time(self._info.updated):
            self._info = self._info._replace(updated=turn.time)
        files, self._files = tuple(self._files.values()), {}
        return Session(
            info=self._info,
            streams=(turn.stream(),),
            files=files,
            state=self._state,
            usage=self._usage,
            counts=self._counts,
            turn=said,
        )

    def _describe(self, metadata: Values) -> None:
        context = mapping_of(metadata.get("project_context"))
        info = self._info
        models = (text_of(metadata.get("model")), *map(text_of, list_of(metadata.get("models"))))
        cwd = text_of(context.get("root_path")) or info.cwd
        self._info = info._replace(
            title=text_of(metadata.get("title")) or info.title,
            cwd=cwd,
            created=_time(metadata.get("created_at")) or info.created,
            updated=_time(metadata.get("last_updated_at")) or info.updated,
            models=tuple(dict.fromkeys(name for name in (*info.models, *models) if name)),
            agent_version=text_of(metadata.get("agent_version")) or info.agent_version,
            git_branch=text_of(metadata.get("git_branch")) or info.git_branch,
            parent=text_of(mapping_of(metadata.get("fork")).get("parent_session_id"))
            or info.parent,
            roots=tuple(dict.fromkeys((*info.roots, cwd))) if cwd else info.roots,
        )
        kept = {
            name: value
            for name, value in metadata.items()
            if name in ("system_prompt_hash", "project_context", "agent", "fork")
        }
        if kept:
            others = [m for m in self._state.markers if m.get("kind") != METADATA]
            marker = {"kind": METADATA, **kept}
            stated = text_of(metadata.get("system_prompt_hash")).removeprefix("sha256:")
            self._state = self._state._replace(
                markers=(marker, *others), prompt_hash=stated or self._state.prompt_hash
            )

    def _say(self, values: Values, turn: OpenTurn) -> None:
        if values.get("role") == "tool":
            turn.see_time(utc_time(values.get("timestamp")))
            return
        message = message_of(values, -1)
        turn.see_time(message.time)
        turn.messages += 1
        self._counts = self._counts._replace(messages=self._counts.messages + 1)
        if message.model and message.model not in self._info.models:
            self._info = self._info._replace(models=(*self._info.models, message.model))
        if message.usage is not None:
            self._usage = self._usage.plus(message.usage)
        if message.role == "user":
            turn.ask(message.text)
            turn.answered = False
            if not self._info.title and message.text.strip():
                first = message.text.strip().split("\n")[0]
                title = first if len(first) <= _TITLE else first[:_TITLE].rpartition(" ")[0] + "…"
                self._info = self._info._replace(title=title)
        elif message.role == "assistant":
            calls = {part.call_id for part in message.parts if part.kind == "tool_call"}
            results = {part.call_id for part in message.parts if part.kind == "tool_result"}
            turn.answered = calls <= results
        self._take_files(values)

    def _take_files(self, values: Values) -> None:
        for given in list_of(values.get("files")):
            entry = mapping_of(given)
            path, content = text_of(entry.get("path")), _content(entry)
            reason = text_of(entry.get("reason"))
            if path and (content is not None or reason):
                size = len(content or b"")
                self._files[path] = File(path, content, "" if content is not None else reason, size)

    def _set_state(self, values: Values) -> None:
        context = mapping_of(values.get("contextual_state"))
        ran = mapping_of(values.get("tool_execution_state"))
        changes: dict[str, Any] = {
            **_taken(context, _CONTEXT),
            **_taken(ran, _RAN),
        }
        if isinstance(values.get("todos"), list):
            changes["todos"] = tuple(_todo(todo) for todo in values["todos"])
        if changes:
            self._state = self._state._replace(**changes)


def _texts(value: object) -> tuple[str, ...]:
    return tuple(one if isinstance(one, str) else compact(one) for one in list_of(value))


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _text(value: object) -> str:
    return whole_text(text_of(value))


_CONTEXT: Mapping[str, tuple[str, Any]] = {
    "active_file": ("active_file", _text),
    "active_line": ("active_line", _number),
    "code_analysis_cache": ("analysis", mapping_of),
    "working_memory": ("memory", _texts),
    "available_tools": ("tools", _texts),
}
_RAN: Mapping[str, tuple[str, Any]] = {
    "last_run_command": ("last_command", _text),
    "exit_code": ("exit_code", _number),
    "output_snippet": ("output_snippet", _text),
}


def _taken(values: Values, table: Mapping[str, tuple[str, Any]]) -> dict[str, Any]:
    return {
        field: convert(values[name]) for name, (field, convert) in table.items() if name in values
    }


def _todo(value: object) -> Todo:
    todo = mapping_of(value)
    return Todo(_text(todo.get("text")), _text(todo.get("status")), _text(todo.get("id")))


def _time(value: object) -> str:
    """Return a time as UTC with Z; one that already is stays as given, so that it round-trips."""
    given = text_of(value)
    return given if given.endswith("Z") and utc_time(given) else utc_time(value)


def _content(entry: Values) -> bytes | None:
    if isinstance(entry.get("content"), str):
        return whole_text(entry["content"]).encode("utf-8")
    try:
        encoded = entry.get("content_base64")
        return base64.b64decode(encoded, validate=True) if isinstance(encoded, str) else None
    except (binascii.Error, ValueError):
        return None
