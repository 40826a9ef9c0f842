"""What a command gets besides its arguments: the environment, the terminal, the repository."""

from __future__ import annotations

import os

from gitsession.errors import StoreNotFound, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from gitsession.cli.terminal import Terminal
    from gitsession.environment import Environment
    from gitsession.render.palette import Palette
    from gitsession.repository import Repository


class Context:
    """One run of the program. `as_json` says that the result is to be JSON;
    `umask` is the one that the user came with."""

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
        """The verb only looks; see `verbs.READS`."""
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
        """The store of this run. Reading does not make one: StoreNotFound (10) says so, or, if the
        verb has an answer without a store (`missing`), it is an empty one that is on no disk. With
        `--at-op` it is the store as it was then, to look at.

        `worth` is called before one is made, and raises where there is nothing to put into it."""
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
        """End what the repository may have started, and say what it put right on the way."""
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
        """A path as the user typed it, seen from the directory of this run. Raises UsageError for
        an empty one, such as a variable that is not set."""
        from pathlib import Path

        if not text:
            raise UsageError("a path is empty", hint="`.` is the directory you are in")
        return Path(os.path.normpath(os.path.join(self.environment.cwd, os.path.expanduser(text))))

    @property
    def palette(self) -> Palette:
        """The colours of the output, or none."""
        from gitsession.render.palette import COLOUR, PLAIN

        return COLOUR if self.terminal.color else PLAIN

    def line(self, text: str = "") -> None:
        """One line of the result; whatever a terminal would obey is made visible first."""
        from gitsession.render import safe

        self.terminal.line(safe.line(text))

    def print(self, lines: Iterable[str]) -> None:
        """Lines that `render` made: safe already, perhaps coloured."""
        for text in lines:
            self.terminal.line(text)

    def open_pager(self) -> None:
        self.terminal.open_pager()

    def page(self, lines: Iterable[str]) -> None:
        """The same, through the pager."""
        self.terminal.open_pager()
        self.print(lines)

    def answer(self, schema: str, **members: object) -> None:
        """A result as JSON: one object whose `schema` names its shape and that shape's version."""
        from gitsession.render import json

        self.terminal.write(json.answer(schema, members))
