"""`relink`: moves sessions to another project by hand."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context

ABOUT = """
A project is known by its code repository: its first commit and the folder in it. So a
renamed folder, a worktree, a clone or a container keeps its sessions by itself. Where
nothing tells (a folder without git that was renamed, a history that was rewritten, a
template that became two projects), relink says it: the sessions belong to the project
of this directory, or of DIR. Their versions stay as they are; undo takes it back.
"""
EXAMPLES = (
    ("gitsession list --project ~/old-name", "the sessions of a folder that was renamed"),
    ("gitsession relink @1 @2", "the first two rows of that list belong here now"),
    ("gitsession relink @1 --project ~/work/app", "the first row belongs to that project"),
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
        context.line(f"{visible(name)} belongs to {visible(folder or context.environment.cwd)} now")
    return 0
