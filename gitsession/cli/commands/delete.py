"""`delete`: move a session's refs to the operation log; `--purge` drops the objects now."""

from __future__ import annotations

from gitsession.errors import Conflict

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context

ABOUT = """
Deletes all branches and tags of a session; `gitsession undo` brings them back. From then
on, hooks and `save --all` skip the session until you run `gitsession save ID` or undo the
deletion. The agent's own files are not touched.

With --purge, the objects that no other session needs are dropped immediately, including
what undo had kept of them. Only a copy elsewhere can bring them back.
"""
EXAMPLES = (
    ("gitsession delete @2", "asks, then deletes the second row of the last list"),
    ("gitsession undo", "brings it back"),
    ("gitsession delete --purge @2", "asks, then drops it permanently"),
)
EXITS = (10, 11, 12, 13, 17)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("session", metavar="SESSION", help="a row (@1), name, slug or native id")
    parser.add_argument("--purge", action="store_true", help="drop the objects now, permanently")
    parser.add_argument("-y", "--yes", action="store_true", help="do not ask")


def run(arguments: argparse.Namespace, context: Context) -> int:
    from gitsession.render.safe import line as visible

    repository = context.repository()
    resolved = repository.resolve(arguments.session)
    name = resolved.branch.partition("/")[0] or arguments.session
    for child in repository.children(name):
        context.terminal.warn(f"{visible(child)} was forked from it and stays")
    manner = "permanently" if arguments.purge else "(undo brings it back)"
    if not arguments.yes and not context.terminal.confirm(f"Delete {visible(name)} {manner}?"):
        raise Conflict("nothing was deleted")
    places = repository.delete(arguments.session, purge=arguments.purge)
    held = () if arguments.purge else repository.held()
    if context.as_json:
        context.answer("delete", session=name, purged=arguments.purge, copies=places, held=held)
        return 0
    context.line(f"Deleted: {name}")
    for place in places:
        context.line(f"  a copy remains: {place}")
    if any(place.startswith("the remote ") for place in places):
        context.line(f"`gitsession push --delete {name}` deletes it there.")
    if not arguments.purge:
        context.line("`gitsession undo` brings it back.")
        for ref in held:
            context.line(f"  kept until gc as {ref}")
    return 0
