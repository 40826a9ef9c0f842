"""The output of push, fetch and pull: the plan before anything is sent, and the result."""

from __future__ import annotations

from collections.abc import Iterator

from gitsession.render import safe, words
from gitsession.render.listing import short_ref, table
from gitsession.render.palette import PLAIN, Palette

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.model.report import PushPlan, Transfer

_ROWS = 12


def plan(plan: PushPlan, *, palette: Palette = PLAIN, width: int = 100) -> Iterator[str]:
    """Yield the destination, the sessions and what is sent with them; findings and problems refuse
    the push."""
    if not plan.refs and not plan.problems and not plan.findings:
        yield f"Already up to date with {palette('remote', safe.short(plan.remote, 60))}"
        return
    goes = bool(plan.refs) and not any(new for _, _, new in plan.refs)
    what = "Delete on" if goes else "Push to"
    yield f"{what} {palette('remote', safe.short(plan.remote, 60))}"
    masked = f", masked in {words.plural(plan.masked, 'place')}" if plan.masked else ""
    rows = [
        ("where", [safe.line(plan.url)]),
        ("sessions", [safe.short(name, 100) for name in plan.sessions]),
        ("versions", [] if goes else
         [f"{plan.versions:,} that the remote does not have{masked}"]),
        ("paths", [safe.short(path, width) for path in plan.paths]),
        ("author", [safe.short(plan.author, width)] if plan.author else []),
    ]  # fmt: skip
    for name, values in rows:
        for place, value in enumerate(_some(values)):
            yield f"  {palette('dim', (name if place == 0 else '').ljust(9))} {value}"
    if plan.first:
        yield palette("warning", "  First push to this remote: everyone who can read it "
                                 "can read these sessions.")  # fmt: skip
        yield palette("warning", "  A push cannot be undone.")
    for problem in plan.problems:
        yield palette("error", f"  {safe.short(problem, 400)}")
    if plan.findings:
        yield ""
        yield palette("error", f"Refused: {words.plural(len(plan.findings), 'secret')} in what "
                               "would be sent")  # fmt: skip
        yield from table(
            plan.findings, palette=palette, heading=("version", "place", "rule"), roles=("id",)
        )
        yield palette("hint", "hint: `gitsession push --allow PLACEHOLDER` sends one as it is")


def _some(values: list[str]) -> list[str]:
    if len(values) <= _ROWS:
        return values
    return [*values[: _ROWS - 1], f"and {len(values) - _ROWS + 1:,} more"]


def transfer(done: Transfer, verb: str, *, palette: Palette = PLAIN) -> Iterator[str]:
    """Yield one line per ref that moved, then the refs that did not, with reasons. `verb` is push,
    fetch or pull."""
    remote = safe.short(done.remote, 60)
    if not done.updated and not done.rejected:
        yield f"Already up to date with {palette('remote', remote)}"
    else:
        yield f"{'To' if verb == 'push' else 'From'} {palette('remote', remote)}"
    rows = [(f"  {_moved(old, new)}", short_ref(ref), "") for ref, old, new in done.updated]
    yield from table(rows, palette=palette, roles=("id", "branch"))
    rows = [("  rejected", short_ref(ref), reason) for ref, reason in done.rejected]
    yield from table(rows, palette=palette, roles=("error", "branch"))
    for note in done.notes:
        yield f"  {safe.short(note, 400)}"


def _moved(old: str, new: str) -> str:
    if not old.strip("0"):
        return "new"
    return "deleted" if not new.strip("0") else f"{old[:8]} → {new[:8]}"
