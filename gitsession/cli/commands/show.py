"""`show`: print a version, one message, one tool call, what was masked, or the native records."""

from __future__ import annotations

import time

from gitsession.cli import at_operation
from gitsession.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator

    from gitsession.cli.context import Context
    from gitsession.model.message import Message
    from gitsession.model.session import Session
    from gitsession.repository import Repository

ABOUT = """
REV shows a version and its conversation, REV:N message N in full. --stream shows the
conversation of a subagent instead (REV:N is then a message of it); the metadata of a version
lists its subagents. --tool-call shows one tool call with its input, output and status.
--findings lists what was masked: rule and place, never the value. --raw prints the native
records.
"""
EXAMPLES = (
    ("gitsession show", "the newest version of the current branch"),
    ("gitsession show HEAD~1:3", "message 3 of the version before"),
    ("gitsession show --tool-call toolu_01", "shows one tool call; the start of its id is enough"),
    ("gitsession show HEAD --stream a36efb2a", "shows the conversation of one subagent"),
    ("gitsession show --findings @1", "lists what was masked in the first row of the last list"),
)
EXITS = (10, 12, 16, 17)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "revision", metavar="REV", nargs="?", default="HEAD", help="a version, or REV:N"
    )
    parser.add_argument(
        "--stream", metavar="STREAM", default="",
        help="a subagent's conversation: subagents/ID, or the start of ID",
    )  # fmt: skip
    parser.add_argument("--tool-call", metavar="ID", default="", help="show one tool call")
    parser.add_argument("--findings", action="store_true", help="list what was masked")
    parser.add_argument("--raw", action="store_true", help="print the native records as stored")
    at_operation.configure(parser)


def run(arguments: argparse.Namespace, context: Context) -> int:
    if sum((bool(arguments.tool_call), arguments.findings, arguments.raw)) > 1:
        raise UsageError(
            "--tool-call, --findings and --raw exclude each other", hint="gitsession show --help"
        )
    if arguments.stream and arguments.findings:
        raise UsageError(
            "--findings has the findings of every stream", hint="gitsession show --findings"
        )
    repository, stream = context.repository(), arguments.stream
    number = repository.resolve(arguments.revision).message
    if number and arguments.tool_call:
        raise UsageError(
            "--tool-call looks in a whole version, not in one message", hint="leave the :N out"
        )
    if arguments.raw:
        return _raw(arguments.revision, number, stream, repository, context)
    if arguments.findings:
        return _findings(arguments.revision, repository, context)
    if number:
        return _message(repository.message(arguments.revision, number, stream), number, context)
    session = repository.session(arguments.revision, stream)
    if arguments.tool_call:
        return _tool_call(session, arguments.tool_call, context)
    return _version(arguments.revision, session, repository, context)


def _raw(revision: str, number: int, stream: str, repository: Repository, context: Context) -> int:
    whole = repository.resolve(revision).commit
    session = repository.session(whole, stream)
    named = [each.name for each in session.streams if each.records] if stream else ["main"]
    pieces: Iterable[bytes] = (piece for name in named for piece in native(session, name))
    if number:
        pieces = _of_message(session, number, list(pieces))
    if context.as_json:
        texts = [piece.decode("utf-8", "surrogateescape") for piece in pieces]
        context.answer("raw", version=repository.version(whole), records=texts)
        return 0
    for piece in pieces:
        context.terminal.write_bytes(piece)
    return 0


def _of_message(session: Session, number: int, records: list[bytes]) -> list[bytes]:
    """Return the records from the start of message `number` to the start of the next one."""
    from gitsession.operations import show

    start = show.message(session, number).record
    later = [one.record for one in session.messages[number:] if one.record > start]
    return records[max(start, 0) : later[0] if later else None]


def native(session: Session, stream: str = "main") -> Iterator[bytes]:
    """Yield the records of a stream, byte for byte."""
    for record in session.stream(stream).records:
        yield record.data


def _findings(revision: str, repository: Repository, context: Context) -> int:
    found = repository.findings(revision)
    if context.as_json:
        context.answer("findings", findings=found)
        return 0
    from gitsession.render import show

    width = context.terminal.width if context.terminal.is_terminal else 0
    context.page(show.findings(found, palette=context.palette, width=width))
    return 0


def _tool_call(session: Session, call_id: str, context: Context) -> int:
    from gitsession.model.call import find_call
    from gitsession.render import show

    call = find_call(session.messages, call_id)
    if context.as_json:
        context.answer("tool-call", call=call)
        return 0
    context.page(show.tool_call(call, palette=context.palette))
    return 0


def _message(item: Message, number: int, context: Context) -> int:
    from gitsession.render import show

    if context.as_json:
        context.answer("message", number=number, message=item)
        return 0
    context.page(show.message(item, number, palette=context.palette, everything=True))
    return 0


def _version(revision: str, session: Session, repository: Repository, context: Context) -> int:
    version = repository.version(revision)
    refs, head = repository.graph_refs([version]), repository.head()
    if context.as_json:
        names, beside = refs.get(version.id, ()), list(repository.subagents(revision))
        context.answer("show", head=head, refs=names, version=version, session=session,
                       subagents=beside)  # fmt: skip
        return 0
    from gitsession.render import log, show

    style = log.Style(
        int(time.time()), palette=context.palette, refs=refs, head=head,
        session=head.partition("/")[0],
        width=context.terminal.width if context.terminal.is_terminal else 0,
    )  # fmt: skip
    named = list(repository.subagents(revision))
    context.page(show.version(version, session, style, subagents=named))
    return 0
