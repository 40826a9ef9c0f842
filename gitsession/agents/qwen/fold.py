"""Folds the records of a Qwen Code session into continuations: prompts, ends, counts, tokens."""

from __future__ import annotations

from gitsession.agents import parts
from gitsession.agents.base import Source, no_session
from gitsession.agents.lenient import Parsed, mapping_of, parse_line, text_of
from gitsession.agents.links import Place
from gitsession.agents.qwen.records import (
    CONVERSATION,
    Row,
    calls,
    content,
    failed,
    in_tree,
    is_prompt,
    is_qwen,
    payload,
    prompt_text,
    results,
    role,
    title,
    usage,
)
from gitsession.agents.qwen.sides import Metas
from gitsession.agents.running import AGENTS_TITLE, FIRST_PROMPT, USERS_TITLE, Running
from gitsession.agents.side_streams import ALWAYS, SideLine, Sides
from gitsession.agents.times import utc_time
from gitsession.agents.turns import OpenTurn
from gitsession.agents.work import Work
from gitsession.model.session import Session, Turn


class QwenFold:
    """Running facts; a Fold for `turns.cut`. `carry` holds: titled (where the title came from) and
    the facts that `links.Place` remembers."""

    def __init__(self, source: Source, since: Session | None) -> None:
        self._run = Running(source, since)
        self._work = Work(since.state if since else None)
        self._place = Place(source.path, "uuid", since.carry if since else {})
        self._sides = Sides(source, since, self._see_side)
        self._metas = Metas(source)
        self.known = since is not None and since.stream().count > 0

    def parse(self, data: bytes) -> Parsed:
        return parse_line(data)

    def asks(self, seen: Parsed) -> bool:
        return any(is_prompt(row) for row in seen.objects)

    def take(self, seen: Parsed, turn: OpenTurn) -> bool:
        names = {text_of(row.get("sessionId")) for row in seen.objects} - {""}
        foreign = bool(names - {self._run.native_id})
        self._run.see_record(turn.records[-1].data, damaged=seen.damaged, foreign=foreign)
        ended = False
        for row in seen.objects:
            ended = self._take_row(row, turn) or (ended and not is_prompt(row))
        return ended

    def _take_row(self, row: Row, turn: OpenTurn) -> bool:
        self.known = self.known or is_qwen(row) is True
        self._take_facts(row, turn)
        if in_tree(row):
            self._place.see(text_of(row["uuid"]), text_of(row.get("parentUuid")), turn.start)
        self._run.messages += bool(role(row))
        if row.get("type") in CONVERSATION:
            turn.messages += 1
        if is_prompt(row):
            self._take_prompt(row, turn)
        self._take_results(row)
        if payload(row, "chat_compression"):
            self._take_compaction(row, turn)
        return row.get("type") == "assistant" and self._take_answer(row)

    def _take_facts(self, row: Row, turn: OpenTurn) -> None:
        run = self._run
        turn.see_time(run.see_time(utc_time(row.get("timestamp"))))
        run.see_cwd(text_of(row.get("cwd")))
        run.version = text_of(row.get("version")) or run.version
        run.branch = text_of(row.get("gitBranch")) or run.branch
        given, by_user = title(row)
        if given:
            run.see_title(given, USERS_TITLE if by_user else AGENTS_TITLE)
        above = text_of(mapping_of(row.get("forkedFrom")).get("sessionId"))
        run.parent = run.parent or text_of(payload(row, "parent_session").get("parentSessionId"))
        run.parent = run.parent or (above if above != run.native_id else "")

    def _take_prompt(self, row: Row, turn: OpenTurn) -> None:
        if not turn.asked:
            self._work.open.clear()
            turn.rewound = self._place.ask(text_of(row.get("uuid")))
        turn.ask(prompt_text(row))
        self._run.see_title(prompt_text(row), FIRST_PROMPT)

    def _take_results(self, row: Row) -> None:
        told = mapping_of(row.get("toolCallResult"))
        for response in results(row):
            result = parts.work_result(
                parts.output_of(response),
                told.get("resultDisplay"),
                told.get("status"),
                failed=failed(row) or parts.is_error(response),
            )
            self._work.result(text_of(response.get("id")), result, self._run.cwd)

    def _take_compaction(self, row: Row, turn: OpenTurn) -> None:
        turn.compaction = True
        self._run.compactions += 1
        told = mapping_of(payload(row, "chat_compression").get("info"))
        index = turn.first + len(turn.records) - 1
        self._work.mark_compaction(index, told.get("originalTokenCount"))

    def _take_answer(self, row: Row) -> bool:
        """Return whether the answer ends the turn: text without a call does; no record says so."""
        self._run.see_model(text_of(row.get("model")))
        if spent := usage(row):
            self._run.usage = self._run.usage.plus(spent)
        for call_id, name, arguments in calls(row):
            self._work.call(call_id, name, arguments)
        return not calls(row) and bool(parts.text_in(content(row)).strip())

    def _see_side(self, line: SideLine) -> None:
        self._run.see_record(line.data, damaged=line.parsed.damaged)

    def close(self, turn: OpenTurn, said: Turn) -> Session:
        if not self.known and not said.finished:
            raise no_session("Qwen Code")
        sides = self._sides.give(self._run.updated if said.finished else ALWAYS)
        session = self._run.continuation(self._work, turn, said, sides, **self._place.close())
        return session._replace(sidecars=self._metas.take(sides, turn.end))

    def rest(self, end: OpenTurn) -> Session | None:
        """Return what subagents wrote after the newest main record."""
        return (
            self.close(end, end.turn(finished=False, ended=False)) if self._sides.waiting else None
        )
