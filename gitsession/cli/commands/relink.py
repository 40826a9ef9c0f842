"""`relink`: assign sessions to another project by hand."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context

ABOUT = """
gitsession identifies a project by its code repository: its first commit and the folder in
it. So a renamed folder, a worktree, a clone or a container finds its sessions by itself.
Where that cannot work (a renamed folder without git, a rewritten history, a template that
became two projects), relink assigns the sessions to the project of this directory, or of
DIR. Their versions stay as they are; `gitsession undo` reverts it.
"""
EXAMPLES = (
    ("gitsession list --project ~/old-name", "lists the sessions of the folder's old name"),
    ("gitsession relink @1 @2", "assigns the first two rows to this project"),
    ("gitsession relink @1 --project ~/work/app", "assigns the first row to that project"),
)
EXITS = (10, 11, 12, 17)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "sessions", metavar="SESSION", nargs="+", help="a row (@1), name, slug or native id"
    )
    parser.add_argument(
        "--project", metavar="DIR", default="", help="the project's folder (default: this one)"
    )


def run(arguments: argparse.Namespace, context: Context) -> int:
    from gitsession.render.safe import line as visible

    folder = str(context.path(arguments.project)) if arguments.project else ""
    names, project = context.repository().relink(arguments.sessions, folder)
    if context.as_json:
        context.answer("relink", sessions=names, project=project)
        return 0
    for name in names:
        context.line(f"{visible(name)} now belongs to {visible(folder or context.environment.cwd)}")
    return 0
