"""Records in neutral terms, and one Fold for all agents whose records can be expressed that way.

An adapter returns the content of one record as entries; prompts, totals, tools, files and messages
are derived from those here, once for all adapters.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from gitsession.agents.base import Source, no_session
from gitsession.agents.lenient import (
    compact,
    list_of,
    mapping_of,
    mend_surrogates,
    text_of,
    whole_text,
)
from gitsession.agents.running import AGENTS_TITLE, FIRST_PROMPT, Running
from gitsession.agents.turns import OpenTurn
from gitsession.agents.work import Call, Result, Work
from gitsession.model.message import Message, Part, Usage
from gitsession.model.record import SYSTEM_PROMPT, File
from gitsession.model.session import Session, Turn


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that a record says.

    `role` makes it a message; "" means a fact, or results (parts of kind tool_result) for earlier
    calls. `parent` names the message before it, for trees. `end` closes the turn; `closes` does so
    only if the answer called no tool; `aborted` says that the user stopped it. `facts`: title, cwd,
    version, branch, parent, session (a native id), time, todos, file (the one being worked on),
    contents (whole texts by path), instruction (the system prompt in force).
    """

    role: str = ""
    parts: tuple[Part, ...] = ()
    time: str = ""
    model: str = ""
    native_id: str = ""
    usage: Usage | None = None
    extra: Mapping[str, object] = field(default_factory=dict)
    parent: str = ""
    end: bool = False
    closes: bool = False
    aborted: bool = False
    compaction: bool = False
    facts: Mapping[str, object] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """What the user said, without what the agent added to it."""
        return "\n".join(
            part.text
            for part in self.parts
            if part.kind == "text" and not mapping_of(part.native).get("synthetic")
        )


class Seen(NamedTuple):
    """A record as entries; `known` says that only this agent writes such a record."""

    entries: tuple[Entry, ...] = ()
    damaged: bool = False
    known: bool = False


class Reader(Protocol):
    """What the Fold and the messages need from an adapter."""

    title: str

    def parse(self, data: bytes) -> Seen:
        """Understand one record; never raises."""
        ...

    def tool(self, part: Part) -> Call:
        """Return a tool_call in the terms of `work`: bash, read, write, edit with arguments."""
        ...

    def result(self, part: Part) -> Result:
        """Return a tool_result in the terms of `work`."""
        ...

    def path(self, drafts: list[Draft], facts: Mapping[str, object]) -> list[Draft]:
        """Return the messages on the active path, in its order.

        `facts` are those of all entries, later ones replacing earlier ones. Its `links` lead from a
        named entry that is no message (a result in a tree) to the entry before it.
        """
        ...


class EntryFold:
    """Running facts; a Fold for `turns.cut`. `carry` holds titled (where the title came from)."""

    def __init__(self, source: Source, since: Session | None, reader: Reader) -> None:
        self._reader = reader
        self._run = Running(source, since)
        self._run.see_cwd(source.cwd)
        self._work = Work(since.state if since else None)
        self._instruction = ""
        self.known = since is not None and since.stream().count > 0

    def parse(self, data: bytes) -> Seen:
        return self._reader.parse(data)

    def asks(self, seen: Seen) -> bool:
        return any(entry.role == "user" for entry in seen.entries)

    def take(self, seen: Seen, turn: OpenTurn) -> bool:
        self.known = self.known or seen.known
        named = {text_of(entry.facts.get("session")) for entry in seen.entries} - {""}
        self._run.see_record(
            turn.records[-1].data,
            damaged=seen.damaged,
            foreign=bool(named - {self._run.native_id}),
        )
        ended = False
        for entry in seen.entries:
            self._take(entry, turn)
            ends = entry.end or (entry.closes and turn.answered)
            ended = ended or (ends and (turn.asked or turn.messages > 0))
        return ended

    def _take(self, entry: Entry, turn: OpenTurn) -> None:
        turn.see_time(self._run.see_time(entry.time))
        turn.aborted = turn.aborted or entry.aborted
        self._take_facts(entry.facts)
        self._run.see_model(entry.model)
        if entry.usage is not None:
            self._run.usage = self._run.usage.plus(entry.usage)
        if entry.compaction:
            turn.compaction = True
            self._run.compactions += 1
            self._work.mark_compaction(turn.first + len(turn.records) - 1, 0)
        if entry.role:
            turn.messages += 1
            self._run.messages += 1
        if entry.role == "user":
            self._take_prompt(entry, turn)
        for part in entry.parts:
            self._take_part(part)
        if entry.role == "assistant":
            turn.answered = not self._work.open

    def _take_prompt(self, entry: Entry, turn: OpenTurn) -> None:
        text = entry.text.strip()
        if not turn.asked:
            self._work.open.clear()
        beside = any(part.kind in ("file", "image") for part in entry.parts)
        turn.ask(text or ("(attachment)" if beside else ""))
        self._run.see_title(text, FIRST_PROMPT)

    def _take_part(self, part: Part) -> None:
        if part.kind == "tool_call":
            call = self._reader.tool(part)
            self._work.call(part.call_id, call.name, call.arguments)
        elif part.kind == "tool_result":
            self._work.result(part.call_id, self._reader.result(part), self._run.cwd)

    def _take_facts(self, facts: Mapping[str, object]) -> None:
        run = self._run
        run.see_cwd(text_of(facts.get("cwd")))
        run.see_title(text_of(facts.get("title")), AGENTS_TITLE)
        run.version = text_of(facts.get("version")) or run.version
        run.branch = text_of(facts.get("branch")) or run.branch
        run.parent = text_of(facts.get("parent")) or run.parent
        run.see_time(text_of(facts.get("time")))
        self._instruction = text_of(facts.get("instruction")) or self._instruction
        if text_of(facts.get("file")):
            self._work.look_at(text_of(facts["file"]), run.cwd)
        for path, text in mapping_of(facts.get("contents")).items():
            self._work.keep(path, text if isinstance(text, str) else None, run.cwd)
        if "todos" in facts:
            self._work.plan(list_of(facts["todos"]))

    def close(self, turn: OpenTurn, said: Turn) -> Session:
        if not self.known and not said.finished:
            raise no_session(self._reader.title)
        session = self._run.continuation(self._work, turn, said)
        return session._replace(instructions=self._instructions())

    def _instructions(self) -> tuple[File, ...]:
        data = whole_text(self._instruction).encode()
        return (File(SYSTEM_PROMPT, data, size=len(data)),) if data else ()


# Messages.


@dataclass(slots=True)
class Draft:
    """A message being assembled."""

    entry: Entry
    record: int
    parts: list[Part]


class Told(NamedTuple):
    """All messages in file order, the first result of each call, the last value of each fact."""

    drafts: list[Draft]
    results: dict[str, Part]
    facts: dict[str, object]


def told_by(session: Session, reader: Reader) -> Told:
    found: list[Draft] = []
    results: dict[str, Part] = {}
    links: dict[str, str] = {}
    facts: dict[str, object] = {"links": links}
    stream = session.stream()
    for index, record in enumerate(stream.records, stream.first):
        for entry in reader.parse(record.data).entries:
            facts.update(entry.facts)
            if entry.native_id and not entry.role:
                links[entry.native_id] = entry.parent
            for part in entry.parts:
                if part.kind == "tool_result":
                    results.setdefault(part.call_id, part)
            if not entry.role:
                continue
            found.append(Draft(entry, index, list(entry.parts)))
    return Told(found, results, facts)


def messages(session: Session, reader: Reader) -> tuple[Message, ...]:
    """Return the conversation along the active path, each result right after its call."""
    drafts, results, facts = told_by(session, reader)
    path = reader.path(drafts, facts)
    calls = {p.call_id for draft in path for p in draft.parts if p.kind == "tool_call"}
    found = []
    for draft in path:
        said: list[Part] = []
        for part in draft.parts:
            if part.kind == "tool_result" and part.call_id in calls:
                continue
            said.append(part)
            if part.kind == "tool_call" and part.call_id in results:
                said.append(results.pop(part.call_id))
        found.append(_message(draft, said))
    return tuple(found)


def _message(draft: Draft, said: list[Part]) -> Message:
    entry = draft.entry
    return Message(
        role=entry.role,
        parts=tuple(said) or (Part("text"),),
        time=entry.time,
        model=entry.model,
        native_id=entry.native_id,
        record=draft.record,
        usage=entry.usage,
        extra=entry.extra,
    )


def json_or_text(value: object) -> Any:
    """Return arguments that may be JSON in a string: parsed if possible, else as they are."""
    if isinstance(value, str):
        import json

        try:
            return json.loads(mend_surrogates(value.encode("utf-8", "replace"))[0])
        except (ValueError, RecursionError):
            return value
    return value


def output_text(value: object) -> str:
    """Return a tool's output as text, given a string, a list of text blocks, or any JSON."""
    if isinstance(value, str):
        return value
    blocks = list_of(value)
    if blocks and all(isinstance(mapping_of(block).get("text"), str) for block in blocks):
        return "\n".join(block["text"] for block in blocks)
    return "" if value is None else compact(value)
