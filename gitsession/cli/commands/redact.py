"""`redact`: a filter. What leaves it differs from what entered only by the secrets."""

from __future__ import annotations

from gitsession.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context
    from gitsession.redaction import Redactor

ABOUT = """
Reads a file or standard input as text or as JSON lines, and writes it without the
secrets. A line that is JSON keeps its shape; only the characters of a secret change
(a number that is one becomes a string). Placeholders carry a keyed hash: the same value
gets the same placeholder everywhere on this machine, in the store too. For that, your
personal key is made where there is none yet; a store is neither needed nor made. With
--key FILE, 32 bytes of your own, placeholders are the same wherever that file is used,
and your personal key is neither used nor made.

With --rewrite, what is stored is brought under today's rules: secrets that older rules
missed are taken out of every version, as `scrub` does it. That cannot be undone.
"""
EXAMPLES = (
    ("gitsession redact build.log > build.clean.log", "a copy without secrets"),
    ("some-program | gitsession redact -", "as a filter in a pipe"),
    ("gitsession redact --key team.key build.log", "the same placeholders on every machine"),
    ("gitsession redact --rewrite --dry-run", "what older rules missed in the store"),
)
EXITS = (10, 11, 13, 16, 17)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file", metavar="FILE", nargs="?", default="-", help="the file to read; - is standard input"
    )
    parser.add_argument(
        "--key", metavar="FILE", default="", help="make placeholders with this key of 32 bytes"
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
        if arguments.key:
            raise UsageError("--key and --rewrite exclude each other", hint="leave one out")
        return rewrite(arguments, context)
    redactor = _redactor(arguments.key, context)
    data = _read(arguments.file, context)
    clean = lines_redacted(data, redactor) if is_json_lines(data) else text_redacted(data, redactor)
    if context.as_json:
        context.answer("redact", text=clean.decode("utf-8", "surrogateescape"))
    else:
        context.terminal.write_bytes(clean)
    return 0


def _redactor(key_file: str, context: Context) -> Redactor:
    """With the user's key or that of a file, own rules and scrubbed values; no store is needed."""
    from gitsession.config import checked_key, load_config, load_key
    from gitsession.operations.workspace import Workspace

    config = load_config(context.environment)
    if key_file:
        key = context.path(key_file).read_bytes()
        checked_key(key, "name a file of 32 random bytes")
    else:
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
