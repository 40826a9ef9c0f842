"""`search` on a real store, as it is typed and answered."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitsession.cli.moments import moment
from gitsession.errors import UsageError
from tests.render.render_snapshot import same_as_file

from .scene import TOKEN, Scene

SNAPSHOTS = Path(__file__).parent / "snapshots"


def test_search(scene: Scene) -> None:
    scene("search", "login")
    scene.cli("save")
    scene("search", "page")
    scene("search", "cookies", "login")
    scene("search", "cokies", "--role", "assistant")
    scene("search", "old_string: 'jwt'", "--tool", "Edit")
    scene("search", "saying", "--limit", "1")
    scene("search", "page", "--limit", "1")
    scene("search", "use the page")
    scene("search", "Login", "--exact")
    scene("search", "login", "--role", "nobody")
    scene("search", "login", "--since", "yesterday")
    scene("search", "page", "--until", "2001-01-01")
    same_as_file(SNAPSHOTS / "search.txt", scene.transcript)


def test_exit_codes(scene: Scene) -> None:
    assert scene.cli("search", "login").code == 10
    scene.cli("save")
    assert scene.cli("search", "login").code == 0
    assert scene.cli("search", "no-such-word").code == 1
    assert scene.cli("search").code == 2
    assert scene.cli("search", "a", "--limit", "-1").code == 2
    assert scene.cli("search", "login", "--session", "nobody").code == 12


def test_json(scene: Scene) -> None:
    scene.cli("save")
    answer = scene.cli("search", "cookies", "--json").json["answer"]
    assert answer["total"] == len(answer["hits"]) > 0
    hit = answer["hits"][0]
    start, end = hit["marks"][0]
    assert hit["text"][start:end].lower() == "cookies"
    shown = scene.cli("show", f"{hit['version']}:{hit['message']}")
    assert shown.code == 0 and "ookie" in shown.out
    nothing = scene.cli("search", "no-such-word", "--json")
    assert (nothing.code, nothing.json["answer"]["hits"]) == (1, [])


def test_words_are_marked_in_colour(scene: Scene) -> None:
    scene.cli("save")
    assert "\x1b[1;31mcookies\x1b[0m" in scene.cli("search", "cookies", "--color", "always").out
    assert "\x1b" not in scene.cli("search", "cookies").out


def test_nothing_of_a_question_is_written(scene: Scene) -> None:
    scene.cli("save")
    asked = "xyzzyquestion"
    scene.cli("search", asked)
    scene.cli("search", asked, "--exact", "--json")
    scene.cli("search", TOKEN)
    for path in scene.root.rglob("*"):
        if path.is_file():
            assert asked.encode() not in path.read_bytes(), path
            if ".claude" not in path.parts:
                assert TOKEN.encode() not in path.read_bytes(), path


def test_hostile_lines_are_made_visible(scene: Scene) -> None:
    scene.agent.prompt("find me \x1b[31m\u202e and \u200b too")
    scene.agent.say("ok")
    scene.live()
    scene.cli("save")
    done = scene.cli("search", "find me", "--color", "always")
    assert done.code == 0
    assert "\u202e" not in done.out and "\u200b" not in done.out and "\x1b[31m" not in done.out
    assert "<U+202E>" in done.out


NOW = 1_770_000_000.0


@pytest.mark.parametrize(
    ("text", "end", "expected"),
    [
        ("", False, 0),
        ("2h", False, 1_769_992_800),
        ("1d", False, 1_769_913_600),
        ("2 W", False, 1_768_790_400),
        ("2026-01-31", False, 1_769_817_600),
        ("2026-01-31", True, 1_769_903_999),
        ("2026-01-31T12:00", True, 1_769_860_800),
        ("2026-01-31T12:00+02:00", False, 1_769_853_600),
    ],
)
def test_moments(text: str, end: bool, expected: int) -> None:
    assert moment(text, NOW, end=end) == expected


@pytest.mark.parametrize("text", ["soon", "31.1.2026", "-2d", "999999d7", "9999-99-99"])
def test_no_moment(text: str) -> None:
    with pytest.raises(UsageError):
        moment(text, NOW)
