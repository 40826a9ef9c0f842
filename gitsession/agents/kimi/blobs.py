"""The images of a Kimi Code session: the log names them by hash; each is in a file of its own."""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Mapping
from dataclasses import replace

from gitsession.agents.base import Source
from gitsession.agents.lenient import mapping_of, text_of
from gitsession.agents.pictures import Picture
from gitsession.agents.side_streams import contents
from gitsession.model.message import Message, Part
from gitsession.model.record import Sidecar
from gitsession.model.session import Session

FOLDER = "blobs"
PATH = re.compile(rf"{FOLDER}/[0-9a-f]{{16,128}}")
_NAMED = re.compile(rb'blobref:[^;"\\]{1,100};([0-9a-f]{16,128})"')
_REFERENCE = re.compile(r"blobref:([^;]{1,100});([0-9a-f]{16,128})")


class Blobs:
    """Sidecars that the records of a turn name."""

    def __init__(self, source: Source) -> None:
        self._folder = os.path.join(os.path.dirname(source.file), FOLDER)
        self._named: set[str] = set()

    def see(self, data: bytes) -> None:
        if b"blobref:" in data:
            self._named |= {name.decode() for name in _NAMED.findall(data)}

    def take(self) -> tuple[Sidecar, ...]:
        named, self._named = sorted(self._named), set()
        found = ((name, contents(os.path.join(self._folder, name))) for name in named)
        return tuple(Sidecar(f"{FOLDER}/{name}", data) for name, data in found if data is not None)


def size_of(url: str, sizes: Mapping[str, int]) -> Picture | None:
    """Return the image at a URL, None if it is missing; `sizes` are file sizes by path."""
    named = _REFERENCE.fullmatch(url)
    if named:
        size = sizes.get(f"{FOLDER}/{named[2]}", 0)
        return Picture(named[1], (size + 2) // 3 * 4) if size else None
    head, _, data = url.partition(",") if url.startswith("data:") else ("", "", "")
    return Picture(head[5:].partition(";")[0], len(data)) if data else None


def with_bytes(messages: tuple[Message, ...], session: Session) -> tuple[Message, ...]:
    """Return the messages with image references replaced by the images."""
    held = {sidecar.path: sidecar.data for sidecar in session.sidecars}
    if not held:
        return messages
    return tuple(
        replace(message, parts=tuple(_filled(part, held) for part in message.parts))
        for message in messages
    )


def _filled(part: Part, held: Mapping[str, bytes]) -> Part:
    if part.kind == "image":
        return replace(part, native=_shown(part.native, held))
    if part.kind == "tool_result" and isinstance(part.native, list):
        return replace(part, native=[_shown(block, held) for block in part.native])
    return part


def _shown(block: object, held: Mapping[str, bytes]) -> object:
    found = _REFERENCE.fullmatch(text_of(mapping_of(block).get("url")))
    data = held.get(f"{FOLDER}/{found[2]}") if found else None
    if found is None or data is None:
        return block
    url = f"data:{found[1]};base64,{base64.b64encode(data).decode()}"
    return {**mapping_of(block), "url": url}
