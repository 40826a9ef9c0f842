"""Colour, pager, progress and questions."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

from gitsession.cli.terminal import Progress, Terminal
from gitsession.environment import Environment
from gitsession.errors import UsageError
from gitsession.render import safe

from .conftest import Stream


def terminal(
    environment: Environment, *, is_terminal: bool = True, stdin: str = "", **more: str
) -> Terminal:
    known = Environment({**environment.variables, **more}, environment.home, environment.cwd)
    streams = (Stream(stdin, is_terminal), Stream("", is_terminal), Stream("", is_terminal))
    return Terminal(*streams, known)


@pytest.mark.parametrize(
    ("variables", "mode", "is_terminal", "expected"),
    [
        ({}, "auto", True, True),
        ({}, "auto", False, False),
        ({"NO_COLOR": "1"}, "auto", True, False),
        ({"NO_COLOR": ""}, "auto", True, True),
        ({"CLICOLOR": "0"}, "auto", True, False),
        ({"CLICOLOR_FORCE": "1"}, "auto", False, True),
        ({"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, "auto", False, False),
        ({"TERM": "dumb"}, "auto", True, False),
        ({"NO_COLOR": "1"}, "always", False, True),
        ({}, "never", True, False),
    ],
)
def test_colour(
    environment: Environment,
    variables: dict[str, str],
    mode: str,
    is_terminal: bool,
    expected: bool,
) -> None:
    it = terminal(environment, is_terminal=is_terminal, **variables)
    it.mode = mode
    assert it.color is expected


def test_width(environment: Environment) -> None:
    assert terminal(environment).width == 100
    assert terminal(environment, COLUMNS="120").width == 120
    assert terminal(environment, COLUMNS="many").width == 100


@pytest.mark.parametrize(
    ("answer", "expected"),
    [("y\n", True), ("YES\n", True), ("\n", False), ("n\n", False), ("", False)],
)
def test_confirm(environment: Environment, answer: str, expected: bool) -> None:
    it = terminal(environment, stdin=answer)
    assert it.confirm("Delete it?") is expected
    assert it.stderr.data == b"Delete it? [y/N] "  # type: ignore[attr-defined]


def test_nobody_to_ask_is_an_error_that_names_the_flag(environment: Environment) -> None:
    it = terminal(environment, is_terminal=False, stdin="y\n")
    with pytest.raises(UsageError) as caught:
        it.confirm("Delete it?")
    assert "--yes" in caught.value.hint
    with pytest.raises(UsageError):
        it.ask_hidden("Secret")


def test_progress_redraws_one_line_and_leaves_nothing() -> None:
    stream = Stream("", terminal=True)
    with Progress(stream) as progress:
        progress(1, 4, "reading")
        progress(2, 4, "too soon to be drawn")
    assert stream.data.decode() == "\r 25 %  reading\r              \r"


def test_progress_takes_one_line_of_any_terminal() -> None:
    """Wide characters take two cells: a line that was broken could not be taken back."""
    stream = Stream("", terminal=True)
    with Progress(stream, 20) as progress:
        progress(1, 4, "セッションクッキーとどちらを")
    drawn, cleared = stream.data.decode().removeprefix("\r").split("\r")[:2]
    assert drawn == " 25 %  セッション…" and safe.cells(drawn) <= 19
    assert cleared == " " * safe.cells(drawn)


def test_progress_is_silent_without_a_terminal() -> None:
    stream = Stream()
    with Progress(stream) as progress:
        progress(1, 4, "reading")
    assert stream.data == b""


def _pager(folder: Path, script: str) -> str:
    path = folder / "pager"
    path.write_text(f"#!{sys.executable}\nimport os, sys\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def test_pager_gets_the_text_and_less_its_options(environment: Environment, tmp_path: Path) -> None:
    target = tmp_path / "seen"
    script = f"open({str(target)!r}, 'w').write(os.environ['LESS'] + ' ' + sys.stdin.read())"
    pager = _pager(tmp_path, script)
    it = terminal(environment, PAGER="never-this", GITSESSION_PAGER=pager)
    it.open_pager()
    it.open_pager()
    it.line("été")
    it.close_pager()
    assert target.read_text() == "-FRX été\n"
    assert it.stdout.data == b""  # type: ignore[attr-defined]


def test_a_pager_that_is_quit_early_is_no_error(environment: Environment, tmp_path: Path) -> None:
    it = terminal(environment, GITSESSION_PAGER=_pager(tmp_path, "sys.exit(0)"))
    it.open_pager()
    with pytest.raises(BrokenPipeError):
        for _ in range(10_000):
            it.line("x" * 100)
    it.close_pager()


@pytest.mark.parametrize("choice", ["", "cat", "no-such-program-anywhere"])
def test_no_pager(environment: Environment, choice: str) -> None:
    it = terminal(environment, PAGER=choice)
    it.open_pager()
    it.line("text")
    assert it.stdout.data == b"text\n"  # type: ignore[attr-defined]


def test_no_pager_without_a_terminal_or_when_told(environment: Environment) -> None:
    for it in (
        terminal(environment, is_terminal=False, PAGER=os.devnull),
        terminal(environment, PAGER=os.devnull),
    ):
        it.may_page = not it.is_terminal
        it.open_pager()
        it.line("text")
        assert it.stdout.data == b"text\n"  # type: ignore[attr-defined]
