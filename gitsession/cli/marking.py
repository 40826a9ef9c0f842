"""The report of `compact`, `prune` and `unprune` once their marker is set."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.cli.context import Context
    from gitsession.model.history import Version

EXITS = (10, 11, 12, 13, 16, 17)


_NOTHING = {
    "compact": "Nothing to compact: only the newest exchanges are not summarized yet",
    "uncompact": "Nothing is compacted",
    "prune": "Nothing to prune: no result is old and long enough, or they are cleared already",
    "unprune": "Nothing is pruned",
}


def tell(verb: str, version: Version | None, context: Context) -> int:
    if context.as_json:
        context.answer("mark", version=version)
    elif version is None:
        context.line(_NOTHING[verb])
    else:
        context.line(f"Saved version {version.id[:8]}: {version.subject}")
        context.line("Nothing was removed from the store; `gitsession undo` reverts this.")
    return 0
