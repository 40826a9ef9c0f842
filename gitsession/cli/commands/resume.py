"""`resume`: checkout, then the agent itself."""

from __future__ import annotations

import os

from gitsession.errors import Conflict, GitSessionError, NotFound
from gitsession.render import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context
    from gitsession.model.report import Checkout
    from gitsession.repository import Repository

ABOUT = """
Rolls the conversation back as checkout does, then starts the agent in the project.
The agent takes the place of this process. Without REV it goes on where this directory
stands: at the session saved last, or where you moved; where nothing was saved or moved
yet, at the newest session of this project. `latest` is the newest session of this
project that is not the current one. A session of another project is refused without
--any-project; one that somebody else made is shown first, and asks.
"""
EXAMPLES = (
    ("gitsession resume", "goes on where this directory stands"),
    ("gitsession resume HEAD~1 -b again", "one turn back, on branch again"),
)
EXITS = (10, 11, 12, 13, 16, 17)

LATEST = ("latest", "last", "recent")


def configure(parser: argparse.ArgumentParser) -> None:
    from gitsession.cli.commands.checkout import add_options, add_revision

    add_revision(parser, required=False)
    add_options(parser)
    parser.add_argument(
        "--any-project", action="store_true", help="also a session of another project"
    )


def run(arguments: argparse.Namespace, context: Context) -> int:
    from gitsession.cli.commands.checkout import tell, wishes

    repository = context.repository()
    revision = arguments.revision
    if revision.lower() in LATEST:
        revision = repository.newest_session()
    _agree(repository, revision, arguments, context)
    done = repository.checkout(revision, **wishes(arguments, context))
    tell(done, context)
    return start(done, context)


def _agree(
    repository: Repository, revision: str, arguments: argparse.Namespace, context: Context
) -> None:
    """Another project's session needs the flag; one that somebody else made needs a yes."""
    repository.check_resume(revision, any_project=arguments.any_project, trust=True)
    try:
        repository.check_resume(revision, any_project=True, trust=arguments.trust)
    except Conflict as foreign:
        if not context.terminal.interactive:
            raise
        context.terminal.warn(safe.line(str(foreign)))
        if not context.terminal.confirm("Start the agent with it, stripped of its settings?"):
            raise


def start(done: Checkout, context: Context) -> int:
    """Become the agent: its terminal, its environment and its umask are the user's own."""
    import shutil

    program = shutil.which(done.command[0], path=context.environment.get("PATH"))
    if program is None:
        raise NotFound(f"{done.command[0]} is not installed", hint="put it on PATH")
    if not os.path.isdir(done.cwd):
        raise GitSessionError(
            f"the folder {done.cwd} does not exist", hint="name another one with --project DIR"
        )
    context.terminal.stdout.flush()
    os.chdir(done.cwd)
    os.umask(context.umask)
    os.execve(program, list(done.command), {**context.environment.variables, "PWD": done.cwd})  # noqa: S606
    return 0  # pragma: no cover
