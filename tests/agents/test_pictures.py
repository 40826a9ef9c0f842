"""Images that are too much for a request: the newest stay, a note stands in for the others."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gitsession.agents.pictures import LARGEST, MOST, TOGETHER, lighter

MB = 1 << 20


def claude(size: int) -> dict[str, Any]:
    source = {"type": "base64", "media_type": "image/png", "data": "A" * size}
    return {"type": "image", "source": source}


FORMS = {
    "claude": claude,
    "codex": lambda size: {
        "type": "input_image",
        "image_url": "data:image/png;base64," + "A" * size,
    },
    "gemini": lambda size: {"inlineData": {"mimeType": "image/png", "data": "A" * size}},
    "pi": lambda size: {"type": "image", "mimeType": "image/png", "data": "A" * size},
}
NOTE_KEYS = {"claude": "text", "codex": "input_text", "pi": "text"}


@pytest.mark.parametrize("form", FORMS)
def test_the_newest_of_42_screenshots_stay(form: str) -> None:
    values = [{"role": "user", "content": ["look", FORMS[form](MB)]} for _ in range(42)]
    made, told = lighter(values)
    kept = TOGETHER // MB
    assert [new is old for new, old in zip(made, values, strict=True)] == [False] * (42 - kept) + [
        True
    ] * kept
    note = made[0]["content"][1]
    assert note.get("type") == NOTE_KEYS.get(form)
    assert note["text"] == "[image 1 of 42 left out here for its size: image/png, 786 kB]"
    assert made[0]["content"][0] == "look"
    assert told.startswith(f"{42 - kept} images of 42 over the limits of a request replaced")
    assert "number 1 (image/png, 786 kB), 2 (" in told
    assert len(json.dumps(made)) < TOGETHER + 100_000


def test_one_that_is_too_large_alone_goes_and_the_others_stay() -> None:
    values = [[claude(1000)], [{"nested": claude(LARGEST + 1)}], [claude(1000)], "text", None, 1]
    made, told = lighter(values)
    assert [new is old for new, old in zip(made, values, strict=True)] == [True, False] + [True] * 4
    assert "number 2 (image/png, 3932 kB)" in told


def test_there_are_never_more_than_services_take() -> None:
    made, told = lighter([claude(100)] * (MOST + 3))
    assert sum(value["type"] == "image" for value in made) == MOST
    assert told.startswith("3 images")


def test_what_is_within_the_limits_is_the_very_same() -> None:
    values = [
        claude(MB),
        {"type": "image", "source": {"type": "url", "url": "x"}},
        {"type": "text"},
    ]
    made, told = lighter(values)
    assert all(new is old for new, old in zip(made, values, strict=True))
    assert not told


def test_a_function_response_says_it_in_its_output() -> None:
    big = {"inlineData": {"mimeType": "image/png", "data": "A" * (LARGEST + 1)}}
    small = {"inlineData": {"mimeType": "image/png", "data": "A" * 100}}
    response = {"id": "1", "response": {"output": "taken"}, "parts": [big, small]}
    [made], _ = lighter([{"functionResponse": response}])
    assert made["functionResponse"]["parts"] == [small]
    assert made["functionResponse"]["response"]["output"].startswith("taken\n[image 1 of 2 left")
