"""How a SaveReport is printed: what was saved as the result, what failed as errors with a code."""

from __future__ import annotations

import time

from gitsession.render import safe, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gitsession.cli.context import Context
    from gitsession.cli.terminal import Progress
    from gitsession.model.report import Saved, SaveReport
    from gitsession.model.saved import Tally

_WORTH_SAYING = 90.0
"""The remaining time, in seconds, above which it is shown."""
FAILED = {"unreadable": 16, "missing": 16, "busy": 11}
_HINTS = {
    "unreadable": "`gitsession agents` lists the formats that can be read",
    "missing": "what was saved stays: gitsession list",
    "busy": "wait for the other process and run the command again",
}


def each(progress: Progress) -> Callable[[Tally], None]:
    """Return what Repository calls before the first source and after each, to show progress."""
    started = time.monotonic()

    def step(tally: Tally) -> None:
        now = f"{tally.agent} {tally.native_id}"
        if not tally.done:
            now = ""
        elif tally.size and (left := _left(tally, time.monotonic() - started)) > _WORTH_SAYING:
            now = f"about {left / 60:.0f} min left"
        said = (f"{tally.done:,} of {words.plural(tally.total, 'session')}, "
                f"{words.size(tally.size)} of {words.size(tally.total_size)}, "
                f"{tally.masked:,} masked  {now}")  # fmt: skip
        progress(tally.size, tally.total_size, said)

    return step


def _left(tally: Tally, seconds: float) -> float:
    """Return the seconds that the rest will take at the same rate."""
    return seconds * (tally.total_size - tally.size) / tally.size


def tell(report: SaveReport, context: Context, *, named: bool, quiet: bool = False) -> int:
    """Print the report and return the exit code. If sources were `named`, each failed one counts;
    otherwise one readable source makes the whole a success."""
    code = exit_code(report.sessions, named)
    if context.as_json:
        context.answer("save", report=report)
        return code
    good, failed = report.sessions, _failed(report.sessions) if named else ()
    if failed:
        good = tuple(saved for saved in report.sessions if saved not in failed)
    if not quiet and (good or not failed):
        _print(report, good, context, named)
    for saved in failed:
        source = f"{saved.agent} {saved.native_id}".strip()
        reason = saved.error or saved.note or saved.outcome
        context.terminal.warn(safe.line(f"error: {source}: {reason}"))
        context.terminal.warn(f"hint: {_HINTS[saved.outcome]}")
    for name, reason in report.failures:  # nobody saw them when they happened
        context.terminal.warn(safe.line(f"warning: the automatic save of {name} failed: {reason}"))
    if report.failures:
        context.terminal.warn("hint: `gitsession status` lists what is still not saved")
    return code


def exit_code(sessions: Sequence[Saved], named: bool) -> int:
    codes = [FAILED.get(saved.outcome, 0) for saved in sessions]
    if not named and 0 in codes:
        return 0
    return max(codes, default=0)


def _failed(sessions: Sequence[Saved]) -> tuple[Saved, ...]:
    return tuple(saved for saved in sessions if saved.outcome in FAILED)


def _print(report: SaveReport, sessions: Sequence[Saved], context: Context, named: bool) -> None:
    from gitsession.render import report as drawn

    first = report.first and any(saved.versions for saved in sessions)
    shown = report._replace(sessions=tuple(sessions), first=first)
    palette, width = context.palette, context.terminal.width
    here = named or not first or bool(context.repository().head())
    for text in drawn.saved(shown, palette=palette, width=width, here=here):
        context.terminal.line(text)
