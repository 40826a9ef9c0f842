"""The adapter for the Cline CLI: a folder per session with its messages and their description."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from gitsession.agents import whole_json
from gitsession.agents.base import Capabilities, Source, Target, Written
from gitsession.agents.entries import Entry, Seen, json_or_text
from gitsession.agents.lenient import compact, list_of, mapping_of, number_of, text_of
from gitsession.agents.reading import Values, WholeAgent
from gitsession.agents.times import utc_time
from gitsession.agents.work import Call
from gitsession.environment import Environment
from gitsession.files import is_regular, read_range
from gitsession.model.message import Part, Usage
from gitsession.model.session import Session

NAME = "cline"
MESSAGES = ".messages.json"
_HEAD = 1 << 14
_INPUT = re.compile(r"\A\s*<user_input[^>]*>(.*)</user_input>\s*\Z", re.DOTALL)
_CHANGED = re.compile(rb'("updated_at"\s*:\s*")[^"\\]*')


class Cline(WholeAgent):
    """See `agents.base.Agent`."""

    name = NAME
    title = "Cline"
    capabilities = Capabilities(hooks=True)
    grows = True

    def home(self, environment: Environment) -> Path:
        return environment.home / ".cline" / "data" / "sessions"

    def paths(self, environment: Environment, cwd: str) -> Iterable[Path]:  # noqa: ARG002
        try:
            return sorted(self.home(environment).glob(f"*/*{MESSAGES}"))
        except OSError:
            return ()

    def look(self, path: Path) -> Iterator[Source]:
        status = path.stat()
        head = read_range(path, 0, min(_HEAD, status.st_size))
        if b'"sessionId"' not in head or b'"messages"' not in head or b'"origin"' not in head:
            return
        first = next(whole_json.records(head, "messages"), b"")
        values = mapping_of(whole_json.piece_of(first).value)
        native_id = text_of(values.get("sessionId"))
        if native_id and isinstance(values.get("origin"), dict):
            note = _note(path)
            title = text_of(mapping_of(note.get("metadata")).get("title"))
            yield Source(NAME, native_id, path, status.st_size, status.st_mtime_ns,
                         text_of(note.get("cwd")), title)  # fmt: skip

    def settled(self, data: bytes) -> bytes:
        """See `base.settled`: the head contains the time of the last change."""
        if data.lstrip()[:1] == b"{" and b'"origin"' in data and data.rstrip().endswith(b"["):
            return _CHANGED.sub(rb"\g<1>", data)
        return data

    def essences(self, data: bytes) -> Iterator[bytes]:
        """See `base.essences`: every turn rewrites the file."""
        for record in whole_json.records(data, "messages"):
            kind, value, _ = whole_json.piece_of(record)
            if kind == "item" and isinstance(value, dict) and "role" in value:
                told = [value.get(key) for key in ("id", "role", "content")]
                yield json.dumps(told, sort_keys=True).encode()

    def understand(self, kind: str, value: Values, damaged: bool) -> Seen:
        if kind == "item" and "role" in value:
            return Seen((_message(value),), damaged, True)
        facts = {"session": value.get("sessionId"),
                 "version": mapping_of(value.get("origin")).get("version")}  # fmt: skip
        known = kind == "head" and "sessionId" in value
        return Seen((Entry(facts=facts),), damaged, known)

    def tool(self, part: Part) -> Call:
        given = mapping_of(part.input)
        if part.name == "run_commands":
            commands = [one for one in list_of(given.get("commands")) if isinstance(one, str)]
            return Call("bash", {"command": "\n".join(commands)})
        if part.name == "read_files":
            files = [text_of(mapping_of(one).get("path")) for one in list_of(given.get("files"))]
            return Call("read", {"path": files[-1] if files else "", "limit": 1})
        if part.name == "editor":
            old, new = given.get("old_text"), given.get("new_text")
            return Call("edit", {"path": given.get("path"), "oldText": old, "newText": new})
        return Call(part.name, given)

    def write(self, session: Session, target: Target, environment: Environment) -> Written:
        from gitsession.agents.cline.write import write

        return write(session, target, environment)

    def resume_command(self, native_id: str, cwd: str) -> tuple[str, ...]:  # noqa: ARG002
        return ("cline", "-i", "--id", native_id)


def _note(path: Path) -> Values:
    """Return the description next to the messages: folder, title, how the session ended."""
    beside = path.with_name(path.name.removesuffix(MESSAGES) + ".json")
    try:
        if path.name.endswith(MESSAGES) and is_regular(beside):
            return mapping_of(json.loads(read_range(beside, 0, 1 << 20)))
    except (OSError, ValueError, RecursionError):
        pass
    return {}


def _message(value: Values) -> Entry:
    role = text_of(value.get("role"))
    content = value.get("content")
    items = [{"type": "text", "text": content}] if isinstance(content, str) else list_of(content)
    parts = [part for item in items for part in _parts(mapping_of(item))]
    calls = any(part.kind == "tool_call" for part in parts)
    if role == "user" and parts and all(part.kind == "tool_result" for part in parts):
        role = ""
    stated = mapping_of(value.get("metrics"))
    usage = Usage(
        number_of(stated.get("inputTokens")),
        number_of(stated.get("outputTokens")),
        number_of(stated.get("cacheReadTokens")),
        number_of(stated.get("cacheWriteTokens")),
    )
    return Entry(
        role if role in ("user", "assistant", "system", "") else "note",
        tuple(parts),
        utc_time(value.get("ts")),
        text_of(mapping_of(value.get("modelInfo")).get("id")),
        text_of(value.get("id")),
        usage if stated else None,
        end=role == "assistant" and not calls,
    )


def _parts(item: Values) -> Iterator[Part]:
    kind = text_of(item.get("type"))
    if kind == "text":
        found = _INPUT.match(text_of(item.get("text")))
        yield Part("text", found[1] if found else text_of(item.get("text")))
    elif kind == "thinking":
        yield Part("reasoning", text_of(item.get("thinking")), native=item)
    elif kind == "tool_use":
        name, call_id = text_of(item.get("name")), text_of(item.get("id"))
        yield Part("tool_call", name=name, call_id=call_id, input=item.get("input"))
    elif kind == "tool_result":
        output, failed = _output(item.get("content"))
        call_id = text_of(item.get("tool_use_id"))
        failed = failed or item.get("is_error") is True
        yield Part("tool_result", output, call_id=call_id, error=failed)
    elif kind == "image":
        yield Part("image", name=text_of(item.get("mediaType")), native=item)
    else:
        yield Part("opaque", name=kind, native=item)


def _output(content: object) -> tuple[str, bool]:
    """Return a tool's output and whether it failed: one answer, or one for each thing asked."""
    content = json_or_text(content)
    if isinstance(content, str):
        return content, False
    answers = [mapping_of(one) for one in (content if isinstance(content, list) else [content])]
    texts = [text_of(one.get("result")) or text_of(one.get("text")) or text_of(one.get("error"))
             for one in answers]  # fmt: skip
    failed = any(one.get("success") is False for one in answers)
    return "\n".join(texts) if any(texts) else compact(content), failed


AGENT = Cline()
