"""What `checkout --files` does, or would do, with each file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gitsession.render import safe, words
from gitsession.render.palette import PLAIN, Palette

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.model.report import FilesDone, FileStep

_SHOWN = 5
"""So many files that are left for one and the same reason are named, the others counted."""
_SIGNS: Mapping[str, tuple[str, str]] = {
    "restore": ("changed", "~"), "make": ("added", "+"), "remove": ("removed", "-"),
}  # fmt: skip


def lines(
    done: FilesDone, *, dry_run: bool = False, palette: Palette = PLAIN, width: int = 100
) -> Iterator[str]:
    """A line per file that changes, then what stays and why, then what could not be known."""
    if done.changed:
        would = "Would put back" if dry_run else "Put back"
        yield f"{would} {words.plural(done.changed, 'file')} in {safe.short(done.root, 400)}"
    else:
        yield "No file of the project had to be put back."
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
        yield "  `gitsession undo` brings the files back as they were."


def _left(steps: list[FileStep], palette: Palette, width: int) -> Iterator[str]:
    reasons: dict[str, list[str]] = {}
    for step in steps:
        reasons.setdefault(step.reason, []).append(step.path)
    for reason, paths in reasons.items():
        yield f"  {palette('warning', 'left')}: {safe.short(reason, 200)}"
        for path in paths[:_SHOWN]:
            yield f"    {safe.short(path, width)}"
        if len(paths) > _SHOWN:
            yield palette("dim", f"    and {len(paths) - _SHOWN:,} more")
