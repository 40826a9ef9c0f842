"""The adapter to Qwen Code: one append-only JSONL file per session, Claude Code's envelope."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from gitsession.agents import qwen_find
from gitsession.agents.base import Capabilities, Source, Target, Written, no_session, unreadable
from gitsession.agents.envelope import CONSTANTS
from gitsession.agents.qwen_fold import QwenFold
from gitsession.agents.turns import cut
from gitsession.environment import Environment
from gitsession.files import is_regular, lines
from gitsession.model.message import Message
from gitsession.model.record import Stream
from gitsession.model.session import Info, Session


class Qwen:
    """See `agents.base.Agent`."""

    name = qwen_find.NAME
    title = "Qwen Code"
    capabilities = Capabilities(hooks=True, tree=True, compose=True)
    constants: tuple[str, ...] = CONSTANTS

    def home(self, environment: Environment) -> Path:
        return qwen_find.home(environment)

    def find(
        self, environment: Environment, *, cwd: str = "", native_id: str = ""
    ) -> Iterator[Source]:
        return qwen_find.find(environment, cwd=cwd, native_id=native_id)

    def recognise(self, path: Path) -> Source | None:
        return qwen_find.recognise(path)

    def read(self, source: Source, since: Session | None = None) -> Iterator[Session]:
        start = since.stream() if since else Stream("main")
        if not is_regular(source.path):
            raise unreadable()
        fold = QwenFold(source, since)
        try:
            yield from cut(lines(source.path, start.offset, source.size), start, fold)
        except OSError as error:
            raise unreadable() from error
        if not fold.known:
            raise no_session(self.title)

    def messages(self, session: Session) -> tuple[Message, ...]:
        from gitsession.agents.qwen_messages import messages

        return messages(session)

    def write(self, session: Session, target: Target, environment: Environment) -> Written:
        from gitsession.agents.qwen_write import write

        return write(session, target, environment)

    def compose(
        self, messages: tuple[Message, ...], info: Info, target: Target, environment: Environment
    ) -> Written:
        from gitsession.agents.qwen_compose import compose

        return compose(messages, info, target, environment)

    def resume_command(self, native_id: str, cwd: str) -> tuple[str, ...]:  # noqa: ARG002
        return ("qwen", "--resume", native_id)


AGENT = Qwen()
