"""Checks of every file in a store that is neither an object nor a loose ref.

git itself checks objects and refs. These are the files that git does not look into, or whose damage
it reports without naming the file.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator

from gitsession.store import layout, names, process, records
from gitsession.store.objects import is_id
from gitsession.store.oplog import is_entry
from gitsession.store.pre_push import SCRIPT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.store.store import Store

    Found = Iterator[tuple[str, str]]

HOOK, CONFIG, HEAD, PACKED = "hooks/pre-push", "config", "HEAD", "packed-refs"
OPLOG = "gitsession/oplog.jsonl"
_HEAD = re.compile(rb"ref: (refs/heads/\S+)\n|[0-9a-f]{40}\n")
_AUTHOR = re.compile(r"[^<>\n\0\ufffd]+ <[^<>\n\0\ufffd]+>\n")
_PACKS = re.compile(rb"(P pack-[0-9a-f]{40}\.pack\n)*\n?")
_INFO_REFS = re.compile(rb"([0-9a-f]{40}\trefs/[^\n]+\n)*")
_SECTION = re.compile(r'\[([a-zA-Z0-9.-]+)(?: "(?:[^"\\]|\\.)*")?\]\s*')
_SETTING = re.compile(r"\s*([a-zA-Z][a-zA-Z0-9-]*)\s*=\s*(.*?)\s*")
_FREE = frozenset(("pack", "repack", "remote"))
"""Sections that a person may set differently."""
_SUMMED = (".idx", ".rev", ".bitmap", ".mtimes", ".pack", "multi-pack-index")
_CHUNK = 1 << 20
NO_INDEX = "has no index"
"""Problem of a pack. A packing that is running, or was killed, leaves a pack without an index,
whose objects exist elsewhere."""


def damaged_files(store: Store) -> Found:
    """Yield (path below the store, what is wrong with it)."""
    for path, is_good, what in _WHOLE:
        data = _read(store, path)
        if data is not None and not is_good(data):
            yield path, what
    if _read(store, HOOK) is None:
        yield HOOK, "is missing: nothing guards a bare `git push`"
    yield from _config(store)
    yield from _packed_refs(store)
    yield from _oplog(store)
    yield from _records(store)
    yield from store.records.bad_indexes()
    yield from _beside_packs(store)


def _read(store: Store, path: str) -> bytes | None:
    try:
        with open(f"{store.folder}/{path}", "rb") as stream:
            return stream.read()
    except FileNotFoundError:
        return None


def _is_head(data: bytes) -> bool:
    found = _HEAD.fullmatch(data)
    if found is None or _is_damaged(data):
        return False
    return not found[1] or names.is_ref(found[1].decode())


def _is_refs(data: bytes) -> bool:
    return bool(_INFO_REFS.fullmatch(data)) and not _is_damaged(data)


def _is_author(data: bytes) -> bool:
    return bool(_AUTHOR.fullmatch(data.decode("utf-8", "replace")))


_WHOLE: tuple[tuple[str, Callable[[bytes], bool], str], ...] = (
    (HEAD, _is_head, "names no ref"),
    (HOOK, lambda data: data == SCRIPT.encode(), "is not the guard that this release puts there"),
    (layout.AUTHOR, _is_author, "is no name with an address"),
    ("objects/info/packs", lambda data: bool(_PACKS.fullmatch(data)), "is no list of packs"),
    ("info/refs", _is_refs, "is no list of refs"),
)


def _config(store: Store) -> Found:
    data = _read(store, CONFIG)
    if data is None:
        yield CONFIG, "is missing"
        return
    if _is_damaged(data):
        yield CONFIG, "holds bytes that are no text"
        return
    if store.git_program:
        command = store.git("config", "--file", f"{store.folder}/{CONFIG}", "--list")
        if process.run(command, store.variables) != 0:
            yield CONFIG, "cannot be read as settings of git"
            return
    found, wanted = settings_in(data.decode()), settings_in(layout.CONFIG)
    for name, value in wanted.items():
        if name.partition(".")[0] not in _FREE and found.get(name) != value:
            yield CONFIG, f"{name} is not {value}"


def settings_in(text: str) -> dict[str, str]:
    """The plain settings of a git configuration file, by `section.name` in lower case."""
    found: dict[str, str] = {}
    section = ""
    for line in text.splitlines():
        if match := _SECTION.fullmatch(line):
            section = match[1].lower()
        elif match := _SETTING.fullmatch(line):
            found[f"{section}.{match[1].lower()}"] = match[2]
    return found


def _is_damaged(data: bytes) -> bool:
    try:
        return "\0" in data.decode("utf-8")
    except UnicodeDecodeError:
        return True


def _packed_refs(store: Store) -> Found:
    data = _read(store, PACKED)
    if data is None:
        return
    if not data.endswith(b"\n"):
        yield PACKED, "ends in the middle of a line"
    previous = ""
    for number, line in enumerate(data.decode("utf-8", "replace").rstrip("\n").split("\n"), 1):
        if line.startswith("# pack-refs with:") and "\ufffd" not in line:
            continue
        if previous and line.startswith("^") and is_id(line[1:]):
            continue  # the target of an annotated tag
        identity, _, ref = line.partition(" ")
        if "\ufffd" in line or not is_id(identity) or not names.is_ref(ref):
            yield f"{PACKED}:{number}", "is no ref"
        elif ref <= previous:
            yield f"{PACKED}:{number}", "is not in order"
        previous = ref


def _oplog(store: Store) -> Found:
    data = _read(store, OPLOG)
    for number, line in enumerate((data or b"").splitlines(), 1):
        # A full disk tears a line; that operation is logged again, so only the torn end is missing.
        torn = not line.endswith(b"}") and not _is_damaged(line)
        if line and not torn and not is_entry(line):
            yield f"{OPLOG}:{number}", "is no operation: what it did cannot be undone"


def _records(store: Store) -> Found:
    for kind in records.KINDS:
        folder = f"gitsession/{kind}"
        try:
            found = sorted(os.listdir(f"{store.folder}/{folder}"))
        except (FileNotFoundError, NotADirectoryError):
            continue
        for name in found:
            if name.endswith(".json") and not _is_record(store, f"{folder}/{name}"):
                yield f"{folder}/{name}", "is no record, and counts as none"


def _is_record(store: Store, path: str) -> bool:
    data = _read(store, path)
    if data is None:
        return True  # its session has been renamed or deleted meanwhile
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return False
    name = value.get("_name") if isinstance(value, dict) else None
    return isinstance(name, str) and f"{records.file_name(name)}.json" == os.path.basename(path)


def _beside_packs(store: Store) -> Found:
    folder = "objects/pack"
    found = sorted(os.listdir(f"{store.folder}/{folder}"))
    for name in found:
        path = f"{folder}/{name}"
        if name.endswith(_SUMMED) and not name.startswith("tmp_"):
            if not has_its_sum(f"{store.folder}/{path}"):
                yield path, "its content does not fit its checksum"
        elif name.endswith(".keep") and _is_damaged(_read(store, path) or b""):
            yield path, "holds bytes that are no text"
        if name.endswith(".pack") and f"{name[:-5]}.idx" not in found:
            yield path, NO_INDEX
    for path in ("objects/info/commit-graph",):
        if os.path.exists(f"{store.folder}/{path}") and not has_its_sum(f"{store.folder}/{path}"):
            yield path, "its content does not fit its checksum"


def has_its_sum(path: str) -> bool:
    """Whether the last 20 bytes are the SHA-1 of the rest, as in all of git's binary files."""
    digest = hashlib.sha1(usedforsecurity=False)
    try:
        left = os.stat(path).st_size - 20
        with open(path, "rb") as stream:
            while left > 0 and (chunk := stream.read(min(left, _CHUNK))):
                digest.update(chunk)
                left -= len(chunk)
            return left == 0 and stream.read() == digest.digest()
    except FileNotFoundError:
        return True  # a packing has removed it meanwhile
