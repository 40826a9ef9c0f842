"""The program: finds the verb, imports that one command, runs it, and turns errors into codes."""

from __future__ import annotations

import gc
import os
import sys

from gitsession.cli.exit_codes import USAGE
from gitsession.cli.overview import HelpRequested, general_help
from gitsession.cli.terminal import Terminal
from gitsession.cli.verbs import GLOBAL_OPTIONS, READS, SUMMARIES, module_of
from gitsession.environment import UMASK, Environment
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
    """The console script."""
    gc.set_threshold(50_000, 20, 20)  # importing makes many objects and no garbage
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # started with a closed descriptor, as hooks may be
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115 - it is for good
    for stream in (sys.stdout, sys.stderr):
        # Whatever a session or a path holds, printing it is never an error.
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    code = main(sys.argv[1:])
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        pass  # said already, or the reader has gone, which is its right
    # Everything is closed by now. Taking the interpreter apart piece by piece would cost as much
    # as half of a bare start.
    os._exit(code)


def main(
    argv: Sequence[str],
    *,
    environment: Environment | None = None,
    stdin: IO[str] | None = None,
    stdout: IO[str] | None = None,
    stderr: IO[str] | None = None,
    opener: Callable[..., Repository] | None = None,
) -> int:
    """Run one command and give its exit code; never raises for what a user can cause.

    `opener` stands in for `gitsession.repository.open_repository`.
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
    terminal = Terminal(stdin or sys.stdin, out, err, environment)
    as_json = "--json" in argv
    if not as_json:
        environment.tell = lambda text: terminal.warn(f"note: {text}")
    try:
        code = _run(list(argv), environment, terminal, umask, opener)
        terminal.stdout.flush()  # a full disk shows only now
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
        raise HelpRequested(general_help())  # without a parser: this is how fast it can be
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
    context.quiet = getattr(arguments, "auto", False)
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
    """What stands before the verb, the verb ("" if there is none), what stands behind it."""
    with_value = {name for names, value, _ in GLOBAL_OPTIONS if value for name in names}
    index = 0
    while index < len(argv) and argv[index].startswith("-"):
        index += 2 if argv[index] in with_value else 1
    verb = argv[index] if index < len(argv) else ""
    return argv[:index], verb, argv[index + 1 :]


def load(verb: str) -> ModuleType:
    """The module of a verb, imported only now."""
    if verb not in SUMMARIES:
        raise UsageError(f"there is no verb '{verb}'", hint=_did_you_mean(verb))
    from importlib import import_module

    return import_module(module_of(verb))


def _did_you_mean(verb: str) -> str:
    import difflib

    close = difflib.get_close_matches(verb, SUMMARIES, n=1)
    return (
        f"did you mean `gitsession {close[0]}`?" if close else "gitsession --help lists the verbs"
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
    return Context(
        environment, terminal, store=arguments.store, as_json=arguments.json, umask=umask,
        opener=opener,
    )  # fmt: skip


def _moved(environment: Environment, directory: str) -> Environment:
    """`-C DIR`: the same user, standing elsewhere."""
    place = os.path.normpath(os.path.join(environment.cwd, os.path.expanduser(directory)))
    if not os.path.isdir(place):
        raise UsageError(f"there is no directory {place}", hint="check the path after -C")
    return environment.at(place)
