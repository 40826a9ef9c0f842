"""git's own pre-push hook: may these refs be sent? The scan is the same as that of `push`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gitsession.errors import Conflict
from gitsession.model.history import HEADS, TAGS
from gitsession.operations.sharing import guard
from gitsession.operations.sharing.material import Material, missing_versions
from gitsession.store.names import SHARED
from gitsession.store.objects import is_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.operations.workspace import Workspace

_NOTHING = "0" * 40


def findings(workspace: Workspace, remote: str, lines: Iterable[str]) -> Iterator[guard.FindingRow]:
    """Yield findings in everything the remote does not have yet. `lines` are what git gives a hook:
    local ref, its id, remote ref, its id there. Raises Conflict for refs that are never sent."""
    store = workspace.store
    rows = [line.split() for line in lines if len(line.split()) == 4]
    for _, _, ref, _ in rows:
        if not ref.startswith((HEADS, TAGS, SHARED)):
            raise Conflict(
                f"{ref} is this store's own and is never sent",
                hint="gitsession push sends branches and tags; `git push --mirror` sends too much",
            )
    sent = [new for _, new, _, _ in rows if is_id(new) and new != _NOTHING]
    there = [old for _, _, _, old in rows if is_id(old) and store.reader.has(old)]
    there += store.refs(f"refs/remotes/{remote}/").values() if remote else []
    texts = [name for local, _, ref, _ in rows for name in (local, ref)]
    yield from guard.scan_names(workspace, [*texts, *guard.tag_texts(workspace, sent)])
    versions = missing_versions(store, sent, there)
    yield from guard.scan_versions(workspace, versions, Material(store, there))
