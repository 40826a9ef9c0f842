"""The options of all verbs that build a context, and what they mean."""

from __future__ import annotations

from gitsession.cli.plain import count
from gitsession.errors import SourceUnreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from pathlib import Path
    from typing import Any

    from gitsession.cli.context import Context

STRATEGIES = ("default", "recent", "claw", "trident", "opencode", "lobe", "lobe-compress")


def configure(parser: argparse.ArgumentParser) -> None:
    """Budget, strategy and the rest."""
    parser.add_argument(
        "--budget", metavar="N", type=count, default=0,
        help="tokens (default: what the model takes)",
    )  # fmt: skip
    parser.add_argument(
        "--strategy", metavar="S", choices=STRATEGIES, default="default",
        help="default, recent, claw, trident, opencode, lobe or lobe-compress",
    )  # fmt: skip
    parser.add_argument(
        "--recent", metavar="N", type=count, default=0, help="the last N exchanges stay whole"
    )
    parser.add_argument(
        "--last", metavar="N", type=count, default=0, help="with lobe: only the last N groups"
    )
    parser.add_argument(
        "--key", metavar="N", type=count, action="append", default=[],
        help="message N stays whole, as if a --key tag marked it",
    )  # fmt: skip
    parser.add_argument(
        "--system-prompt", metavar="FILE", default="", help="the prompt, in place of the session's"
    )
    parser.add_argument("--model", metavar="M", default="", help="whose limits count")
    parser.add_argument(
        "--estimator", metavar="E", default="",
        help="o200k_base, cl100k_base, bytes/4+1, chars/4 or chars/4*1.25",
    )  # fmt: skip
    parser.add_argument("--local", action="store_true", help="summaries without your command")


def wishes(arguments: argparse.Namespace, context: Context) -> dict[str, Any]:
    """The options as members of a view. Raises UsageError."""
    return {
        "budget": arguments.budget,
        "strategy": arguments.strategy,
        "recent": arguments.recent,
        "count": arguments.last,
        "keys": tuple(arguments.key),
        "system_prompt": system_prompt(arguments, context),
        "model": arguments.model,
        "estimator": arguments.estimator,
        "local": arguments.local,
    }


def system_prompt(arguments: argparse.Namespace, context: Context) -> str:
    """The text of the file given with --system-prompt, "" without one. Raises SourceUnreadable."""
    name = arguments.system_prompt
    return read_text(context.path(name)) if name else ""


def read_text(path: Path) -> str:
    """A file of the user's as text. Raises SourceUnreadable."""
    try:
        return path.read_text("utf-8")
    except FileNotFoundError as error:
        raise SourceUnreadable(f"there is no file {path}", hint="check the path") from error
    except (OSError, ValueError) as error:
        raise SourceUnreadable(f"{path} cannot be read as text") from error
