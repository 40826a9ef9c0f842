"""Folds the records of a Claude Code session into continuations: prompts, ends, counts, tokens."""

from __future__ import annotations

from gitsession.agents.base import Source
from gitsession.agents.claude_code.contents import Contents
from gitsession.agents.claude_code.facts import Facts
from gitsession.agents.claude_code.files import changes, instructions
from gitsession.agents.claude_code.records import (
    CONVERSATION,
    TREE,
    Row,
    has_block,
    is_claude,
    is_prompt,
    is_side,
    message_id,
    prompt_text,
    role,
    stop_reason,
    texts,
)
from gitsession.agents.claude_code.sidecars import Beside
from gitsession.agents.claude_code.state import Work
from gitsession.agents.claude_code.tokens import Tokens
from gitsession.agents.lenient import Parsed, parse_line, text_of
from gitsession.agents.project_files import file_of
from gitsession.agents.turns import OpenTurn
from gitsession.errors import SourceUnreadable
from gitsession.model.record import File, Stream
from gitsession.model.session import Session, Turn
from gitsession.model.usage import Usage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.agents.side_streams import SideLine, SideStream

_END_ROWS = ("turn_duration", "stop_hook_summary")


class ClaudeFold:
    """Running facts; a Fold for `turns.cut`. `size` is where this read stops.

    `carry` holds: titled (where the title came from), tip (the newest record of the tree), asked
    (the last prompt), ended and spent (the last API message: that its end was seen, and its
    tokens), side (the file is a subagent's own).
    """

    def __init__(self, source: Source, since: Session | None, size: int) -> None:
        carry = since.carry if since else {}
        self._size = size
        self._facts = Facts(source, since)
        self._work = Work(since.state if since else None)
        self._beside = Beside(source)
        self._sides = _sides(source, since)
        self._file = source.file
        self._contents = Contents(source.file)
        self._tokens = Tokens(since.usage if since else Usage(), carry.get("spent"))
        self._tip, self._asked = text_of(carry.get("tip")), text_of(carry.get("asked"))
        self._ended = text_of(carry.get("ended"))
        side = carry.get("side")
        self._side = side if isinstance(side, bool) else None
        self._known = since is not None and since.stream().count > 0
        self._floor = self._facts.updated
        self._here: set[str] = set()
        self._files: dict[str, File] = {}
        self._instructions: dict[str, File] = {}

    def parse(self, data: bytes) -> Parsed:
        return parse_line(data)

    def asks(self, seen: Parsed) -> bool:
        return any(self._is_main(row) and is_prompt(row) for row in seen.objects)

    def take(self, seen: Parsed, turn: OpenTurn) -> bool:
        data = turn.records[-1].data
        self._facts.see(data, seen)
        self._beside.see(data, seen.objects, self._floor)
        ended = False
        for row in seen.objects:
            ended = self._take_row(row, turn) or (ended and not is_prompt(row))
        return ended

    def _take_row(self, row: Row, turn: OpenTurn) -> bool:
        self._known = self._known or is_claude(row) is True
        turn.see_time(self._facts.see_row(row))
        if not self._is_main(row):
            self._tokens.see(row, main=False)
            self._take_side_files(row)
            return False
        if row.get("type") == "summary" and self._is_past(text_of(row.get("leafUuid")), turn.end):
            self._facts.see_summary(text_of(row.get("summary")))
        if row.get("type") in CONVERSATION:
            turn.messages += 1
        self._facts.messages += self._starts_message(row)
        self._tokens.see(row, main=True)
        self._work.see(row, self._facts.cwd)
        self._take_files(row, turn.end - len(turn.records[-1].data))
        self._take_prompt(row, turn)
        self._take_compaction(row, turn)
        self._take_place(row)
        return self._ends(row, turn)

    def _is_main(self, row: Row) -> bool:
        """Whether a row belongs to the main conversation.

        Sidechain records in the main file are a subagent's, unless the whole file began as one:
        then whatever continues it, after a checkout, is the same conversation.
        """
        if row.get("type") not in TREE:
            return True
        if self._side is None and row.get("type") in CONVERSATION:
            self._side = is_side(row)
        return bool(self._side) or not is_side(row) or row.get("type") not in CONVERSATION

    def _starts_message(self, row: Row) -> int:
        kind = role(row)
        if kind == "assistant":
            return 0 if self._tokens.knows(message_id(row)) else 1
        return 1 if kind else 0

    def _take_files(self, row: Row, position: int) -> None:
        for file in self._contents.see(row, self._facts.cwd, position):
            self._files[file.path] = file
        for file in instructions(row, self._facts.cwd):
            self._instructions[file.path] = file

    def _take_side_files(self, row: Row) -> None:
        for change in changes(row):
            file = file_of(change.path, change.content, self._facts.cwd)
            self._files[file.path] = file

    def _take_prompt(self, row: Row, turn: OpenTurn) -> None:
        if not is_prompt(row):
            return
        if not turn.asked:
            self._work.open.clear()
            turn.rewound = self._is_rewind(text_of(row.get("parentUuid")), turn.start)
            self._asked = text_of(row.get("uuid"))
        turn.ask(prompt_text(row))

    def _is_rewind(self, parent: str, before: int) -> bool:
        """Whether the prompt's parent is a record before the last prompt."""
        if not parent or parent == self._tip or parent in self._here:
            return False
        position = self._position(parent, before)
        return 0 <= position < self._position(self._asked, before)

    def _is_past(self, name: str, before: int) -> bool:
        return bool(name) and (name in self._here or self._position(name, before) >= 0)

    def _position(self, name: str, before: int) -> int:
        """Return where the record with that id is before a position; rarely needed."""
        from gitsession.agents.lookback import Past

        return Past(self._file).position(name, before)

    def _take_compaction(self, row: Row, turn: OpenTurn) -> None:
        if row.get("type") == "system" and row.get("subtype") == "compact_boundary":
            turn.compaction = True
            self._facts.compactions += 1
            self._work.mark_compaction(turn.first + len(turn.records) - 1, row)

    def _take_place(self, row: Row) -> None:
        name = text_of(row.get("uuid"))
        if name and row.get("type") in TREE:
            self._here.add(name)
            self._tip = name

    def _ends(self, row: Row, turn: OpenTurn) -> bool:
        kind = row.get("type")
        if kind == "system":
            # Versions that write no stop reason still record when they are done.
            return turn.asked and turn.answered and row.get("subtype") in _END_ROWS
        if kind == "user":
            turn.answered = False
        if kind != "assistant":
            return False
        stop, spoken = stop_reason(row), any(text.strip() for text in texts(row))
        done = not self._work.open and stop in (None, "end_turn") and not has_block(row, "tool_use")
        turn.answered = done and (spoken or stop == "end_turn")
        if not (done and spoken and stop == "end_turn") or message_id(row) == self._ended:
            return False
        self._ended = message_id(row)
        return True

    def close(self, turn: OpenTurn, said: Turn) -> Session:
        if not self._known and not said.finished:
            raise SourceUnreadable(
                "the file holds no Claude Code session",
                hint="give the path of a session file of a supported agent",
            )
        self._facts.turns += said.finished or said.messages > 0
        streams = (turn.stream(), *self._give_sides(said.finished))
        session = Session(
            info=self._facts.info(),
            streams=streams,
            sidecars=self._beside.take(last=turn.end >= self._size),
            files=tuple(self._files.values()),
            state=self._work.state(),
            usage=self._tokens.close(),
            counts=self._facts.counts(),
            carry=self._carry(),
            turn=said,
            instructions=tuple(self._instructions.values()),
        )
        self._begin()
        return session

    def _carry(self) -> dict[str, object]:
        return {
            "titled": self._facts.titled,
            "tip": self._tip,
            "asked": self._asked,
            "ended": self._ended,
            "spent": self._tokens.last,
            "side": self._side,
        }

    def _begin(self) -> None:
        self._work.open.clear()
        self._here, self._files, self._instructions = set(), {}, {}
        self._floor = self._facts.updated

    def _give_sides(self, finished: bool) -> tuple[Stream, ...]:
        if not self._sides:
            return ()
        from gitsession.agents.side_streams import ALWAYS

        streams = []
        for side in self._sides:
            stream, taken = side.give(self._facts.updated if finished else ALWAYS)
            if taken and not side.started:
                side.started = True
                self._beside.see_stream(side.name)
            for line in taken:
                self._take_side(line)
            streams.append(stream)
        return tuple(streams)

    def _take_side(self, line: SideLine) -> None:
        self._facts.see(line.data, line.parsed)
        self._beside.see(line.data, line.parsed.objects, self._floor)
        for row in line.parsed.objects:
            self._tokens.see(row, main=False)
            self._take_side_files(row)

    def rest(self, end: OpenTurn) -> Session | None:
        """Return what subagents wrote after the newest main record, unless an open turn took it."""
        if not any(side.waiting for side in self._sides):
            return None
        return self.close(end, end.turn(finished=False, ended=False))

    @property
    def known(self) -> bool:
        return self._known


def _sides(source: Source, since: Session | None) -> list[SideStream]:
    """Return the streams of the session's subagents; most sessions have none."""
    if not source.side_files:
        return []
    from gitsession.agents.side_streams import side_streams

    return side_streams(source, since.streams if since else ())
