"""`dir`: print the path of the store, for `git -C "$(gitsession dir)"`."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context

ABOUT = """
The store is a bare git repository that plain git can read. The default store is created
by the first save. Precedence: --store, GITSESSION_DIR, the binding of this project (see
init), the default.
"""
EXAMPLES = (
    ("gitsession dir", "prints the path"),
    (
        'git -C "$(gitsession dir)" log --graph --branches --tags',
        "shows the versions with plain git",
    ),
)
EXITS = (10, 17)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare nothing: this verb has no arguments of its own."""
    del parser


def run(arguments: argparse.Namespace, context: Context) -> int:
    del arguments
    path = context.repository(missing=True).store_path
    if context.as_json:
        context.answer("dir", store=path)
    else:
        context.line(str(path))
    return 0
