"""A pack that a second process compresses and writes while this one prepares the next objects.

A message consists of a command byte, the kind as a number, an object id and the length of the data
that follows. An answer is a line, followed by the data that it announces. The writer drops its pack
unless told to finish it.
"""

from __future__ import annotations

import mmap
import os
import struct

from gitsession.errors import GitSessionError
from gitsession.processes import Helper
from gitsession.store.objects import unwritable
from gitsession.store.pack import KINDS, NUMBERS, PackFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO

    from gitsession.model.encoded import Data

_HEAD = struct.Struct(">cB20sI")
_SIZE = struct.Struct("Q")
_WRITE, _READ, _FINISH = b"w", b"r", b"f"
_GATHERED = 128 << 10
"""Bytes that are collected before they are sent."""


class PackAside:
    """A PackFile written by a helper process, for callers that write, read and finish. Raises
    OSError if no process can be created. An error of the writer is raised by whichever call follows
    it."""

    def __init__(self, folder: str, owner: str = "") -> None:
        self._pack = PackFile(folder, owner)
        self._ids: dict[str, None] = {}
        self._waiting: list[Data] = []
        self._gathered = 0
        self._shared = mmap.mmap(-1, _SIZE.size)
        try:
            self._helper = Helper(self._serve, keep=(self._pack.leave_to_fork(),))
        except OSError:
            self._pack.abandon()
            raise
        self._pack.close()

    def __contains__(self, identity: str) -> bool:
        return identity in self._ids

    def ids(self) -> tuple[str, ...]:
        return tuple(self._ids)

    @property
    def size(self) -> int:
        """Bytes written so far, not counting those still in transit."""
        size: int = _SIZE.unpack_from(self._shared)[0]
        return size

    def write(self, identity: str, kind: str, data: Data) -> None:
        self._ids[identity] = None
        self._waiting.append(_head(_WRITE, NUMBERS[kind], identity, len(data)))
        if len(data) > _GATHERED:
            self._send()
            self._tell(data)
            return
        self._waiting.append(data)
        self._gathered += len(data)
        if self._gathered > _GATHERED:
            self._send()

    def read(self, identity: str) -> tuple[str, bytes] | None:
        """Return (kind, content) of an object in this pack, None if it is not in it."""
        if identity not in self._ids:
            return None
        kind, data = self._ask(_READ, identity)
        return KINDS[int(kind)], data

    def finish(self) -> str:
        """Put pack and index in place; return the path of their `.keep` ("" if empty)."""
        try:
            keep = self._ask(_FINISH)[1]
        except BaseException:
            self.abandon()
            raise
        self._helper.end()
        return os.fsdecode(keep)

    def abandon(self) -> None:
        self._helper.end()
        self._pack.abandon()  # its own files, in case the writer died before it could

    def _ask(self, word: bytes, identity: str = "") -> tuple[str, bytes]:
        self._waiting.append(_head(word, 0, identity or "0" * 40, 0))
        self._send()
        return self._answer()

    def _send(self) -> None:
        data = b"".join(self._waiting)
        self._waiting.clear()
        self._gathered = 0
        self._tell(data)

    def _tell(self, data: Data) -> None:
        try:
            _write_all(self._helper.questions, data)
        except BrokenPipeError:
            self._answer()  # raises the reason, if the writer sent one
            raise self._ended() from None

    def _answer(self) -> tuple[str, bytes]:
        word, _, rest = self._helper.answers.readline().decode().strip().partition(" ")
        if word == "error":
            number, _, text = rest.partition(" ")
            raise unwritable(OSError(int(number), text)) if int(number) else self._ended(text)
        if not word:
            raise self._ended()
        return word, self._helper.answers.read(int(rest))

    def _ended(self, why: str = "") -> GitSessionError:
        return GitSessionError(
            why or "the process that writes the store ended too soon",
            hint="save again; nothing that was saved before is lost",
        )

    def _serve(self, questions: BinaryIO, answers: BinaryIO) -> None:
        pack = self._pack
        try:
            keep = _serve(pack, questions, answers, self._shared)
        except GitSessionError as error:
            pack.abandon()
            cause = error.__cause__
            number = cause.errno or 0 if isinstance(cause, OSError) else 0
            said = os.strerror(number) if number else str(error).replace("\n", " ")
            answers.write(f"error {number} {said}\n".encode())
            return
        if keep is None:
            pack.abandon()
        else:
            _say(answers, "keep", os.fsencode(keep))


def _serve(pack: PackFile, questions: BinaryIO, answers: BinaryIO, shared: mmap.mmap) -> str | None:
    """The `.keep` of the finished pack; None if the other process ended without asking for it."""
    while len(head := questions.read(_HEAD.size)) == _HEAD.size:
        word, kind, identity, size = _HEAD.unpack(head)
        if word == _FINISH:
            return pack.finish()
        if word == _READ:
            found = pack.read(identity.hex())
            assert found is not None
            _say(answers, str(NUMBERS[found[0]]), found[1])
            continue
        data = questions.read(size)
        if len(data) < size:
            return None
        pack.write(identity.hex(), KINDS[kind], data)
        _SIZE.pack_into(shared, 0, pack.size)
    return None


def _say(answers: BinaryIO, word: str, data: bytes) -> None:
    answers.write(f"{word} {len(data)}\n".encode() + data)
    answers.flush()


def _head(word: bytes, kind: int, identity: str, size: int) -> bytes:
    return _HEAD.pack(word, kind, bytes.fromhex(identity), size)


def _write_all(stream: BinaryIO, data: Data) -> None:
    view = memoryview(data)
    while view:
        view = view[stream.write(view) :]
