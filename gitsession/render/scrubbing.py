"""What a scrub found and did, in words: first what only the person can do."""

from __future__ import annotations

from gitsession.render.safe import line as visible
from gitsession.render.words import plural

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitsession.model.report import Scrubbed, ScrubPlan

_ROTATE = "Change (rotate) the secret first: copies that others have cannot be called back."
_MOST = 20


def plan(found: ScrubPlan, *, final: bool = False) -> Iterator[str]:
    """Where the value stands. `final` when nothing will follow (`--dry-run`)."""
    yield _ROTATE
    yield ""
    number = sum(found.objects.values())
    kinds = ", ".join(plural(count, kind) for kind, count in sorted(found.objects.items()))
    total = plural(found.total, "object")
    if number:
        yield f"Found in {number:,} of {total} ({kinds})."
    else:
        yield f"Found in none of {total}; names and records are looked at too."
    for name in found.placeholders:
        yield f"It becomes {name}"
    yield from _elsewhere(found.remotes, found.natives)
    if not final:
        yield ""
        yield "Versions from the first one on that holds it get new ids; old ids still find them."
        yield "What undo could bring back until now is dropped. This cannot be undone."


def done(made: Scrubbed) -> Iterator[str]:
    """What became of it, and what is left to do elsewhere."""
    changed = plural(made.versions, "version or tag", "versions and tags")
    ids = "has a new id" if made.versions == 1 else "have new ids"
    yield f"Scrubbed: {plural(made.contents, 'content')} replaced, {changed} {ids}."
    yield f"All {made.checked:,} objects that are left were read: the value is in none."
    yield "From now on it is masked in every save, import and fetch."
    yield from _elsewhere(made.remotes, made.natives)
    for name in made.remotes:
        yield visible(f"  gitsession push {name} --all --scrubbed   replaces it there")
    yield ""
    yield "Not in reach: clones, forks, backups, and what a host keeps of old objects."
    yield _ROTATE


def _elsewhere(remotes: tuple[str, ...], natives: tuple[str, ...]) -> Iterator[str]:
    for name in remotes:
        yield visible(f"It was sent to the remote {name}.")
    if natives:
        yield "The agents' own files still hold it (they are never edited):"
        yield from (visible(f"  {path}") for path in natives[:_MOST])
    if len(natives) > _MOST:
        yield f"  and {len(natives) - _MOST} more"
