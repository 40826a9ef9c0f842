"""`undo`: takes back the last command a person typed in this project, or any."""

from __future__ import annotations

from gitsession.cli.plain import ordinal

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context
    from gitsession.model.report import Operation

ABOUT = """
Moves the refs back to where they were before the operation. Automatic saves are
skipped. Works for every command that moves a ref; a push cannot be taken back, and
says so.
"""
EXAMPLES = (
    ("gitsession undo", "takes back the last command typed here"),
    ("gitsession undo 12", "takes back operation 12 of `gitsession oplog`"),
    ("gitsession redo", "takes the undo back"),
)
EXITS = (10, 11, 12, 13, 17)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "operation", metavar="OP", nargs="?", type=ordinal, default=0, help="a number of `oplog`"
    )
    parser.add_argument(
        "--force", action="store_true", help="go over files that were changed since, after a backup"
    )


def run(arguments: argparse.Namespace, context: Context) -> int:
    done = context.repository().undo(arguments.operation, force=arguments.force)
    return tell(done, context, taken_back=True)


def tell(operation: Operation, context: Context, *, taken_back: bool) -> int:
    """Say which operation it was, and where its refs are now."""
    if context.as_json:
        context.answer("operation", operation=operation)
        return 0
    from gitsession.render import report

    context.print(report.operation(operation, taken_back=taken_back, palette=context.palette))
    return 0
