"""The answers of the verbs of care (gc, du, doctor): plain values to print or dump."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Keep:
    """What a thinning keeps of each branch, in restic's terms: the newest `last` versions, and the
    newest version of each of the last `daily` days and `weekly` weeks that have one. 0 means "not
    asked for". Tips and tags always stay; `tagged` on its own keeps nothing else."""

    last: int = 0
    daily: int = 0
    weekly: int = 0
    tagged: bool = False

    @property
    def thins(self) -> bool:
        """Whether this removes any versions at all."""
        return bool(self.last or self.daily or self.weekly or self.tagged)


@dataclass(frozen=True, slots=True)
class Fate:
    """One version and the reasons for keeping it; without a reason it is removed."""

    id: str
    branch: str
    number: int
    time: int
    subject: str
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GcPlan:
    """What a gc would do. `fates` lists all versions, by branch, newest first, if a thinning was
    asked for; `operations` is the number that can no longer be undone; `wip` names the released
    work in progress. `size` is what the objects take now, `freed` what would be removed (both in
    bytes, before repacking)."""

    fates: tuple[Fate, ...] = ()
    operations: int = 0
    wip: tuple[str, ...] = ()
    objects: int = 0
    dropped: int = 0
    size: int = 0
    freed: int = 0
    loose: int = 0

    @property
    def going(self) -> tuple[Fate, ...]:
        return tuple(fate for fate in self.fates if not fate.reasons)

    @property
    def loses(self) -> bool:
        """Whether this removes anything that a person could still have asked for."""
        return bool(self.going or self.operations or self.wip)


@dataclass(frozen=True, slots=True)
class GcDone:
    """What a gc did: `versions` removed, `rewritten` versions with a new id, `operations` and
    `wip` released; bytes that the store took `before` and `after`. `remotes` still hold the
    removed data."""

    versions: int
    rewritten: int
    operations: int
    wip: int
    before: int
    after: int
    remotes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Use:
    """The space used by one session. `bytes` counts all its objects, `unique` those that no other
    session holds, `history` those of the unique ones that its tips do not need: the most that a
    thinning can gain."""

    session: str
    versions: int
    objects: int
    bytes: int
    unique: int
    history: int

    @property
    def shared(self) -> int:
        return self.bytes - self.unique


@dataclass(frozen=True, slots=True)
class Usage:
    """The space used by a store. `disk` is the whole folder in blocks; `objects` and `bytes` count
    all objects; `loose` and `loose_bytes` those that are not packed, and `slack` what their blocks
    waste; `held` is reachable only through undo and wip, `unreachable` not at all: an explicit gc
    removes both."""

    sessions: tuple[Use, ...]
    disk: int
    objects: int
    bytes: int
    loose: int
    loose_bytes: int
    slack: int
    packs: int
    held: int
    unreachable: int


@dataclass(frozen=True, slots=True)
class Check:
    """One line of `doctor`: `level` is OK, WARN or FAIL; `hint` is the next step."""

    level: str
    name: str
    message: str
    hint: str = ""
    details: Mapping[str, object] = field(default_factory=dict)
