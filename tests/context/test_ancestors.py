"""Smaller things that the ancestors have: thresholds, a transcript, a log, a look around."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from gitsession.context.policy import THRESHOLD, crossings, threshold
from gitsession.context.surroundings import Counts, hints, scan
from gitsession.context.transcript import Event, HistoryLog, Transcript
from gitsession.errors import SourceUnreadable
from gitsession.model.message import Message, Part, Usage
from gitsession.model.session import State

from .making import runs, session, user


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", THRESHOLD), ("0", THRESHOLD), ("many", THRESHOLD), ("-5", THRESHOLD), (" 500 ", 500)],
)
def test_CL16_the_threshold(text: str, expected: int) -> None:
    assert threshold(text) == expected


def used(tokens: int) -> Message:
    return Message("assistant", (Part("text", "x"),), usage=Usage(input=tokens))


def test_CL16_a_crossing_is_told_exactly_once() -> None:
    assert list(crossings([used(50_000), used(49_999)])) == []
    assert list(crossings([used(50_000), used(50_000), used(1), used(90_000)])) == [2]
    compacted = Message("system", (Part("compaction", "so far"),))
    talk = [used(100_000), used(5), compacted, used(60_000), used(40_000), used(9)]
    assert list(crossings(talk)) == [1, 5]


def test_CL19_fifteen_entries_ten_kept_and_flushed_for_the_next_process(tmp_path: Path) -> None:
    path = tmp_path / "in" / "transcript.json"
    transcript = Transcript(path)
    for number in range(15):
        transcript.append(f"entry {number}\n字")
        assert not transcript.flushed
    assert transcript.compact() == (1, 2, 3, 4, 5)  # CL20: what went is told
    assert transcript.replay() == tuple(f"entry {number}\n字" for number in range(5, 15))
    assert not path.exists()
    transcript.flush()
    assert transcript.flushed
    code = (
        "import sys; from pathlib import Path;"
        "from gitsession.context.transcript import Transcript;"
        "print(len(Transcript(Path(sys.argv[1])).replay()))"
    )
    done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, check=True)
    assert done.stdout.strip() == b"10"
    assert path.stat().st_mode & 0o077 == 0


def test_CL20_nothing_goes_where_nothing_is_too_much(tmp_path: Path) -> None:
    transcript = Transcript(tmp_path / "t.json")
    transcript.append("one")
    assert transcript.compact() == ()
    assert transcript.compact(0) == (1,)
    assert transcript.replay() == ()


@pytest.mark.parametrize("content", ["{", "{}", "[1]"])
def test_a_damaged_transcript_is_told(tmp_path: Path, content: str) -> None:
    path = tmp_path / "t.json"
    path.write_text(content)
    with pytest.raises(SourceUnreadable):
        Transcript(path)


def test_CL21_a_detail_of_several_lines_stays_one_item() -> None:
    log = HistoryLog()
    log.add("started")
    log.add("tests\nrun", "3 passed\n- 1 failed\n\nsee log")
    assert log.events()[0] == Event("started")
    assert log.as_markdown() == (
        "# Session History\n\n- started\n- tests run: 3 passed\n  - 1 failed\n  \n  see log\n"
    )
    items = [line for line in log.as_markdown().split("\n") if line.startswith("- ")]
    assert len(items) == 2


def test_CL22_counts_equal_find_and_missing_folders_are_zero(tmp_path: Path) -> None:
    assert scan(str(tmp_path)) == Counts()
    for name in (
        "src/a.py",
        "src/in/b.py",
        "src/c.txt",
        "tests/t.py",
        "assets/x/y.png",
        "assets/z",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (tmp_path / "archive").mkdir()
    found = subprocess.run(
        ["find", "src", "-type", "f", "-name", "*.py"],
        cwd=tmp_path,
        capture_output=True,
        check=True,
    )
    assert scan(str(tmp_path)) == Counts(len(found.stdout.splitlines()), 1, 2, True)


def test_G17_what_is_missing_is_told(tmp_path: Path) -> None:
    given = session(user("go"), runs(("c", "ok")))
    call = replace(given.messages[1].parts[0], input={"command": "cd web && npm install"})
    given = given._replace(
        messages=(given.messages[0], replace(given.messages[1], parts=(call,))),
        info=given.info._replace(cwd="/gone/project", git_branch="feature"),
        state=State(active_file="src/a.py"),
    )
    assert list(hints(given, str(tmp_path), "main")) == [
        "the project folder /gone/project is not here",
        "the session worked on branch feature, main is checked out",
        f"npm install was run, but there is no node_modules in {tmp_path}",
    ]
    (tmp_path / "node_modules").mkdir()
    here = given._replace(info=given.info._replace(cwd=str(tmp_path)))
    assert list(hints(here, str(tmp_path), "feature")) == ["the active file src/a.py is not there"]
    detached = here._replace(info=here.info._replace(git_branch="HEAD"), state=State())
    assert not list(hints(detached, str(tmp_path), "main")), "no branch was checked out then"
    (tmp_path / "src").mkdir()
    (tmp_path / "src/a.py").touch()
    assert list(hints(here, str(tmp_path), "feature")) == []
