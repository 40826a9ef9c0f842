"""Finding the verb, the global options, and what becomes of errors."""

from __future__ import annotations

import errno
import json
import os
import stat
from pathlib import Path

import pytest

from gitsession import __version__
from gitsession.cli.exit_codes import MEANINGS
from gitsession.cli.main import load, main, split
from gitsession.cli.parser import verb_parser
from gitsession.cli.verbs import GROUPS, SUMMARIES
from gitsession.errors import (
    Ambiguous,
    Conflict,
    FormatError,
    GitSessionError,
    NotFound,
    RemoteError,
    SecretsFound,
    SourceUnreadable,
    StoreBusy,
    StoreNotFound,
    UsageError,
)

from .conftest import Cli, Fake, Stream


class Raises(Fake):
    """A repository whose `fsck` raises."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def fsck(self) -> None:
        raise self.error


@pytest.mark.parametrize("argv", [[], ["--help"], ["-h"], ["help"], ["--json", "--help"]])
def test_help_lists_every_verb(cli: Cli, argv: list[str]) -> None:
    done = cli(*argv)
    assert done.code == 0 and done.err == ""
    for verb, summary in SUMMARIES.items():
        assert any(line.split(maxsplit=1) == [verb, summary] for line in done.out.splitlines())
    for group, _ in GROUPS:
        assert f"\n{group}:\n" in done.out
    assert max(map(len, done.out.splitlines())) <= 80


@pytest.mark.parametrize("verb", SUMMARIES)
def test_every_verb_explains_itself(cli: Cli, verb: str) -> None:
    done = cli(verb, "--help")
    assert done.code == 0 and done.err == ""
    assert done.out == cli("help", verb).out == cli(verb, "-h").out
    assert f"usage: gitsession {verb}" in done.out
    assert "\nexamples:\n  $ " in done.out
    exits = done.out.partition("\nexit status:\n")[2].splitlines()
    codes = [int(line.split()[0]) for line in exits]
    assert codes == sorted(codes) and {0, 2, 3, 130} <= set(codes) <= set(MEANINGS)
    too_long = [line for line in done.out.splitlines() if len(line) > 80]
    assert all(line.startswith("  $ ") for line in too_long)


@pytest.mark.parametrize("verb", SUMMARIES)
def test_every_example_parses(verb: str) -> None:
    """An example in a help text that the parser refuses would be a lie."""
    import re
    import shlex

    module = load(verb)
    for command, _ in module.EXAMPLES:
        for piece in re.split(r"[|>]", command):
            words = shlex.split(piece)
            if words[:1] != ["gitsession"]:
                continue
            _, other, rest = split(words[1:])
            verb_parser(other, load(other)).parse_args(rest)


def test_version(cli: Cli) -> None:
    assert cli("--version").out == f"gitsession {__version__}\n"


def test_an_unknown_verb_is_usage_with_a_guess(cli: Cli) -> None:
    done = cli("lgo")
    assert (done.code, done.out) == (2, "")
    assert done.err == "error: there is no verb 'lgo'\nhint: did you mean `gitsession log`?\n"
    assert "gitsession --help" in cli("qqqqqq").err


def test_an_unknown_option_names_the_help_of_the_verb(cli: Cli) -> None:
    done = cli("log", "--frobnicate")
    assert done.code == 2
    assert done.err == "error: unrecognized arguments: --frobnicate\nhint: gitsession log --help\n"


def test_options_are_not_abbreviated(cli: Cli) -> None:
    assert cli("log", "--onel").code == 2


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        (["log", "-n", "5"], ([], "log", ["-n", "5"])),
        (["--store", "log", "list"], (["--store", "log"], "list", [])),
        (["-C", "x", "--json", "show", "--raw"], (["-C", "x", "--json"], "show", ["--raw"])),
        (["--store=x", "list"], (["--store=x"], "list", [])),
        (["--store"], (["--store"], "", [])),
        ([], ([], "", [])),
    ],
)
def test_split(argv: list[str], expected: tuple[list[str], str, list[str]]) -> None:
    assert split(argv) == expected


def test_global_options_count_on_both_sides_of_the_verb(cli: Cli) -> None:
    seen: list[tuple[Path | None, bool, str]] = []

    class Repository(Fake):
        store_path = "/somewhere"

    def opener(environment: object, *, store: Path | None, create: bool) -> Repository:
        seen.append((store, create, environment.cwd))  # type: ignore[attr-defined]
        return Repository()

    cli.opener = opener
    home = cli.environment.cwd
    os.mkdir(os.path.join(home, "sub"))
    assert cli("--store", "s", "dir").code == cli("dir", "--store", "s").code == 0
    assert cli("-C", "sub", "dir", "--json").json == {
        "schema": "gitsession.dir/1",
        "store": "/somewhere",
    }
    assert cli("--json", "dir").json["store"] == "/somewhere"
    assert seen == [
        (Path(home, "s"), False, home),
        (Path(home, "s"), False, home),
        (None, False, os.path.join(home, "sub")),
        (None, False, home),
    ]


def test_a_missing_directory_after_the_option(cli: Cli) -> None:
    done = cli("-C", "nowhere", "dir")
    assert done.code == 2 and "there is no directory" in done.err


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (GitSessionError("x"), 16),
        (UsageError("x"), 2),
        (StoreNotFound("x"), 10),
        (StoreBusy("x"), 11),
        (NotFound("x"), 12),
        (Conflict("x"), 13),
        (SecretsFound("x"), 14),
        (RemoteError("x"), 15),
        (SourceUnreadable("x"), 16),
        (FormatError("x"), 17),
        (KeyboardInterrupt(), 130),
        (OSError(errno.ENOSPC, "x"), 16),
    ],
)
def test_each_error_has_its_exit_code(cli: Cli, error: BaseException, code: int) -> None:
    done = cli.fake(Raises(error))("fsck")
    assert (done.code, done.out) == (code, "")
    assert done.err.startswith("error: ") and code in MEANINGS


def test_an_error_is_a_sentence_candidates_and_a_hint(cli: Cli) -> None:
    error = Ambiguous("'ab' fits two sessions", hint="give more", candidates=("abc", "abd\x1b[2J"))
    done = cli.fake(Raises(error))("fsck")
    assert done.code == 12
    assert done.err == "error: 'ab' fits two sessions\n  abc\n  abd␛[2J\nhint: give more\n"


def test_an_error_as_json(cli: Cli) -> None:
    error = Ambiguous("two", hint="more", candidates=("a", "b"))
    done = cli.fake(Raises(error))("fsck", "--json")
    assert (done.code, done.out) == (12, "")
    assert json.loads(done.err) == {
        "schema": "gitsession.error/1",
        "error": "two",
        "hint": "more",
        "exit_code": 12,
        "kind": "Ambiguous",
        "candidates": ["a", "b"],
    }


def test_a_bug_leaves_a_private_log_without_any_text(cli: Cli) -> None:
    secret = "hunter2-in-a-message"

    def fails(value: str) -> None:
        try:
            raise ValueError(value)
        except ValueError as error:
            raise RuntimeError(f"while at {value}") from error

    class Repository(Fake):
        def fsck(self) -> None:
            fails(secret)

    done = cli.fake(Repository())("fsck")
    assert done.code == 3
    folder = cli.environment.state_dir / "bugs"
    [log] = folder.iterdir()
    assert str(log) in done.err
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    text = log.read_text()
    assert "builtins.ValueError" in text and "builtins.RuntimeError" in text
    assert text.index("builtins.ValueError") < text.index("builtins.RuntimeError")
    assert " in fails" in text and "gitsession/cli/main.py:" in text
    for hidden in (secret, "while at", str(cli.environment.home), "hunter2"):
        assert hidden not in text and hidden not in done.err.replace(str(log), "")


def test_a_bug_where_no_log_can_be_written(cli: Cli) -> None:
    cli.environment.state_dir.parent.mkdir(parents=True)
    cli.environment.state_dir.write_text("in the way")
    done = cli.fake(Raises(ValueError("x")))("fsck")
    assert done.code == 3
    assert done.err == "error: this is a bug in gitsession (ValueError)\n"


def test_a_closed_pipe_is_quiet(cli: Cli) -> None:
    done = cli.fake(Raises(BrokenPipeError()))("fsck")
    assert (done.code, done.out, done.err) == (0, "", "")


def test_umask_is_private_from_the_first_moment(cli: Cli) -> None:
    os.umask(0o022)
    cli("--help")
    assert os.umask(0o022) == 0o077


def test_a_name_is_printed_with_its_control_characters_visible(cli: Cli) -> None:
    class Repository(Fake):
        store_path = "/home/\x1b]0;owned\x07/\u202estore"

    assert cli.fake(Repository())("dir").out == "/home/␛]0;owned␇/<U+202E>store\n"


def test_output_that_the_terminal_cannot_encode_is_escaped() -> None:
    import io

    narrow = io.TextIOWrapper(io.BytesIO(), encoding="ascii", errors="backslashreplace")
    error = Stream()

    class Repository(Fake):
        store_path = "/外주/🎉"

    assert main(["dir"], stdout=narrow, stderr=error, opener=lambda *_, **__: Repository()) == 0
    narrow.flush()
    assert narrow.buffer.getvalue() == rb"/\u5916\uc8fc/\U0001f389" + b"\n"  # type: ignore[attr-defined]
