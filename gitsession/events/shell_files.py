"""Files that a shell read, wrote, edited or searched for.

Some agents have no other way to read a file; for them this reports what the tools of other agents
do.
"""

from __future__ import annotations

from collections.abc import Iterator

from gitsession.events.commands import commands, happened
from gitsession.events.shell import moved_to
from gitsession.events.shell_programs import Run, of_program
from gitsession.events.used import Found, Used


def shell_files(used: Used) -> Iterator[Found]:
    """Yield only the files that the command itself names, in the folder that an earlier `cd` went
    to; nothing for a single command that failed."""
    if not happened(used):
        return
    alone = len(commands(used)) == 1
    folders: dict[tuple[int, ...], str] = {}
    for simple in commands(used):
        folder = _folder(folders, simple.scope)
        run = Run(simple, used.output if alone else "", folder)
        to = moved_to(simple)
        folders[simple.scope] = folder if to is None else run.path(to) if to else ""
        yield from of_program(run)


def _folder(folders: dict[tuple[int, ...], str], scope: tuple[int, ...]) -> str:
    """Return the folder of a subshell: it starts in that of the enclosing shell."""
    while scope and scope not in folders:
        scope = scope[:-1]
    return folders.get(scope, "")
