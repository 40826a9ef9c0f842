"""Replaces, on the way out, images that no service accepts in one request by notes.

A single image that is too large poisons every later turn, and so do many together: screenshots add
up to a request that is refused every time. The newest ones stay, since the current work is about
them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from gitsession.agents.lenient import list_of, mapping_of, text_of

LARGEST = 5 << 20
"""Base64 characters in one image."""
TOGETHER = 20 << 20
MOST = 100
_SMALLEST = 64
_DATA = "data:"
_LISTED = 20


class Picture(NamedTuple):
    """An image's media type and its number of base64 characters."""

    media: str
    size: int


def lighter(values: Sequence[Any]) -> tuple[list[Any], str]:
    """Return JSON values with notes for images that are too much, and a sentence that lists these.

    `values` are an agent's conversation in its order. A value without such an image is returned as
    the very same object; the sentence is "" if there is none.
    """
    found = [picture for value in values for picture in _pictures(value)]
    gone = too_much(found)
    if not gone:
        return list(values), ""
    walk = _Walk(gone, found)
    return [walk.value(value) for value in values], sentence(found, gone)


def too_much(found: Sequence[Picture]) -> frozenset[int]:
    """Return the positions of images that do not fit into one request, the newest taken first."""
    gone, together, kept = set(), 0, 0
    for place in range(len(found) - 1, -1, -1):
        size = found[place].size
        if size > LARGEST or together + size > TOGETHER or kept == MOST:
            gone.add(place)
        else:
            together += size
            kept += 1
    return frozenset(gone)


def sentence(found: Sequence[Picture], gone: frozenset[int]) -> str:
    """Return the sentence that reports the images left out."""
    told = [f"{place + 1} ({_told(found[place])})" for place in sorted(gone)]
    more = f" and {len(told) - _LISTED} more" if len(told) > _LISTED else ""
    what = "image" if len(told) == 1 else "images"
    return (
        f"{len(told)} {what} of {len(found)} over the limits of a request replaced by a note: "
        f"number {', '.join(told[:_LISTED])}{more}"
    )


def note(place: int, found: Sequence[Picture]) -> str:
    """Return the note that stands in for one image."""
    told = _told(found[place])
    return f"[image {place + 1} of {len(found)} left out here for its size: {told}]"


def _told(picture: Picture) -> str:
    return f"{picture.media or 'image'}, {picture.size * 3 // 4 // 1000} kB"


def _pictures(value: Any) -> Iterator[Picture]:
    picture = _picture(value)
    if picture is not None:
        yield picture
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _pictures(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _pictures(inner)


def _picture(value: Any) -> Picture | None:
    """Return the image or document that a message part is, in any agent's form, else None."""
    if not isinstance(value, dict):
        return None
    kind = value.get("type")
    if kind in ("image", "document"):
        source = mapping_of(value.get("source")) or value
        media = text_of(source.get("media_type")) or text_of(source.get("mimeType"))
        data = text_of(source.get("data"))
    elif kind == "input_image":
        url = text_of(value.get("image_url"))
        head, _, data = url.partition(",") if url.startswith(_DATA) else ("", "", "")
        media = head.removeprefix(_DATA).partition(";")[0]
    else:
        inline = mapping_of(value.get("inlineData"))
        media, data = text_of(inline.get("mimeType")), text_of(inline.get("data"))
    return Picture(media, len(data)) if len(data) >= _SMALLEST else None


class _Walk:
    """Copies values, counting images as `_pictures` does."""

    def __init__(self, gone: frozenset[int], found: Sequence[Picture]) -> None:
        self._gone, self._found = gone, found
        self._place = -1

    def value(self, value: Any) -> Any:
        picture = _picture(value)
        if picture is not None:
            self._place += 1
            return self._note(value) if self._place in self._gone else value
        if isinstance(value, list):
            items = [self.value(item) for item in value]
            return items if _differ(items, value) else value
        if isinstance(value, dict):
            new = {key: self.value(inner) for key, inner in value.items()}
            if not _differ(list(new.values()), list(value.values())):
                return value
            return _told_in_output(new) if "response" in new else new
        return value

    def _note(self, value: dict[str, Any]) -> dict[str, Any]:
        text = note(self._place, self._found)
        kind = {"input_image": "input_text"}.get(text_of(value.get("type")), "text")
        return {"text": text} if "inlineData" in value else {"type": kind, "text": text}


def _differ(new: list[Any], old: list[Any]) -> bool:
    return any(one is not other for one, other in zip(new, old, strict=True))


def _told_in_output(response: dict[str, Any]) -> dict[str, Any]:
    """Move notes among a function response's parts into its output: parts may not be text."""
    beside = [mapping_of(part) for part in list_of(response.get("parts"))]
    notes = [text_of(part["text"]) for part in beside if list(part) == ["text"]]
    if not notes:
        return response
    told = mapping_of(response["response"])
    key = next((key for key in ("output", "error") if isinstance(told.get(key), str)), "output")
    words = "\n".join(filter(None, (text_of(told.get(key)), *notes)))
    kept = [part for part in beside if list(part) != ["text"]]
    new = {**response, "response": {**told, key: words}, "parts": kept}
    return new if kept else {name: inner for name, inner in new.items() if name != "parts"}
