"""The work behind each verb of Repository: one file per verb, plain functions, values in and out.

Verbs about one thing share a room; what all rooms build on is in this folder itself. A verb's
module is imported on first use: a `log` must not pay for `operations.save`.
"""

from __future__ import annotations

import importlib

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

    from gitsession.operations import failures as failures
    from gitsession.operations import past_operation as past_operation
    from gitsession.operations import place as place
    from gitsession.operations import projects as projects
    from gitsession.operations import show as show
    from gitsession.operations import sides as sides
    from gitsession.operations.care import check as check
    from gitsession.operations.care import check_session as check_session
    from gitsession.operations.care import doctor as doctor
    from gitsession.operations.care import du as du
    from gitsession.operations.care import gc as gc
    from gitsession.operations.care import repair as repair
    from gitsession.operations.checkouts import checkout as checkout
    from gitsession.operations.checkouts import clean as clean
    from gitsession.operations.checkouts import fallback as fallback
    from gitsession.operations.checkouts import file_checkout as file_checkout
    from gitsession.operations.checkouts import resume as resume
    from gitsession.operations.contexts import context_marks as context_marks
    from gitsession.operations.contexts import context_request as context_request
    from gitsession.operations.contexts import context_view as context_view
    from gitsession.operations.hooking import automatic as automatic
    from gitsession.operations.hooking import injection as injection
    from gitsession.operations.hooking import resume_snapshot as resume_snapshot
    from gitsession.operations.hooking import watch as watch
    from gitsession.operations.marking import branches as branches
    from gitsession.operations.marking import previous as previous
    from gitsession.operations.marking import relink as relink
    from gitsession.operations.marking import sessions as sessions
    from gitsession.operations.marking import tags as tags
    from gitsession.operations.reading import children as children
    from gitsession.operations.reading import difference as difference
    from gitsession.operations.reading import events as events
    from gitsession.operations.reading import export as export
    from gitsession.operations.reading import history as history
    from gitsession.operations.reading import listing as listing
    from gitsession.operations.reading import raw as raw
    from gitsession.operations.reading import stats as stats
    from gitsession.operations.reading import status as status
    from gitsession.operations.saving import grow as grow
    from gitsession.operations.saving import grown as grown
    from gitsession.operations.saving import save as save
    from gitsession.operations.saving import sources as sources
    from gitsession.operations.saving import unsaved as unsaved
    from gitsession.operations.searching import search as search
    from gitsession.operations.secrets import scan as scan
    from gitsession.operations.secrets import scrub as scrub
    from gitsession.operations.sharing import pre_push as pre_push
    from gitsession.operations.sharing import review as review
    from gitsession.operations.sharing import share as share
    from gitsession.operations.undoing import undo as undo

# The room of each verb's file, as in the imports above; Repository need not know the rooms.
_ROOMS = {
    "automatic": "hooking",
    "branches": "marking",
    "check": "care",
    "check_session": "care",
    "checkout": "checkouts",
    "children": "reading",
    "clean": "checkouts",
    "context_marks": "contexts",
    "context_request": "contexts",
    "context_view": "contexts",
    "difference": "reading",
    "doctor": "care",
    "du": "care",
    "events": "reading",
    "export": "reading",
    "fallback": "checkouts",
    "file_checkout": "checkouts",
    "gc": "care",
    "grow": "saving",
    "grown": "saving",
    "history": "reading",
    "injection": "hooking",
    "listing": "reading",
    "pre_push": "sharing",
    "previous": "marking",
    "raw": "reading",
    "relink": "marking",
    "repair": "care",
    "resume": "checkouts",
    "resume_snapshot": "hooking",
    "review": "sharing",
    "save": "saving",
    "scan": "secrets",
    "scrub": "secrets",
    "search": "searching",
    "sessions": "marking",
    "share": "sharing",
    "sources": "saving",
    "stats": "reading",
    "status": "reading",
    "tags": "marking",
    "undo": "undoing",
    "unsaved": "saving",
    "watch": "hooking",
}


def __getattr__(name: str) -> ModuleType:
    """Import and return a verb's module, or a room or module of this folder."""
    if name.startswith("_"):
        raise AttributeError(name)
    room = f"{_ROOMS[name]}." if name in _ROOMS else ""
    try:
        return importlib.import_module(f"{__name__}.{room}{name}")
    except ModuleNotFoundError as error:
        raise AttributeError(f"no operation {name}") from error
