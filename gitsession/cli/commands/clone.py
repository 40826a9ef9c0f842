"""`clone`: create a new named store from a remote."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context

ABOUT = """
Creates a new store next to the default one and downloads everything the remote has. What
is fetched is scanned for secrets before any branch appears. Versions made by others are
foreign and are treated as untrusted data. To use the store, pass --store DIR or set
GITSESSION_DIR.
"""
EXAMPLES = (
    ("gitsession clone git@example.org:team/sessions.git", "a store named `sessions`"),
    ("gitsession clone /srv/git/sessions.git team", "a store named `team`"),
)
EXITS = (10, 13, 14, 15, 17)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("url", metavar="URL", help="any URL or path that git understands")
    parser.add_argument("name", metavar="NAME", nargs="?", default="", help="the name of the store")


def run(arguments: argparse.Namespace, context: Context) -> int:
    import shlex

    from gitsession.operations.sharing import share

    path, transfer = share.clone(context.environment, arguments.url, arguments.name)
    if context.as_json:
        context.answer("clone", store=path, transfer=transfer)
        return 0
    from gitsession.render import sharing

    context.print(sharing.transfer(transfer, "clone", palette=context.palette))
    context.line(f"The store is {path}")
    context.line(f"hint: gitsession --store {shlex.quote(str(path))} list --all")
    return 0
