from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitsession.errors import UsageError
from gitsession.search import database
from gitsession.search.entries import Entry, Text
from gitsession.search.lookup import Filters

from .shelf import Shelf, said

pytestmark = pytest.mark.skipif(not database.has_full_text(), reason="SQLite without FTS5")


@pytest.fixture(params=[True, False], ids=["full text", "by reading"])
def shelf(request: pytest.FixtureRequest) -> Shelf:
    return Shelf(full=request.param)


CONVERSATION = [
    Entry(1, "user", 100, (Text("Please fix the login timeout"),)),
    Entry(2, "assistant", 200, (
        Text("I will look at the timeouts."),
        Text("Bash\ncommand: grep -rn timeout src/\nsrc/auth.py:12: TIMEOUT = 30", "Bash"),
        Text("Edit\nfile_path: src/auth.py\nold_string: 30\nnew_string: 300", "Edit"),
    )),
    Entry(3, "note", 300, (Text("hook said: fine"),)),
    Entry(4, "user", 400, (Text("数据库迁移失败了, migrate again"),)),
]  # fmt: skip


def test_CM19_exact_stem_part_and_slip(shelf: Shelf) -> None:
    shelf.put("s", CONVERSATION)
    assert shelf.numbers("login") == [1]
    assert shelf.numbers("migrations") == [4]
    assert shelf.numbers("meou") == [1, 2]
    assert shelf.numbers("迁移") == shelf.numbers("库") == [4]
    found = shelf.ask("timeuot")
    assert [one.used for one in found.corrected] == [("timeout",)]
    assert sorted(one.number for one in found.found) == [1, 2]


def test_every_word_in_one_message_wherever_in_it(shelf: Shelf) -> None:
    shelf.put("s", CONVERSATION)
    assert shelf.numbers("look", "grep") == [2]
    assert shelf.numbers("login", "grep") == []


def test_a_phrase_has_its_order(shelf: Shelf) -> None:
    shelf.put("s", CONVERSATION)
    assert shelf.numbers("login timeout") == [1]
    assert shelf.numbers("timeout login") == []


def test_exact_is_the_text_as_it_stands(shelf: Shelf) -> None:
    shelf.put("s", CONVERSATION)
    assert shelf.numbers("TIMEOUT", exact=True) == [2]
    assert shelf.numbers("TIMEOUT = 30", exact=True) == [2]
    assert shelf.numbers("Timeout", exact=True) == []
    assert shelf.numbers("= ", exact=True) == [2]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (Filters(role="user"), [1]),
        (Filters(role="assistant"), [2]),
        (Filters(role="tool"), [2]),
        (Filters(role="note"), []),
        (Filters(tool="bash"), [2]),
        (Filters(tool="Edit"), []),
        (Filters(since=150), [2]),
        (Filters(until=150), [1]),
        (Filters(since=100, until=200), [1, 2]),
    ],
)
def test_CM19_filters(shelf: Shelf, filters: Filters, expected: list[int]) -> None:
    shelf.put("s", CONVERSATION)
    assert shelf.numbers("timeout", filters=filters) == expected


def test_only_the_sessions_that_are_asked(shelf: Shelf) -> None:
    shelf.put("a", said("needle"))
    shelf.put("b", said("needle"))
    assert [one.session for one in shelf.ask("needle", titles={"b": ""}).found] == ["b"]
    assert shelf.ask("needle", titles={}).total == 0


def test_a_slip_is_not_mended_by_what_stands_elsewhere(shelf: Shelf) -> None:
    shelf.put("a", said("token"))
    shelf.put("b", said("taken"))
    found = shelf.ask("tokne", titles={"b": ""})
    assert [one.used for one in found.corrected] == [("taken",)]
    assert [one.session for one in found.found] == ["b"]


def test_a_title_counts_more_and_is_found_alone(shelf: Shelf) -> None:
    shelf.put("named", said("needle here", time=1), title="The needle")
    shelf.put("other", said("needle here", time=1), title="Hay")
    shelf.put("titled", said("nothing"), title="A needle, too")
    found = shelf.ask("needle")
    assert [one.session for one in found.found] == ["named", "other"]
    assert found.titled == ("titled",)
    assert shelf.ask("needle", filters=Filters(role="user")).titled == ()


def test_the_newer_of_two_like_ones_comes_first(shelf: Shelf) -> None:
    shelf.put("s", [Entry(n, "user", n, (Text(f"needle number {n}"),)) for n in (1, 2, 3)])
    assert next(one.number for one in shelf.ask("needle").found) == 3


def test_limit_and_total(shelf: Shelf) -> None:
    shelf.put("s", said(*["needle"] * 30))
    found = shelf.ask("needle", limit=7)
    assert (len(found.found), found.total) == (7, 30)
    assert len(shelf.ask("needle", limit=0).found) == 30


def test_the_tool_that_holds_it_is_named(shelf: Shelf) -> None:
    shelf.put("s", CONVERSATION)
    assert [(one.tool, one.text) for one in shelf.ask("new_string").found] == [
        ("Edit", "new_string: 300")
    ]


_LINES = st.lists(
    st.lists(st.sampled_from([*"abe .中文", "token ", "timing ", "taken"]), max_size=12).map(
        "".join
    ),
    max_size=5,
)


@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(_LINES, st.sampled_from(["token", "times", "abe", "中", "a b", "be", "tokne"]))
def test_reading_gives_the_same_answer(lines: list[str], asked: str) -> None:
    full, reading = Shelf(), Shelf(full=False)
    for shelf in (full, reading):
        shelf.put("s", said(*lines))
    assert full.numbers(asked) == reading.numbers(asked)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.text(max_size=12), max_size=4), st.booleans())
def test_anything_may_be_asked(texts: list[str], exact: bool) -> None:
    shelf = Shelf()
    shelf.put("s", said("a NEAR(b) OR c* ^d -e {f}: g AND h", "中\u0301\ufffd\0"))
    try:
        found = shelf.ask(*texts, exact=exact)
    except UsageError:
        assert not any(text.strip() for text in texts) or '"' in "".join(texts)
    else:
        assert found.total >= 0
