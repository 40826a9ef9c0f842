"""Folds the entries of a pi session into continuations: prompts, ends, counts, tokens."""

from __future__ import annotations

from gitsession.agents.base import Source, no_session
from gitsession.agents.lenient import Parsed, parse_line, text_of
from gitsession.agents.links import Place
from gitsession.agents.pi.records import (
    Row,
    answered_call,
    calls,
    counts_as_message,
    is_entry,
    is_header,
    is_prompt,
    message,
    prompt_text,
    speaker,
    text_in,
    usage,
)
from gitsession.agents.running import FIRST_PROMPT, USERS_TITLE, Running
from gitsession.agents.times import utc_time
from gitsession.agents.turns import OpenTurn
from gitsession.agents.work import Result, Work
from gitsession.model.session import Session, Turn


class PiFold:
    """Running facts; a Fold for `turns.cut`. `carry` holds: titled (where the title came from) and
    the facts that `links.Place` remembers."""

    def __init__(self, source: Source, since: Session | None) -> None:
        self._run = Running(source, since)
        self._work = Work(since.state if since else None)
        self._place = Place(source.path, "id", since.carry if since else {})
        self.known = since is not None and since.stream().count > 0

    def parse(self, data: bytes) -> Parsed:
        return parse_line(data)

    def asks(self, seen: Parsed) -> bool:
        return any(is_prompt(row) for row in seen.objects)

    def take(self, seen: Parsed, turn: OpenTurn) -> bool:
        self._run.see_record(turn.records[-1].data, damaged=seen.damaged)
        ended = False
        for row in seen.objects:
            ended = self._take_row(row, turn) or (ended and not is_prompt(row))
        return ended

    def _take_row(self, row: Row, turn: OpenTurn) -> bool:
        turn.see_time(self._run.see_time(utc_time(row.get("timestamp"))))
        if is_header(row):
            self._take_header(row)
            return False
        if not is_entry(row):
            return False
        self._place.see(text_of(row.get("id")), text_of(row.get("parentId")), turn.start)
        self._run.messages += counts_as_message(row)
        self._run.usage = self._run.usage.plus(spent) if (spent := usage(row)) else self._run.usage
        if row.get("type") == "message":
            turn.messages += 1
            return self._take_message(row, turn)
        self._take_beside(row, turn)
        return False

    def _take_header(self, row: Row) -> None:
        self.known = True
        self._run.see_cwd(text_of(row.get("cwd")))
        above = text_of(row.get("parentSession")) or text_of(row.get("branchedFrom"))
        if above and not self._run.parent:
            self._run.parent = above.replace("\\", "/").rpartition("/")[2].partition("_")[2]
            self._run.parent = self._run.parent.removesuffix(".jsonl")

    def _take_message(self, row: Row, turn: OpenTurn) -> bool:
        said, kind = message(row), speaker(row)
        if kind == "user":
            self._take_prompt(row, turn)
        elif kind == "toolResult":
            self._take_result(row)
        elif kind == "bashExecution":
            code = said.get("exitCode")
            code = code if isinstance(code, int) else None
            command, output = text_of(said.get("command")), text_of(said.get("output"))
            self._work.ran(command, Result(output, code=code, failed=code is None))
        elif kind == "assistant":
            return self._take_answer(row, turn)
        return False

    def _take_prompt(self, row: Row, turn: OpenTurn) -> None:
        turn.answered = False
        if not turn.asked:
            self._work.open.clear()
            turn.rewound = self._place.ask(text_of(row.get("id")))
        turn.ask(prompt_text(row))
        self._run.see_title(prompt_text(row), FIRST_PROMPT)

    def _take_result(self, row: Row) -> None:
        said = message(row)
        result = Result(text_in(said.get("content")), said.get("isError") is True)
        self._work.result(answered_call(row), result, self._run.cwd)

    def _take_answer(self, row: Row, turn: OpenTurn) -> bool:
        """Return whether the answer ends the turn: `stop` does; after `error` pi tries again."""
        self._run.see_model(text_of(message(row).get("model")))
        for call_id, name, arguments in calls(row):
            self._work.call(call_id, name, arguments)
        reason = message(row).get("stopReason")
        if reason == "aborted":
            turn.aborted = turn.asked
            return turn.asked
        return reason == "stop" and next(calls(row), None) is None

    def _take_beside(self, row: Row, turn: OpenTurn) -> None:
        kind = row.get("type")
        if kind == "compaction":
            turn.compaction = True
            self._run.compactions += 1
            index = turn.first + len(turn.records) - 1
            self._work.mark_compaction(index, row.get("tokensBefore"))
        elif kind == "session_info":
            self._run.see_title(text_of(row.get("name")), USERS_TITLE)
        elif kind == "model_change":
            self._run.see_model(text_of(row.get("modelId")))

    def close(self, turn: OpenTurn, said: Turn) -> Session:
        if not self.known and not said.finished:
            raise no_session("pi")
        return self._run.continuation(self._work, turn, said, **self._place.close())
