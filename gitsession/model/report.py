"""What the verbs of Repository answer: plain values that the command line prints or dumps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from gitsession.model.history import Version
from gitsession.model.listed import SessionRow as SessionRow
from gitsession.model.saved import Saved as Saved
from gitsession.model.saved import SaveReport as SaveReport


@dataclass(frozen=True, slots=True)
class Native:
    """A binding of a native session to a branch, and whether its source is still there.
    `source` is live, missing, shrunk, stub, untouched (made by checkout, never used) or held (a
    program hands the session over itself, without a file)."""

    agent: str
    native_id: str
    branch: str
    path: str
    source: str
    unsaved_records: int = 0
    unsaved_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Status:
    """Where this directory stands. `head` is `<session>/<branch>` or an id, "" if nothing yet.
    `dirty` says that something of its native sessions is not saved; they tell how much."""

    store: str
    head: str
    version: Version | None
    natives: tuple[Native, ...] = ()
    withheld: tuple[tuple[str, str], ...] = ()
    failures: tuple[str, ...] = ()
    dirty: bool = False


@dataclass(frozen=True, slots=True)
class FileStep:
    """What `checkout --files` does with one file: `action` is restore, make, remove or skip;
    `reason` says why it is skipped, or what --force goes over."""

    path: str
    action: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class FilesDone:
    """The files of a checkout: below which folder, what with each, where the backup of what was
    there lies ("" if nothing was changed), and in words what could not be known."""

    root: str
    steps: tuple[FileStep, ...] = ()
    backup: str = ""
    unknown: str = ""

    @property
    def changed(self) -> int:
        return sum(step.action != "skip" for step in self.steps)


@dataclass(frozen=True, slots=True)
class Checkout:
    """A conversation rolled back: the new native session and how to go on.

    `losses` says what could not go along, `lost` the same by name and number (only `--to` and a
    budget leave something out of one's own sessions). `warnings` are what is not as it was: system
    prompt, instruction files, folder, branch, dependencies."""

    version: Version
    branch: str
    agent: str
    native_id: str
    path: str
    command: tuple[str, ...]
    cwd: str
    masked: int = 0
    repairs: tuple[str, ...] = ()
    losses: tuple[str, ...] = ()
    saved_first: tuple[str, ...] = ()
    reused: bool = False
    dry_run: bool = False
    note: str = ""
    lost: Mapping[str, int] = field(default_factory=dict)
    files: FilesDone | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Operation:
    """One entry of the operation log: verb and refs, never arguments. `id` grows."""

    id: int
    time: int
    verb: str
    refs: tuple[tuple[str, str, str], ...]
    directory: str = ""
    automatic: bool = False
    undoes: int = 0
    details: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PushPlan:
    """What a push would send; shown before anything leaves. `findings` refuse the push. `again`
    plans the same push anew, of the same sessions as they are called then."""

    remote: str
    url: str
    first: bool
    refs: tuple[tuple[str, str, str], ...]
    sessions: tuple[str, ...]
    versions: int
    masked: int
    paths: tuple[str, ...]
    author: str
    findings: tuple[tuple[str, str, str], ...] = ()
    problems: tuple[str, ...] = ()
    scrubbed: bool = False
    again: Callable[[], PushPlan] | None = field(
        default=None, kw_only=True, repr=False, compare=False
    )


@dataclass(frozen=True, slots=True)
class Transfer:
    """What a fetch, pull or push did: one line per ref, `rejected` with a reason."""

    remote: str
    updated: tuple[tuple[str, str, str], ...] = ()
    rejected: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing fsck found: `kind` (object, ref, format, count, string, secret …), where, what,
    and the last good version where there is one."""

    kind: str
    place: str
    message: str
    last_good: str = ""


@dataclass(frozen=True, slots=True)
class ScrubPlan:
    """Where values stand that shall be taken out: how many `objects` by kind, of `total`; remotes
    that were sent them; files of agents that hold them now."""

    placeholders: tuple[str, ...]
    objects: Mapping[str, int]
    total: int
    remotes: tuple[str, ...] = ()
    natives: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Scrubbed:
    """What a scrub did: `versions` (and tags) got new ids, `contents` were replaced, `checked`
    objects read. `remotes` and `natives` still hold the values."""

    placeholders: tuple[str, ...]
    versions: int
    contents: int
    checked: int
    time: int
    remotes: tuple[str, ...] = ()
    natives: tuple[str, ...] = ()
