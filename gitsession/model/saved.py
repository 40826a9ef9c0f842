"""The answers of a save: plain values for the command line to print or dump."""

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
    Saved.__doc__ = """The result for one source. `outcome` is saved, nothing, wip, shrunk, stub,
    missing, unreadable, excluded, deleted or busy; `note` explains it in one sentence. `branch` is
    `<session>/<branch>`; `versions` are oldest first, and `made` is their number if only the newest
    are listed; `damaged` counts records of the whole session, `damaged_at` names those of this
    save: `<stream>:<number>`, from 1; `left` names the branches of tips left behind; `renamed` is
    the session's previous name."""
    SaveReport = namedtuple(
        "SaveReport", "sessions store first dry_run failures", defaults=(False, False, ())
    )
    SaveReport.__doc__ = """The result of one save. `first` is true if it was the first save into
    this store. `failures` are earlier automatic saves that failed, as `<agent>/<native id>` with
    the reason."""
    Tally = namedtuple("Tally", "done total size total_size masked agent native_id")
    Tally.__doc__ = """The progress of a save of several sources: sources done and in total, their
    bytes likewise, values masked so far, and the source done last ("" before the first)."""
