"""`list`, `branch`, `tag`, `agents`, `oplog`: rows as text. Fast to import, as `log` is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from gitsession.model.history import WIP
from gitsession.render import safe, words
from gitsession.render.palette import PLAIN, Palette

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.model.history import Tip
    from gitsession.model.report import Operation, SessionRow


def sessions(
    rows: Sequence[SessionRow],
    now: int,
    *,
    palette: Palette = PLAIN,
    width: int = 100,
    projects: bool = False,
) -> Iterator[str]:
    """Yield sessions under the day of their newest version; rows keep their numbers (`@1`). With
    `projects` each one also names its project folder."""
    day = ""
    numbers = max([len(str(row.row)) for row in rows], default=1) + 1
    for place, row in enumerate(rows):
        heading = words.day(row.time, now)
        if heading != day:
            if place:
                yield ""
            yield palette("heading", heading)
            day = heading
        yield from _session(row, now, numbers, palette, width, projects)


def _session(
    row: SessionRow, now: int, numbers: int, palette: Palette, width: int, projects: bool
) -> Iterator[str]:
    mark = f"@{row.row}".ljust(numbers)
    margin = " " * (numbers + 4)
    age = words.age(row.time, now)
    room = max(width - len(margin) - len(age) - 2, 20)
    title = safe.short(row.title, room) or safe.short(row.session, room)
    if not row.readable:
        title = safe.cut("(unreadable) " + title, room)
    gap = " " * (room - safe.cells(title) + 2)
    yield f"  {palette('id', mark)}  {palette('title', title)}{gap}{palette('dim', age)}"
    inside = width - len(margin)
    yield margin + palette("dim", _facts(row, inside))
    prompt = safe.short(row.prompt, inside - 2)
    if prompt and prompt != title:
        yield f"{margin}› {prompt}"
    if len(row.branches) > 1:
        yield margin + palette("dim", safe.cut(_branch_names(row), inside))
    if projects and row.project:
        yield margin + palette("dim", "in " + safe.short(_place(row), inside - 3))


def _place(row: SessionRow) -> str:
    """Return where a session took place: its folder, else a name for its code repository."""
    if not row.project.startswith("git:"):
        return row.project.removeprefix("path:")
    if row.folder:
        return row.folder
    commit, subfolder, remote = [*row.project.split(":", 3)[1:], "", ""][:3]
    return "/".join(part for part in (remote or f"repository {commit[:8]}", subfolder) if part)


def _facts(row: SessionRow, width: int) -> str:
    """Return the session's name and agent, and its counts on the right; in little space, counts are
    left out, since a name that is cut no longer identifies the session."""
    said = [safe.line(row.session), safe.line(row.agent)]
    said += [words.plural(row.compactions, "compaction")] * bool(row.compactions)
    said += ["open"] * row.open + ["archived"] * row.archived
    name = " · ".join(said)
    amounts = [
        words.plural(row.versions, "version"), words.plural(row.messages, "message"),
        words.size(row.size),
    ]  # fmt: skip
    while amounts and safe.cells(name) + 2 + len(" · ".join(amounts)) > width:
        amounts.pop()
    if not amounts:
        return safe.cut(name, width)
    amount = " · ".join(amounts)
    return safe.pad(name, width - len(amount) - 2) + "  " + amount


def _branch_names(row: SessionRow) -> str:
    names = [safe.short(name.rpartition("/")[2], 30) for name in row.branches]
    more = f" and {len(names) - 6} more" if len(names) > 6 else ""
    return f"branches {', '.join(names[:6])}{more}"


_SAVE_ALL = "hint: `gitsession save --all` saves every session found on this machine"
_SAVE_ONE = "hint: `gitsession save` saves the newest one; `gitsession list --all` shows all"


def no_sessions(everything: bool, palette: Palette = PLAIN) -> Iterator[str]:
    """Yield the text shown instead of an empty list."""
    if everything:
        yield "No session is saved yet."
        yield palette("hint", _SAVE_ALL)
    else:
        yield "No session of this project is saved yet."
        yield palette("hint", _SAVE_ONE)


def table(
    rows: Iterable[Sequence[str]],
    *,
    palette: Palette = PLAIN,
    heading: Sequence[str] = (),
    roles: Sequence[str] = (),
    right: Sequence[int] = (),
    width: int = 0,
) -> Iterator[str]:
    """Yield columns two spaces apart. Every cell becomes one safe line; the last column is cut
    to keep a line within `width`. `roles` colours columns, `right` names those that are
    right-aligned."""
    lines = [[safe.line(cell) for cell in row] for row in rows]
    everything = [list(heading), *lines] if heading else lines
    if not lines:
        return
    widths = [max(safe.cells(row[at]) for row in everything) for at in range(len(lines[0]))]
    for number, row in enumerate(everything):
        head = bool(heading) and number == 0
        said = []
        used = 0
        for at, cell in enumerate(row):
            if at == len(row) - 1 and width:
                cell = safe.cut(cell, max(width - used, 10))
            fill = safe.pad_left if at in right else safe.pad
            filled = fill(cell, widths[at]) if at < len(row) - 1 or at in right else cell
            role = "heading" if head else roles[at] if at < len(roles) else ""
            said.append(palette(role, filled))
            used += widths[at] + 2
        yield "  ".join(said).rstrip()


def branches(
    tips: Sequence[Tip], now: int, *, head: str = "", palette: Palette = PLAIN, width: int = 100
) -> Iterator[str]:
    """Yield branches (or tags) with their newest version; `*` marks the current one."""
    rows = []
    for tip in tips:
        name = short_ref(tip.ref)
        mark = "*" if name == head else " "
        rows.append((f"{mark} {name}", tip.id[:8], words.age(tip.time, now), tip.subject))
    yield from table(rows, palette=palette, roles=("branch", "id", "dim"), width=width)


def short_ref(ref: str) -> str:
    """Return `<session>/<branch>` for a full ref name, `<session>/<branch>@wip` for work in
    progress."""
    if ref.startswith(WIP):
        return ref[len(WIP) :] + "@wip"
    for prefix in ("refs/heads/", "refs/tags/", "refs/remotes/"):
        if ref.startswith(prefix):
            return ref[len(prefix) :]
    return ref


def operations(
    entries: Sequence[Operation], now: int, *, palette: Palette = PLAIN, width: int = 100
) -> Iterator[str]:
    """Yield the operation log, newest first: number, age, verb, and where each ref moved."""
    rows = []
    for entry in entries:
        verb = entry.verb + (" (auto)" if entry.automatic else "")
        if entry.undoes:
            verb += f" of {entry.undoes}"
        moves = [move(*refs) for refs in entry.refs[:3]]
        if len(entry.refs) > 3:
            moves.append(f"and {len(entry.refs) - 3} more")
        if not moves:
            moves = _stood(entry.details.get("heads"))
        rows.append((str(entry.id), words.age(entry.time, now), verb, "; ".join(moves)))
    roles = ("id", "dim", "title")
    yield from table(rows, palette=palette, roles=roles, right=(0,), width=width)


def _stood(heads: object) -> list[str]:
    """Return `HEAD at <session>/<branch>`: where an operation that moved no ref left its
    directory."""
    rows = heads if isinstance(heads, (list, tuple)) else ()
    now = [str(row[2]) for row in rows if isinstance(row, (list, tuple)) and len(row) == 3]
    return [f"HEAD at {name}" for name in now[:1] if name]


def move(ref: str, old: str, new: str) -> str:
    """Describe a ref's move in a few words."""
    name = short_ref(ref)
    if not new.strip("0"):
        return f"{name} removed (was {old[:8]})"
    if not old.strip("0"):
        return f"{name} at {new[:8]}"
    return f"{name} {old[:8]} → {new[:8]}"
