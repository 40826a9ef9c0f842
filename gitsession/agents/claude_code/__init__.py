"""The adapter for Claude Code: one append-only JSONL file per session, with a folder next to it."""

from __future__ import annotations

from gitsession.agents.base import Capabilities, no_session, unreadable
from gitsession.agents.claude_code.fold import ClaudeFold
from gitsession.agents.family import FamilyAgent
from gitsession.agents.turns import cut, with_rest
from gitsession.files import is_regular, lines
from gitsession.model.record import Stream

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gitsession.agents.base import Source
    from gitsession.environment import Environment
    from gitsession.model.message import Message
    from gitsession.model.session import Info, Session


class ClaudeCode(FamilyAgent):
    """See `agents.base.Agent`."""

    name = "claude-code"
    title = "Claude Code"
    capabilities = Capabilities(subagents=True, sidecars=True, hooks=True, tree=True, compose=True)
    constants: tuple[str, ...] = (
        "sessionId", "session_id", "cwd", "version", "gitBranch", "userType", "entrypoint",
        "slug", "agentId",
    )  # fmt: skip

    def home_folder(self, environment: Environment) -> str:
        """See `base.home_of`."""
        return self._part("find").home_folder(environment)  # type: ignore[no-any-return]

    def recognise_file(self, path: str) -> Source | None:
        """See `base.source_in`."""
        return self._part("find").recognise(path)  # type: ignore[no-any-return]

    def read(self, source: Source, since: Session | None = None) -> Iterator[Session]:
        start = since.stream() if since else Stream("main")
        if not is_regular(source.file):
            raise unreadable()
        fold = ClaudeFold(source, since, source.size)
        turns = cut(lines(source.file, start.offset, source.size), start, fold)
        try:
            yield from with_rest(turns, start, fold.rest)
        except OSError as error:
            raise unreadable() from error
        if not fold.known:
            raise no_session(self.title)

    def mixes(self, info: Info) -> bool:
        """See `base.within`."""
        return self._part("within").mixes(info)  # type: ignore[no-any-return]

    def within(self, session: Session) -> Mapping[str, tuple[Message, ...]]:
        """See `base.within`."""
        return self._part("within").within(session)  # type: ignore[no-any-return]

    def resume_command(self, native_id: str, cwd: str) -> tuple[str, ...]:  # noqa: ARG002
        return ("claude", "--resume", native_id)


AGENT = ClaudeCode()
