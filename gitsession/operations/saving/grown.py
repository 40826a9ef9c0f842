"""What a caller wants of a save, and what the save has made so far."""

from __future__ import annotations

from collections import namedtuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple

    from gitsession.agents.base import Agent
    from gitsession.model.finding import Finding
    from gitsession.model.history import Version
    from gitsession.model.session import Session
    from gitsession.operations.saving.line import Line
    from gitsession.snapshot.head import Head

    class Wishes(NamedTuple):
        message: str = ""
        auto: bool = False
        single: bool = False
        dry_run: bool = False
        named: bool = False
        keep_head: bool = False
        scan: bool = False
        given: bool = False
else:
    Wishes = namedtuple(
        "Wishes",
        "message auto single dry_run named keep_head scan given",
        defaults=("", False, False, False, False, False, False, False),
    )
    Wishes.__doc__ = """How the caller wants it: `message` names the newest version, `auto` is a
    hook's save (an unfinished turn goes to wip), `single` makes one version of everything new,
    `named` means that a person named the session, `keep_head` leaves HEAD where it is, `scan`
    counts the files of the project, `given` means that a person handed the file over."""


_LISTED = 1000
"""How many versions are kept in memory: a session of a gigabyte has more than would fit."""


class Grown:
    """What has been made so far. `tip` and `base`/`tree`/`head` advance with each version."""

    def __init__(self, line: Line, head: Head | None) -> None:
        self.branch, self.tip = line.branch, line.tip
        self.base, self.tree, self.head = line.base, line.tree, head
        self.versions: list[Version] = []
        self.made = 0
        self.findings: list[Finding] = []
        self.left: list[tuple[str, str]] = []
        self.withheld: list[tuple[str, str]] = []
        self.last: Session | None = None
        self.wip = ""
        self.wip_moved = False
        self.renamed = ""
        self.records = self.size = self.damaged = self.foreign = 0
        self.damaged_at: list[str] = []
        self._damaged = head.session.counts.damaged if head else 0

    def add(self, version: Version) -> None:
        """Add a version; only the newest of very many are listed."""
        self.made += 1
        self.versions.append(version)
        if len(self.versions) >= 2 * _LISTED:
            del self.versions[:_LISTED]

    def count(self, agent: Agent, part: Session) -> None:
        """Count the records of one more turn, and name the damaged ones."""
        for stream in part.streams:
            self.records += len(stream.records)
            self.size += sum(len(record.data) for record in stream.records)
        self.damaged, self.foreign = part.counts.damaged, part.counts.foreign
        new, self._damaged = self.damaged - self._damaged, self.damaged
        if new > 0:
            from gitsession.operations import damage

            self.damaged_at += damage.places(agent, part, new)
