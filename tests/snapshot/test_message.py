"""Commit messages, session names, times: what a person reads of a version."""

from __future__ import annotations

import re
import unicodedata
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitsession.model.finding import _PROOF, Finding, Redacted
from gitsession.model.history import TRAILER, TRAILERS
from gitsession.model.message import Usage
from gitsession.model.session import Counts, Info, Session, Turn
from gitsession.snapshot import commit_message, encode, session_name, slug
from gitsession.snapshot.message import subject
from gitsession.snapshot.text import clip, one_line
from gitsession.snapshot.times import unix_seconds

_ANY = st.text(st.characters(), max_size=80)


def width(text: str) -> int:
    """Columns on a terminal, a character after the other."""
    return sum(
        0
        if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf")
        else 1 + (unicodedata.east_asian_width(character) in "WF")
        for character in text
    )


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("Fix the login test", "Fix the login test"),
        ("\n\n  \nFix it\nplease", "Fix it"),
        ("```\ncode\n```", "code"),
        ("<command-name>/review</command-name>", "/review"),
        ("<system>\n# Fix the build", "Fix the build"),
        ("- [ ] one\n- two", "[ ] one"),
        ("---\n***\nReal text", "Real text"),
        ("a\tb\x1b[31mred\u202e", "a b [31mred"),
        ("zero\u200bwidth \ud800 half", "zerowidth \ufffd half"),
        ("word " * 40, "word " * 14 + "w…"),
        ("日本語" * 20, "日本語" * 11 + "日本…"),
        ("👨\u200d👩\u200d👧 family", "👨\u200d👩\u200d👧 family"),
        ("???", "???"),
        ("", "Turn without a prompt"),
    ],
)
def test_the_subject_is_what_the_user_asked(prompt: str, expected: str) -> None:
    assert subject(Turn(prompt=prompt)) == expected


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("compaction", "Conversation compacted"), ("rewrite", "Past rewritten by the agent"),
     ("open", "Work in progress"), ("turn", "The title")],
)  # fmt: skip
def test_without_a_prompt_the_kind_speaks(kind: str, expected: str) -> None:
    assert subject(Turn(kind), "The title") == expected


def test_only_the_first_version_is_named_by_the_title() -> None:
    """A later turn without a prompt (a notification began it) is not what was asked first."""
    session = Session(Info("a", "b", title="Find the walrus"), turn=Turn())
    subjects = [commit_message(session, number, 0).partition("\n")[0] for number in (1, 2)]
    assert subjects == ["Find the walrus", "Turn without a prompt"]


@given(_ANY, _ANY)
def test_any_text_makes_one_safe_line(prompt: str, title: str) -> None:
    line = subject(Turn(prompt=prompt), title)
    assert line
    assert line == line.strip()
    assert width(line) <= 72
    assert not re.search(
        "[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]", line
    )
    assert one_line(line) == line


@given(_ANY, _ANY, _ANY)
def test_no_text_can_forge_a_trailer(prompt: str, title: str, native: str) -> None:
    session = Session(Info("pi", native, title=f"{title}\nGitsession-Seal: forged"),
                      turn=Turn(prompt=f"{prompt}\n\nGitsession-Kind: forged"))  # fmt: skip
    message = commit_message(session, 1, 0)
    head, _, rest = message.partition("\n\n")
    assert "\n" not in head
    names = [line.partition(": ")[0] for line in rest.removesuffix("\n").split("\n")]
    assert len(names) == len(set(names))
    assert set(names) <= {TRAILER + name for name in TRAILERS if name != "Seal"}


def test_the_trailers() -> None:
    session = Session(
        Info("codex", "n-1", "claude-code/first", "A title", project="git:1", code="abc"),
        usage=Usage(1, 2, 3, 4), counts=Counts(messages=7, bytes=99),
        turn=Turn("interrupted", "Do it", "2026-01-01T00:00:00Z"),
    )  # fmt: skip
    found = (Finding("rule", "main:1", "__X__"), Finding("rule", "main:2", "__X__"))
    encoded, _ = encode(Redacted(session, found, _PROOF), None)
    assert encoded.message == (
        "Do it\n\n"
        "Gitsession-Session: claude-code/first\n"
        "Gitsession-Native: codex/n-1\n"
        "Gitsession-Title: A title\n"
        "Gitsession-Project: git:1\n"
        "Gitsession-Version: 1\n"
        "Gitsession-Messages: 7\n"
        "Gitsession-Bytes: 99\n"
        "Gitsession-Tokens: 10\n"
        "Gitsession-Kind: interrupted\n"
        "Gitsession-Redacted: 2\n"
        "Gitsession-Code: abc\n"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Fix the Login-Test!", "fix-the-login-test"),
        ("Füge Größe hinzu", "füge-größe-hinzu"),
        ("Fu\u0308ge", "füge"),
        ("修复登录测试", "修复登录测试"),
        ("हिन्दी में लिखो", "हिन्दी-में-लिखो"),
        ("a/b\\c:d..e", "a-b-c-d-e"),
        ("--- ???", ""),
        (
            "one two three four five six seven eight nine ten",
            "one-two-three-four-five-six-seven-eight",
        ),
        ("x" * 90, "x" * 40),
        ("\u0301lead", "lead"),
        ("HEAD", "head"),
    ],
)
def test_slugs(text: str, expected: str) -> None:
    assert slug(text) == expected


@given(_ANY)
def test_a_slug_can_be_part_of_a_ref(text: str) -> None:
    made = slug(text)
    assert len(made) <= 40
    assert not re.search(r"[\s~^:?*\[\\/.@{}\x00-\x1f\x7f-]{2}|^-|-$|[\s~^:?*\[\\/.@\x7f]", made)
    assert slug(made) == made


def test_a_session_name_is_readable_and_its_own() -> None:
    session = Session(Info("claude-code", "n-1", title="Title"), turn=Turn(prompt="Fix it"))
    name = session_name(session)
    assert re.fullmatch("fix-it-[0-9a-f]{4}", name)
    assert session_name(session, 8).startswith(name)
    untitled = Session(Info("claude-code", "n-1", title="Title"))
    assert session_name(untitled) == f"title-{name[-4:]}"
    assert session_name(Session(Info("claude-code", "n-1"))) == f"session-{name[-4:]}"
    assert session_name(Session(Info("codex", "n-1")))[-4:] != name[-4:]
    with pytest.raises(ValueError, match="4 to 8"):
        session_name(session, 9)


@given(st.datetimes(datetime(1970, 1, 1), datetime(2400, 1, 1)))
def test_times_agree_with_the_calendar(moment: datetime) -> None:
    expected = int((moment - datetime(1970, 1, 1)).total_seconds())
    text = moment.isoformat()
    assert (
        unix_seconds(text) == unix_seconds(f"{text}Z") == unix_seconds(f"{text}+00:00") == expected
    )
    assert unix_seconds(f"{text}+02:30") == max(0, expected - 9000)


@pytest.mark.parametrize("text", ["", "now", "2026-13-01T00:00:00Z", "2026-01-01", "1" * 30])
def test_what_is_no_time_is_none(text: str) -> None:
    assert unix_seconds(text) is None


def test_clip_counts_columns() -> None:
    assert clip("日本語", 6) == "日本語"
    assert clip("日本語", 5) == "日本…"
    assert clip("e\u0301" * 5, 5) == "e\u0301" * 5


@given(st.text(st.sampled_from("ab 日\u0301\u200dé"), max_size=40), st.integers(1, 60))
def test_clip_cuts_only_what_is_too_wide(text: str, columns: int) -> None:
    clipped = clip(text, columns)
    if width(text) <= columns:
        assert clipped == text
    else:
        kept = clipped.removesuffix("…")
        assert clipped != kept
        assert width(clipped) <= columns
        rest = text.removeprefix(kept)
        # What was left out starts with white space or with what has no room.
        assert rest[0].isspace() or width(kept + rest[0]) > columns - 1
