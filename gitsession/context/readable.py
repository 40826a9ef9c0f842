"""The first step of every context: keep only what a model reads, and record the reason for each
loss."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from gitsession.context.entry import Entries, Entry, out, with_parts
from gitsession.model.message import Part

ROLES = ("user", "assistant", "system")
_KEPT = ("text", "tool_call", "tool_result", "compaction")
_LEFT_OUT = ("reasoning", "step", "retry", "opaque")
_BLANK = re.compile(r"[\s.…]*")
"""A message that only says `...`: a placeholder for an answer that never came."""


def readable(entries: Entries) -> Entries:
    """Drop notes and placeholder messages, leave out reasoning and parts that only the agent itself
    understands, and turn patches and sub-tasks into text."""
    return tuple(_readable(entry) for entry in entries)


def _readable(entry: Entry) -> Entry:
    if entry.message.role not in ROLES:
        if not entry.must:
            return out(entry, "dropped", "a note of the agent, no part of the conversation")
        entry = replace(entry, message=replace(entry.message, role="user"))
    left = sorted({part.kind for part in entry.message.parts if part.kind in _LEFT_OUT})
    parts = tuple(_parts(entry))
    if not any(map(says_something, parts)):
        why = f"holds only {', '.join(left)}" if left else "an empty row"
        return out(entry, "dropped", why)
    if len(parts) == len(entry.message.parts) and not left:
        return entry if parts == entry.message.parts else with_parts(entry, parts)
    return with_parts(entry, parts, why=f"without {', '.join(left)}" if left else "")


def _parts(entry: Entry) -> Iterator[Part]:
    for part in entry.message.parts:
        if part.kind in _KEPT or part.kind in ("image", "file"):
            if part.kind != "text" or part.text:
                yield part
        elif part.kind not in _LEFT_OUT:
            said = " ".join(word for word in (part.name, part.text) if word)
            yield Part("text", f"[{part.kind}: {said}]" if said else f"[{part.kind}]")


def says_something(part: Part) -> bool:
    """Whether a part on its own justifies a message: more than dots, or anything that is not
    text."""
    if part.kind in ("text", "compaction"):
        return _BLANK.fullmatch(part.text) is None
    return True


def strip_media(entries: Entries, keep: int = 0) -> Entries:
    """Replace images and files by their names, except in the newest `keep` messages and in those
    that must stay."""
    border = len(entries) - keep
    return tuple(
        _without_media(entry) if place < border and entry.kept and not entry.must else entry
        for place, entry in enumerate(entries)
    )


def _without_media(entry: Entry) -> Entry:
    if not any(part.kind in ("image", "file") for part in entry.message.parts):
        return entry
    parts = [media_text(part) for part in entry.message.parts]
    return with_parts(entry, parts, "shortened", "media replaced by their names")


def media_text(part: Part) -> Part:
    """Return an image or a file as the text `[Attached <media type>: <name>]`, other parts
    unchanged."""
    if part.kind not in ("image", "file"):
        return part
    kind, name = media_type(part), part.name
    said = f"{kind}: {name}" if name and name != kind else kind
    return replace(Part("text", f"[Attached {said}]"), synthetic=True)


def media_type(part: Part) -> str:
    """Return the media type given by the native value or the name, else the kind of the part."""
    native = part.native if isinstance(part.native, dict) else {}
    source = native.get("source")
    found = source.get("media_type") if isinstance(source, dict) else None
    if isinstance(found, str) and found:
        return found
    return part.name if re.fullmatch(r"[a-z]+/[\w.+-]+", part.name) else part.kind
