"""`init`: a further store, bound to this project in the user's configuration."""

from __future__ import annotations

from gitsession.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context

ABOUT = """
Never needed: the default store appears at first use. With --name a further store is
made beside it, and this project is bound to it in your own configuration; nothing is
written into the project.
"""
EXAMPLES = (
    ("gitsession init", "makes the default store now"),
    ("gitsession init --name work", "this project's sessions go to the store `work` from now on"),
)
EXITS = (10, 13, 14, 17)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--name", metavar="NAME", default="", help="the name of a further store")


def run(arguments: argparse.Namespace, context: Context) -> int:
    if arguments.name:
        _bind(arguments.name, context)
    path = context.repository(create=True).store_path
    if context.as_json:
        context.answer("init", store=path, name=arguments.name)
    else:
        context.line(f"The store is {path}")
    return 0


def _bind(name: str, context: Context) -> None:
    from gitsession.config import load_config
    from gitsession.operations import place

    if context.store:
        raise UsageError("--store and --name exclude each other", hint="leave one out")
    place.bind(context.environment, load_config(context.environment), name)
