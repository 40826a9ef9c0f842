"""The messages with which save, checkout, undo and fsck end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gitsession.render import safe, words
from gitsession.render.palette import PLAIN, Palette

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.model.report import Checkout, Operation, Problem, Saved, SaveReport

VERSIONS_SHOWN = 5
_OUTCOMES: Mapping[str, str] = {
    "nothing": "nothing to save",
    "wip": "the turn is not finished: kept as work in progress",
    "shrunk": "its file has fewer records than the store: nothing was saved or removed",
    "stub": "its file contains only metadata now: nothing was saved or removed",
    "missing": "its file is gone",
    "unreadable": "could not be read",
    "excluded": "is excluded and was not read",
    "deleted": "was deleted here and is skipped; `gitsession save ID` saves it again",
    "busy": "is being saved by another process",
}
_FINDINGS = "`gitsession show --findings` lists them"
_NAMED = 10
_TROUBLE = ("shrunk", "stub", "missing", "unreadable", "busy")


def saved(
    report: SaveReport, *, palette: Palette = PLAIN, width: int = 100, here: bool = True
) -> Iterator[str]:
    """Yield every session that was affected, then the sums; more after the first save. `here` says
    that the directory's HEAD is one of them."""
    if report.dry_run:
        yield palette("warning", "Dry run: nothing was written.")
    if not report.sessions:
        yield "Nothing to save: no session was found."
        yield palette("hint", "hint: `gitsession agents` shows where sessions are looked for")
        return
    several = len(report.sessions) > 1
    quiet = [item for item in report.sessions if item.outcome == "nothing"]
    for item in report.sessions:
        if item.outcome != "nothing" or not several:
            yield from _session(item, report.dry_run, palette, width, brief=several)
    if several:
        yield from _sums(report, len(quiet))
    if report.first and not report.dry_run:
        yield from _first(report, palette, here)


def _session(
    item: Saved, dry_run: bool, palette: Palette, width: int, brief: bool
) -> Iterator[str]:
    name = _title(item)
    branch = safe.short(item.branch, 100)
    if item.outcome == "saved":
        would = "Would save" if dry_run else "Saved"
        amount = words.plural(_made(item), "version")
        title = safe.short(item.title, max(min(70, width - 26), 24))
        yield f"{palette('ok', would)} {amount}" + (
            f" of {palette('title', f'“{title}”')}" if title else ""
        )
        source = f"{safe.short(item.agent, 30)} {safe.short(item.native_id, 60)}"
        room = safe.cells(source) + safe.cells(branch) + 5 <= width
        yield f"  {source}" + (f" → {palette('branch', branch)}" if branch and room else "")
        if branch and not room:
            yield f"  → {palette('branch', branch)}"
        if not brief:
            yield from _versions(item, palette, width)
    elif item.outcome == "nothing":
        yield f"Nothing to save: {branch or name} is up to date."
    else:
        role = "error" if item.outcome in _TROUBLE else "changed"
        sentence = _OUTCOMES.get(item.outcome, safe.short(item.outcome, 40))
        yield f"{name}: {palette(role, palette.own(sentence))}"
        if item.error:
            yield f"  {palette.own(safe.short(item.error, width))}"
    yield from _notes(item, palette, width)


def _made(item: Saved) -> int:
    """Return how many versions a save made; if there are very many, it lists only the newest."""
    return max(item.made, len(item.versions))


def _title(item: Saved) -> str:
    source = f"{safe.short(item.agent, 30)} {safe.short(item.native_id, 60)}"
    title = safe.short(item.title, 60)
    return f"“{title}” ({source})" if title else source


def _versions(item: Saved, palette: Palette, width: int) -> Iterator[str]:
    newest = item.versions[-VERSIONS_SHOWN:]
    if hidden := _made(item) - len(newest):
        yield palette("dim", f"  … {words.plural(hidden, 'older version')}")
    for version in newest:
        kind = version.trailers.get("Kind", "turn")
        note = (
            "" if kind in ("turn", "import") else palette("warning", f" [{safe.short(kind, 20)}]")
        )
        subject = safe.short(version.subject, width - 24) or "(no prompt)"
        yield f"  {palette('id', version.id[:8])} {subject}{note}"


def _notes(item: Saved, palette: Palette, width: int) -> Iterator[str]:
    if item.findings:
        masked = f"{_masked([item])} before storing"
        yield f"  {palette('warning', masked)}; {palette('hint', _FINDINGS)}"
    if item.damaged:
        yield f"  {words.plural(item.damaged, 'damaged record')} kept byte for byte{_named(item)}"
    if item.foreign:
        yield f"  {words.plural(item.foreign, 'record')} of another session kept"
    if item.withheld:
        yield f"  {_without_content(item.withheld)}"
    if item.renamed:
        name = safe.short(item.branch.partition("/")[0], 100)
        yield f"  now called {palette('branch', name)} (was {safe.short(item.renamed, 100)})"
    for branch in item.left:
        yield f"  the line that was left is branch {palette('branch', safe.short(branch, 100))}"
    if item.note and item.outcome not in _OUTCOMES:
        yield f"  {palette.own(safe.short(item.note, width))}"


def _named(item: Saved) -> str:
    """Return `: record 8, record 2 of subagents/x`, the damaged records of this save, as far as
    they fit on a line."""
    names = []
    for place in item.damaged_at[:_NAMED]:
        stream, _, number = place.rpartition(":")
        names.append(f"record {number}" + (f" of {stream}" if stream != "main" else ""))
    if len(item.damaged_at) > _NAMED:
        names.append("…")
    return ": " + safe.short(", ".join(names), 400) if names else ""


def _without_content(withheld: Sequence[tuple[str, str]]) -> str:
    reasons: dict[str, int] = {}
    for _, reason in withheld:
        reasons[reason] = reasons.get(reason, 0) + 1
    if len(reasons) == 1:
        said = next(iter(reasons))
    else:
        said = ", ".join(f"{count} {reason}" for reason, count in sorted(reasons.items()))
    return f"{words.plural(len(withheld), 'file')} without content ({safe.short(said, 200)})"


def _masked(items: Sequence[Saved]) -> str:
    """Return how many distinct values were masked, and in how many places; "" for none."""
    placeholders = [finding.placeholder for item in items for finding in item.findings]
    return words.masked(len(set(placeholders)), len(placeholders))


def _sums(report: SaveReport, quiet: int) -> Iterator[str]:
    changed = [item for item in report.sessions if item.outcome == "saved"]
    versions = sum(map(_made, changed))
    said = [f"{words.plural(versions, 'version')} of {words.plural(len(changed), 'session')}"]
    if masked := _masked(report.sessions):
        said.append(masked)
    if quiet:
        said.append(f"{quiet:,} already up to date")
    if trouble := sum(item.outcome in _TROUBLE for item in report.sessions):
        said.append(f"{trouble:,} with problems")
    yield "Total: " + ", ".join(said) + "."


def _first(report: SaveReport, palette: Palette, here: bool) -> Iterator[str]:
    yield ""
    yield f"This was the first save. Everything is stored in {safe.line(report.store)}"
    yield "Nothing was written into your project, and nothing leaves this machine unless you push."
    yield "The store is not encrypted: anyone who can read your files can read it."
    commands = list(_next(report, here))
    longest = max(len(command) for command, _ in commands)
    for command, what in commands:
        yield f"  {palette('hint', command.ljust(longest))}  {what}"


def _next(report: SaveReport, here: bool) -> Iterator[tuple[str, str]]:
    """Yield commands to continue with: for this directory's session, or the newest one in the
    list."""
    back = "~1" if any(_made(item) > 1 for item in report.sessions) else ""
    if here:
        yield "gitsession log", "list its versions"
        yield "gitsession diff", "show what the last turn changed"
    else:
        yield "gitsession list --all", "list the sessions; @1 is the newest"
        yield "gitsession log @1", "list its versions"
    yield (
        f"gitsession checkout {'HEAD' if here else '@1'}{back}",
        "go back one turn; the agent continues from there"
        if back
        else "continue in a new session of the agent",
    )
    yield "gitsession show --findings" + ("" if here else " @1"), "show what was masked"
    yield "gitsession hooks install", "save every turn automatically"


def checkout(done: Checkout, *, palette: Palette = PLAIN, width: int = 100) -> Iterator[str]:
    """Yield the current position and, alone on the last line, the command that continues."""
    for branch in done.saved_first:
        yield f"First saved what was unsaved on {palette('branch', safe.short(branch, 100))}."
    would = "Would roll back" if done.dry_run else "Rolled back"
    subject = safe.short(done.version.subject, 60)
    yield f"{would} to {palette('id', done.version.id[:8])} “{subject}”"
    rows = [("branch", done.branch), ("session", f"{done.agent} {done.native_id}")]
    if done.path:
        rows.append(("reused" if done.reused else "written", done.path))
    for name, value in rows:
        yield f"  {palette('dim', name.ljust(9))}{safe.short(value, 400)}"
    for sentence in done.repairs:
        yield f"  {palette('dim', 'repaired'.ljust(9))}{safe.short(sentence, width)}"
    for sentence in done.losses:
        yield f"  {palette('warning', 'lost'.ljust(9))}{safe.short(sentence, width)}"
    for sentence in done.warnings:
        yield f"  {palette('warning', 'differs'.ljust(9))}{safe.short(sentence, width)}"
    if done.masked:
        masked = words.plural(done.masked, "value")
        yield palette("warning", f"  The agent will see {masked} masked.")
    if done.note:
        for sentence in done.note.split("; "):  # whole, because it contains the way back
            yield f"  {palette.own(safe.short(sentence, 400))}"
    if done.files is not None:
        from gitsession.render import checkout_files

        yield from checkout_files.lines(
            done.files, dry_run=done.dry_run, palette=palette, width=width
        )
    if done.command and not done.dry_run:
        yield ""
        yield "Continue with:"
        yield f"  {palette('hint', command_line(done.command, done.cwd))}"


def command_line(command: Sequence[str], cwd: str = "") -> str:
    """Return a command that can be pasted into a shell, with visible characters only."""
    import re
    import shlex

    quoted = [shlex.quote(safe.line(word)) for word in command]
    said = " ".join(quoted)
    if tuple(command[:2]) == ("sh", "-c"):  # joined as the shell would do it
        script = command[2].replace("exec ", "")
        said = re.sub(r'"\$(\d)"', lambda found: quoted[3 + int(found[1])], script)
    return f"cd {shlex.quote(safe.line(cwd))} && {said}" if cwd else said


def operation(
    done: Operation, *, taken_back: bool = True, palette: Palette = PLAIN
) -> Iterator[str]:
    """Yield the result of `undo` or `redo`: which operation, and where its refs are now."""
    from gitsession.render.listing import move

    did = "Undid" if taken_back else "Redid"
    number = done.undoes or done.id
    yield f"{did} operation {palette('id', str(number))} ({safe.short(done.verb, 40)})"
    backward = taken_back and not done.undoes
    for ref, old, new in done.refs:
        shown = move(ref, new, old) if backward else move(ref, old, new)
        yield f"  {safe.line(shown)}"
    if done.details.get("files"):
        yield "  the files that it had put back are as they were" + (
            "" if taken_back else " after it"
        )
    left = done.details.get("left")
    for sentence in left if isinstance(left, tuple) else ():
        yield "  " + palette("warning", f"left: {safe.line(str(sentence))}")


def problems(found: Sequence[Problem], *, palette: Palette = PLAIN) -> Iterator[str]:
    """Yield what `fsck` found, or that all is well."""
    from gitsession.render.listing import table

    if not found:
        yield palette("ok", "No problems found.")
        return
    rows = []
    for item in found:
        said = item.message + (f" (last good: {item.last_good[:8]})" if item.last_good else "")
        rows.append((item.kind, item.place, said))
    yield from table(rows, palette=palette, roles=("error", "title"))
    yield f"{words.plural(len(rows), 'problem')} found."


def scanned(rows: Sequence[tuple[str, str, str]], *, palette: Palette = PLAIN) -> Iterator[str]:
    """Yield what `scan` found, each as (place, rule, placeholder)."""
    from gitsession.render.listing import table

    if not rows:
        yield palette("ok", "No secrets found.")
        return
    heading = ("place", "rule", "would become")
    yield from table(rows, palette=palette, heading=heading, roles=("title", "warning"))
    yield f"{words.plural(len(rows), 'secret')} found; nothing was written."
