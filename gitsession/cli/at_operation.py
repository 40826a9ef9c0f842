"""`--at-op OP`: run reading verbs on the refs as they were after an operation.

The option is declared here; `Context.repository` implements it.
"""

from __future__ import annotations

from gitsession.cli.plain import ordinal

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--at-op", metavar="OP", type=ordinal, default=0,
        help="show the state after operation OP of `oplog`",
    )  # fmt: skip
