"""`fetch`: download what a remote has; none of your branches moves."""

from __future__ import annotations

from gitsession.cli.exit_codes import CONFLICT

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from gitsession.cli.context import Context
    from gitsession.model.report import Transfer

ABOUT = """
Scans what arrives before any ref moves. Branches of the remote appear as
<remote>/<session>/<branch>. Without a name, fetches from the only remote, or `origin`.
"""
EXAMPLES = (
    ("gitsession fetch", "downloads what is new"),
    ("gitsession log origin/fix-login-3fa9/main", "shows it"),
)
EXITS = (10, 11, 12, 15, 17)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "remote",
        metavar="REMOTE",
        nargs="?",
        default="",
        help="default: the only remote, or origin",
    )


def run(arguments: argparse.Namespace, context: Context) -> int:

    return tell(context.repository().fetch(arguments.remote), "fetch", context)


def tell(done: Transfer, verb: str, context: Context) -> int:
    """Print what a transfer did; a rejected ref makes it a conflict (exit code 13)."""
    if context.as_json:
        context.answer("transfer", transfer=done)
    else:
        from gitsession.render import sharing

        context.print(sharing.transfer(done, verb, palette=context.palette))
    return CONFLICT if done.rejected else 0
