"""What `checkout --files` does, or would do, with each file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gitsession.render import safe, words
from gitsession.render.palette import PLAIN, Palette

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.model.report import FilesDone, FileStep

_SHOWN = 5
"""The number of skipped files that are named for each reason; the others are counted."""
_SIGNS: Mapping[str, tuple[str, str]] = {
    "restore": ("changed", "~"), "make": ("added", "+"), "remove": ("removed", "-"),
}  # fmt: skip


def lines(
    done: FilesDone, *, dry_run: bool = False, palette: Palette = PLAIN, width: int = 100
) -> Iterator[str]:
    """Yield one line per changed file, then the skipped files with reasons, then what could not be
    determined."""
    if done.changed:
        would = "Would restore" if dry_run else "Restored"
        yield f"{would} {words.plural(done.changed, 'file')} in {safe.short(done.root, 400)}"
    else:
        yield "No project file needed to be restored."
    for step in done.steps:
        if step.action in _SIGNS:
            role, sign = _SIGNS[step.action]
            why = f"  ({step.reason})" if step.reason else ""
            yield f"  {palette(role, f'{sign} {safe.short(step.path, width)}')}{why}"
    yield from _left([step for step in done.steps if step.action == "skip"], palette, width)
    if done.unknown:
        yield "  " + palette("warning", done.unknown)
    if done.backup:
        yield f"  {palette('dim', 'backup'.ljust(9))}{safe.short(done.backup, 400)}"
        yield "  " + palette("hint", "`gitsession undo` restores the previous files.")


def _left(steps: list[FileStep], palette: Palette, width: int) -> Iterator[str]:
    reasons: dict[str, list[str]] = {}
    for step in steps:
        reasons.setdefault(step.reason, []).append(step.path)
    for reason, paths in reasons.items():
        yield f"  {palette('warning', 'skipped')}: {safe.short(reason, 200)}"
        for path in paths[:_SHOWN]:
            yield f"    {safe.short(path, width)}"
        if len(paths) > _SHOWN:
            yield palette("dim", f"    and {len(paths) - _SHOWN:,} more")
