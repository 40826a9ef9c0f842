"""`import`: the same as save, from files given by hand."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context

ABOUT = """
Takes native transcripts and folders of them. The same file twice brings nothing new;
an edited file brings a new version. Damaged records are kept as found and counted.
"""
EXAMPLES = (
    ("gitsession import session.jsonl", "one version per finished turn of that file"),
    ("gitsession import ~/backup/claude", "every session in a folder"),
)
EXITS = (10, 11, 12, 14, 16, 17)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", metavar="FILE", nargs="+", help="transcripts, or folders of them")
    parser.add_argument(
        "--format", metavar="F", default="", help="the agent that wrote it; default: recognised"
    )
    parser.add_argument(
        "--single", action="store_true", help="one version instead of one per finished turn"
    )


def run(arguments: argparse.Namespace, context: Context) -> int:
    from gitsession.cli.saving import each, tell

    paths = tuple(context.path(name) for name in arguments.files)
    with context.terminal.progress() as progress:
        report = context.repository(create=True).import_files(
            paths, format=arguments.format, single=arguments.single, progress=each(progress)
        )
    return tell(report, context, named=not any(path.is_dir() for path in paths))
