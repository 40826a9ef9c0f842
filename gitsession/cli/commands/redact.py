"""`redact`: a filter. What leaves it differs from what entered only by the secrets."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context
    from gitsession.redaction import Redactor

ABOUT = """
Reads a file or standard input as text or as JSON lines, and writes it without the
secrets. A line that is JSON keeps its shape; only the characters of a secret change.
Placeholders carry a keyed hash: the same value gets the same placeholder everywhere
on this machine.

With --rewrite, what is stored is brought under today's rules: secrets that older rules
missed are taken out of every version, as `scrub` does it. That cannot be undone.
"""
EXAMPLES = (
    ("gitsession redact build.log > build.clean.log", "a copy without secrets"),
    ("some-program | gitsession redact -", "as a filter in a pipe"),
    ("gitsession redact --rewrite --dry-run", "what older rules missed in the store"),
)
EXITS = (10, 11, 13, 16, 17)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file", metavar="FILE", nargs="?", default="-", help="the file to read; - is standard input"
    )

    parser.add_argument(
        "--rewrite", action="store_true", help="bring stored versions under today's rules"
    )
    parser.add_argument("-y", "--yes", action="store_true", help="with --rewrite: do not ask")
    parser.add_argument(
        "--dry-run", action="store_true", help="with --rewrite: only say what would be taken out"
    )


def run(arguments: argparse.Namespace, context: Context) -> int:
    if arguments.rewrite:
        return rewrite(arguments, context)
    redactor = _redactor(context)
    data = _read(arguments.file, context)
    clean = lines_redacted(data, redactor) if is_json_lines(data) else text_redacted(data, redactor)
    context.terminal.write_bytes(clean)
    return 0


def _redactor(context: Context) -> Redactor:
    """With the user's key, own rules and scrubbed values; no store is needed."""
    from gitsession.config import load_config, load_key
    from gitsession.operations.workspace import Workspace

    config = load_config(context.environment)
    key = load_key(context.environment, config)
    return Workspace(None, context.environment, config, key).redactor()  # type: ignore[arg-type]


def rewrite(arguments: argparse.Namespace, context: Context) -> int:
    """Nothing to take out is no error."""
    from gitsession.errors import Conflict
    from gitsession.render import scrubbing

    repository = context.repository()
    values, plan = repository.plan_rewrite()
    if not values or not sum(plan.objects.values()):
        if context.as_json:
            context.answer("scrub-plan", plan=plan)
        else:
            context.line("Nothing that is stored has a finding under today's rules.")
        return 0
    if not context.as_json:
        context.print(scrubbing.plan(plan, final=arguments.dry_run))
    elif arguments.dry_run:
        context.answer("scrub-plan", plan=plan)
    if arguments.dry_run:
        return 0
    if not arguments.yes and not context.terminal.confirm("Rewrite the history now?"):
        raise Conflict("nothing was changed")
    done = repository.rewrite(values)
    if context.as_json:
        context.answer("scrub", done=done)
    else:
        context.print(scrubbing.done(done))
    return 0


def is_json_lines(data: bytes) -> bool:
    """Whether the first line that is not empty is a JSON object or array of its own."""
    import json

    first = data.lstrip(b" \t\r\n\xef\xbb\xbf").partition(b"\n")[0].strip()
    if first[:1] not in (b"{", b"["):
        return False
    try:
        json.loads(first.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return False
    return True


def lines_redacted(data: bytes, redactor: Redactor) -> bytes:
    """Each line as a record of a session: keys, escapes and numbers stay as they are."""
    from gitsession.model.record import Record, Stream
    from gitsession.model.session import Info, Session

    records = tuple(Record(line + b"\n") for line in data.split(b"\n"))
    records = (*records[:-1], Record(records[-1].data[:-1]))
    session = Session(Info("generic", ""), (Stream("main", records),))
    redactor.learn(session)  # a value that is recognised late is masked where it stood before
    redacted = redactor.redact(session).session
    return b"".join(record.data for record in redacted.stream().records)


def text_redacted(data: bytes, redactor: Redactor) -> bytes:
    """The whole as one text, whatever bytes stand in it."""
    text = data.decode("utf-8", "surrogateescape")
    redactor.clean(text)  # first only to learn what it gives away
    return str(redactor.clean(text)).encode("utf-8", "surrogateescape")


def _read(name: str, context: Context) -> bytes:
    if name != "-":
        return context.path(name).read_bytes()
    stdin = context.terminal.stdin
    binary = getattr(stdin, "buffer", None)
    if binary is None:
        return stdin.read().encode("utf-8", "surrogateescape")
    return bytes(binary.read())
