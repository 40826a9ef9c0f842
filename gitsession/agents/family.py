"""Base class for adapters that are a folder: one module for each task, imported on first use."""

from __future__ import annotations

import importlib
import os

from gitsession.agents.base import Capabilities, no_session, unreadable
from gitsession.agents.turns import cut, with_rest
from gitsession.files import is_regular, lines
from gitsession.model.record import Stream

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path
    from types import ModuleType
    from typing import Any

    from gitsession.agents.base import Source, Target, Written
    from gitsession.agents.fold import Fold
    from gitsession.environment import Environment
    from gitsession.model.message import Message
    from gitsession.model.session import Info, Session


def newest_first(found: Iterable[Source], cwd: str, native_id: str) -> Iterator[Source]:
    """Yield the found sessions of a folder, newest first ("" for all folders).

    A session that does not say where it ran counts for any folder. If `native_id` is a session's
    whole id, only that session is considered.
    """
    found = list(found)
    if native_id:
        found = [source for source in found if source.native_id == native_id] or found
    places = ("", cwd, os.path.realpath(cwd))
    for source in sorted(found, key=lambda source: (-source.mtime, source.native_id)):
        if not cwd or source.cwd in places:
            yield source


class FamilyAgent:
    """See `agents.base.Agent`. In the subclass's folder, `find` has `home`, `find` and `recognise`;
    `messages`, `write` and `compose` each have the function of their name. A subclass supplies
    `fold` or its own `read`."""

    name = ""
    title = ""
    capabilities = Capabilities()
    constants: tuple[str, ...] = ()

    def _part(self, name: str) -> ModuleType:
        return importlib.import_module(f"{type(self).__module__}.{name}")

    def home(self, environment: Environment) -> Path:
        return self._part("find").home(environment)  # type: ignore[no-any-return]

    def find(
        self, environment: Environment, *, cwd: str = "", native_id: str = ""
    ) -> Iterator[Source]:
        found: Iterator[Source] = self._part("find").find(environment, cwd=cwd, native_id=native_id)
        return found

    def recognise(self, path: Path) -> Source | None:
        return self._part("find").recognise(path)  # type: ignore[no-any-return]

    def fold(self, source: Source, since: Session | None) -> Fold[Any]:
        """Return the running facts of a session, at its start or after the part already read."""
        raise NotImplementedError

    def read(self, source: Source, since: Session | None = None) -> Iterator[Session]:
        start = since.stream() if since else Stream("main")
        if not is_regular(source.file):
            raise unreadable()
        fold: Any = self.fold(source, since)
        try:
            turns = cut(lines(source.file, start.offset, source.size), start, fold)
            rest = getattr(fold, "rest", None)
            yield from with_rest(turns, start, rest) if rest else turns
        except OSError as error:
            raise unreadable() from error
        if not fold.known:
            raise no_session(self.title)

    def messages(self, session: Session) -> tuple[Message, ...]:
        return self._part("messages").messages(session)  # type: ignore[no-any-return]

    def write(self, session: Session, target: Target, environment: Environment) -> Written:
        return self._part("write").write(session, target, environment)  # type: ignore[no-any-return]

    def compose(
        self, messages: tuple[Message, ...], info: Info, target: Target, environment: Environment
    ) -> Written:
        composed: Written = self._part("compose").compose(messages, info, target, environment)
        return composed
