"""What every verb works with: the store, the user's settings and key, the process's environment."""

from __future__ import annotations

import os

from gitsession.digests import keyed
from gitsession.errors import FormatError
from gitsession.model.history import HEADS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.config import Config
    from gitsession.environment import Environment
    from gitsession.model.session import Session
    from gitsession.project import Project
    from gitsession.redaction import Redactor
    from gitsession.redaction.settings import Settings
    from gitsession.store import Store


class Workspace:
    """One store, opened for one user in one directory. `directory` is the user's current directory.
    `natives_of_tips` maps a native session to the branch whose tip names it, once somebody asked
    for it. A save of many sessions reads the tips only once: whatever is added to the store
    meanwhile is added by saves, which leave bindings."""

    __slots__ = (
        "_compared", "_lenient", "_projects", "_redactor", "config", "directory", "environment",
        "key", "natives_of_tips", "store",
    )  # fmt: skip

    def __init__(self, store: Store, environment: Environment, config: Config, key: bytes) -> None:
        self.store = store
        self.environment = environment
        self.config = config
        self.key = key
        self.directory = environment.cwd
        self._redactor: Redactor | None = None
        self._compared: dict[str, Project] = {}
        self._lenient: Redactor | None = None
        self._projects: dict[str, Project] = {}
        self.natives_of_tips: dict[str, str] | None = None
        if store is not None:  # filters work without one
            store.default_head = self._newest_in

    def _newest_in(self, directory: str) -> str:
        """Return the default HEAD of a directory for which no save and no command has set one: it
        was renamed, cloned or linked from one that has sessions."""
        if os.path.realpath(directory) != os.path.realpath(self.directory):
            return ""
        from gitsession.operations.projects import newest_here

        return newest_here(self)

    def redactor(self, folder: str = "") -> Redactor:
        """Return a new scanner with this user's key and rules and those of a folder's project; what
        it learns is valid for one session only."""
        from gitsession.redaction import Redactor

        def settings() -> Settings | None:
            from gitsession.operations import own_rules

            return own_rules.settings_for(self, folder or self.directory)

        return Redactor(self.key, settings, known=self._denied if self._has_denied() else None)

    def _has_denied(self) -> bool:
        return os.path.exists(os.path.join(self.environment.folder("config"), "denied"))

    def _denied(self) -> list[tuple[bytes, str]]:
        """Return the scrubbed values: they are secrets for good, whatever they look like."""
        from gitsession.operations import denied

        return denied.read(self.environment, self.key)

    @property
    def names(self) -> Redactor:
        """The scanner for short texts: names, messages, paths."""
        if self._redactor is None:
            self._redactor = self.redactor()
        return self._redactor

    def denied_placeholders(self) -> list[str]:
        """Return the placeholders of the scrubbed values."""
        if not self._has_denied():
            return []
        return [self.names.named(value, rule) for value, rule in self._denied()]

    def forget_scanners(self) -> None:
        """Forget what the scanner for short texts has learned; it reads the denied values again."""
        self._redactor = None

    def mac(self, data: bytes) -> str:
        """Return a 128-bit keyed hash in hex: the only hash of unredacted bytes that may be
        written."""
        return keyed(self.key, data).hex()[:32]

    def project(self, folder: str) -> Project:
        """Return the project of a session's folder; an empty one if the records name no folder."""
        from gitsession import project

        if not folder:
            return project.Project("", "", "", "")
        if not os.path.isabs(folder) or not os.path.isdir(folder):
            return project.Project(f"path:{folder}", os.path.basename(folder), "", "")
        if folder not in self._projects:
            self._projects[folder] = project.identify(
                folder, self.environment, self.key, lambda text: self.names.clean(text)
            )
        return self._projects[folder]

    def compared(self, folder: str) -> Project:
        """Return the project of a folder for comparison only, never to be shown or written.
        Unusable rules do not prevent that: the built-in rules alone then clean its address."""
        if folder in self._compared:
            return self._compared[folder]
        try:
            return self.project(folder)
        except FormatError as error:
            from gitsession import project

            clean = self._built_in(error).clean
            self._compared[folder] = project.identify(
                folder, self.environment, self.key, clean, keep=False
            )
            return self._compared[folder]

    def shown(self, text: str) -> str:
        """Clean a short text of this machine to show it to its user, never to write it. Unusable
        rules do not prevent that: the built-in rules alone then clean it."""
        try:
            return self.names.clean(text)
        except FormatError as error:
            return self._built_in(error).clean(text)

    def _built_in(self, error: FormatError) -> Redactor:
        """Return the scanner without the user's and the project's rules; say so once."""
        from gitsession.redaction import Redactor

        if self._lenient is None:
            self._lenient = Redactor(self.key)
            said = "so nothing can be saved or shared here; what is stored is shown"
            self.environment.tell(f"{error}, {said}")
        return self._lenient

    def code_commit(self, folder: str) -> str:
        """Return the commit checked out in that folder now, "" if there is none."""
        from gitsession import project

        return project.code_commit(folder) if os.path.isabs(folder) else ""

    def new_branch(self, session: Session) -> str:
        """Return the first branch of a session that is new to the store: `<slug>-<hex>/main`.

        The hex digits grow from 4 to 8 until no other session has the name.
        """
        from gitsession import snapshot

        for digits in range(4, 9):
            name = snapshot.session_name(session, digits)
            if not self.store.refs(f"{HEADS}{name}/"):
                break
        return f"{name}/main"
