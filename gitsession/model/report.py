"""The answers of Repository's verbs: plain values for the command line to print or dump."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from gitsession.model.history import Version
from gitsession.model.listed import SessionRow as SessionRow
from gitsession.model.saved import Saved as Saved
from gitsession.model.saved import SaveReport as SaveReport


@dataclass(frozen=True, slots=True)
class Native:
    """The binding of a native session to a branch, and whether its source still exists. `source` is
    live, missing, shrunk, stub, untouched (made by checkout, never used) or held (a program passes
    the session in itself, without a file). `wip` says that the branch has work in progress: an
    unfinished turn, as last seen by an automatic save."""

    agent: str
    native_id: str
    branch: str
    path: str
    source: str
    unsaved_records: int = 0
    unsaved_bytes: int = 0
    wip: bool = False


@dataclass(frozen=True, slots=True)
class Status:
    """The state of this directory. `head` is `<session>/<branch>` or an id, "" if there is none
    yet. `dirty` says that its native sessions contain unsaved data; `natives` say how much."""

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
    `reason` says why it is skipped, or which objection --force overrides."""

    path: str
    action: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class FilesDone:
    """The files of a checkout: the folder they are in, the step taken for each, the place of the
    backup of the earlier content ("" if nothing was changed), and a sentence about what could not
    be determined."""

    root: str
    steps: tuple[FileStep, ...] = ()
    backup: str = ""
    unknown: str = ""

    @property
    def changed(self) -> int:
        return sum(step.action != "skip" for step in self.steps)


@dataclass(frozen=True, slots=True)
class Checkout:
    """A conversation rolled back: the new native session and the command that continues it.
    `losses` says what could not be carried over, `lost` the same by name and number (with one's own
    sessions, only `--to` and a budget leave something out). `warnings` name what has changed since:
    system prompt, instruction files, folder, branch, dependencies."""

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
    """One entry of the operation log: verb and refs, never arguments. Ids ascend."""

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
    """What a push would send, shown before anything leaves the machine. Any `findings` refuse
    the push. `again` plans the push again, for the same sessions under the names they have
    by then."""

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
    """What a fetch, pull or push did: one entry per ref; `rejected` ones with a reason."""

    remote: str
    updated: tuple[tuple[str, str, str], ...] = ()
    rejected: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem found by fsck: its `kind` (object, ref, format, count, string, secret …), its
    place, a message, and the last good version if there is one."""

    kind: str
    place: str
    message: str
    last_good: str = ""


@dataclass(frozen=True, slots=True)
class ScrubPlan:
    """Where the values to be removed occur: the number of `objects` by kind, out of `total`; the
    `remotes` they were sent to; the agents' own files (`natives`) that hold them now."""

    placeholders: tuple[str, ...]
    objects: Mapping[str, int]
    total: int
    remotes: tuple[str, ...] = ()
    natives: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Scrubbed:
    """What a scrub did: `versions` (and tags) have new ids, `contents` were replaced, `checked`
    objects were read. `remotes` and `natives` still hold the values."""

    placeholders: tuple[str, ...]
    versions: int
    contents: int
    checked: int
    time: int
    remotes: tuple[str, ...] = ()
    natives: tuple[str, ...] = ()
