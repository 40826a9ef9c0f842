"""What a caller wants of a save, and what a save has made so far."""

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
else:
    Wishes = namedtuple(
        "Wishes",
        "message auto single dry_run named keep_head scan",
        defaults=("", False, False, False, False, False, False),
    )
    Wishes.__doc__ = """How the caller wants it: `message` names the newest version, `auto` is a
    hook's save (an unfinished turn goes to wip), `single` makes one version of everything new,
    `named` says that a person named the session, `keep_head` leaves HEAD where it is,
    `scan` counts the files of the project."""


_LISTED = 1000
"""Versions that are remembered: a session of a gigabyte has more than fit into memory."""


class Grown:
    """What has been made so far. `tip` and `base`/`tree`/`head` move on with each version."""

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
        """One more version; of very many only the newest are listed."""
        self.made += 1
        self.versions.append(version)
        if len(self.versions) >= 2 * _LISTED:
            del self.versions[:_LISTED]

    def count(self, agent: Agent, part: Session) -> None:
        """What one more turn has to tell of its records; the damaged ones are named."""
        for stream in part.streams:
            self.records += len(stream.records)
            self.size += sum(len(record.data) for record in stream.records)
        self.damaged, self.foreign = part.counts.damaged, part.counts.foreign
        new, self._damaged = self.damaged - self._damaged, self.damaged
        if new > 0:
            from gitsession.operations import damage

            self.damaged_at += damage.places(agent, part, new)
