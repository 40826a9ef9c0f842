"""What every verb works with: the store, the user's settings and key, the process's environment."""

from __future__ import annotations

import os

from gitsession.digests import keyed
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
    """One store, opened for one user in one directory. `directory` is where the person stands.
    `natives_of_tips` has the branch whose tip names a native session, once that was asked for. A
    save of many sessions reads the tips once: what comes to the store meanwhile comes by saves,
    which leave bindings."""

    __slots__ = (
        "_projects", "_redactor", "config", "directory", "environment", "key", "natives_of_tips",
        "store",
    )  # fmt: skip

    def __init__(self, store: Store, environment: Environment, config: Config, key: bytes) -> None:
        self.store = store
        self.environment = environment
        self.config = config
        self.key = key
        self.directory = environment.cwd
        self._redactor: Redactor | None = None
        self._projects: dict[str, Project] = {}
        self.natives_of_tips: dict[str, str] | None = None
        if store is not None:  # filters work without one
            store.default_head = self._newest_in

    def _newest_in(self, directory: str) -> str:
        """Where a directory stands that no save and no command has set a HEAD for: it was renamed,
        cloned or linked from one that has sessions."""
        if os.path.realpath(directory) != os.path.realpath(self.directory):
            return ""
        from gitsession.operations.projects import newest_here

        return newest_here(self)

    def redactor(self, folder: str = "") -> Redactor:
        """A new scanner with this user's key and rules, and those of a folder's project: what it
        learns is for one session only."""
        from gitsession.redaction import Redactor

        def settings() -> Settings | None:
            from gitsession.operations import own_rules

            return own_rules.settings_for(self, folder or self.directory)

        return Redactor(self.key, settings, known=self._denied if self._has_denied() else None)

    def _has_denied(self) -> bool:
        return os.path.exists(os.path.join(self.environment.folder("config"), "denied"))

    def _denied(self) -> list[tuple[bytes, str]]:
        """Values that were scrubbed: secrets for ever, whatever they look like."""
        from gitsession.operations import denied

        return denied.read(self.environment, self.key)

    @property
    def names(self) -> Redactor:
        """The scanner for short texts: names, messages, paths."""
        if self._redactor is None:
            self._redactor = self.redactor()
        return self._redactor

    def denied_placeholders(self) -> list[str]:
        """What stands for the scrubbed values."""
        if not self._has_denied():
            return []
        return [self.names.named(value, rule) for value, rule in self._denied()]

    def forget_scanners(self) -> None:
        """What was learned so far, and which values are denied, is read anew."""
        self._redactor = None

    def mac(self, data: bytes) -> str:
        """128-bit keyed hash, hex: the only hash of unredacted bytes that may be written."""
        return keyed(self.key, data).hex()[:32]

    def project(self, folder: str) -> Project:
        """The project of a session's folder; of no project when the records name none."""
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

    def code_commit(self, folder: str) -> str:
        """The commit checked out in that folder now, "" where there is none."""
        from gitsession import project

        return project.code_commit(folder) if os.path.isabs(folder) else ""

    def new_branch(self, session: Session) -> str:
        """The first branch of a session that the store does not know: `<slug>-<hex>/main`.

        The hex digits grow from 4 to 8 until no other session bears the name.
        """
        from gitsession import snapshot

        for digits in range(4, 9):
            name = snapshot.session_name(session, digits)
            if not self.store.refs(f"{HEADS}{name}/"):
                break
        return f"{name}/main"
