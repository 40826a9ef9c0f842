"""What a command gets besides its arguments: the environment, the terminal, the repository."""

from __future__ import annotations

import os

from gitsession.cli.own_commands import PROGRAM, repeated
from gitsession.errors import NotFound, StoreNotFound, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from gitsession.cli.terminal import Terminal
    from gitsession.environment import Environment
    from gitsession.render.palette import Palette
    from gitsession.repository import Repository


class Context:
    """One run of the program. `as_json` asks for the result as JSON; `umask` is the user's own."""

    def __init__(
        self,
        environment: Environment,
        terminal: Terminal,
        *,
        store: str = "",
        as_json: bool = False,
        umask: int = 0o022,
        opener: Callable[..., Repository] | None = None,
    ) -> None:
        self.environment = environment
        self.terminal = terminal
        self.as_json = as_json
        self.store = store
        self.umask = umask
        self.at_operation = 0
        self.quiet = False
        self.reads = False
        """Whether the verb only reads; see `verbs.READS`."""
        self._opener = opener
        self._repository: Repository | None = None
        self._past: Repository | None = None

    def repository(
        self,
        *,
        create: bool = False,
        missing: bool = False,
        worth: Callable[[], object] | None = None,
    ) -> Repository:
        """Return the store of this run. Reading never creates one: it raises StoreNotFound (10) or,
        if the verb has an answer without a store (`missing`), returns an empty one that is not on
        disk. With `--at-op` it returns a read-only view of the store as it was then.

        `worth` is called before a store is created, and raises if there is nothing to put in."""
        if self._repository is None:
            store = self.path(self.store) if self.store else None
            may_make = create and not self.at_operation and not self.reads
            at_once = may_make and worth is None
            try:
                self._repository = self._open(self.environment, store=store, create=at_once)
            except StoreNotFound:
                if may_make and worth is not None:
                    worth()
                    self._repository = self._open(self.environment, store=store, create=True)
                elif missing and not self.at_operation:
                    self._repository = self._without(store)
                else:
                    raise
        if not self.at_operation:
            return self._repository
        if self._past is None:
            self._past = self._repository.at_operation(self.at_operation)
        return self._past

    def close(self) -> None:
        """End what the repository may have started, and print what it repaired on the way."""
        if self._repository is None:
            return
        notices = () if self.quiet or self.as_json else self._repository.notices
        self._repository.close()
        for text in notices:
            self.terminal.warn(f"note: {text}")

    def _without(self, store: Path | None) -> Repository:
        from gitsession.operations.place import missing
        from gitsession.repository import Repository

        return Repository(missing(self.environment, store))

    @property
    def _open(self) -> Callable[..., Repository]:
        if self._opener is not None:
            return self._opener
        from gitsession.repository import open_repository

        return open_repository

    def path(self, text: str) -> Path:
        """Return a path as the user typed it, resolved against the directory of this run. Raises
        UsageError for an empty one, such as an unset variable."""
        from pathlib import Path

        if not text:
            raise UsageError("a path is empty", hint="`.` is the directory you are in")
        return Path(os.path.normpath(os.path.join(self.environment.cwd, os.path.expanduser(text))))

    def folder(self, text: str) -> str:
        """Return the path of an existing folder. Raises NotFound."""
        path = self.path(text)
        if not path.is_dir():
            raise NotFound(f"there is no folder {path}", hint="check the path")
        return str(path)

    @property
    def palette(self) -> Palette:
        """Return the palette for the output: coloured or plain."""
        from gitsession.render.palette import COLOUR, PLAIN, Palette

        if self.terminal.program != PROGRAM:
            return Palette(self.terminal.color, self.own)
        return COLOUR if self.terminal.color else PLAIN

    def own(self, text: str) -> str:
        """Return a sentence of ours whose commands use this run's store and folder."""
        return repeated(text, self.terminal.program)

    def line(self, text: str = "") -> None:
        """Print one line of the result in our own words; control characters become visible."""
        from gitsession.render import safe

        self.terminal.line(safe.line(self.own(text)))

    def print(self, lines: Iterable[str]) -> None:
        """Print lines that `render` made: already safe, perhaps coloured."""
        for text in lines:
            self.terminal.line(text)

    def open_pager(self) -> None:
        self.terminal.open_pager()

    def page(self, lines: Iterable[str]) -> None:
        """Print the lines through the pager."""
        self.terminal.open_pager()
        self.print(lines)

    def answer(self, schema: str, **members: object) -> None:
        """Print a result as JSON: an object whose `schema` names its form and version."""
        from gitsession.render import json

        self.terminal.write(json.answer(schema, members))
