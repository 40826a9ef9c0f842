"""A history of versions in a store, for tests that need one to look at."""

from __future__ import annotations

from gitsession.store import Store
from tests.builders import encoded

FIRST_SECOND = 1_770_000_000


def grow(
    store: Store, ref: str, count: int = 1, *, bulk: bool = False, native: str = "claude/aaaa-1111"
) -> list[str]:
    """Add versions to a ref; their ids, oldest first."""
    start = store.ref(ref)
    parents = (start,) if start else ()
    tree = store.version(start).tree if start else ""
    number = len(list(store.log(parents)))
    commits = []
    with store.writer(bulk) as writer:
        for step in range(number, number + count):
            message = f"{ref} turn {step}\n\nGitsession-Session: {native}\nGitsession-Kind: turn\n"
            files = {
                f"streams/main/00/{step // 100:02}/{step % 100:02}.jsonl": f"{ref} {step}".encode(),
                "session.yaml": f"version: {step}\n".encode(),
            }
            content = encoded(files, message, FIRST_SECOND + step)
            commit, tree = writer.commit(content, tree, parents)
            parents = (commit,)
            commits.append(commit)
        writer.flush()
        with store.transaction("save") as change:
            change.move(ref, start, commits[-1])
    return commits
