"""Folds the events of a Kimi Code session into continuations: prompts, ends, counts, tokens."""

from __future__ import annotations

from gitsession.agents.base import Source, no_session
from gitsession.agents.kimi.blobs import Blobs
from gitsession.agents.kimi.records import (
    Row,
    call,
    event,
    is_asked,
    is_header,
    is_prompt,
    message,
    prompt_text,
    result,
    role,
    time_of,
    usage,
)
from gitsession.agents.kimi.shown import goes_back
from gitsession.agents.kimi.tools import as_call, as_result
from gitsession.agents.lenient import Parsed, mapping_of, parse_line, text_of, whole_text
from gitsession.agents.running import FIRST_PROMPT, Running
from gitsession.agents.side_streams import ALWAYS, SideLine, Sides
from gitsession.agents.turns import OpenTurn
from gitsession.agents.work import Work
from gitsession.model.record import SYSTEM_PROMPT, File
from gitsession.model.session import Session, Turn
from gitsession.model.usage import Usage

_GOES_ON = ("tool_use", "interrupted", "error")
"""Reasons why a step ended that do not end the answer."""


class KimiFold:
    """Running facts; a Fold for `turns.cut`. `carry` holds: titled (where the title came from) and
    rewound (the user went back for the next prompt)."""

    def __init__(self, source: Source, since: Session | None) -> None:
        self._run = Running(source, since)
        self._run.see_cwd(source.cwd)
        self._work = Work(since.state if since else None)
        self._sides = Sides(source, since, self._see_side, time_of)
        self._blobs = Blobs(source)
        self._rewound = bool(since and since.carry.get("rewound") is True)
        self._announced = False  # the user asked; the prompt's message is still to come
        self._step = ""
        self._instruction = ""
        self.known = since is not None and since.stream().count > 0

    def parse(self, data: bytes) -> Parsed:
        return parse_line(data)

    def asks(self, seen: Parsed) -> bool:
        return any(map(self._asks, seen.objects))

    def _asks(self, row: Row) -> bool:
        return is_prompt(row) or (is_asked(row) and not self._announced)

    def take(self, seen: Parsed, turn: OpenTurn) -> bool:
        data = turn.records[-1].data
        self._run.see_record(data, damaged=seen.damaged)
        self._blobs.see(data)
        ended = False
        for row in seen.objects:
            asks = self._asks(row)
            ended = self._take_row(row, turn, asks) or (ended and not asks)
        return ended

    def _take_row(self, row: Row, turn: OpenTurn, asks: bool) -> bool:
        self.known = self.known or is_header(row)
        turn.see_time(self._run.see_time(time_of(row)))
        self._rewound = self._rewound or goes_back(row)
        kind = row.get("type")
        if asks:
            self._take_prompt(row.get("input") or message(row).get("content"), turn)
        self._announced = is_prompt(row) or (self._announced and not is_asked(row))
        if message(row):
            self._take_message(message(row), turn)
        elif event(row):
            self._take_event(event(row), turn)
        elif kind == "context.apply_compaction":
            self._take_compaction(row, turn)
        elif kind == "usage.record":
            self._spend(usage(row.get("usage")))
        elif kind == "llm.request":
            self._run.see_model(text_of(row.get("model")))
        elif kind in ("profile.bind", "config.update"):
            self._instruction = text_of(row.get("systemPrompt")) or self._instruction
        return kind == "turn.ended" and self._end(row, turn)

    def _take_prompt(self, content: object, turn: OpenTurn) -> None:
        if not turn.asked:
            self._work.open.clear()
            turn.rewound, self._rewound = self._rewound, False
        text = prompt_text(content)
        turn.ask(text)
        self._run.see_title(text, FIRST_PROMPT)

    def _spend(self, spent: Usage | None) -> None:
        if spent is not None:
            self._run.usage = self._run.usage.plus(spent)

    def _take_message(self, told: Row, turn: OpenTurn) -> None:
        if role(told):
            self._count(turn)

    def _count(self, turn: OpenTurn) -> None:
        self._run.messages += 1
        turn.messages += 1

    def _take_event(self, told: Row, turn: OpenTurn) -> None:
        kind, step = told.get("type"), text_of(told.get("stepUuid"))
        if kind in ("content.part", "tool.call") and (step != self._step or not step):
            self._step = step
            self._count(turn)
        if kind == "tool.call":
            call_id, name, arguments = call(told)
            self._work.call(call_id, *as_call(name, arguments))
        elif kind == "tool.result":
            self._take_result(told)
        elif kind == "step.end":
            ended = told.get("finishReason") not in _GOES_ON
            turn.answered = ended and not self._work.open

    def _take_result(self, told: Row) -> None:
        call_id, output, failed = result(told)
        asked = self._work.open.get(call_id)
        if asked is not None:
            shown, given = as_result(asked, mapping_of(told.get("result")), output, failed)
            self._work.open[call_id] = shown
            self._work.result(call_id, given, self._run.cwd)

    def _take_compaction(self, row: Row, turn: OpenTurn) -> None:
        turn.compaction = True
        self._run.compactions += 1
        self._count(turn)
        index = turn.first + len(turn.records) - 1
        self._work.mark_compaction(index, row.get("tokensBefore"))

    def _end(self, row: Row, turn: OpenTurn) -> bool:
        turn.aborted = turn.aborted or row.get("reason") != "completed"
        self._announced = False
        return turn.asked or turn.messages > 0

    def _see_side(self, line: SideLine) -> None:
        self._run.see_record(line.data, damaged=line.parsed.damaged)

    def close(self, turn: OpenTurn, said: Turn) -> Session:
        if not self.known and not said.finished:
            raise no_session("Kimi Code CLI")
        self._announced, self._step = False, ""
        sides = self._sides.give(self._run.updated if said.finished else ALWAYS)
        session = self._run.continuation(self._work, turn, said, sides, rewound=self._rewound)
        return session._replace(instructions=self._instructions(), sidecars=self._blobs.take())

    def _instructions(self) -> tuple[File, ...]:
        """Return the instructions that the agent began to follow in this turn."""
        data, self._instruction = whole_text(self._instruction).encode(), ""
        return (File(SYSTEM_PROMPT, data, size=len(data)),) if data else ()

    def rest(self, end: OpenTurn) -> Session | None:
        """Return what subagents wrote after the newest main event."""
        return (
            self.close(end, end.turn(finished=False, ended=False)) if self._sides.waiting else None
        )
