"""Data exports of chat services: many conversations in one list, plain or inside a zip file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from gitsession.agents import whole_json
from gitsession.agents.base import Source
from gitsession.agents.lenient import mapping_of, text_of
from gitsession.agents.reading import EXPORT, Values, WholeAgent
from gitsession.files import read_range

_MEMBER = "conversations.json"
_LARGEST = 1 << 31


class ChatExport(WholeAgent):
    """An adapter for such an export. Its native bytes are those of one conversation in the list.

    `id_keys` and `title_key` name the members with its id and title, `container` the one with the
    messages.
    """

    capabilities = EXPORT
    id_keys: tuple[str, ...] = ()
    title_key = "title"

    def look(self, path: Path) -> Iterator[Source]:
        status = path.stat()
        start = read_range(path, 0, 4096)
        packed = start.startswith(b"PK\x03\x04")
        if not packed and start.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] not in (b"[", b"{"):
            return
        if not packed and self.container.encode() not in read_range(path, 0, 1 << 20):
            return
        place = (path, status.st_size, status.st_mtime_ns)
        for data in conversations(*place):
            values = _head(data, self.container)
            if self.is_ours(values):
                yield Source(self.name, self._id_of(values), *place, "",
                             text_of(values.get(self.title_key)))  # fmt: skip

    def is_ours(self, values: Values) -> bool:
        """Whether a conversation with these members is ours (`container` is True if present)."""
        return bool(self._id_of(values)) and values.get(self.container) is True

    def _id_of(self, values: Values) -> str:
        return next((text_of(values[key]) for key in self.id_keys if text_of(values.get(key))), "")

    def bytes_of(self, source: Source) -> bytes:
        for data in conversations(source.path, source.size, source.mtime):
            if self._id_of(_head(data, self.container)) == source.native_id:
                return data
        return b""

    def bytes_at(self, source: Source, offset: int, length: int) -> bytes:
        """Return native bytes: those of the one conversation."""
        return self.bytes_of(source)[offset : offset + length]

    def length_of(self, source: Source) -> int:
        return len(self.bytes_of(source))


@lru_cache(maxsize=1)
def conversations(path: Path, size: int, mtime: int) -> tuple[bytes, ...]:
    """Return the bytes of each conversation; raises OSError. The last file is cached."""
    del mtime
    if size > _LARGEST:
        return ()
    data = read_range(path, 0, _LARGEST)
    if data.startswith(b"PK\x03\x04"):
        data = _unzipped(data)
    single = data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{"
    return (data,) if single else tuple(whole_json.elements(data))


def _unzipped(data: bytes) -> bytes:
    import io
    import zipfile

    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for info in archive.infolist():
                if info.filename.rpartition("/")[2] == _MEMBER and info.file_size <= _LARGEST:
                    return archive.read(info)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError):
        pass
    return b""


@lru_cache(maxsize=4096)
def _head(data: bytes, container: str) -> Values:
    """Return the members of a conversation, with True in place of its container."""
    try:
        values = mapping_of(json.loads(data))
    except (ValueError, RecursionError):
        return {}
    if isinstance(values.get(container), (list, dict)):
        values[container] = True
    return values
