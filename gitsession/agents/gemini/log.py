"""Replays the events of a Gemini CLI session to the state that the agent itself would load."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from gitsession.agents.gemini.form import Event, is_lines, is_metadata, messages_in, parse
from gitsession.agents.gemini.records import is_forgotten, is_snapshot, role
from gitsession.agents.lenient import mapping_of, text_of
from gitsession.agents.times import utc_time
from gitsession.model.session import Session

_KEPT = ("timestamp", "tokens", "model")
"""Members that a list of the whole history (written on each resume) has lost or given new times."""


@dataclass(slots=True)
class Entry:
    """One message in its final state; `record` is the record where it first appeared."""

    value: dict[str, Any]
    record: int


@dataclass(slots=True)
class Log:
    """Messages by id in their order, and the metadata."""

    entries: dict[str, Entry] = field(default_factory=dict)
    metadata: dict[str, Any] = field(default_factory=dict)
    damaged: int = 0
    _first: dict[str, Entry] = field(default_factory=dict)
    _undone: set[str] = field(default_factory=set)

    def apply(self, event: Event, record: int) -> None:
        """Apply an event, trying its possible meanings in the agent's own order."""
        if isinstance(event.get("$rewindTo"), str):
            self._rewind(event["$rewindTo"])
        elif text_of(event.get("id")):
            self._put(event, record)
        elif isinstance(event.get("$set"), dict):
            self._set(event["$set"], record)
        elif is_metadata(event):
            self.metadata.update({k: v for k, v in event.items() if k != "messages"})
            for message in messages_in(event):
                self._put(message, record)

    def _put(self, message: dict[str, Any], record: int) -> None:
        name = message["id"]
        known = self.entries.get(name) or self._first.get(name)
        entry = Entry(message, known.record if known else record)
        self.entries[name] = self._first[name] = entry

    def _set(self, update: Event, record: int) -> None:
        if isinstance(update.get("messages"), list):
            self.entries = {}
            listed = messages_in(update)
            forgotten = self._forgotten({message["id"] for message in listed})
            for message in listed:
                self.entries.update(forgotten.pop(message["id"], ()))
                known = self._first.get(message["id"])
                kept = (
                    {key: known.value[key] for key in _KEPT if key in known.value} if known else {}
                )
                self._put({**message, **kept}, record)
        self.metadata.update({k: v for k, v in update.items() if k != "messages"})

    def _forgotten(self, names: set[str]) -> dict[str, list[tuple[str, Entry]]]:
        """Return prompts that a list of the whole history lacks, by the listed message after each.

        The agent takes them for its own text, but they were asked and answered.
        """
        found: dict[str, list[tuple[str, Entry]]] = {}
        missing: list[tuple[str, Entry]] = []
        for name, entry in self._first.items():
            if name in names:
                if is_snapshot(entry.value):
                    found.clear()
                elif missing:
                    found[name] = missing
                missing = []
            elif is_forgotten(entry.value) and name not in self._undone:
                missing.append((name, entry))
            elif role(entry.value) not in ("", "note"):
                missing = []
        return found

    def _rewind(self, name: str) -> None:
        names = list(self.entries)
        at = names.index(name) if name in self.entries else 0
        for gone in names[at:]:
            del self.entries[gone]
        self._undone.update(names[at:])

    @property
    def messages(self) -> list[Entry]:
        return list(self.entries.values())


def replay(session: Session) -> Log:
    """Replay all events of a session whose records are complete from the first one."""
    stream = session.stream()
    log = Log()
    whole = bool(stream.records) and not is_lines(stream.records[0].data)
    for index, record in enumerate(stream.records, stream.first):
        seen = parse(record.data, whole=whole)
        log.damaged += seen.damaged
        for event in seen.objects:
            log.apply(event, index)
    return log


def time_of(message: dict[str, Any]) -> str:
    return utc_time(mapping_of(message).get("timestamp"))
