"""`tag`: mark a key decision."""

from __future__ import annotations

from gitsession.cli import at_operation
from gitsession.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context
    from gitsession.operations.marking.tags import TagRow
    from gitsession.repository import Repository

ABOUT = """
Without a name, lists the tags of the current session. With a name, tags a version or, with
REV:N, a message in it. Tags are pushed along with their session. --key marks the message as
one that every context keeps whole.
"""
EXAMPLES = (
    ("gitsession tag decision-jwt -m 'JWT, not cookies'", "tags the current version"),
    ("gitsession tag requirement HEAD~3:1 --key", "tags a message that contexts never leave out"),
    ("gitsession tag -d decision-jwt", "deletes the tag; undo brings it back"),
)
EXITS = (10, 11, 12, 13, 14, 17)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", nargs="?", default="", help="the new tag")
    parser.add_argument(
        "revision", metavar="REV", nargs="?", default="HEAD", help="a version, or REV:N"
    )
    parser.add_argument("-m", "--message", metavar="WHY", default="", help="the reason")
    parser.add_argument("-d", dest="delete", metavar="NAME", default="", help="delete a tag")
    parser.add_argument("--key", action="store_true", help="keep it whole in every context")
    at_operation.configure(parser)


def run(arguments: argparse.Namespace, context: Context) -> int:
    if arguments.delete and (arguments.name or arguments.message or arguments.key):
        raise UsageError("-d takes one name and nothing else", hint="gitsession tag --help")
    repository = context.repository()
    if arguments.delete:
        repository.delete_tag(arguments.delete)
        said = f"Deleted tag {arguments.delete}; `gitsession undo` brings it back"
        return _said(context, said, arguments.delete)
    if not arguments.name:
        if arguments.message or arguments.key:
            raise UsageError("a tag needs a name", hint="gitsession tag NAME -m WHY")
        return _list(repository, context)
    made = repository.create_tag(
        arguments.name, arguments.revision, message=arguments.message, key=arguments.key
    )
    return _said(context, f"Tagged {made}", made)


def _said(context: Context, sentence: str, tag: str) -> int:
    if context.as_json:
        context.answer("tag", tag=tag)
    else:
        context.line(sentence)
    return 0


def _list(repository: Repository, context: Context) -> int:
    rows = repository.tags(repository.head().partition("/")[0])
    if context.as_json:
        context.answer("tags", tags=rows)
        return 0
    from gitsession.render import listing

    table = [(listing.short_ref(row.ref), row.id[:8], _marks(row), row.subject) for row in rows]
    context.page(listing.table(table, palette=context.palette, roles=("tag", "id", "dim")))
    return 0


def _marks(row: TagRow) -> str:
    """Return what the tag marks besides the version, such as `message 7, key`."""
    said = [f"message {row.message}"] if row.message else []
    return ", ".join([*said, "key"] if row.key else said)
