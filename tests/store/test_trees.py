"""Trees made from trees: what comes out does not depend on the way there."""

from __future__ import annotations

import hashlib

from hypothesis import given
from hypothesis import strategies as st

from gitsession.store import trees

# Names that sort otherwise as a folder than as a file, and paths of which one is above the other.
_PATHS = st.lists(st.sampled_from(("a", "a-", "a.b", "a0", "b", "0")), min_size=1, max_size=3)
_CHANGES = st.dictionaries(_PATHS.map("/".join), st.binary(max_size=2) | st.none(), max_size=4)


class Made:
    """Trees and blobs in memory."""

    def __init__(self) -> None:
        self.trees: dict[str, trees.Rows] = {}

    def load(self, identity: str) -> trees.Rows:
        return self.trees[identity].copy()

    def put(self, data: object) -> str:
        return hashlib.sha1(bytes(data)).hexdigest()  # type: ignore[call-overload]

    def put_tree(self, rows: trees.Rows) -> str:
        data = trees.joined(rows)
        identity = self.put(data)
        self.trees[identity] = rows
        assert trees.serialise(trees.parse(data)) == data, "in the order of git"
        return identity

    def update(self, base: str, changes: dict[str, bytes | None]) -> str:
        return trees.update(base, changes, self.load, self.put, self.put_tree)


def laid_over(files: dict[str, bytes], changes: dict[str, bytes | None]) -> dict[str, bytes]:
    """What files there are after the changes, where no path is a file and a folder."""
    kept = {
        path: data
        for path, data in files.items()
        if path not in changes
        and not any(
            new is not None and (path.startswith(f"{other}/") or other.startswith(f"{path}/"))
            for other, new in changes.items()
        )
    }
    return kept | {path: data for path, data in changes.items() if data is not None}


def is_torn(changes: dict[str, bytes | None]) -> bool:
    """Whether one change lies below another."""
    return any(one.startswith(f"{other}/") for one in changes for other in changes)


@given(st.lists(_CHANGES.filter(lambda changes: not is_torn(changes)), max_size=5))
def test_a_tree_changed_step_by_step_is_the_one_made_at_once(
    steps: list[dict[str, bytes | None]],
) -> None:
    made, tree = Made(), ""
    files: dict[str, bytes] = {}
    for changes in steps:
        # A removal of a folder's name takes the folder.
        files = {
            path: data
            for path, data in files.items()
            if not any(new is None and path.startswith(f"{gone}/") for gone, new in changes.items())
        }
        files = laid_over(files, changes)
        tree = made.update(tree, changes)
    assert tree == made.update("", dict(sorted(files.items(), reverse=True))) or not steps
