"""The running facts of a Codex session: what each record changes in info, counts and turn.

It is the Fold of `turns.cut`: turns begin and end where Codex says so (`task_started`,
`task_complete`, `turn_aborted`), and in older formats right before the user's next prompt.
"""

from __future__ import annotations

from typing import NamedTuple

from gitsession.agents.codex.files import Files
from gitsession.agents.codex.records import (
    OUTPUTS,
    Grouping,
    Row,
    excerpt,
    instructions,
    is_human,
    is_injected,
    request,
    rows,
    words,
)
from gitsession.agents.codex.source import Tape
from gitsession.agents.codex.tokens import Tokens
from gitsession.agents.codex.work import Work
from gitsession.agents.lenient import mapping_of, number_of, text_of
from gitsession.agents.times import utc_time
from gitsession.agents.turns import OpenTurn
from gitsession.giants import short
from gitsession.model.record import IN_RECORDS, SYSTEM_PROMPT, File
from gitsession.model.session import Counts, Info, Session, State, Turn

_ENDS = frozenset(("task_complete", "turn_aborted"))
_TITLE = 100


class Seen(NamedTuple):
    """One parsed record: its rows, and whether any part of it was damaged."""

    rows: list[Row]
    damaged: bool


class Facts:
    """`info` says who and what at the beginning; with `since` the facts continue from there.

    `known` are the ids whose `session_meta` may be in this file: its own and its parents'. `carry`
    holds: source (the file that the positions refer to), spent (tokens), files (positions of their
    contents), base (bytes and records of the parents in front), missing (the id of a parent that
    was not found).
    """

    def __init__(
        self, info: Info, tape: Tape, known: frozenset[str], since: Session | None = None
    ) -> None:
        carry = since.carry if since else {}
        self._info = _continued(info, since.info) if since else info
        self._named = bool(self._info.title)
        self._known = known
        self._tape = tape
        self._files = Files(info.cwd, tape.line_at)
        self._work = Work(self._files, since.state if since else State())
        self._tokens = Tokens(carry.get("spent"))
        self._counts = since.counts if since else Counts()
        self._base_records = number_of(mapping_of(carry.get("base")).get("records"))
        self._record = since.stream().count if since else 0
        self._grouping = Grouping()
        self._prompt = self._instructions = ""
        self._in_task = self._spoke = False
        if since and carry.get("source") == info.native_id:
            self._files.restore(carry.get("files"))
        elif since:
            self._relearn(since)

    def _relearn(self, since: Session) -> None:
        """Learn again, from the beginning of the file, what only positions in it reveal.

        Needed once, when the stored line continues in another file (created by a checkout).
        """
        position = self._base_records = 0
        for data in self._tape.lines(0):
            if position >= since.stream().offset:
                break
            self._base_records += position < self._tape.base
            for row in rows(short(data))[0]:
                self._work.see(row, position)
            position += len(data)
        self._work.forget_state(since.state)

    def parse(self, data: bytes) -> Seen:
        return Seen(*rows(data))

    def asks(self, seen: Seen) -> bool:
        for row in seen.rows:
            if row.kind == "event_msg" and row.type == "task_started":
                return True
            if is_human(row) and not self._in_task and self._spoke:
                return True
        return False

    def take(self, seen: Seen, turn: OpenTurn) -> bool:
        size = len(turn.records[-1].data)
        position = turn.end - size
        ended = False
        begun = 0
        for row in seen.rows:
            turn.see_time(utc_time(row.time))
            turn.messages += _speaks(row)
            begun += self._grouping.begins(row)
            self._work.see(row, position)
            ended = self._take(row, turn) or ended
        counts = self._counts
        self._counts = counts._replace(
            messages=counts.messages + begun,
            records=counts.records + 1,
            bytes=counts.bytes + size,
            damaged=counts.damaged + seen.damaged,
        )
        self._record += 1
        self._base_records += position < self._tape.base
        return ended

    def close(self, turn: OpenTurn, said: Turn) -> Session:
        begun = said.finished or said.messages > 0
        self._counts = self._counts._replace(turns=self._counts.turns + begun)
        self._info = self._info._replace(updated=max(self._info.updated, turn.time))
        session = Session(
            info=self._info,
            streams=(turn.stream(),),
            files=self._work.close(),
            state=self._work.state,
            usage=self._tokens.usage(),
            counts=self._counts,
            carry={
                "source": self._info.native_id,
                "spent": self._tokens.carry(),
                "files": self._files.carry(),
                "base": {"bytes": self._tape.base, "records": self._base_records},
                "missing": self._tape.missing,
            },
            turn=said,
            instructions=self._take_instructions(),
        )
        self._in_task = self._spoke = False
        self._grouping = Grouping()
        return session

    def _take(self, row: Row, turn: OpenTurn) -> bool:
        """Fold one row in; True if it ends the turn."""
        if row.kind == "event_msg":
            return self._event(row, turn)
        if row.kind == "response_item":
            self._item(row, turn)
        elif row.kind == "session_meta":
            self._meta(row)
        elif row.kind == "turn_context":
            self._context(row)
        elif row.kind == "token_usage_record":
            self._tokens.see(row.payload.get("thread_token_usage"))
        elif row.kind == "compacted":
            turn.compaction = True
            self._counts = self._counts._replace(compactions=self._counts.compactions + 1)
            self._work.mark(
                {"kind": "compaction", "record": self._record, "time": utc_time(row.time)}
            )
        return False

    def _event(self, row: Row, turn: OpenTurn) -> bool:
        if row.type in _ENDS:
            self._in_task = False
            turn.aborted = row.type == "turn_aborted"
            return True
        if row.type == "task_started":
            self._in_task = True
        elif row.type == "thread_rolled_back":
            turn.rewound = True
        elif row.type == "token_count":
            self._tokens.see(mapping_of(row.payload.get("info")).get("total_token_usage"))
        return False

    def _item(self, row: Row, turn: OpenTurn) -> None:
        role = row.payload.get("role")
        if row.type == "message" and role == "user":
            self._user(row, turn)
        elif row.type not in OUTPUTS and (row.type != "message" or role == "assistant"):
            self._spoke = True
            # Only the older formats, which state no end, are judged by what they look like.
            turn.answered = not (self._in_task or self._work.waits or row.type != "message")

    def _user(self, row: Row, turn: OpenTurn) -> None:
        text = words(row.payload.get("content"))
        if is_injected(row.payload):
            self._instructions = instructions(text) or self._instructions
            return
        prompt = request(text)
        turn.ask(prompt)
        self._spoke = turn.answered = False
        if not self._named and prompt.strip():
            title = excerpt(prompt.strip().split("\n")[0], _TITLE)
            self._info = self._info._replace(title=title)
            self._named = True

    def _meta(self, row: Row) -> None:
        if text_of(row.payload.get("id")) not in self._known:
            self._counts = self._counts._replace(foreign=self._counts.foreign + 1)
        given = instructions(text_of(row.payload.get("instructions")))
        self._instructions = given or self._instructions
        prompt = mapping_of(row.payload.get("base_instructions")).get("text")
        self._prompt = text_of(prompt) or self._prompt

    def _context(self, row: Row) -> None:
        model, cwd = text_of(row.payload.get("model")), text_of(row.payload.get("cwd"))
        info = self._info
        if model and model not in info.models:
            info = info._replace(models=(*info.models, model))
        if cwd and cwd not in info.roots:
            info = info._replace(roots=(*info.roots, cwd))
        self._info = info
        given = instructions(text_of(row.payload.get("user_instructions")))
        self._instructions = given or self._instructions

    def _take_instructions(self) -> tuple[File, ...]:
        """Return the system prompt and the project's instructions if this turn states them."""
        texts = (
            (SYSTEM_PROMPT, self._prompt, IN_RECORDS),
            ("AGENTS.md", self._instructions, ""),
        )
        self._prompt = self._instructions = ""
        found = [(name, text.encode("utf-8", "replace"), why) for name, text, why in texts if text]
        return tuple(File(name, data, why, len(data)) for name, data, why in found)


def _continued(info: Info, old: Info) -> Info:
    return info._replace(
        identity=old.identity,
        project=old.project,
        code=old.code,
        title=info.title or old.title,
        updated=old.updated,
        models=old.models,
        roots=tuple(dict.fromkeys((*info.roots, *old.roots))),
    )


def _speaks(row: Row) -> bool:
    """Whether a record belongs to the conversation itself, not to its context."""
    if row.kind == "compacted":
        return True
    if row.kind != "response_item" or row.payload.get("role") in ("developer", "system"):
        return False
    return not (row.payload.get("role") == "user" and is_injected(row.payload))
