"""`redact`: filter a text; the output differs from the input only by the secrets."""

from __future__ import annotations

from gitsession.cli.combined import exclusive, goes_with

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context
    from gitsession.redaction import Redactor

ABOUT = """
Reads a file or standard input, as text or as JSON lines, and writes it without the
secrets. A line of JSON keeps its structure; only the characters of a secret change (a number
that is a secret becomes a string). Placeholders carry a keyed hash: the same value has the
same placeholder everywhere on this machine, including the store. For that, your personal
key is created if you have none; no store is needed. With --key FILE (32 bytes of your own),
placeholders are the same wherever that file is used, and your personal key is not used.

With --rewrite, applies today's rules to what is already stored: secrets that older rules
missed are removed from every version, as `scrub` does. This cannot be undone.
"""
EXAMPLES = (
    ("gitsession redact build.log > build.clean.log", "writes a copy without secrets"),
    ("some-program | gitsession redact -", "filters a pipe"),
    ("gitsession redact --key team.key build.log", "gives the same placeholders on every machine"),
    ("gitsession redact --rewrite --dry-run", "shows what older rules missed in the store"),
)
EXITS = (10, 11, 13, 16, 17)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file",
        metavar="FILE",
        nargs="?",
        default="-",
        help="the file to read, or - for standard input",
    )
    parser.add_argument(
        "--key", metavar="FILE", default="", help="use this key of 32 bytes for placeholders"
    )
    parser.add_argument(
        "--rewrite", action="store_true", help="apply today's rules to stored versions"
    )
    parser.add_argument("-y", "--yes", action="store_true", help="with --rewrite: do not ask")
    parser.add_argument(
        "--dry-run", action="store_true", help="with --rewrite: only show what would be removed"
    )


def run(arguments: argparse.Namespace, context: Context) -> int:
    if arguments.rewrite:
        exclusive({"--rewrite": True, "--key": arguments.key})
        exclusive({"--rewrite": True, "FILE": arguments.file != "-"})
        return rewrite(arguments, context)
    goes_with({"--dry-run": arguments.dry_run}, "--rewrite", arguments.rewrite)
    redactor = _redactor(arguments.key, context)
    data = _read(arguments.file, context)
    clean = lines_redacted(data, redactor) if is_json_lines(data) else text_redacted(data, redactor)
    if context.as_json:
        context.answer("redact", text=clean.decode("utf-8", "surrogateescape"))
    else:
        context.terminal.write_bytes(clean)
    return 0


def _redactor(key_file: str, context: Context) -> Redactor:
    """Return a scanner with the user's key or that of a file, with own rules and scrubbed values;
    no store is needed."""
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
    """Apply today's rules to stored versions; having nothing to remove is no error."""
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
        context.print(scrubbing.done(done, context.palette))
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
    """Redact the lines as records of a session: keys, escapes and numbers stay as they are."""
    from gitsession.model.record import Record, Stream
    from gitsession.model.session import Info, Session

    records = tuple(Record(line + b"\n") for line in data.split(b"\n"))
    records = (*records[:-1], Record(records[-1].data[:-1]))
    session = Session(Info("generic", ""), (Stream("main", records),))
    redactor.learn(session)  # a value recognised late is masked in earlier places too
    redacted = redactor.redact(session).session
    return b"".join(record.data for record in redacted.stream().records)


def text_redacted(data: bytes, redactor: Redactor) -> bytes:
    """Return the data redacted as one text, whatever bytes it contains."""
    text = data.decode("utf-8", "surrogateescape")
    redactor.clean(text)  # a first pass that only learns the values
    return str(redactor.clean(text)).encode("utf-8", "surrogateescape")


def _read(name: str, context: Context) -> bytes:
    if name != "-":
        return context.path(name).read_bytes()
    stdin = context.terminal.stdin
    binary = getattr(stdin, "buffer", None)
    if binary is None:
        return stdin.read().encode("utf-8", "surrogateescape")
    return bytes(binary.read())
