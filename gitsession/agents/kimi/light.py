"""Removes from a Kimi Code session what no service accepts.

That is images that are too much for one request, and thoughts whose text or seal redaction changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from gitsession.agents.kimi.blobs import size_of
from gitsession.agents.kimi.records import event, message
from gitsession.agents.lenient import list_of, mapping_of, text_of
from gitsession.agents.pictures import Picture, note, sentence, too_much
from gitsession.agents.rows import OutRow, Repairs

Block = dict[str, Any]


def lighten(rows: list[OutRow], sizes: Mapping[str, int], repairs: Repairs) -> None:
    """Replace images that are too much by notes; `sizes` are those of the separate files."""
    found = [
        picture
        for row in rows
        for block in _blocks(row)
        if (picture := _picture(block, sizes)) is not None
    ]
    gone = too_much(found)
    if not gone:
        return
    repairs.note(sentence(found, gone))
    places = iter(range(len(found)))

    def light(block: Block) -> Block:
        if _picture(block, sizes) is None:
            return block
        place = next(places)
        return {"type": "text", "text": note(place, found)} if place in gone else block

    for row in rows:
        _change(row, [light(block) for block in _blocks(row)])


def mend_thoughts(rows: list[OutRow], repairs: Repairs, *, foreign: bool) -> list[OutRow]:
    """Remove masked thoughts and, if `foreign`, seals: no other account can open them."""
    kept, count = [], 0
    for row in rows:
        blocks = list(_blocks(row))
        whole = [block for block in blocks if not _is_masked(block)]
        count += len(blocks) - len(whole)
        if blocks and not whole and event(row.row).get("type") == "content.part":
            continue
        if foreign:
            whole = [
                {key: block[key] for key in block if key != "encrypted"}
                if block.get("type") == "think" else block
                for block in whole
            ]  # fmt: skip
        _change(row, whole)
        kept.append(row)
    repairs.note("{} thinking block{s} without a valid signature left out", count)
    return kept


def _is_masked(block: Block) -> bool:
    if block.get("type") != "think":
        return False
    return any("__REDACTED_" in text_of(block.get(key)) for key in ("think", "encrypted"))


def _blocks(row: OutRow) -> Iterator[Block]:
    """Yield the content of a message, of a piece of an answer, or of a result."""
    told = event(row.row)
    if told.get("type") == "content.part":
        yield mapping_of(told.get("part"))
        return
    content = mapping_of(told.get("result")).get("output", message(row.row).get("content"))
    yield from map(mapping_of, list_of(content))


def _change(row: OutRow, blocks: Iterable[Block]) -> None:
    blocks = list(blocks)
    if blocks == list(_blocks(row)):
        return
    told = event(row.row)
    if told.get("type") == "content.part":
        row.set("event", {**told, "part": blocks[0]})
    elif told:
        row.set("event", {**told, "result": {**told["result"], "output": blocks}})
    else:
        row.set("message", {**message(row.row), "content": blocks})


def _picture(block: Block, sizes: Mapping[str, int]) -> Picture | None:
    url = text_of(mapping_of(block.get("imageUrl")).get("url"))
    return size_of(url, sizes) if block.get("type") == "image_url" else None
