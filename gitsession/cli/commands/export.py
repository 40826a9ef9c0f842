"""`export`: one version as a file."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context

ABOUT = """
Redacted by construction: what is stored holds no secrets. `md` and `html` are for
people, `json` is the documented form that `import` reads again, `codesess` a file for
CODESESSv1 programs, `lobe` a LobeChat topic, `native` is the agent's own transcript.
"""
EXAMPLES = (
    ("gitsession export HEAD > session.md", "the conversation as Markdown"),
    ("gitsession export HEAD --format html -o session.html", "one page for a browser"),
    ("gitsession export @1 --format json -o session.json", "a file that import takes"),
)
EXITS = (10, 12, 13, 16, 17)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("revision", metavar="REV", nargs="?", default="HEAD", help="a version")
    parser.add_argument(
        "--format", metavar="F", choices=("md", "html", "json", "codesess", "lobe", "native"),
        default="md", help="md, html, json, codesess, lobe or native",
    )  # fmt: skip
    parser.add_argument(
        "-o", "--output", metavar="FILE", default="", help="write to FILE, not standard output"
    )


def run(arguments: argparse.Namespace, context: Context) -> int:
    result = context.repository().export(arguments.revision, arguments.format)
    data = result.encode("utf-8", "backslashreplace") if isinstance(result, str) else result
    if not arguments.output:
        context.terminal.write_bytes(data)
        return 0
    from gitsession.files import replace

    replace(context.path(arguments.output), data)
    if context.as_json:
        context.answer("export", file=context.path(arguments.output), bytes=len(data))
    return 0
