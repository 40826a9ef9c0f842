"""Folds the events of a Gemini CLI session into continuations: prompts, ends, counts, tokens."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator

from gitsession.agents import parts
from gitsession.agents.base import Source, no_session
from gitsession.agents.gemini.form import Event, is_metadata, messages_in, parse
from gitsession.agents.gemini.records import (
    Row,
    calls,
    is_answer,
    is_snapshot,
    own_responses,
    prompt_text,
    role,
    tool_calls,
    usage,
    workspace,
)
from gitsession.agents.lenient import Parsed, list_of, mapping_of, number_of, parse_line, text_of
from gitsession.agents.running import AGENTS_TITLE, FIRST_PROMPT, Running
from gitsession.agents.side_streams import ALWAYS, SideLine, Sides
from gitsession.agents.times import utc_time
from gitsession.agents.turns import OpenTurn
from gitsession.agents.work import Work
from gitsession.model.session import Session, Turn
from gitsession.model.usage import Usage


class Ahead:
    """Lines in sequence, with lookahead.

    An answer is written before the tools it calls run, and once more with them: only the lines
    after it reveal whether it was final.
    """

    def __init__(self, lines: Iterable[bytes]) -> None:
        self._lines = iter(lines)
        self._waiting: deque[bytes] = deque()

    def __iter__(self) -> Iterator[bytes]:
        while True:
            if self._waiting:
                yield self._waiting.popleft()
                continue
            data = next(self._lines, None)
            if data is None:
                return
            yield data

    def goes_on(self, name: str) -> bool:
        """Whether the message with that id is written again, or the next line is incomplete."""
        index = 0
        while True:
            if index == len(self._waiting):
                data = next(self._lines, None)
                if data is None:
                    return False
                self._waiting.append(data)
            data = self._waiting[index]
            if not data.endswith(b"\n"):
                return True
            for event in parse_line(data).objects:
                if "id" in event:
                    return bool(event["id"] == name)
                if "$set" not in event or "messages" in mapping_of(event["$set"]):
                    return False
            index += 1


class GeminiFold:
    """Running facts; a Fold for `turns.cut`. `ahead` is None for the single object.

    `carry` holds: titled (where the title came from), last (the newest message's id), spent (the
    newest answer's id and tokens, since it is written again), snapshot (the last compression),
    rewound (the user went back for the next prompt).
    """

    def __init__(self, source: Source, since: Session | None, ahead: Ahead | None) -> None:
        carry = since.carry if since else {}
        self._run = Running(source, since)
        self._run.see_cwd(source.cwd)
        self._work = Work(since.state if since else None)
        self._ahead = ahead
        self._last, self._snapshot = text_of(carry.get("last")), text_of(carry.get("snapshot"))
        spent = list_of(carry.get("spent"))
        self._spent: list[object] = spent if len(spent) == 4 else ["", 0, 0, 0]
        self._rewound = carry.get("rewound") is True
        self._sides = Sides(source, since, self._see_side)
        self.known = since is not None and since.stream().count > 0

    def _see_side(self, line: SideLine) -> None:
        self._run.see_record(line.data, damaged=line.parsed.damaged)

    def parse(self, data: bytes) -> Parsed:
        return parse(data, whole=self._ahead is None)

    def asks(self, seen: Parsed) -> bool:
        return any(role(event) == "user" for event in seen.objects)

    def take(self, seen: Parsed, turn: OpenTurn) -> bool:
        names = {text_of(e.get("sessionId")) for e in seen.objects if is_metadata(e)}
        foreign = bool(names - {self._run.native_id})
        self._run.see_record(turn.records[-1].data, damaged=seen.damaged, foreign=foreign)
        ended = False
        for event in seen.objects:
            ended = self._take_event(event, turn)
        return ended

    def _take_event(self, event: Event, turn: OpenTurn) -> bool:
        if isinstance(event.get("$rewindTo"), str):
            self._rewound = turn.asked or self._run.turns > 0
        elif text_of(event.get("id")):
            return self._take_message(event, turn)
        elif isinstance(event.get("$set"), dict):
            self._take_update(event["$set"], turn)
        elif is_metadata(event):
            self.known = True
            self._run.see_time(utc_time(event.get("startTime")))
            self._take_update(event, turn)
        return False

    def _take_update(self, update: Event, turn: OpenTurn) -> None:
        if self._ahead is not None:  # a single object's head has the file's last update time
            turn.see_time(self._run.see_time(utc_time(update.get("lastUpdated"))))
        if title := text_of(update.get("summary")):
            self._run.see_title(title, AGENTS_TITLE)
        listed = messages_in(update)
        if listed and not self._run.messages:
            self._run.messages = sum(bool(role(message)) for message in listed)
        for message in listed:
            self._run.see_cwd(workspace(message) if not self._run.cwd else "")
            if is_snapshot(message) and message["id"] != self._snapshot:
                self._snapshot = message["id"]
                turn.compaction = True
                self._run.compactions += 1
                self._work.mark_compaction(turn.first + len(turn.records) - 1, 0)

    def _take_message(self, message: Row, turn: OpenTurn) -> bool:
        kind, name = role(message), message["id"]
        turn.see_time(self._run.see_time(utc_time(message.get("timestamp"))))
        turn.messages += 1
        self._run.messages += bool(kind) and name != self._last
        self._last = name
        if kind == "user":
            self._take_prompt(message, turn)
        for response in parts.responses(message.get("content")):
            self._take_response(response, None, None)
        if kind != "assistant":
            return False
        self._take_answer(message)
        if not is_answer(message):
            return False
        return self._ahead is None or not self._ahead.goes_on(name)

    def _take_prompt(self, message: Row, turn: OpenTurn) -> None:
        if not turn.asked:
            self._work.open.clear()
            turn.rewound, self._rewound = self._rewound, False
        turn.ask(prompt_text(message))
        self._run.see_title(prompt_text(message), FIRST_PROMPT)

    def _take_answer(self, message: Row) -> None:
        self._run.see_model(text_of(message.get("model")))
        if (spent := usage(message)) is not None:
            if self._spent[0] == message["id"]:
                back = [-number_of(number) for number in self._spent[1:]]
                self._run.usage = self._run.usage.plus(Usage(*back))
            self._run.usage = self._run.usage.plus(spent)
            self._spent = [message["id"], spent.input, spent.output, spent.cache_read]
        for call_id, name, arguments in calls(message):
            self._work.call(call_id, name, arguments)
        for call in tool_calls(message):
            for response in own_responses(call):
                response = {**response, "id": call.get("id")}
                self._take_response(response, call.get("resultDisplay"), call.get("status"))

    def _take_response(self, response: Row, display: object, status: object) -> None:
        output, failed = parts.output_of(response), parts.is_error(response)
        result = parts.work_result(output, display, status, failed=failed)
        self._work.result(text_of(response.get("id")), result, self._run.cwd)

    def close(self, turn: OpenTurn, said: Turn) -> Session:
        if not self.known and not said.finished:
            raise no_session("Gemini CLI")
        return self._run.continuation(
            self._work,
            turn,
            said,
            self._sides.give(self._run.updated if said.finished else ALWAYS),
            last=self._last,
            spent=self._spent,
            snapshot=self._snapshot,
            rewound=self._rewound,
        )

    def rest(self, end: OpenTurn) -> Session | None:
        """Return what subagents wrote after the newest main record."""
        if not self._sides.waiting:
            return None
        return self.close(end, end.turn(finished=False, ended=False))
