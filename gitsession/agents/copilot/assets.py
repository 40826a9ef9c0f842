"""Images of a Copilot CLI session.

Their bytes are stored once, in an event of their own; the places that show an image name that event
by a hash.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from gitsession.agents.lenient import list_of, mapping_of, parse_line, text_of
from gitsession.agents.said import Image
from gitsession.digests import sha256
from gitsession.model.message import Message, Part
from gitsession.model.session import Session

ASSET = "session.binary_asset"
_SHOWN = ("image", "tool_result")


def asset_of(image: Image) -> dict[str, Any]:
    """Return the data of the event that holds an image."""
    try:
        size, told = len(data := base64.b64decode(image.data)), data
    except (ValueError, binascii.Error):
        size, told = 0, image.data.encode()
    return {
        "assetId": f"sha256:{sha256(told).hexdigest()}",
        "type": "image",
        "mimeType": image.media,
        "byteLength": size,
        "data": image.data,
    }


def reference(asset: Mapping[str, Any]) -> dict[str, Any]:
    """Return the reference by which a result names an image."""
    return {name: asset[name] for name in ("type", "assetId", "mimeType", "byteLength")}


def with_bytes(messages: Iterable[Message], session: Session) -> tuple[Message, ...]:
    """Return the messages with the bytes of every image that they name."""
    found = tuple(messages)
    if not any(_named(part) for message in found for part in message.parts):
        return found
    known = dict(_assets(session))
    return tuple(
        replace(message, parts=tuple(_filled(part, known) for part in message.parts))
        for message in found
    )


def _assets(session: Session) -> Iterator[tuple[str, str]]:
    for record in session.stream().records:
        if ASSET.encode() in record.data:
            for event in parse_line(record.data).objects:
                data = mapping_of(event.get("data"))
                if event.get("type") == ASSET:
                    yield text_of(data.get("assetId")), text_of(data.get("data"))


def _named(part: Part) -> bool:
    return part.kind in _SHOWN and any("assetId" in mapping_of(one) for one in _shown(part))


def _shown(part: Part) -> list[Any]:
    told = mapping_of(part.native)
    return list_of(told.get("attachments")) if part.kind == "tool_result" else [told]


def _filled(part: Part, known: Mapping[str, str]) -> Part:
    if not _named(part):
        return part
    filled = [_with_data(one, known) for one in _shown(part)]
    native = {**mapping_of(part.native), "attachments": filled}
    return replace(part, native=native if part.kind == "tool_result" else filled[0])


def _with_data(shown: Any, known: Mapping[str, str]) -> Any:
    data = known.get(text_of(mapping_of(shown).get("assetId")))
    return {**shown, "data": data} if data else shown
