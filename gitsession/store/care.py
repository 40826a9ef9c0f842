"""Maintenance of a store: packing in the background, and `git fsck`.

Nothing here ever drops an object, and saves never wait for it: it has a lock of its own.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

from gitsession import files
from gitsession.environment import find_program
from gitsession.errors import FormatError, StoreBusy
from gitsession.store import process
from gitsession.store.leftovers import sweep
from gitsession.store.objects import is_id, object_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.model.report import Problem
    from gitsession.store.store import Store

_FRUGAL = (
    "-c", "pack.threads=1", "-c", "pack.windowMemory=16m", "-c", "pack.deltaCacheSize=16m",
    "-c", "core.packedGitWindowSize=1m", "-c", "core.packedGitLimit=32m",
    "-c", "core.deltaBaseCacheLimit=16m",
)  # fmt: skip
"""Packing runs alongside other work, so it gets a third of the memory that git uses by default."""
_REPACK = (
    *_FRUGAL, "-c", "repack.packKeptObjects=false", "repack", "-d", "-l", "-q", "--geometric=2",
    "--no-write-bitmap-index",
)  # fmt: skip
_PACK_REFS = ("pack-refs", "--all")
"""One file instead of a folder per session: git reads two hundred refs in a third of the time."""
_PACKING_TAKES = 60.0
"""Seconds to wait for a running packing; after `_SOON` seconds the user is told about the wait."""
_SOON = 1.0
_OBJECT = re.compile(r"\b[0-9a-f]{40}\b")
_LOOSE_PATH = re.compile(r"objects/([0-9a-f]{2})/([0-9a-f]{38})\b")
_MISSING = re.compile(r"missing [a-z]+ ([0-9a-f]{40})$")
_children: list[int] = []


def start(store: Store) -> bool:
    """Pack in the background at the lowest priority; False if that already runs or cannot.

    The packing process inherits the lock, which therefore lasts exactly as long as the packing.
    Where locks cannot be inherited (Windows), this waits for the packing to end.
    """
    if not process.CAN_SPAWN:
        return bool(store.git_program) and pack(store)
    _reap()
    if not store.git_program:
        return False
    lock = files.Lock(f"{store.folder}/gitsession/locks/maintenance", timeout=0.0)
    try:
        with lock:
            sweep(store)
            process.run(store.git(*_PACK_REFS), store.variables)
            os.set_inheritable(lock.descriptor, True)
            _children.append(_spawn(store))
    except (StoreBusy, OSError):
        return False
    return True


def _spawn(store: Store) -> int:
    command = store.git(*_REPACK)
    if nice := find_program("nice", store.environment.variables):
        command = [nice, "-n", "19", *command]
    silence = [(os.POSIX_SPAWN_OPEN, n, os.devnull, os.O_RDWR, 0) for n in (0, 1, 2)]
    before = os.umask(0o077)
    try:
        return os.posix_spawn(command[0], command, store.variables, file_actions=silence)
    finally:
        os.umask(before)


def _reap() -> None:
    for child in list(_children):
        try:
            ended, _ = os.waitpid(child, os.WNOHANG)
        except ChildProcessError:
            ended = child
        if ended:
            _children.remove(child)


def pack(store: Store) -> bool:
    """Pack in the foreground; return False if a packing already runs or git fails."""
    try:
        with store.lock("maintenance", timeout=0.0):
            sweep(store)
            process.run(store.git(*_PACK_REFS), store.variables)
            return process.run(store.git(*_REPACK), store.variables) == 0
    except StoreBusy:
        return False


@contextmanager
def settled(store: Store) -> Iterator[None]:
    """Keep packing from running during the block. Waits for one in the background, even one whose
    parent was killed: a reader of all objects would otherwise see packs vanish while reading."""
    with ExitStack() as held:
        if not store.is_alone:
            with suppress(StoreBusy, OSError):  # it takes too long, or nothing can be written here
                try:
                    held.enter_context(store.lock("maintenance", timeout=_SOON))
                except StoreBusy:
                    store.environment.tell("the store is being packed; this waits for its end")
                    held.enter_context(store.lock("maintenance", timeout=_PACKING_TAKES))
        yield


def fsck(store: Store) -> list[Problem]:
    """Return what `git fsck --strict` finds, and every ref without a sound target; [] if clean."""
    with settled(store):
        return _problems(store)


def _problems(store: Store) -> list[Problem]:
    from gitsession.model.report import Problem

    problems = [Problem("ref", ref, message) for ref, message in _bad_refs(store)]
    lines = _git_lines(store) if store.git_program else _own_lines(store)
    seen = set()
    for place, message in lines:
        if (place, message) not in seen:
            seen.add((place, message))
            problems.append(Problem("object", place, message))
    return problems


def _bad_refs(store: Store) -> Iterator[tuple[str, str]]:
    for parent, _, found in sorted(os.walk(f"{store.folder}/refs")):
        for file in sorted(found):
            ref = f"{parent}/{file}"[len(store.folder) + 1 :]
            if not ref.endswith(".lock"):
                try:
                    store.ref_files.read(ref)  # "": the ref was removed meanwhile
                except FormatError as error:
                    yield ref, str(error)
    for ref, identity in store.refs().items():
        if not store.reader.has(identity) and store.ref_files.read(ref) == identity:
            yield ref, f"names {identity}, which is missing"


def _git_lines(store: Store) -> Iterator[tuple[str, str]]:
    import subprocess

    command = store.git("fsck", "--full", "--strict", "--no-dangling", "--no-progress")
    result = subprocess.run(
        command, env=store.variables, capture_output=True, check=False, stdin=subprocess.DEVNULL
    )
    lines = (result.stdout + result.stderr).decode("utf-8", "replace").splitlines()
    for line in lines:
        if line.startswith("notice:") or not line.strip() or _is_new(store, line):
            continue
        loose = _LOOSE_PATH.search(line)
        named = _OBJECT.search(line)
        place = loose[1] + loose[2] if loose else named[0] if named else ""
        yield place, line.replace(store.folder + "/", "").strip()


def _is_new(store: Store, line: str) -> bool:
    """Whether an object that git reports missing exists after all: git reads objects before refs,
    so it misses what a save wrote in between."""
    missing = _MISSING.match(line)
    return missing is not None and store.reader.has(missing[1])


def _own_lines(store: Store) -> Iterator[tuple[str, str]]:
    """Read and hash every object; used where there is no git program."""
    from gitsession.store.packindex import ids_with_prefix

    for first in range(256):
        for identity in ids_with_prefix(store.folder, f"{first:02x}"):
            if is_id(identity):
                try:
                    kind, data = store.reader.read(identity)
                except FormatError as error:
                    yield identity, str(error)
                    continue
                if object_id(kind, data) != identity:
                    yield identity, "its content is not what its name says"
