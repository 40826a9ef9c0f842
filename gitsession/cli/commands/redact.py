"""`redact`: a filter. What leaves it differs from what entered only by the secrets."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from gitsession.cli.context import Context

ABOUT = """
Reads a file or standard input as text or as JSON lines, and writes it without the
secrets. A line that is JSON keeps its shape; only the characters of a secret change.
Placeholders carry a keyed hash: the same value gets the same placeholder everywhere
on this machine.
"""
EXAMPLES = (
    ("gitsession redact build.log > build.clean.log", "a copy without secrets"),
    ("some-program | gitsession redact -", "as a filter in a pipe"),
)
EXITS = (16,)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file", metavar="FILE", nargs="?", default="-", help="the file to read; - is standard input"
    )


def run(arguments: argparse.Namespace, context: Context) -> int:
    from gitsession.config import load_config, load_key
    from gitsession.redaction import redact_all

    key = load_key(context.environment, load_config(context.environment))
    data = _read(arguments.file, context)
    # All at once: a value that is recognised late is masked where it stood bare before, too.
    for piece in redact_all(_texts(data), key=key):
        context.terminal.write_bytes(piece.encode("utf-8", "surrogateescape"))
    return 0


def _read(name: str, context: Context) -> bytes:
    if name != "-":
        return context.path(name).read_bytes()
    stdin = context.terminal.stdin
    binary = getattr(stdin, "buffer", None)
    if binary is None:
        return stdin.read().encode("utf-8", "surrogateescape")
    return bytes(binary.read())


def _texts(data: bytes) -> Iterator[str]:
    yield data.decode("utf-8", "surrogateescape")
