"""`undo`: take back the last command a person ran in this project, or any operation."""

from __future__ import annotations

from gitsession.cli.plain import ordinal

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context
    from gitsession.model.report import Operation

ABOUT = """
Moves the refs back to where they were before the operation. Automatic saves are skipped.
Works for every command that moves a ref. A push cannot be undone; you are told so.
"""
EXAMPLES = (
    ("gitsession undo", "undoes the last command typed in this project"),
    ("gitsession undo 12", "undoes operation 12 of `gitsession oplog`"),
    ("gitsession redo", "redoes it"),
)
EXITS = (10, 11, 12, 13, 17)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "operation", metavar="OP", nargs="?", type=ordinal, default=0, help="a number from `oplog`"
    )
    parser.add_argument(
        "--force",
        action="store_true",
        help="overwrite files that were changed since, after a backup",
    )


def run(arguments: argparse.Namespace, context: Context) -> int:
    done = context.repository().undo(arguments.operation, force=arguments.force)
    return tell(done, context, taken_back=True)


def tell(operation: Operation, context: Context, *, taken_back: bool) -> int:
    """Print which operation it was, and where its refs are now."""
    if context.as_json:
        context.answer("operation", operation=operation)
        return 0
    from gitsession.render import report

    context.print(report.operation(operation, taken_back=taken_back, palette=context.palette))
    return 0
