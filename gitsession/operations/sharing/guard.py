"""What today's rules find in stored versions, before they are sent and when they arrive."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gitsession.errors import FormatError
from gitsession.operations.sharing.material import Material
from gitsession.operations.sharing.verdicts import Verdicts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.model.history import Version
    from gitsession.model.session import Session
    from gitsession.operations.workspace import Workspace
    from gitsession.redaction import Redactor

MESSAGE = "commit message"
DAMAGED = "damaged"
"""Two places of a finding: a text that every log prints, and a version that cannot be scanned."""
FindingRow = tuple[str, str, str]
"""Version, place, placeholder (which contains the rule's name); never the value."""


def scan_versions(
    workspace: Workspace, versions: Iterable[Version], material: Material, audit: bool = False
) -> Iterator[FindingRow]:
    """Yield findings in everything new of these versions, session by session, oldest first, that
    nobody has allowed; with `audit` also what any plugin of the second detector reports.

    Each session has its own scanner: what it learns from one must not mask words of another. If a
    session continues a part that was found clean before, only the rest is read; if that has
    findings, the whole is read with what they taught, since a bare repeat may occur earlier.
    """
    lines: dict[str, list[Version]] = {}
    for version in versions:
        lines.setdefault(version.trailers.get("Session", ""), []).append(version)
    verdicts = Verdicts(workspace, material.there)
    allowed = set(workspace.store.records.names("allowed"))
    for line in lines.values():
        ids = [version.id for version in line]
        clean = 0 if audit else verdicts.clean(ids)
        scanner = workspace.redactor()
        rows = _scan_line(scanner, line, clean, material.fork(), audit, allowed)
        if rows:
            rows = _scan_line(scanner, line, 0, material.fork(), audit, allowed)
        if not rows and not audit:
            verdicts.add(ids)
        yield from rows


def _scan_line(
    scanner: Redactor, line: list[Version], clean: int, material: Material,
    audit: bool, allowed: set[str],
) -> list[FindingRow]:  # fmt: skip
    """Return the findings in a session's versions after the first `clean` ones."""
    rows = []
    for number, version in enumerate(line):
        try:
            if number < clean:
                material.pass_over(version)
                continue
            for place, placeholder in in_version(scanner, version, material, audit):
                if placeholder not in allowed:
                    rows.append((version.id, place, placeholder))
        except (FormatError, KeyError):
            rows.append((version.id, DAMAGED, "unreadable"))
    return rows


def in_version(
    scanner: Redactor, version: Version, material: Material, audit: bool = False
) -> Iterator[tuple[str, str]]:
    for text in (version.subject, version.body, *version.trailers.values()):
        for finding in scanner.findings_in(text):
            yield MESSAGE, finding.placeholder
    session, others = material.of(version)
    if session is not None:
        redacted = scanner.redact(session)
        for finding in redacted.findings:
            yield finding.place, finding.placeholder
        if audit:
            yield from audited(scanner, redacted.session)
    for path, data in others:
        for finding in scanner.findings_in(data.decode("utf-8", "replace")):
            yield path, finding.placeholder


def audited(scanner: Redactor, session: Session) -> Iterator[tuple[str, str]]:
    """Yield what the audit's detectors report about a session that is already masked."""
    from gitsession.redaction.audit import audit

    texts = [
        (f"{stream.name}:{stream.first + index}", record.data)
        for stream in session.streams
        for index, record in enumerate(stream.records)
    ]
    texts += [(f"files/{file.path}", file.content) for file in session.files if file.content]
    texts += [(f"sidecars/{sidecar.path}", sidecar.data) for sidecar in session.sidecars]
    for index, rule, value in audit([data.decode("utf-8", "replace") for _, data in texts]):
        yield texts[index][0], scanner.named(value.encode("utf-8", "replace"), rule)


def scan_names(workspace: Workspace, names: Iterable[str]) -> Iterator[FindingRow]:
    """Yield findings in names of refs and in the texts of annotated tags."""
    allowed = set(workspace.store.records.names("allowed"))
    for name in names:
        for finding in workspace.names.findings_in(name):
            if finding.placeholder not in allowed:
                yield "", "name or message of a ref", finding.placeholder


def tag_texts(workspace: Workspace, ids: Iterable[str]) -> Iterator[str]:
    """Yield the whole text of each annotated tag among these ids."""
    for identity in ids:
        try:
            kind, data = workspace.store.reader.read(identity)
        except FormatError:
            continue
        if kind == "tag":
            yield data.decode("utf-8", "replace")
