"""What `compact`, `prune` and `unprune` say when their mark is set."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.cli.context import Context
    from gitsession.model.history import Version

EXITS = (10, 11, 12, 13, 16, 17)


def tell(version: Version, context: Context) -> int:
    if context.as_json:
        context.answer("mark", version=version)
    else:
        context.line(f"{version.subject}: version {version.id[:8]}; what is stored stays")
    return 0
