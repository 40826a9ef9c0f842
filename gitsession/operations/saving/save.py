"""save and import: each source grows its line; one bad session does not stop the others."""

from __future__ import annotations

import os
import sys

from gitsession.agents import registry
from gitsession.digests import sha256
from gitsession.errors import Conflict, FormatError, SourceUnreadable, StoreBusy
from gitsession.model.history import HEADS
from gitsession.model.saved import Saved, SaveReport, Tally
from gitsession.model.session import Turn
from gitsession.operations import failures, natives
from gitsession.operations.saving import heads
from gitsession.operations.saving.grow import Growth
from gitsession.operations.saving.line import find_line
from gitsession.operations.saving.past import compare_past

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import IO

    from gitsession.agents.base import Agent, Source
    from gitsession.operations.saving.grown import Grown, Wishes
    from gitsession.operations.saving.line import Line
    from gitsession.operations.saving.past import Past
    from gitsession.operations.workspace import Workspace

    Progress = Callable[[Tally], None]
    # Called before the first source and after each.

_ATTEMPTS = 4
MUCH = 8 << 20
"""From this many bytes of new sessions on, helpers are worth the cost of starting them."""

_UUID = 36
_LONG_WORD = 20
_NO_LETTERS = str.maketrans("", "", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
_TELLING = ("pass", "pwd", "pin", "secret", "token", "key", "phrase", "credential")

_BUGS = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, AssertionError,
         RecursionError, MemoryError)  # fmt: skip
"""What an adapter may raise for one session; it does not stop the others."""

_NOTES = {
    "shrunk": "the source has fewer records than the store; nothing was changed",
    "stub": "the source contains only metadata; nothing was changed",
}


def save_sources(
    workspace: Workspace,
    sources: Iterable[Source],
    wishes: Wishes,
    progress: Progress | None = None,
) -> SaveReport:
    """Save every source. An error of one becomes its outcome; a single source raises its error."""
    chosen = list(sources)
    first = not wishes.auto and _is_new(workspace)
    missed = () if wishes.auto else failures.known(workspace)
    results = _save_each(workspace, chosen, wishes, progress)
    _remember_failures(workspace, results, wishes)
    if wishes.keep_head and not wishes.dry_run:
        heads.settle(workspace, list(zip(chosen, results, strict=True)))
    told = tuple(_without_secrets(workspace, saved) for saved in results)
    return SaveReport(told, workspace.store.folder, first, wishes.dry_run, missed)


def _without_secrets(workspace: Workspace, saved: Saved) -> Saved:
    """Clean what comes from the source itself: a report is shown, piped and kept."""

    def clean(text: str) -> str:
        return text if _is_harmless(text) else str(workspace.names.clean(text))

    return saved._replace(
        native_id=clean(saved.native_id), title=clean(saved.title), error=clean(saved.error)
    )


def _is_harmless(text: str) -> bool:
    """Whether a text is known to be clean without the engine: a UUID, or a few plain words."""
    if not text.strip("0123456789abcdef-"):
        return len(text) <= _UUID
    if not text.isascii() or text.translate(_NO_LETTERS).strip(" ,.!?'-"):
        return False
    small = text.lower()
    longest = max(map(len, small.split()), default=0)
    return longest < _LONG_WORD and not any(word in small for word in _TELLING)


def _is_new(workspace: Workspace) -> bool:
    """Whether nothing was ever saved here; usually the operation log answers without the refs."""
    return not workspace.store.oplog.last_id() and not workspace.store.refs(HEADS)


def _save_each(
    workspace: Workspace, sources: Sequence[Source], wishes: Wishes, progress: Progress | None
) -> list[Saved]:
    """Return the outcomes, in the order of the sources."""
    tally = Tally(0, len(sources), 0, sum(source.size for source in sources), 0, "", "")
    if progress is not None:
        progress(tally)
    results: dict[int, Saved] = {}
    for place, saved in _outcomes(workspace, sources, wishes):
        results[place] = saved
        tally = tally._replace(
            done=tally.done + 1, size=tally.size + sources[place].size,
            masked=tally.masked + len(saved.findings), agent=saved.agent,
            native_id=_without_secrets(workspace, saved).native_id if progress else "",
        )  # fmt: skip
        if progress is not None:
            progress(tally)
    return [results[place] for place in range(len(sources))]


def _outcomes(
    workspace: Workspace, sources: Sequence[Source], wishes: Wishes
) -> Iterator[tuple[int, Saved]]:
    """Yield each source's position with its outcome: saved here, or by helpers if there is much."""
    # One after another if each save moves HEAD: the last one decides.
    alone = not wishes.keep_head or workspace.store.is_missing
    helpers = 1 if alone else _helpers(workspace, sources)
    if helpers < 2:
        for place, source in enumerate(sources):
            yield (
                place,
                save_one(workspace, source, wishes, keep_going=len(sources) > 1, anew=place == 0),
            )
        return
    from gitsession.operations.saving.crew import Crew

    with Crew(workspace, wishes, helpers) as crew:
        yield from crew.save(sources)
    workspace.store.pack_soon()


def _helpers(workspace: Workspace, sources: Sequence[Source]) -> int:
    """Return how many processes the work is worth."""
    if len(sources) < 2 or not sys.executable or any(s.data is not None for s in sources):
        return 1
    if sum(source.size for source in sources) < MUCH:
        return 1
    new = [s for s in sources if natives.find(workspace, s.agent, s.native_id) is None]
    if sum(source.size for source in new) < MUCH:
        return 1
    from gitsession.operations.saving.crew import MOST

    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return min(cores or 1, MOST, len(new))


def serve(workspace: Workspace, questions: IO[bytes], answers: IO[bytes]) -> None:
    """Save what another process of ours asks for (see `crew`), until it asks no more."""
    from gitsession.operations.saving import crew

    def save(source: Source, wishes: Wishes) -> Saved:
        return save_one(workspace, source, wishes, keep_going=True, anew=False)

    workspace.store.packs = False  # next to the helpers it would take more memory than all of them
    workspace.environment.may_fork = False  # each helper has a core, and none is left
    crew.serve(save, questions, answers)


def save_one(
    workspace: Workspace,
    source: Source,
    wishes: Wishes,
    *,
    keep_going: bool = False,
    anew: bool = True,
) -> Saved:
    """Save one source under the lock of its session; try again if another save was faster.

    `anew` is False for those after the first of many: what was read of the store's tips holds."""
    if anew:
        workspace.natives_of_tips = None
    why = refused(workspace, source, wishes.named)
    if why:
        return Saved(source.agent, source.native_id, why[0], title=source.title, note=why[1])
    agent = registry.get(source.agent)
    try:
        return _attempts(workspace, agent, source, wishes)
    except (SourceUnreadable, FormatError, StoreBusy, Conflict) as error:
        if not keep_going:
            raise
        outcome = "busy" if isinstance(error, StoreBusy | Conflict) else "unreadable"
        return Saved(source.agent, source.native_id, outcome, error=str(error))
    except _BUGS as bug:
        if not keep_going or wishes.auto:
            raise
        said = f"this is a bug in gitsession ({type(bug).__name__}); save it alone to get a log"
        return Saved(source.agent, source.native_id, "unreadable", error=said)


def _attempts(workspace: Workspace, agent: Agent, source: Source, wishes: Wishes) -> Saved:
    if workspace.store.is_missing:  # a dry run before the first save: nothing to guard yet
        return _save(workspace, agent, source, wishes)
    name = sha256(f"{source.agent}\0{source.native_id}".encode("utf-8", "replace"))
    lock = workspace.store.lock(
        f"save-{name.hexdigest()[:16]}", timeout=workspace.config["lock.timeout"]
    )
    with workspace.store.at_work(), lock:
        for attempt in range(_ATTEMPTS):
            try:
                return _save(workspace, agent, source, wishes)
            except Conflict:
                if attempt == _ATTEMPTS - 1:
                    raise
        raise AssertionError("unreachable")


def _save(workspace: Workspace, agent: Agent, source: Source, wishes: Wishes) -> Saved:
    line = find_line(workspace, source)
    past = compare_past(workspace, agent, source, line)
    if past.kind in _NOTES:
        return Saved(
            source.agent, source.native_id, past.kind, branch=line.branch, title=source.title,
            note=_NOTES[past.kind],
        )  # fmt: skip
    if past.kind == "changed" and wishes.given:
        from gitsession.operations.saving import earlier

        if earlier.holds(workspace, agent, source, line):
            return Saved(
                source.agent, source.native_id, "nothing", branch=line.branch, title=source.title,
                note="an earlier version holds it already",
            )  # fmt: skip
    growth = Growth(workspace, agent, source, line, past)
    grown = growth.preview(wishes) if wishes.dry_run else growth.run(wishes)
    return _saved(source, line, past, grown)


def _saved(source: Source, line: Line, past: Past, grown: Grown) -> Saved:
    in_work = grown.wip_moved and bool(grown.last and (grown.last.turn or Turn()).messages)
    outcome = "saved" if grown.versions else "wip" if in_work else "nothing"
    note = ""
    if past.kind == "changed":
        note = "the source was rewritten; the earlier history stays in the log"
    return Saved(
        agent=source.agent,
        native_id=source.native_id,
        outcome=outcome,
        branch=grown.branch or line.branch,
        title=grown.last.info.title if grown.last else source.title,
        versions=tuple(grown.versions),
        findings=tuple(grown.findings),
        new_records=grown.records,
        new_bytes=grown.size,
        damaged=grown.damaged,
        damaged_at=tuple(grown.damaged_at),
        foreign=grown.foreign,
        withheld=tuple(dict.fromkeys(grown.withheld)),
        left=tuple(name for name, _ in grown.left),
        note=note,
        made=grown.made,
        renamed=grown.renamed,
    )


def refused(workspace: Workspace, source: Source, named: bool) -> tuple[str, str] | None:
    """Return why this source may not be read at all: excluded, or deleted by its owner.

    Naming a deleted session by hand lifts its tombstone.
    """
    if is_excluded(workspace, source.agent, source.native_id, source.cwd):
        return "excluded", "excluded by you; `gitsession exclude --undo` reverts that"
    name = f"{source.agent}/{source.native_id}"
    if workspace.store.records.read("tombstones", name) is None:
        return None
    if named:
        natives.raise_again(workspace, [name])
        return None
    return "deleted", "deleted by you; `gitsession save ID` brings it back"


def is_excluded(workspace: Workspace, agent: str, native_id: str, folder: str) -> bool:
    """Whether a person excluded this native session; fast for the many who exclude nothing."""
    if not workspace.config.mappings["excluded"]:
        return False
    from gitsession.operations import excluded

    return excluded.is_excluded(workspace, agent, native_id, folder)


def _remember_failures(workspace: Workspace, results: list[Saved], wishes: Wishes) -> None:
    """Record failures of automatic saves, which are silent: status and save report them."""
    for saved in results:
        name = f"{saved.agent}/{saved.native_id}"
        if saved.error and wishes.auto:
            clean = workspace.names.clean
            failures.note(workspace, clean(name), clean(saved.error))
        elif not saved.error and not wishes.dry_run:
            failures.clear(workspace, name)
