"""`scan`: look for secrets; writes nothing."""

from __future__ import annotations

from gitsession.cli.combined import exclusive
from gitsession.cli.exit_codes import NEGATIVE
from gitsession.errors import StoreNotFound

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from gitsession.cli.context import Context
    from gitsession.model.finding import Finding

ABOUT = """
Scans files and folders, the session files of this project if you name none, or with --all
every version in the store. Prints the rule and the place of each finding, never the value.

In files (never in transcripts), lines with `pragma: allowlist secret` and what the
`.secrets.baseline` of this directory lists are skipped.
"""
EXAMPLES = (
    ("gitsession scan notes.md logs/", "scans a file and a folder"),
    ("gitsession scan --all", "scans the whole store with today's rules"),
)
EXITS = (10, 12, 13, 14, 16, 17)
EXIT_MEANINGS = {0: "nothing was found", 1: "something was found"}


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", metavar="PATH", nargs="*", help="files or folders")
    parser.add_argument("--all", action="store_true", help="every version of the store")
    parser.add_argument(
        "--audit", action="store_true",
        help="also scan with all of detect-secrets, and with betterleaks if installed: slow, with"
        " many harmless findings",
    )  # fmt: skip
    parser.add_argument(
        "--pre-push", metavar="REMOTE", default=None,
        help="run as git's pre-push hook: refs on standard input, exit code 14 on findings",
    )  # fmt: skip


def run(arguments: argparse.Namespace, context: Context) -> int:
    if arguments.pre_push is not None:
        exclusive({"--pre-push": True, "PATH": arguments.paths})
        exclusive({"--pre-push": True, "--all": arguments.all})
        return _pre_push(arguments.pre_push, context)
    exclusive({"PATH": arguments.paths, "--all": arguments.all})
    paths = tuple(str(context.path(name)) for name in arguments.paths)
    findings = tuple(_findings(paths, arguments.all, arguments.audit, context))
    if context.as_json:
        context.answer("scan", findings=findings)
    else:
        from gitsession.render import report

        rows = [(found.place, found.rule, found.placeholder) for found in findings]
        context.print(report.scanned(rows, palette=context.palette))
    return NEGATIVE if findings else 0


def _pre_push(remote: str, context: Context) -> int:
    """Check a push by git itself; the messages appear next to git's own. Raises SecretsFound."""
    rows = context.repository().pre_push(remote, context.terminal.stdin)
    if not rows:
        return 0
    from gitsession.errors import SecretsFound
    from gitsession.render.words import plural

    raise SecretsFound(
        f"{plural(len(rows), 'secret')} found in what would be sent; nothing was sent",
        hint="gitsession push --allow PLACEHOLDER records one as harmless, scrub takes it out",
        candidates=tuple("  ".join(row) for row in dict.fromkeys(rows)),
    )


def _findings(
    paths: tuple[str, ...], everything: bool, audit: bool, context: Context
) -> Sequence[Finding]:
    try:
        return context.repository().scan(paths, everything=everything, audit=audit)
    except StoreNotFound:
        if everything or context.store:
            raise
    return _without_store(paths, audit, context)


def _without_store(paths: tuple[str, ...], audit: bool, context: Context) -> Sequence[Finding]:
    """Scan before the first save: there is no store, perhaps no key, and a scan creates neither."""
    from gitsession.config import load_config
    from gitsession.operations.place import key_to_look_with
    from gitsession.operations.secrets.scan import scan
    from gitsession.operations.workspace import Workspace

    environment = context.environment
    config = load_config(environment)
    key = key_to_look_with(environment, config)
    workspace = Workspace(None, environment, config, key)  # type: ignore[arg-type]
    return scan(workspace, paths, audit=audit)
