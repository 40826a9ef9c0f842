"""Secrets that are unmasked in stored versions, because the rules of the time missed them."""

from __future__ import annotations

from gitsession.errors import FormatError
from gitsession.model.history import HEADS, REMOTES, TAGS, WIP
from gitsession.operations.sharing import guard
from gitsession.operations.sharing.material import Material, missing_versions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.operations.workspace import Workspace
    from gitsession.redaction import Redactor


def values(workspace: Workspace, own: bool = False) -> dict[str, bytes]:
    """Return placeholder -> value for everything that today's rules find in the store and nobody
    allowed; with `own` without remote-tracking branches. The values must stay in memory."""
    store = workspace.store
    refs = {**store.refs(HEADS), **store.refs(TAGS), **store.refs(WIP)}
    if not own:
        refs.update(store.refs(REMOTES))
    found: dict[str, bytes] = {}
    names = workspace.redactor()
    for text in (*refs, *guard.tag_texts(workspace, refs.values())):
        names.findings_in(text)
    _take(found, names)
    material = Material(store)
    scanners: dict[str, Redactor] = {}
    for version in missing_versions(store, refs.values(), ()):
        scanner = scanners.setdefault(version.trailers.get("Session", ""), workspace.redactor())
        try:
            list(guard.in_version(scanner, version, material))
        except (FormatError, KeyError):
            continue
    for scanner in scanners.values():
        _take(found, scanner)
    allowed = store.records.names("allowed")
    return {name: value for name, value in found.items() if name not in allowed}


def _take(found: dict[str, bytes], scanner: Redactor) -> None:
    for value, placeholder in scanner.learned().items():
        found.setdefault(placeholder, value)
