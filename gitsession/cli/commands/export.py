"""`export`: write one version to a file."""

from __future__ import annotations

from gitsession.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context

ABOUT = """
Exports are redacted by construction: what is stored holds no recognized secrets. `md` and
`html` are for people, `json` is the documented form that `import` reads again, `codesess`
is for CODESESSv1 programs, `lobe` is a LobeChat topic, and `native` is the agent's own
transcript. In `md`, a tool call is one line and reasoning is left out, unless you add
--full. With --sanitize, `native` keeps only the structure (types, ids, times and numbers)
and replaces every text.
"""
EXAMPLES = (
    ("gitsession export HEAD > session.md", "the conversation as Markdown"),
    ("gitsession export HEAD --format html -o session.html", "a single page for a browser"),
    ("gitsession export @1 --format json -o session.json", "a file that `import` reads"),
)
EXITS = (10, 12, 13, 16, 17)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "revision", metavar="REV", nargs="?", default="HEAD",
        help="a version (default HEAD); with REV:N, up to message N",
    )  # fmt: skip
    parser.add_argument(
        "--format", metavar="F", choices=("md", "html", "json", "codesess", "lobe", "native"),
        default="md", help="md (default), html, json, codesess, lobe or native",
    )  # fmt: skip
    parser.add_argument(
        "--full", action="store_true", help="with md: include reasoning and complete tool calls"
    )
    parser.add_argument(
        "--sanitize", action="store_true",
        help="with native: keep the structure, replace every text, name and path",
    )  # fmt: skip
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        default="",
        help="write to FILE instead of standard output",
    )


def run(arguments: argparse.Namespace, context: Context) -> int:
    if arguments.full and arguments.format != "md":
        raise UsageError("--full goes with md; the other formats leave nothing out")
    if arguments.sanitize and arguments.format != "native":
        raise UsageError("--sanitize goes with native", hint="add --format native")
    repository = context.repository()
    form = "sanitized" if arguments.sanitize else arguments.format
    result = repository.export(arguments.revision, form, full=arguments.full)
    data = result.encode("utf-8", "backslashreplace") if isinstance(result, str) else result
    if not arguments.output:
        if context.as_json:
            text = data.decode("utf-8", "surrogateescape")
            context.answer("export", file="", bytes=len(data), text=text)
        else:
            context.terminal.write_bytes(data)
        return 0
    from gitsession.files import overwrite

    overwrite(context.path(arguments.output), data)
    if context.as_json:
        context.answer("export", file=context.path(arguments.output), bytes=len(data))
    return 0
