"""`resume`: check out a version, then start the agent."""

from __future__ import annotations

import os

from gitsession.environment import find_program
from gitsession.errors import Conflict, GitSessionError, NotFound
from gitsession.render import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

    from gitsession.cli.context import Context
    from gitsession.model.report import Checkout
    from gitsession.repository import Repository

ABOUT = """
Checks out a version as `checkout` does, then starts the agent in the project, in place of
this process. Without REV, continues where this directory is: at the session that was saved
or checked out last or, if there is none, at the newest session of this project. `latest` is
the newest session of this project other than the current one. A session of another project
is refused without --any-project. A session that somebody else made is shown first, and you
are asked.
"""
EXAMPLES = (
    ("gitsession resume", "continues where this directory is"),
    ("gitsession resume HEAD~1 -b again", "continues one turn back, on the branch `again`"),
)
EXITS = (10, 11, 12, 13, 16, 17)

LATEST = ("latest", "last", "recent")


def configure(parser: argparse.ArgumentParser) -> None:
    from gitsession.cli.commands.checkout import add_options, add_revision

    add_revision(parser, required=False)
    add_options(parser)
    parser.add_argument(
        "--any-project", action="store_true", help="allow a session of another project"
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
    """Require the flag for another project's session, and a yes for somebody else's."""
    repository.check_resume(revision, any_project=arguments.any_project, trust=True)
    try:
        repository.check_resume(revision, any_project=True, trust=arguments.trust)
    except Conflict as foreign:
        if not context.terminal.interactive:
            raise
        context.terminal.warn(safe.line(str(foreign)))
        if not context.terminal.confirm("Start the agent with it, without its settings?"):
            raise


def start(done: Checkout, context: Context) -> int:
    """Become the agent: its terminal, its environment and its umask are the user's own."""
    program = find_program(done.command[0], context.environment.variables, script=True)
    if not program:
        raise NotFound(f"{done.command[0]} is not installed", hint="install it or put it on PATH")
    if not os.path.isdir(done.cwd):
        raise GitSessionError(
            f"the folder {done.cwd} does not exist", hint="name another one with --project DIR"
        )
    context.terminal.stdout.flush()
    os.chdir(done.cwd)
    os.umask(context.umask)
    variables = {**context.environment.variables, "PWD": done.cwd}
    if os.name == "nt":
        return _wait_for(program, done.command, variables)
    os.execve(program, list(done.command), variables)  # noqa: S606
    return 0  # pragma: no cover


def _wait_for(program: str, command: Sequence[str], variables: Mapping[str, str]) -> int:
    """Run the agent and return its exit code. Windows cannot replace a process by another program:
    the shell would continue while the agent runs. Interrupts from the terminal go to the agent."""
    import signal
    import subprocess

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return subprocess.run([program, *command[1:]], env=variables, check=False).returncode
