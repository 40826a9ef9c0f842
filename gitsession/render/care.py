"""The output of gc, du and doctor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gitsession.render import safe, words
from gitsession.render.listing import table
from gitsession.render.palette import PLAIN, Palette

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.model.care import Check, Fate, GcDone, GcPlan, Usage

_ROLES = {"OK": "ok", "WARN": "warning", "FAIL": "error"}


def plan(
    found: GcPlan, *, palette: Palette = PLAIN, width: int = 0, brief: bool = False
) -> Iterator[str]:
    """Yield every version with its fate and the reason, then the sums; with `brief` only the
    sums."""
    if found.fates and not brief:
        yield from _fates(found.fates, palette, width)
        yield ""
    if found.fates:
        stay = len(found.fates) - len(found.going)
        goes = words.plural(len(found.going), "version")
        yield f"{palette('warning', f'{goes} would be removed')}, {stay:,} would stay."
    if found.operations:
        what = words.plural(found.operations, "operation")
        yield f"{what} could no longer be undone ({palette('hint', 'gitsession oplog')})."
    for branch in found.wip:
        yield f"Drops work in progress of {safe.short(branch, 100)}: finished or orphaned."
    dropped = words.plural(found.dropped, "object")
    yield (
        f"{dropped} of {found.objects:,} would be dropped: {words.size(found.freed)} of "
        f"{words.size(found.size)}; {found.loose:,} loose would be packed."
    )
    if found.loses:
        yield "This cannot be undone."


def _fates(fates: Sequence[Fate], palette: Palette, width: int) -> Iterator[str]:
    branch = None
    for fate in fates:
        if fate.branch != branch:
            if branch is not None:
                yield ""
            branch = fate.branch
            yield palette(
                "branch",
                safe.short(branch, 100) or "(work in progress, and only reachable from tags)",
            )
        keep = bool(fate.reasons)
        mark = palette("ok", "keep") if keep else palette("error", "drop")
        subject = safe.short(fate.subject, 44)
        why = safe.short(", ".join(fate.reasons), max(width - 80, 60))
        row = f"  {mark}  {palette('id', fate.id[:8])}  {words.moment(fate.time)}  "
        yield row + (f"{safe.pad(subject, 44)}  {palette('dim', why)}" if keep else subject)


def done(made: GcDone, *, palette: Palette = PLAIN) -> Iterator[str]:
    if made.versions:
        gone, new = words.plural(made.versions, "version"), words.plural(made.rewritten, "id")
        yield f"Removed {gone}; {new} of versions and tags changed, the old ones still work."
    if made.operations:
        yield f"Earlier operations can no longer be undone ({made.operations:,})."
    freed = max(0, made.before - made.after)
    yield palette("ok", f"Packed: {words.size(made.after)} on disk, {words.size(freed)} less.")
    for name in made.remotes:
        shown = safe.line(name)
        command = palette("hint", f"gitsession push {shown} --all --scrubbed")
        yield f"The remote {shown} still has them: {command}"


def usage(
    found: Usage, limit: int = 0, *, palette: Palette = PLAIN, width: int = 0
) -> Iterator[str]:
    """Yield one row per session, largest first, then the whole store and what gc could gain."""
    shown = found.sessions[:limit] if limit else found.sessions
    rows = [
        (words.size(row.unique), words.size(row.shared), words.size(row.history),
         f"{row.objects:,}", f"{row.versions:,}", row.session)
        for row in shown
    ]  # fmt: skip
    heading = ("alone", "shared", "history", "objects", "versions", "session")
    yield from table(
        rows, palette=palette, heading=heading, roles=("", "dim", "dim", "dim", "dim", "title"),
        right=(0, 1, 2, 3, 4), width=width,
    )  # fmt: skip
    if hidden := len(found.sessions) - len(shown):
        yield palette("dim", f"… and {words.plural(hidden, 'session')} more")
    yield ""
    sessions = words.plural(len(found.sessions), "session")
    yield (
        f"{sessions}: {words.size(found.disk)} on disk, {words.plural(found.objects, 'object')} of "
        f"{words.size(found.bytes)}, {words.plural(found.packs, 'pack')}"
    )
    if found.loose:
        loose = words.plural(found.loose, "object")
        yield (
            f"  {loose} not packed: {words.size(found.loose_bytes)}; packing frees at least "
            f"{words.size(found.slack)} ({palette('hint', 'gitsession gc')})"
        )
    if free := found.held + found.unreachable:
        yield (
            f"  kept for undo {words.size(found.held)}, unreachable "
            f"{words.size(found.unreachable)}: "
            f"{palette('hint', 'gitsession gc')} frees {words.size(free)}"
        )


def checks(found: Sequence[Check], *, palette: Palette = PLAIN) -> Iterator[str]:
    """Yield `[OK]`, `[WARN]` and `[FAIL]` lines, each with its hint, and a sum."""
    for check in found:
        mark = palette(_ROLES.get(check.level, ""), f"[{check.level}]")
        yield f"{mark}{' ' * (5 - len(check.level))} {check.name}: {safe.short(check.message, 500)}"
        if check.hint:
            yield "       " + palette("hint", f"hint: {safe.short(check.hint, 500)}")
    counts = {level: sum(one.level == level for one in found) for level in _ROLES}
    yield ""
    yield ", ".join(f"{counts[level]} {level}" for level in _ROLES)
