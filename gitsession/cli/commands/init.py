"""`init`: create an additional store, bound to this project in the user's configuration."""

from __future__ import annotations

from gitsession.cli.combined import exclusive

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context

ABOUT = """
You rarely need this: the default store is created by the first save. With --name, this
project is bound to another store in your own configuration: to the one of that name (such
as a clone), or else to a new one next to the default store, which itself is called
`store`. What is saved already stays where it is; nothing is written into the project.
"""
EXAMPLES = (
    ("gitsession init", "creates the default store now"),
    (
        "gitsession init --name work",
        "saves this project's sessions to the store `work` from now on",
    ),
    ("gitsession init --name store", "and to the default store again"),
)
EXITS = (10, 13, 14, 17)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--name", metavar="NAME", default="", help="the store for this project")


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

    exclusive({"--store": context.store, "--name": name})
    place.bind(context.environment, load_config(context.environment), name)
