"""Loose objects with the standard library alone: how everyday saves write and all reads begin.

Each is written to a temporary file and renamed, so a killed writer leaves a complete object or
none.
"""

from __future__ import annotations

import errno
import os
import zlib

from gitsession.digests import sha1_for
from gitsession.errors import FormatError, GitSessionError
from gitsession.files import BINARY, forget, sync

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.model.encoded import Data

KINDS = ("blob", "tree", "commit", "tag")
MAX_SIZE = 256 << 20
"""Bytes of a single object that we are ready to hold in memory; our own blobs end at 32 MiB."""
_ATTEMPTS = 20


def object_id(kind: str, data: Data) -> str:
    """git's id of an object: 40 hex digits."""
    digest = sha1_for(len(data))
    digest.update(b"%s %d\0" % (kind.encode(), len(data)))
    digest.update(data)
    return digest.hexdigest()


def is_id(text: str) -> bool:
    return len(text) == 40 and not text.strip("0123456789abcdef")


def damaged(identity: str, what: str = "is damaged") -> FormatError:
    return FormatError(f"object {identity} {what}", hint="run `gitsession fsck`")


def unwritable(error: OSError) -> GitSessionError:
    reason = error.strerror or "unknown reason"
    return GitSessionError(
        f"the store cannot be written: {reason}",
        hint="free some space or check the permissions; nothing that was saved before is lost",
    )


def write_all(descriptor: int, data: bytes) -> None:
    """Write all of `data`; a single `os.write` may write less and return how much."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


class LooseObjects:
    """The `objects/xx/yyyy…` files of a store. `durable` adds one fsync per new object; `owner`
    marks the temporary files (see `presence`)."""

    def __init__(self, folder: str, durable: bool = False, owner: str = "") -> None:
        self._objects = f"{folder}/objects"
        self._durable = durable
        self._owner = owner or str(os.getpid())
        self._serial = 0

    def path(self, identity: str) -> str:
        return f"{self._objects}/{identity[:2]}/{identity[2:]}"

    def folders(self) -> frozenset[str]:
        """The fan-out folders that exist, each named by the first two hex digits of its objects."""
        return _listed(self._objects)

    def names(self, start: str) -> frozenset[str]:
        """The objects whose ids begin with two hex digits, each as the remaining digits."""
        return _listed(f"{self._objects}/{start}")

    def touch(self, identity: str) -> bool:
        """Whether the object exists. Renews its time, so that a prune considers it young. An empty
        file, which a power cut leaves, does not count: the object is written again."""
        path = self.path(identity)
        try:
            os.utime(path)
            return os.stat(path).st_size > 0
        except OSError:
            return False

    def put(self, kind: str, data: Data) -> str:
        """Store one object and return its id; if it exists already, only renew its time."""
        identity = object_id(kind, data)
        if not self.touch(identity):
            self.write(identity, kind, data)
        return identity

    def write(self, identity: str, kind: str, data: Data) -> None:
        packer = zlib.compressobj(1)
        head = packer.compress(f"{kind} {len(data)}\0".encode())
        content = head + packer.compress(data) + packer.flush()
        self._serial += 1
        temporary = f"{self._objects}/tmp_obj_{self._owner}_{self._serial}_{os.urandom(4).hex()}"  # noqa: S108
        try:
            self._fill(temporary, content)
            self._publish(temporary, identity)
        except OSError as error:
            forget(temporary)
            raise unwritable(error) from error
        except BaseException:
            forget(temporary)
            raise

    def _fill(self, temporary: str, content: bytes) -> None:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | BINARY, 0o400)
        try:
            write_all(descriptor, content)
            if self._durable:
                sync(descriptor)
        finally:
            os.close(descriptor)

    def _publish(self, temporary: str, identity: str) -> None:
        """Rename the file into place. git may remove an empty fan-out folder at any moment, so
        recreate it if necessary."""
        folder = f"{self._objects}/{identity[:2]}"
        for attempt in range(_ATTEMPTS):
            try:
                os.rename(temporary, f"{folder}/{identity[2:]}")
                return
            except FileNotFoundError:
                if attempt == _ATTEMPTS - 1 or not os.path.lexists(temporary):
                    raise
            make_folder(folder)

    def read(self, identity: str) -> tuple[str, bytes] | None:
        """Kind and content, None if there is no such file. Raises FormatError if it is damaged."""
        try:
            with open(self.path(identity), "rb") as stream:
                packed = stream.read(MAX_SIZE + 1)
        except OSError as error:
            if error.errno in (errno.ENOENT, errno.ENOTDIR):
                return None
            raise damaged(identity, "cannot be read") from error
        return inflate(identity, packed)


def _listed(folder: str) -> frozenset[str]:
    try:
        return frozenset(os.listdir(folder))
    except OSError:
        return frozenset()


def inflate(identity: str, packed: bytes) -> tuple[str, bytes]:
    """Return (kind, content) of a loose object's file, unpacking MAX_SIZE bytes at most. Raises
    FormatError if it is damaged or larger."""
    unpacker = zlib.decompressobj()
    try:
        plain = unpacker.decompress(packed, MAX_SIZE + 64)
    except zlib.error as error:
        raise damaged(identity) from error
    if unpacker.unconsumed_tail:
        raise damaged(identity, "is too large")
    head, found, data = plain.partition(b"\0")
    kind, _, size = head.decode("ascii", "replace").partition(" ")
    if not found or not unpacker.eof or kind not in KINDS or size != str(len(data)):
        raise damaged(identity)
    return kind, data


def make_folder(folder: str) -> None:
    """Create a private folder and its parents; `os.makedirs` makes only the last private."""
    try:
        os.mkdir(folder, 0o700)
    except FileExistsError:
        return
    except FileNotFoundError:
        make_folder(os.path.dirname(folder))
        make_folder(folder)
