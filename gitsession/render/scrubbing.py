"""What a scrub found and did, in words: first what only the person can do."""

from __future__ import annotations

from gitsession.render.palette import PLAIN, Palette
from gitsession.render.safe import line as visible
from gitsession.render.words import plural

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsession.model.report import Scrubbed, ScrubPlan

_ROTATE = "Change (rotate) the secret first: copies that others have cannot be recalled."
_MOST = 20


def plan(found: ScrubPlan, *, final: bool = False) -> Iterator[str]:
    """Yield where the value occurs. `final` means that nothing follows (`--dry-run`)."""
    yield _ROTATE
    yield ""
    number = sum(found.objects.values())
    kinds = ", ".join(plural(count, kind) for kind, count in sorted(found.objects.items()))
    total = plural(found.total, "object")
    if number:
        yield f"Found in {number:,} of {total} ({kinds})."
    else:
        yield f"Not found in {total}; names and records are searched, too."
    for name in found.placeholders:
        yield f"It will be replaced by {name}"
    yield from _elsewhere(found.remotes, found.natives)
    if not final:
        yield ""
        yield "Every version from the first that contains it on gets a new id; old ids still work."
        yield "Afterwards, neither this nor any earlier operation can be undone."


def done(made: Scrubbed, palette: Palette = PLAIN) -> Iterator[str]:
    """Yield the result, and what remains to be done elsewhere."""
    changed = plural(made.versions, "version or tag", "versions and tags")
    ids = "has a new id" if made.versions == 1 else "have new ids"
    yield f"Scrubbed: {plural(made.contents, 'content')} replaced, {changed} {ids}."
    yield f"Read all {made.checked:,} remaining objects: none contains the value."
    yield "From now on it is masked in every save, import and fetch."
    yield from _elsewhere(made.remotes, made.natives)
    for name in made.remotes:
        command = palette("hint", visible(f"gitsession push {name} --all --scrubbed"))
        yield f"  {command}   replaces it there"
    yield ""
    yield "Out of reach: clones, forks, backups, and old objects that a host still keeps."
    yield _ROTATE


def _elsewhere(remotes: tuple[str, ...], natives: tuple[str, ...]) -> Iterator[str]:
    for name in remotes:
        yield visible(f"It was sent to the remote {name}.")
    if natives:
        yield "The agents' own files still contain it (gitsession never edits them):"
        yield from (visible(f"  {path}") for path in natives[:_MOST])
    if len(natives) > _MOST:
        yield f"  and {len(natives) - _MOST} more"
