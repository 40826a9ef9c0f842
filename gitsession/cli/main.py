"""The program: find the verb, import that one command, run it, and turn errors into exit codes."""

from __future__ import annotations

import gc
import os
import sys

from gitsession.cli.exit_codes import USAGE
from gitsession.cli.overview import HelpRequested, general_help
from gitsession.cli.terminal import Terminal
from gitsession.cli.verbs import GLOBAL_OPTIONS, READS, SUMMARIES, module_of
from gitsession.environment import UMASK, Environment, as_spelled, say_nothing
from gitsession.errors import GitSessionError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence
    from types import ModuleType
    from typing import IO, NoReturn

    from gitsession.cli.context import Context
    from gitsession.repository import Repository


def entry() -> NoReturn:
    """Run the console script and exit."""
    gc.set_threshold(50_000, 20, 20)  # importing creates many objects and no garbage
    _name_files_as_git_does()
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # started with a closed descriptor, as hooks may be
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115 - it is for good
    _let_streams_take_anything()
    code = main(sys.argv[1:])
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        pass  # already reported, or the reader is gone, as it may be
    # Everything is closed by now. A regular interpreter shutdown would cost as much as half of a
    # bare start.
    os._exit(code)


def _name_files_as_git_does() -> None:
    """Restart in UTF-8 mode if the locale's encoding would be used for file names: refs are files
    with UTF-8 names, and the paths that agents record are UTF-8 too. Output stays in the locale's
    encoding."""
    if sys.getfilesystemencoding() == "utf-8" or not sys.executable:
        return
    spoken = {"PYTHONIOENCODING": f"{getattr(sys.stdout, 'encoding', 'utf-8')}:surrogateescape"}
    command = [sys.executable, "-X", "utf8", *sys.orig_argv[1:]]
    os.execve(sys.executable, command, {**spoken, **os.environ})  # noqa: S606


def _let_streams_take_anything() -> None:
    """Make sure that printing or reading never fails on any character. On Windows, a file or a pipe
    gets UTF-8 with plain newlines, as git writes, instead of the console's old encoding and CRLF.
    """
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        errors = "surrogateescape" if stream is sys.stdin else "backslashreplace"
        if os.name == "nt" and not stream.isatty():
            stream.reconfigure(encoding="utf-8", errors=errors, newline="\n")  # type: ignore[union-attr]
        else:
            stream.reconfigure(errors=errors)  # type: ignore[union-attr]


def main(
    argv: Sequence[str],
    *,
    environment: Environment | None = None,
    stdin: IO[str] | None = None,
    stdout: IO[str] | None = None,
    stderr: IO[str] | None = None,
    opener: Callable[..., Repository] | None = None,
) -> int:
    """Run one command and return its exit code; never raises for anything a user can cause.

    `opener` replaces `gitsession.repository.open_repository`.
    """
    umask = os.umask(UMASK)
    out, err = stdout or sys.stdout, stderr or sys.stderr
    try:
        if environment is None:
            environment = Environment.current()
            environment.may_fork = True
    except FileNotFoundError:
        err.write(
            "error: the current directory does not exist any more\nhint: cd to one that does\n"
        )
        return USAGE
    except UsageError as error:
        err.write(f"error: {error}\nhint: {error.hint}\n")
        return USAGE
    terminal = Terminal(stdin or sys.stdin, out, err, environment)
    as_json = "--json" in argv
    if not as_json:
        environment.tell = lambda text: terminal.warn(f"note: {text}")
    try:
        code = _run(list(argv), environment, terminal, umask, opener)
        terminal.stdout.flush()  # a full disk is only noticed now
        return code
    except BrokenPipeError:
        return 0
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - the place where bugs end
        from gitsession.cli.failure import explain

        return explain(error, terminal, environment, as_json)
    finally:
        terminal.close_pager()


def _run(
    argv: list[str],
    environment: Environment,
    terminal: Terminal,
    umask: int,
    opener: Callable[..., Repository] | None,
) -> int:
    try:
        return _dispatch(argv, environment, terminal, umask, opener)
    except HelpRequested as answer:
        terminal.write(answer.text)
        return 0


def _dispatch(
    argv: list[str],
    environment: Environment,
    terminal: Terminal,
    umask: int,
    opener: Callable[..., Repository] | None,
) -> int:
    before, verb, after = split(argv)
    if not verb and set(before) <= {"-h", "--help"}:
        raise HelpRequested(general_help())  # without a parser: the fastest way
    from gitsession.cli.plain import read

    module = load(verb) if verb else None
    arguments = read(before, module, after) if module else None
    if arguments is None:
        arguments = _parsed(before, verb, module, after)
    if arguments.version:
        from gitsession.version import __version__

        if arguments.json:
            from gitsession.render import json

            terminal.write(json.answer("version", {"version": __version__}))
        else:
            terminal.line(f"gitsession {__version__}")
        return 0
    if module is None:
        raise HelpRequested(general_help())
    context = _context(arguments, environment, terminal, umask, opener)
    context.reads = verb in READS
    context.at_operation = getattr(arguments, "at_op", 0)
    context.quiet = bool(getattr(arguments, "auto", False) or getattr(arguments, "hook", ""))
    if context.quiet:
        context.environment.tell = say_nothing
    try:
        return int(module.run(arguments, context))
    except GitSessionError as error:
        error.hint = error.hint or f"gitsession {verb} --help"
        raise
    finally:
        context.close()


def _parsed(
    before: list[str], verb: str, module: ModuleType | None, after: list[str]
) -> argparse.Namespace:
    from gitsession.cli.parser import top_parser, verb_parser

    arguments = top_parser().parse_args(before)
    if module is not None and not arguments.version:
        verb_parser(verb, module).parse_args(after, namespace=arguments)
    return arguments


def split(argv: list[str]) -> tuple[list[str], str, list[str]]:
    """Return the words before the verb, the verb ("" if there is none), and the words after it."""
    with_value = {name for names, value, _ in GLOBAL_OPTIONS if value for name in names}
    index = 0
    while index < len(argv) and argv[index].startswith("-"):
        index += 2 if argv[index] in with_value else 1
    verb = argv[index] if index < len(argv) else ""
    return argv[:index], verb, argv[index + 1 :]


def load(verb: str) -> ModuleType:
    """Import and return the module of a verb. Raises UsageError."""
    if verb not in SUMMARIES:
        raise UsageError(f"there is no verb '{verb}'", hint=_did_you_mean(verb))
    from importlib import import_module

    return import_module(module_of(verb))


def _did_you_mean(verb: str) -> str:
    import difflib

    close = difflib.get_close_matches(verb, SUMMARIES, n=1)
    return (
        f"did you mean `gitsession {close[0]}`?" if close else "`gitsession --help` lists the verbs"
    )


def _context(
    arguments: argparse.Namespace,
    environment: Environment,
    terminal: Terminal,
    umask: int,
    opener: Callable[..., Repository] | None,
) -> Context:
    from gitsession.cli.context import Context

    terminal.mode = arguments.color
    terminal.may_page = not arguments.no_pager and not arguments.json
    if arguments.directory:
        environment = _moved(environment, arguments.directory)
    if arguments.store or arguments.directory:
        from gitsession.cli.own_commands import program

        terminal.program = program(arguments.store, arguments.directory)
    environment.program = terminal.program
    return Context(
        environment, terminal, store=arguments.store, as_json=arguments.json, umask=umask,
        opener=opener,
    )  # fmt: skip


def _moved(environment: Environment, directory: str) -> Environment:
    """`-C DIR`: return the same user's environment in another directory. Raises UsageError."""
    place = os.path.normpath(os.path.join(environment.cwd, os.path.expanduser(directory)))
    if not os.path.isdir(place):
        raise UsageError(f"there is no directory {place}", hint="check the path after -C")
    return environment.at(as_spelled(place))
