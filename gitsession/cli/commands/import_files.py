"""`import`: do the same as save, for files given by hand."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable
    from pathlib import Path

    from gitsession.cli.context import Context

ABOUT = """
Reads native transcripts, exports of chat services, and folders of them. Importing the same
file twice adds nothing; an edited file adds a new version. Damaged records are kept as they
are and counted.
"""
EXAMPLES = (
    ("gitsession import session.jsonl", "saves that file, one version per finished turn"),
    ("gitsession import ~/backup/claude", "saves every session in a folder"),
)
EXITS = (10, 11, 12, 14, 16, 17)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", metavar="FILE", nargs="+", help="transcripts or folders of them")
    parser.add_argument(
        "--format", metavar="F", default="", help="the agent that wrote it (default: detected)"
    )
    parser.add_argument(
        "--single", action="store_true", help="one version instead of one per finished turn"
    )


def run(arguments: argparse.Namespace, context: Context) -> int:
    from gitsession.cli.saving import each, tell

    paths = tuple(context.path(name) for name in arguments.files)
    with context.terminal.progress() as progress:
        repository = context.repository(create=True, worth=lambda: _look(paths, arguments.format))
        report = repository.import_files(
            paths, format=arguments.format, single=arguments.single, progress=each(progress)
        )
    return tell(report, context, named=not any(path.is_dir() for path in paths))


def _look(paths: Iterable[Path], format_name: str) -> None:
    """Raises an error if a file cannot be read."""
    from gitsession.operations.saving.sources import files_as_sources

    files_as_sources(map(str, paths), format_name)
