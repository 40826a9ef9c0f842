"""doctor's checks of the store: format, locks, failed saves, growth, secrets it knowingly holds."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator

from gitsession.errors import StoreBusy
from gitsession.files import Lock
from gitsession.model.care import Check
from gitsession.model.history import HEADS
from gitsession.operations import failures
from gitsession.render import words
from gitsession.store import layout, leftovers, usage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.operations.workspace import Workspace

_MANY_LOOSE = 6000
_MANY_PACKS = 50
_WEEK = 7 * 86400


def store(workspace: Workspace) -> Iterator[Check]:
    folder = workspace.store.folder
    yield Check("OK", "store", f"{folder}, format {layout.VERSION}", details={"path": folder})
    if not os.access(folder, os.W_OK):
        yield Check("WARN", "store", "read-only: it can be read, but nothing can be saved",
                    "check the permissions, or how its disk is mounted")  # fmt: skip
    unfinished = os.path.exists(f"{folder}/gitsession/pending.json")
    if unfinished:
        yield Check("WARN", "store", "a change was interrupted",
                    "the next command that changes anything completes it")  # fmt: skip


def locks(workspace: Workspace) -> Iterator[Check]:
    """Check who is using the store now and what dead processes left, by the lock's owner, not by
    guessing."""
    folder = workspace.store.folder
    held = sorted(name for name in _names(f"{folder}/gitsession/locks")
                  if _is_held(f"{folder}/gitsession/locks/{name}"))  # fmt: skip
    writers = _names(f"{folder}/gitsession/running")
    alive = [one for one in writers if _is_held(f"{folder}/gitsession/running/{one}")]
    dead = [one for one in writers if one not in alive]
    if alive or held:
        pids = ", ".join(sorted({one.partition("-")[0] for one in alive})) or "unknown"
        text = f"in use now by process {pids} ({', '.join(held) or 'no lock held'})"
        yield Check("OK", "locks", text, details={"held": held, "writers": alive})
    for owner in dead:
        pid, age = owner.partition("-")[0], _age(f"{folder}/gitsession/running/{owner}")
        yield Check("WARN", "locks", f"process {pid} was killed while working, {age}",
                    "the next command that changes anything cleans up after it")  # fmt: skip
    stale = list(leftovers.ref_locks(folder))
    for path in stale:
        name = path.removeprefix(f"{folder}/")
        yield Check("WARN", "locks", f"a stale lock of {name} was left {_age(f'{path}.lock')}",
                    "the next command that moves that ref removes it")  # fmt: skip
    if not (alive or held or dead or stale):
        yield Check("OK", "locks", "no process is using the store, no stale locks")


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except FileNotFoundError:
        return []


def _is_held(path: str) -> bool:
    try:
        with Lock(path, timeout=0.0):
            return False
    except StoreBusy:
        return True
    except OSError:
        return False


def _age(path: str) -> str:
    try:
        return words.age(int(os.stat(path).st_mtime), int(time.time()))
    except OSError:
        return "just now"


def saves(workspace: Workspace) -> Iterator[Check]:
    """Check for automatic saves that failed and have not been made up for."""
    known = failures.known(workspace)
    for name, reason in known[:5]:
        yield Check("WARN", "saves", f"an automatic save of {name} failed: {reason}",
                    "`gitsession save` makes up for it")  # fmt: skip
    if len(known) > 5:
        yield Check("WARN", "saves", f"and {len(known) - 5} more failed", "gitsession status")
    if not known:
        yield Check("OK", "saves", "no failed automatic saves")


def growth(workspace: Workspace) -> Iterator[Check]:
    """Check how much space the store takes, what last week added, and whether it needs packing."""
    opened = workspace.store
    size = usage.folder_size(opened.folder)
    loose, packs = usage.loose(opened)[0], usage.packs(opened)
    versions = recent = 0
    since = time.time() - _WEEK
    for version in opened.log(sorted(set(opened.refs(HEADS).values()))):
        versions += 1
        recent += version.time >= since
    week = f", about {words.size(size * recent // versions)} of it in a week" if recent else ""
    text = f"{words.size(size)}, {words.plural(versions, 'version')}{week}"
    details = {"bytes": size, "versions": versions, "recent": recent, "loose": loose}
    if loose > _MANY_LOOSE or packs > _MANY_PACKS:
        text += f"; {words.plural(loose, 'object')} not packed, {words.plural(packs, 'pack')}"
        yield Check("WARN", "growth", text, "`gitsession gc` packs them", details)
    else:
        yield Check("OK", "growth", text, "", details)


def exceptions(workspace: Workspace) -> Iterator[Check]:
    """Check what may hold a secret nevertheless, and why; nothing else may."""
    said = []
    marked = workspace.store.records.names("marked")
    if marked:
        said.append(f"{words.plural(len(marked), 'fetched ref')} with findings, marked and masked")
    backups = os.path.join(workspace.environment.folder("state"), "backups")
    if count := len(_names(backups)):
        said.append(f"{words.plural(count, 'backup')} of files in {backups}")
    if os.path.exists(os.path.join(workspace.environment.folder("config"), "denied")):
        said.append("the deny list of scrubbed values, encrypted")
    hint = "`gitsession scan --all` lists the findings" if marked else ""
    level = "WARN" if marked else "OK"
    yield Check(level, "secrets", "; ".join(said) or "nothing stored is known to contain any", hint)


CHECKS: tuple[tuple[str, Callable[[Workspace], Iterator[Check]]], ...] = (
    ("store", store),
    ("locks", locks),
    ("saves", saves),
    ("growth", growth),
    ("secrets", exceptions),
)
