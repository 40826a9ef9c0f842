"""`remote`: manage the git remotes that sessions are shared through."""

from __future__ import annotations

from gitsession.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context

ABOUT = """
There are no remotes until you add one. A URL that contains a password or a token is
refused: use a credential helper or ssh. Without arguments, lists the remotes.
"""
EXAMPLES = (
    ("gitsession remote add origin git@example.org:me/sessions.git", "adds a remote"),
    ("gitsession remote -v", "lists remotes with their URLs"),
    ("gitsession remote rm origin", "removes it and what was fetched from it"),
)
EXITS = (10, 11, 12, 13, 14, 17)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "action", metavar="ACTION", nargs="?", default="list",
        choices=("add", "rm", "list"),
        help="add NAME URL, or rm NAME",
    )  # fmt: skip
    parser.add_argument("name", metavar="NAME", nargs="?", default="", help="name of the remote")
    parser.add_argument("url", metavar="URL", nargs="?", default="", help="its URL")
    parser.add_argument("-v", "--verbose", action="store_true", help="show the URLs")


def run(arguments: argparse.Namespace, context: Context) -> int:
    action, name, url = arguments.action, arguments.name, arguments.url
    if action == "add":
        if not (name and url):
            raise UsageError("add needs a name and a URL", hint="gitsession remote add NAME URL")
        context.repository(create=True).add_remote(name, url)
    elif action == "rm":
        if not name or url:
            raise UsageError("rm needs one name", hint="gitsession remote rm NAME")
        repository = context.repository()
        url = dict(repository.remotes()).get(name, "")
        repository.remove_remote(name)
    else:
        return _list(arguments.verbose, context)
    if context.as_json:
        context.answer("remote", name=name, url=url, removed=action == "rm")
    elif action == "add":
        context.line(f"Added remote {name}; nothing is sent until `gitsession push {name}`")
    else:
        context.line(f"Removed remote {name} ({url}) and what was fetched from it")
    return 0


def _list(verbose: bool, context: Context) -> int:
    remotes = dict(context.repository().remotes())
    if context.as_json:
        context.answer("remotes", remotes=remotes)
        return 0
    for name, url in sorted(remotes.items()):
        context.line(f"{name}  {url}" if verbose else name)
    return 0
