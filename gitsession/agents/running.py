"""Running facts of a session in any format: who and what, totals, and where the title came from."""

from __future__ import annotations

from gitsession.agents.base import Source, first_title
from gitsession.agents.lenient import number_of
from gitsession.model.session import Counts, Info, Session
from gitsession.model.usage import Usage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.agents.turns import OpenTurn
    from gitsession.agents.work import Work
    from gitsession.model.record import Stream
    from gitsession.model.session import Turn

FIRST_PROMPT, SUMMARY, AGENTS_TITLE, USERS_TITLE = 0, 1, 2, 3
_MOST_ROOTS = 200


class Running:
    """Info, Counts and Usage up to the last record seen.

    `titled` is the rank of the title: a later title of at least that rank replaces it.
    """

    def __init__(self, source: Source, since: Session | None) -> None:
        info = since.info if since else Info(source.agent, source.native_id)
        counts = since.counts if since else Counts()
        self._info = info
        self.native_id, self.title, self.parent = source.native_id, info.title, info.parent
        self.titled = number_of(since.carry.get("titled")) if since else FIRST_PROMPT
        self.cwd, self.created, self.updated = info.cwd, info.created, info.updated
        self.version, self.branch = info.agent_version, info.git_branch
        self.models = dict.fromkeys(info.models)
        self.roots = dict.fromkeys(info.roots)
        self.usage = since.usage if since else Usage()
        self.turns, self.messages = counts.turns, counts.messages
        self.compactions, self.damaged = counts.compactions, counts.damaged
        self.foreign, self.records, self.bytes = counts.foreign, counts.records, counts.bytes

    def see_record(self, data: bytes, *, damaged: bool, foreign: bool = False) -> None:
        self.records += 1
        self.bytes += len(data)
        self.damaged += damaged
        self.foreign += foreign

    def see_time(self, time: str) -> str:
        """Take in the time of a record ("" if it has none) and return it."""
        if time:
            self.created = min(self.created or time, time)
            self.updated = max(self.updated, time)
        return time

    def see_cwd(self, cwd: str) -> None:
        self.cwd = self.cwd or cwd
        if cwd and len(self.roots) < _MOST_ROOTS:
            self.roots[cwd] = None

    def see_model(self, name: str) -> None:
        if name:
            self.models[name] = None

    def see_title(self, title: str, rank: int) -> None:
        if rank == FIRST_PROMPT:
            if self.titled == FIRST_PROMPT:
                self.title = first_title(self.title, title)
        elif (title := title.strip()) and rank >= self.titled:
            self.title, self.titled = title, rank

    def info(self) -> Info:
        return Info(
            agent=self._info.agent,
            native_id=self.native_id,
            identity=self._info.identity,
            title=self.title,
            cwd=self.cwd,
            created=self.created,
            updated=self.updated,
            models=tuple(self.models),
            agent_version=self.version,
            git_branch=self.branch,
            parent=self.parent,
            roots=tuple(self.roots),
            project=self._info.project,
            code=self._info.code,
        )

    def continuation(
        self,
        work: Work,
        turn: OpenTurn,
        said: Turn,
        sides: tuple[Stream, ...] = (),
        /,
        **carry: object,
    ) -> Session:
        """Return the session up to the end of this turn and begin the next one.

        `sides` are the records of its subagents; `carry` is what else the adapter must know in the
        next turn.
        """
        self.turns += said.finished or said.messages > 0
        session = Session(
            info=self.info(),
            streams=(turn.stream(), *sides),
            files=tuple(work.files.values()),
            state=work.state(),
            usage=self.usage,
            counts=self.counts(),
            carry={"titled": self.titled, **carry},
            turn=said,
        )
        work.begin_turn()
        return session

    def counts(self) -> Counts:
        return Counts(
            turns=self.turns,
            records=self.records,
            messages=self.messages,
            bytes=self.bytes,
            damaged=self.damaged,
            foreign=self.foreign,
            compactions=self.compactions,
        )
