"""The adapter for GitHub Copilot CLI: a chain of typed events per session."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from gitsession.agents.base import Capabilities, Source, Target, Written
from gitsession.agents.entries import Entry, Seen, output_text
from gitsession.agents.lenient import list_of, mapping_of, number_of, parse_line, text_of
from gitsession.agents.reading import ReadingAgent, Values
from gitsession.agents.times import utc_time
from gitsession.agents.work import Call, Result
from gitsession.environment import Environment
from gitsession.files import is_regular, lines, read_range
from gitsession.giants import short
from gitsession.model.message import Message, Part, Usage
from gitsession.model.session import Info, Session

NAME = "copilot"
EVENTS, WORKSPACE = "events.jsonl", "workspace.yaml"
_HEAD = 1 << 17
_NUMBERED = re.compile(r"(\d+)\. ?(.*)")
_EXIT = re.compile(r"\s*<(?:shellId: \w+ )?(?:completed|exited) with exit code (\d+)>\s*\Z")
_NAMED = re.compile(rb"^user_named: true\s*$", re.MULTILINE)
_WORKSPACE_NAME = re.compile(rb"^name: (.+)$", re.MULTILINE)


def state_folder(environment: Environment) -> Path:
    configured = environment.get("COPILOT_HOME")
    top = Path(configured) if configured else environment.home / ".copilot"
    return top / "session-state"


class Copilot(ReadingAgent):
    """See `agents.base.Agent`."""

    name = NAME
    title = "GitHub Copilot CLI"
    capabilities = Capabilities(subagents=True, hooks=True, compose=True)

    def home(self, environment: Environment) -> Path:
        return state_folder(environment)

    def paths(self, environment: Environment, cwd: str) -> Iterable[Path]:  # noqa: ARG002
        top = state_folder(environment)
        try:
            return sorted([*top.glob(f"*/{EVENTS}"), *top.glob("*.jsonl")])
        except OSError:
            return ()

    def look(self, path: Path) -> Iterator[Source]:
        status = path.stat()
        head = read_range(path, 0, 256)
        if b'"session.start"' not in head:
            return
        start: Values = {}
        title = ""
        for data in lines(path, 0, min(status.st_size, _HEAD)):
            for event in parse_line(short(data)).objects:
                if event.get("type") == "session.start":
                    start = start or mapping_of(event.get("data"))
                elif event.get("type") == "user.message" and not title:
                    title = _prompt(mapping_of(event.get("data"))).strip().split("\n", 1)[0]
            if title:
                break
        if text_of(start.get("sessionId")):
            cwd = text_of(mapping_of(start.get("context")).get("cwd"))
            name = start["sessionId"]
            title = _own_title(path.with_name(WORKSPACE)) or title
            yield Source(NAME, name, path, status.st_size, status.st_mtime_ns, cwd, title)

    def parse(self, data: bytes) -> Seen:
        parsed = parse_line(data)
        entries = tuple(filter(None, map(entry_of, parsed.objects)))
        known = any(_is_start(event) for event in parsed.objects)
        return Seen(entries, parsed.damaged, known)

    def tool(self, part: Part) -> Call:
        given = mapping_of(part.input)
        path = text_of(given.get("path"))
        if part.name == "view":
            cut = {"offset": 1} if given.get("view_range") is not None else {}
            return Call("read", {"path": path, **cut})
        if part.name == "create":
            return Call("write", {"path": path, "content": given.get("file_text")})
        if part.name == "edit":
            old, new = given.get("old_str"), given.get("new_str")
            return Call("edit", {"path": path, "oldText": old, "newText": new})
        return Call(part.name, given)

    def result(self, part: Part) -> Result:
        told = _EXIT.search(part.text)
        code = mapping_of(mapping_of(part.native).get("shellExecution")).get("exitCode")
        stated = code if isinstance(code, int) else int(told[1]) if told else None
        text = part.text[: told.start()] if told else part.text
        return Result(_unnumbered(text), part.error, stated)

    def write(self, session: Session, target: Target, environment: Environment) -> Written:
        from gitsession.agents.copilot.write import write

        return write(session, target, environment)

    def compose(
        self, messages: tuple[Message, ...], info: Info, target: Target, environment: Environment
    ) -> Written:
        """See `protocol.Composer`."""
        from gitsession.agents.copilot.compose import compose

        return compose(messages, info, target, environment)

    def messages(self, session: Session) -> tuple[Message, ...]:
        from gitsession.agents.copilot.assets import with_bytes

        return with_bytes(super().messages(session), session)

    def mixes(self, info: Info) -> bool:  # noqa: ARG002
        """See `base.within`."""
        return True

    def within(self, session: Session) -> Mapping[str, tuple[Message, ...]]:
        """See `base.within`."""
        from gitsession.agents.copilot.subagents import conversations

        return conversations(session)

    def resume_command(self, native_id: str, cwd: str) -> tuple[str, ...]:  # noqa: ARG002
        return ("copilot", f"--resume={native_id}")


def _own_title(path: Path) -> str:
    """Return the name that the user gave the session, "" if it still has the agent's own."""
    try:
        data = read_range(path, 0, 1 << 16) if is_regular(path) else b""
    except OSError:
        return ""
    found = _WORKSPACE_NAME.search(data) if _NAMED.search(data) else None
    return found[1].decode("utf-8", "replace").strip().strip("'\"") if found else ""


def _is_start(event: Values) -> bool:
    return event.get("type") == "session.start" and "sessionId" in mapping_of(event.get("data"))


def _prompt(data: Values) -> str:
    return text_of(data.get("content"))


def requests(event: Values) -> list[Values]:
    """Return the tool calls in an assistant's message."""
    given = list_of(mapping_of(event.get("data")).get("toolRequests"))
    return [one for one in given if isinstance(one, dict) and text_of(one.get("toolCallId"))]


def subagent_of(event: Values) -> str:
    """Return the name of the subagent whose event it is, "" for the session's own."""
    return text_of(event.get("agentId"))


def entry_of(event: Values) -> Entry | None:
    """Return an event in neutral terms; an event of another kind gives only its time, or None."""
    kind = text_of(event.get("type"))
    time = utc_time(event.get("timestamp"))
    make = _EVENTS.get(kind)
    if make is None:
        return Entry(time=time) if time else None
    entry = make(event, time)
    return _of_subagent(entry) if subagent_of(event) else entry


def _of_subagent(entry: Entry) -> Entry:
    """Return only its tool parts, model and tokens; its text is not part of this conversation."""
    tools = tuple(part for part in entry.parts if part.kind in ("tool_call", "tool_result"))
    return Entry(parts=tools, time=entry.time, model=entry.model, usage=entry.usage)


def _data(event: Values) -> Values:
    return mapping_of(event.get("data"))


def _started(event: Values, time: str) -> Entry:
    data = _data(event)
    context = mapping_of(data.get("context"))
    facts = {
        "cwd": context.get("cwd"),
        "branch": context.get("branch"),
        "version": data.get("copilotVersion"),
        "session": data.get("sessionId"),
        "time": utc_time(data.get("startTime")),
    }
    return Entry(facts=facts, time=time)


def _asked(event: Values, time: str) -> Entry:
    data = _data(event)
    parts = [Part("text", _prompt(data))]
    for given in map(mapping_of, list_of(data.get("attachments"))):
        media = text_of(given.get("mimeType"))
        name = text_of(given.get("path")) or text_of(given.get("displayName")) or media
        kind = "image" if media.startswith("image/") else "file"
        parts.append(Part(kind, name=name, native=given))
    return Entry("user", tuple(parts), time, native_id=text_of(event.get("id")))


def _answered(event: Values, time: str) -> Entry:
    data = _data(event)
    parts = []
    if text_of(data.get("reasoningText")):
        parts.append(Part("reasoning", data["reasoningText"]))
    if text_of(data.get("content")):
        parts.append(Part("text", data["content"]))
    for call in requests(event):
        name, call_id = text_of(call.get("name")), call["toolCallId"]
        parts.append(Part("tool_call", name=name, call_id=call_id, input=call.get("arguments")))
    spent = number_of(data.get("outputTokens"))
    return Entry(
        "assistant",
        tuple(parts),
        time,
        text_of(data.get("model")),
        text_of(event.get("id")),
        Usage(output=spent) if spent else None,
    )


def _completed(event: Values, time: str) -> Entry:
    data = _data(event)
    result, error = mapping_of(data.get("result")), mapping_of(data.get("error"))
    text = output_text(result.get("content")) or text_of(error.get("message"))
    native: Values = {key: data[key] for key in ("shellExecution", "fileEdits") if key in data}
    if isinstance(result.get("binaryResultsForLlm"), list):
        native["attachments"] = result["binaryResultsForLlm"]
    part = Part(
        "tool_result",
        text,
        call_id=text_of(data.get("toolCallId")),
        error=data.get("success") is False,
        native=native or None,
    )
    return Entry(parts=(part,), time=time)


def _spent(event: Values, time: str) -> Entry:
    data = _data(event)
    stated = mapping_of(data.get("usage"))
    cached = number_of(stated.get("cacheReadTokens"))
    usage = Usage(
        max(number_of(stated.get("inputTokens")) - cached, 0),
        number_of(stated.get("outputTokens")),
        cached,
        number_of(stated.get("cacheWriteTokens")),
    )
    return Entry(time=time, usage=usage, model=text_of(stated.get("model")))


def _compacted(event: Values, time: str) -> Entry:
    data = _data(event)
    text = text_of(data.get("summaryContent")) or text_of(data.get("summary"))
    part = Part("compaction", text, native=None if text else data)
    return Entry("system", (part,), time, native_id=text_of(event.get("id")), compaction=True)


_EVENTS: Mapping[str, Callable[[Values, str], Entry]] = {
    "session.start": _started,
    "session.resume": lambda event, time: Entry(
        time=time, facts={"cwd": mapping_of(_data(event).get("context")).get("cwd")}
    ),
    "session.model_change": lambda event, time: Entry(
        time=time, model=text_of(_data(event).get("newModel"))
    ),
    "session.usage_record": _spent,
    "session.compaction_complete": _compacted,
    "system.message": lambda event, time: Entry(
        time=time, facts={"instruction": _data(event).get("content")}
    ),
    "user.message": _asked,
    "assistant.message": _answered,
    "assistant.turn_end": lambda _, time: Entry(time=time, closes=True),
    "tool.execution_complete": _completed,
    "abort": lambda _, time: Entry(time=time, end=True, aborted=True),
}


def _unnumbered(text: str) -> str:
    """Return a shown file without the line numbers that older versions put before each line."""
    rows = text.split("\n")
    found = [_NUMBERED.fullmatch(row) for row in rows]
    if len(rows) < 2 and not text.startswith("1. "):
        return text
    for number, match in enumerate(found, 1):
        if match is None or int(match[1]) != number:
            return text
    return "\n".join(match[2] for match in found if match)


AGENT = Copilot()
