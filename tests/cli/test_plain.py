"""Plain command lines mean without argparse what they mean with it."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitsession.cli.main import _parsed, load
from gitsession.cli.overview import HelpRequested
from gitsession.cli.parser import top_parser, verb_parser
from gitsession.cli.plain import read
from gitsession.cli.verbs import SUMMARIES
from gitsession.errors import UsageError

TEXTS = ("@1", "main", "HEAD~1", "3", "-3", "0", "x y", "", "-", "--", "auto", "md", "--limit=3",
         "-n5", "--no", "é", "1.5", "a..b")  # fmt: skip


def names(parser: argparse.ArgumentParser) -> list[str]:
    return [name for action in parser._actions for name in action.option_strings]


ABOVE = names(top_parser())
BEHIND = {verb: names(verb_parser(verb, load(verb))) for verb in SUMMARIES}


def by_argparse(before: list[str], verb: str, after: list[str]) -> dict[str, Any] | str:
    try:
        return vars(_parsed(before, verb, load(verb), after))
    except (UsageError, HelpRequested) as refused:
        return f"{type(refused).__name__}: {refused}"


@pytest.mark.parametrize("verb", SUMMARIES)
def test_without_words(verb: str) -> None:
    known = by_argparse([], verb, [])
    found = read([], load(verb), [])
    if found is None:  # something must be there, or the verb has verbs of its own
        assert isinstance(known, str) or verb in ("config", "hooks", "remote")
    else:
        assert vars(found) == known


@settings(max_examples=2_000, deadline=None)
@given(st.data())
def test_what_is_read_is_what_argparse_reads(data: st.DataObject) -> None:
    verb = data.draw(st.sampled_from(list(SUMMARIES)))
    before = data.draw(st.lists(st.sampled_from((*ABOVE, "auto", "x")), max_size=2))
    word = st.sampled_from((*BEHIND[verb], *TEXTS))
    after = data.draw(st.lists(word, max_size=5))
    found = read(before, load(verb), after)
    if found is not None:
        assert vars(found) == by_argparse(before, verb, after)


@pytest.mark.parametrize(
    "line",
    [
        "save", "save --auto --hook claude-code", "save @1 @2 -m text", "list --all --limit 10",
        "log -n 50 @1", "log @1 --oneline --graph", "status --json", "diff HEAD~1 HEAD",
        "show @1:3 --store x", "checkout HEAD~1 -b other", "context --budget 8000",
    ],
)  # fmt: skip
def test_everyday_lines_are_plain(line: str) -> None:
    verb, *after = line.split()
    found = read(["--no-pager", "-C", "x"], load(verb), after)
    assert vars(found) == by_argparse(["--no-pager", "-C", "x"], verb, after)


@pytest.mark.parametrize(
    "line", ["log -n many", "log -n", "log a b c", "log --nothing", "tag -m", "save --help",
             "list --limit=3", "context --format x", "log a --graph b"],
)  # fmt: skip
def test_mistakes_and_odd_spellings_are_left_to_argparse(line: str) -> None:
    verb, *after = line.split()
    assert read([], load(verb), after) is None


def test_a_plain_line_loads_no_parser(tmp_path: Path) -> None:
    code = "import sys; from gitsession.cli.main import main; main(['agents']); "
    code += "print('argparse' in sys.modules)"
    given = {"HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    done = subprocess.run([sys.executable, "-c", code], env=given, capture_output=True, check=True)
    assert done.stdout.endswith(b"False\n")
