"""The work behind each verb of Repository: one file a verb, plain functions, values in and out.

The rooms are imported when they are named: `operations.save` must not cost a `log` anything.
"""

from __future__ import annotations

import importlib

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

    from gitsession.operations import automatic as automatic
    from gitsession.operations import branches as branches
    from gitsession.operations import check as check
    from gitsession.operations import check_session as check_session
    from gitsession.operations import checkout as checkout
    from gitsession.operations import children as children
    from gitsession.operations import clean as clean
    from gitsession.operations import context_marks as context_marks
    from gitsession.operations import context_request as context_request
    from gitsession.operations import context_view as context_view
    from gitsession.operations import difference as difference
    from gitsession.operations import doctor as doctor
    from gitsession.operations import du as du
    from gitsession.operations import events as events
    from gitsession.operations import export as export
    from gitsession.operations import failures as failures
    from gitsession.operations import fallback as fallback
    from gitsession.operations import file_checkout as file_checkout
    from gitsession.operations import gc as gc
    from gitsession.operations import grow as grow
    from gitsession.operations import grown as grown
    from gitsession.operations import history as history
    from gitsession.operations import injection as injection
    from gitsession.operations import listing as listing
    from gitsession.operations import past_operation as past_operation
    from gitsession.operations import place as place
    from gitsession.operations import pre_push as pre_push
    from gitsession.operations import previous as previous
    from gitsession.operations import projects as projects
    from gitsession.operations import raw as raw
    from gitsession.operations import relink as relink
    from gitsession.operations import repair as repair
    from gitsession.operations import resume as resume
    from gitsession.operations import resume_snapshot as resume_snapshot
    from gitsession.operations import review as review
    from gitsession.operations import save as save
    from gitsession.operations import scan as scan
    from gitsession.operations import scrub as scrub
    from gitsession.operations import search as search
    from gitsession.operations import sessions as sessions
    from gitsession.operations import share as share
    from gitsession.operations import show as show
    from gitsession.operations import sides as sides
    from gitsession.operations import sources as sources
    from gitsession.operations import stats as stats
    from gitsession.operations import status as status
    from gitsession.operations import tags as tags
    from gitsession.operations import undo as undo
    from gitsession.operations import unsaved as unsaved
    from gitsession.operations import watch as watch


def __getattr__(name: str) -> ModuleType:
    """A room of this folder, loaded now."""
    if name.startswith("_"):
        raise AttributeError(name)
    try:
        return importlib.import_module(f"{__name__}.{name}")
    except ModuleNotFoundError as error:
        raise AttributeError(f"no operation {name}") from error
