"""`status`: the state of this directory, and what is not saved yet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gitsession.render import safe, words
from gitsession.render.palette import PLAIN, Palette

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.model.report import Native, Status

_SOURCES: Mapping[str, tuple[str, str]] = {
    "missing": ("warning", "the agent's file is gone; the store has the only copy"),
    "shrunk": (
        "warning",
        "the agent's file has fewer records than the store; the store keeps them",
    ),
    "stub": ("warning", "the agent's file contains only metadata now; the store keeps the rest"),
    "held": ("dim", "saved by a program itself; there is no file"),
    "untouched": ("dim", "created by checkout, not continued yet"),
}


def text(status: Status, now: int, *, palette: Palette = PLAIN, width: int = 100) -> Iterator[str]:
    """Yield the current session and branch, its newest version, then every native session."""
    if not status.head:
        yield "No session of this directory is saved yet."
    else:
        session, _, branch = safe.short(status.head, 200).partition("/")
        if branch:
            yield f"On branch {palette('branch', branch)} of {palette('title', session)}"
        else:
            yield f"At version {palette('id', session[:8])}, on no branch"
    if status.version is not None:
        version = status.version
        line = f"{palette('id', version.id[:8])} {safe.short(version.subject, width - 30)}"
        yield f"  {line} {palette('dim', f'({words.age(version.time, now)})')}"
    if status.natives:
        yield ""
        for native in status.natives:
            yield from _native(native, palette)
    yield from _withheld(status, palette, width)
    yield from _failures(status, palette, width)
    yield from _hint(status, palette)


def _native(native: Native, palette: Palette) -> Iterator[str]:
    name = f"{safe.short(native.agent, 30)} {safe.short(native.native_id, 60)}"
    branch = safe.short(native.branch, 80)
    yield f"  {palette('title', name)}" + (f"  → {branch}" if branch else "  (not saved yet)")
    if native.unsaved_records or native.unsaved_bytes:
        amount = words.plural(native.unsaved_records, "record")
        amount = f"{amount}, {words.size(native.unsaved_bytes)}"
        yield "    " + palette("changed", f"unsaved: {amount}")
        if native.wip:
            kept = f"an automatic save keeps the turn so far: {branch}@wip"
            yield "    " + palette("dim", kept)
    elif native.source == "live":
        yield "    " + palette("ok", "everything is saved")
    if native.source in _SOURCES:
        role, sentence = _SOURCES[native.source]
        yield "    " + palette(role, f"{native.source}: {sentence}")
    yield "    " + palette("dim", safe.short(native.path, 400))


def _withheld(status: Status, palette: Palette, width: int) -> Iterator[str]:
    if status.withheld:
        yield ""
        yield palette("heading", "Files whose content is not stored")
        for path, reason in status.withheld:
            yield f"  {safe.short(path, width - 30)}  {palette('dim', safe.short(reason, 60))}"


def _failures(status: Status, palette: Palette, width: int) -> Iterator[str]:
    if status.failures:
        yield ""
        yield palette("heading", "Automatic saves that failed")
        for failure in status.failures:
            yield f"  {palette('error', safe.short(failure, width - 2))}"


def _hint(status: Status, palette: Palette) -> Iterator[str]:
    unsaved = any(native.unsaved_records or native.unsaved_bytes for native in status.natives)
    if unsaved:
        hint = "`gitsession diff` shows what is not saved yet, `gitsession save` saves it"
    elif not status.head:
        hint = "`gitsession save` saves the newest session of this directory"
    elif status.natives and all(native.source == "missing" for native in status.natives):
        hint = "`gitsession resume` recreates and continues it"
    else:
        return
    yield ""
    yield palette("hint", f"hint: {hint}")
