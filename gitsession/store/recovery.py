"""Moving damaged parts of a store aside and regenerating what the rest allows.

Nothing is edited in place: a damaged file is moved to `gitsession/damaged/<moment>/`, byte for
byte, and a sound one takes its place. The caller must be `drop.alone`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator

from gitsession import files
from gitsession.errors import FormatError
from gitsession.store import inspection, layout, names, process
from gitsession.store.objects import LooseObjects, inflate, is_id, make_folder, object_id
from gitsession.store.oplog import is_entry
from gitsession.store.packindex import ids_of
from gitsession.store.pre_push import SCRIPT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.store.store import Store

FOLDER = "gitsession/damaged"
_DERIVED = (".rev", ".bitmap", ".mtimes", "multi-pack-index", ".keep", "/packs", "commit-graph",
            "info/refs")  # fmt: skip


class Recovery:
    """One repair of a store; `done` lists in sentences what it did."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._place = f"{FOLDER}/{time.strftime('%Y%m%dT%H%M%S', time.gmtime())}-{os.getpid()}"
        self.done: list[str] = []

    def files(self, paths: Iterable[str]) -> None:
        """Set every damaged file (as `inspection` names it) aside and regenerate it if possible."""
        for path in dict.fromkeys(path.partition(":")[0] for path in paths):
            if path.endswith(".pack"):
                self._pack(path)
            elif path.endswith(".idx"):
                self._set_aside(path)
                self._index(path)
            elif path.endswith(_DERIVED) or (
                path.startswith("gitsession/") and path.endswith((".json", ".index"))
            ):
                self._set_aside(path)
                self.done.append(f"set {path} aside")
            else:
                self._renew(path)
        self._store.reader.close()

    def _set_aside(self, path: str, *, copy: bool = False) -> None:
        source, target = f"{self._store.folder}/{path}", f"{self._store.folder}/{self._place}"
        make_folder(target)
        target = f"{target}/{path.replace('/', '%2f')}"
        if copy:
            files.replace(target, files.read(source))
        elif os.path.lexists(source):
            os.rename(source, target)

    def _renew(self, path: str) -> None:
        """Replace a file that must exist: keep its sound parts, else write that of a new store."""
        full = f"{self._store.folder}/{path}"
        if os.path.exists(full):
            self._set_aside(path, copy=True)
        old = files.read(full) if os.path.exists(full) else b""
        make_folder(os.path.dirname(full))
        mode = 0o700 if path == inspection.HOOK else 0o600
        files.replace(full, _renewed(path, old), mode=mode)
        self.done.append(f"set the damaged {path} aside and wrote it anew")

    def _index(self, path: str) -> None:
        pack = f"{self._store.folder}/{path[:-4]}.pack"
        if not os.path.exists(pack):
            return
        if process.run(self._store.git("index-pack", pack), self._store.variables) == 0:
            self.done.append(f"made the index {path} again")
        else:
            self._pack(f"{path[:-4]}.pack")

    def _pack(self, path: str) -> None:
        """Replace an untrustworthy pack: every intact object in it becomes a loose one. A whole
        pack that only lacks its index gets a new index."""
        pack = f"{self._store.folder}/{path}"
        if not os.path.exists(f"{pack[:-5]}.idx") and _is_whole(pack):
            self._index(f"{path[:-5]}.idx")
            return
        aside = f"{self._store.folder}/{self._place}/{path.replace('/', '%2f')}"
        number = self._take_out(f"{pack[:-5]}.idx")
        for ending in (".idx", ".rev", ".bitmap", ".mtimes", ".keep", ".pack"):
            self._set_aside(path[:-5] + ending)
        number = number or self._unpack(aside)
        self.done.append(f"set the damaged {path} aside and kept {number} objects of it")

    def _take_out(self, index: str) -> int:
        """Write every object that the index names and that can be read as a loose one; return how
        many are intact."""
        loose, number = LooseObjects(self._store.folder), 0
        for identity in ids_of(index):
            try:
                kind, data = self._store.reader.read(identity)
            except FormatError:
                continue
            if object_id(kind, data) == identity:
                if not loose.touch(identity):
                    loose.write(identity, kind, data)
                number += 1
        return number

    def _unpack(self, pack: str) -> int:
        """Let git unpack what it can from a pack whose index does not fit any more; return how many
        loose objects it added."""
        import subprocess

        before = sum(1 for _ in _loose(self._store.folder))
        with open(pack, "rb") as stream:
            subprocess.run(
                self._store.git("unpack-objects", "-r", "-q"), env=self._store.variables,
                stdin=stream, capture_output=True, check=False,
            )  # fmt: skip
        return sum(1 for _ in _loose(self._store.folder)) - before

    def objects(self) -> None:
        """Set every damaged loose object aside: then a good copy in a pack is found, and a save can
        write it again."""
        for path in _loose(self._store.folder):
            fan, name = path.rsplit("/", 2)[-2:]
            if is_id(fan + name) and not _is_good(path, fan + name):
                self._set_aside(f"objects/{fan}/{name}")
                self.done.append(f"set the damaged object {fan}{name} aside")
        self._store.reader.close()

    def ref_files(self) -> dict[str, str]:
        """Set loose refs without a valid target aside. Return their names, each with the id of the
        packed ref of that name, or ""."""
        found = {}
        for parent, _, entries in os.walk(f"{self._store.folder}/refs"):
            for entry in entries:
                ref = f"{parent}/{entry}"[len(self._store.folder) + 1 :]
                if ref.endswith(".lock") or self._is_sound(ref):
                    continue
                self._set_aside(ref)
                found[ref] = self._store.ref(ref) if names.is_ref(ref) else ""
        return found

    def _is_sound(self, ref: str) -> bool:
        try:
            return bool(names.is_ref(ref) and self._store.ref_files.read(ref))
        except FormatError:
            return False


def _renewed(path: str, old: bytes) -> bytes:
    if path == inspection.HOOK:
        return SCRIPT.encode()
    if path == inspection.HEAD:
        return layout.HEAD.encode()
    if path == inspection.CONFIG:
        return layout.CONFIG.encode() + _remotes(old)
    if path == inspection.PACKED:
        return _packed(old)
    if path == inspection.OPLOG:
        return b"".join(line for line in old.splitlines(True) if line.strip() and is_entry(line))
    if path == layout.AUTHOR:
        return f"{layout.NOBODY}\n".encode()
    return old


def _remotes(old: bytes) -> bytes:
    """The undamaged remotes of a configuration; the others are not guessed."""
    kept: list[bytes] = []
    section: list[bytes] = []
    for line in [*old.splitlines(True), b"[end]\n"]:
        if line.startswith(b"["):
            whole = b"".join(section)
            if (
                section
                and section[0].startswith(b'[remote "')
                and b"\xef\xbf\xbd" not in (whole.decode("utf-8", "replace").encode())
            ):
                kept.append(whole)
            section = []
        section.append(line)
    return b"".join(kept)


def _packed(old: bytes) -> bytes:
    rows = {}
    for line in old.decode("utf-8", "replace").split("\n"):
        identity, _, ref = line.partition(" ")
        if is_id(identity) and names.is_ref(ref) and "\ufffd" not in ref:
            rows[ref] = identity
    text = "".join(f"{identity} {ref}\n" for ref, identity in sorted(rows.items()))
    return f"# pack-refs with: sorted \n{text}".encode()


def _loose(folder: str) -> Iterator[str]:
    for fan in sorted(os.listdir(f"{folder}/objects")):
        if len(fan) == 2:
            for name in sorted(os.listdir(f"{folder}/objects/{fan}")):
                yield f"{folder}/objects/{fan}/{name}"


def _is_good(path: str, identity: str) -> bool:
    try:
        kind, data = inflate(identity, files.read(path))
    except (OSError, FormatError):
        return False
    return object_id(kind, data) == identity


def _is_whole(pack: str) -> bool:
    return inspection.has_its_sum(pack)
