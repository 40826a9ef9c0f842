"""The options of all verbs that build a context, and what they mean."""

from __future__ import annotations

from gitsession.cli.combined import goes_with
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
    """Declare budget, strategy and the other options."""
    parser.add_argument(
        "--budget", metavar="N", type=count, default=0,
        help="token budget (default: the model's limit)",
    )  # fmt: skip
    parser.add_argument(
        "--strategy", metavar="S", choices=STRATEGIES, default="default",
        help="default, recent, claw, trident, opencode, lobe or lobe-compress",
    )  # fmt: skip
    parser.add_argument(
        "--recent", metavar="N", type=count, default=0, help="keep the last N exchanges whole"
    )
    parser.add_argument(
        "--last", metavar="N", type=count, default=0, help="with lobe: keep only the last N groups"
    )
    parser.add_argument(
        "--key", metavar="N", type=count, action="append", default=[],
        help="keep message N whole, as if tagged with --key",
    )  # fmt: skip
    parser.add_argument(
        "--system-prompt",
        metavar="FILE",
        default="",
        help="use this system prompt instead of the session's",
    )
    parser.add_argument("--model", metavar="M", default="", help="use the limits of model M")
    parser.add_argument(
        "--estimator", metavar="E", default="",
        help="o200k_base, cl100k_base, bytes/4+1, chars/4 or chars/4*1.25",
    )  # fmt: skip
    parser.add_argument(
        "--local", action="store_true", help="summarize locally, without your own command"
    )


def wishes(arguments: argparse.Namespace, context: Context) -> dict[str, Any]:
    """Return the options as fields of a view. Raises UsageError."""
    goes_with({"--last": arguments.last}, "--strategy lobe", arguments.strategy == "lobe")
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
    """Return the text of the file given with --system-prompt, "" without one. Raises
    SourceUnreadable."""
    name = arguments.system_prompt
    return read_text(context.path(name)) if name else ""


def read_text(path: Path) -> str:
    """Return a file of the user's as text. Raises SourceUnreadable."""
    try:
        return path.read_text("utf-8")
    except FileNotFoundError as error:
        raise SourceUnreadable(f"there is no file {path}", hint="check the path") from error
    except (OSError, ValueError) as error:
        raise SourceUnreadable(f"{path} cannot be read as text") from error
