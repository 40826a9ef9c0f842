"""What a save answers: plain values that the command line prints or dumps."""

from __future__ import annotations

from collections import namedtuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple

    from gitsession.model.finding import Finding
    from gitsession.model.history import Version

    class Saved(NamedTuple):
        agent: str
        native_id: str
        outcome: str
        branch: str = ""
        title: str = ""
        versions: tuple[Version, ...] = ()
        findings: tuple[Finding, ...] = ()
        new_records: int = 0
        new_bytes: int = 0
        damaged: int = 0
        foreign: int = 0
        withheld: tuple[tuple[str, str], ...] = ()
        left: tuple[str, ...] = ()
        note: str = ""
        error: str = ""
        made: int = 0
        renamed: str = ""
        damaged_at: tuple[str, ...] = ()

    class SaveReport(NamedTuple):
        sessions: tuple[Saved, ...]
        store: str
        first: bool = False
        dry_run: bool = False
        failures: tuple[tuple[str, str], ...] = ()

    class Tally(NamedTuple):
        done: int
        total: int
        size: int
        total_size: int
        masked: int
        agent: str
        native_id: str
else:
    Saved = namedtuple(
        "Saved",
        "agent native_id outcome branch title versions findings new_records new_bytes damaged"
        " foreign withheld left note error made renamed damaged_at",
        defaults=("", "", (), (), 0, 0, 0, 0, (), (), "", "", 0, "", ()),
    )
    Saved.__doc__ = """What became of one source. `outcome` is saved, nothing, wip, shrunk, stub,
    missing, unreadable, excluded, deleted or busy; `note` says more in one sentence. `branch` is
    `<session>/<branch>`; `versions` oldest first, `made` how many there are where only the newest
    are listed; `damaged` records are counted over the whole session, `damaged_at` names those of
    this save: `<stream>:<number>`, from 1; `left` names branches of tips left behind, `renamed`
    the name that the session had before."""
    SaveReport = namedtuple(
        "SaveReport", "sessions store first dry_run failures", defaults=(False, False, ())
    )
    SaveReport.__doc__ = """`first` is true when this was the first save this store ever saw.
    `failures` are automatic saves that had failed before: `<agent>/<native id>` and why."""
    Tally = namedtuple("Tally", "done total size total_size masked agent native_id")
    Tally.__doc__ = """How far a save of several sources is: sources done and in all, bytes of them,
    values masked so far, and the source that was done last ("" before the first)."""
