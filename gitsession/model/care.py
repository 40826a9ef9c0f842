"""What the verbs of care answer: gc, du and doctor; plain values that are printed or dumped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Keep:
    """What a thinning keeps of each branch, in restic's words: the newest `last` versions, the
    newest of each of the last `daily` days and `weekly` weeks that have one. 0 is "not asked for".
    Tips and tags always stay; `tagged` alone asks for nothing else."""

    last: int = 0
    daily: int = 0
    weekly: int = 0
    tagged: bool = False

    @property
    def thins(self) -> bool:
        """Whether any version may go at all."""
        return bool(self.last or self.daily or self.weekly or self.tagged)


@dataclass(frozen=True, slots=True)
class Fate:
    """One version and why it stays; without a reason it goes."""

    id: str
    branch: str
    number: int
    time: int
    subject: str
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GcPlan:
    """What a gc would do. `fates` are all versions, by branch, newest first, if a thinning is asked
    for; `operations` so many can no longer be undone; `wip` are working states that are released.
    `size` is what the objects take now, `freed` what would go (both bytes, before packing anew)."""

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
        """Whether anything goes that a person could still have asked for."""
        return bool(self.going or self.operations or self.wip)


@dataclass(frozen=True, slots=True)
class GcDone:
    """What a gc did: `versions` left out, `rewritten` ones with a new id, operations and working
    states released; bytes that the store took before and after. `remotes` still hold what went."""

    versions: int
    rewritten: int
    operations: int
    wip: int
    before: int
    after: int
    remotes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Use:
    """What one session takes. `bytes` counts all its objects, `unique` those that no other session
    holds, `history` those unique ones that its tips do not need: the most a thinning can win."""

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
    """What a store takes. `disk` is the whole folder in blocks; `objects` and `bytes` all objects;
    `loose` and `loose_bytes` those that are not packed, `slack` what their blocks waste; `held` is
    reachable by undo and wip alone, `unreachable` by nothing: both go with an explicit gc."""

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
