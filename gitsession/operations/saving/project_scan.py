"""save --scan-project: how many files of each kind the project has is stored with the turns of a
save, as a marker in their state."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gitsession.model.session import Session

KIND = "project_scan"


def add(fates: Iterable[tuple[Session, str]]) -> Iterator[tuple[Session, str]]:
    """Yield the same turns with the current counts of the folder that each was in."""
    for part, fate in fates:
        state = part.state
        others = [marker for marker in state.markers if marker.get("kind") != KIND]
        markers = (*others, _scan(part.info.cwd))
        yield part._replace(state=state._replace(markers=markers)), fate


def _scan(folder: str) -> dict[str, object]:
    from gitsession.context.surroundings import scan

    counts = scan(folder if os.path.isabs(folder) else os.devnull)
    return {
        "kind": KIND,
        "source_python": counts.source_python,
        "test_python": counts.test_python,
        "assets": counts.assets,
        "archive": counts.archive,
    }
