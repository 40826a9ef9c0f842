"""What a store remembers about a native session besides its versions: which branch it continues
(the binding), where reading continues (the hint), and where masked values are in the source."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping

from gitsession.agents.base import native_bytes
from gitsession.files import read_range
from gitsession.model.finding import Finding
from gitsession.operations import natives
from gitsession.operations.saving.past import tail_mac

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gitsession.agents.base import Agent, Source
    from gitsession.model.finding import Clean
    from gitsession.model.session import Session
    from gitsession.operations.saving.grown import Grown
    from gitsession.operations.saving.line import Line
    from gitsession.operations.workspace import Workspace
    from gitsession.redaction import Redactor


_MOST_FINDINGS = 4000
_BEFORE = 16 << 10
"""How many bytes of a stream before its new part the scanner sees again."""


def remember(workspace: Workspace, agent: Agent, source: Source, line: Line, grown: Grown) -> None:
    """Renew binding, hint and findings after the refs have moved. All of it can be rebuilt."""
    _bind(workspace, source, line, grown)
    if grown.head is None or not grown.base:
        return
    if line.native.get("anew") and grown.tip == line.native.get("base"):
        return  # every save rebuilds wip on that version
    offset = grown.head.session.stream("main").offset
    clean = workspace.names.clean
    state = {
        "commit": grown.tip,
        "base": grown.base,
        "tree": grown.tree,
        "head": grown.head.to_dict(),
        "agent": source.agent,
        "native_id": clean(source.native_id),
        "path": clean(source.file),
        "tail": {"offset": offset, "mac": tail_mac(workspace, agent, source, offset)},
    }
    if state != line.state:  # most of many sessions have nothing new
        workspace.store.records.write("state", clean(grown.branch), state)
    rows = _located(grown.findings, clean(source.file))
    if rows or workspace.store.records.read("findings", grown.branch) is None:
        _add_findings(workspace, clean(grown.branch), rows)


def _bind(workspace: Workspace, source: Source, line: Line, grown: Grown) -> None:
    known = line.native
    path = workspace.names.clean(source.file)
    if known.get("branch") == grown.branch and known.get("path") == path:
        return
    binding = {
        **known,
        "agent": source.agent,
        "native_id": workspace.names.clean(source.native_id),
        "branch": grown.branch,
        "path": path,
        "time": known.get("time") or int(time.time()),
    }
    natives.bind(workspace, binding)


def findings_of(workspace: Workspace, branch: str) -> list[dict[str, Any]]:
    """Return where the masked values of a branch are in its source, oldest first."""
    record = workspace.store.records.read("findings", branch) or {}
    rows = record.get("rows")
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def _add_findings(workspace: Workspace, branch: Clean, rows: list[dict[str, Any]]) -> None:
    """Record each value once per place; of thousands of masked values only the newest are kept."""
    known = {tuple(row.values()): row for row in (*findings_of(workspace, branch), *rows)}
    kept = list(known.values())[-_MOST_FINDINGS:]
    workspace.store.records.write("findings", branch, {"rows": kept})


def _located(findings: Iterable[Finding], path: str) -> list[dict[str, Any]]:
    return [_row(finding, path) for finding in findings if finding.offset >= 0]


def _row(finding: Finding, path: str) -> dict[str, Any]:
    return {
        "path": path,
        "stream": finding.stream,
        "offset": finding.offset,
        "length": finding.length,
        "placeholder": finding.placeholder,
        "rule": finding.rule,
        "mac": finding.mac,
    }


def recall(
    workspace: Workspace, redactor: Redactor, line: Line, since: Session, agent: Agent,
    source: Source,
) -> None:  # fmt: skip
    """Teach the scanner what earlier saves of this line masked, from the source itself."""
    if _is_lost(workspace, line):
        _find_again(workspace, line, since, agent, source)
    rows = findings_of(workspace, line.branch)
    if not rows:
        return

    def read(finding: Finding) -> bytes | None:
        path = source.side_files.get(finding.stream)
        try:
            if path is None:
                return native_bytes(agent, source, finding.offset, finding.length)
            return read_range(path, finding.offset, finding.length)
        except OSError:
            return None

    redactor.recall([_finding(row) for row in rows], read)


def _is_lost(workspace: Workspace, line: Line) -> bool:
    """Whether something was masked and its place in the source is no longer known. What a checkout
    wrote contains placeholders only."""
    if workspace.store.records.read("findings", line.branch) is not None:
        return False
    masked = (v.trailers.get("Redacted", "0") for v in workspace.store.log([line.tip], limit=0))
    return not line.native.get("written") and any(count != "0" for count in masked)


def _find_again(
    workspace: Workspace, line: Line, since: Session, agent: Agent, source: Source
) -> None:
    """Scan what is already saved again, as a first save does, and record the secrets' places."""
    redactor = workspace.redactor(source.cwd)
    clean = workspace.names.clean
    for part in agent.read(source, None):
        redactor.learn(part)
    rows: list[dict[str, Any]] = []
    for part in agent.read(source, None):
        if part.stream("main").first >= since.stream("main").count:
            break
        rows += _located(redactor.redact(part).findings, clean(source.file))
    _add_findings(workspace, clean(line.branch), rows)


def precede(redactor: Redactor, since: Session, agent: Agent, source: Source) -> None:
    """Show the scanner the end of what was saved: the boundary of two saves may split a secret."""
    for stream in since.streams:
        start = max(0, stream.offset - _BEFORE)
        path = source.side_files.get(stream.name)
        try:
            if stream.name == "main":
                data = native_bytes(agent, source, start, stream.offset - start)
            elif path is not None:
                data = read_range(path, start, stream.offset - start)
            else:
                continue
        except OSError:
            continue
        records = data.split(b"\n")[1 if start else 0 :]
        redactor.precede(stream.name, records)


def _finding(row: Mapping[str, Any]) -> Finding:
    return Finding(
        rule=str(row["rule"]),
        place="",
        placeholder=str(row["placeholder"]),
        stream=str(row["stream"]),
        offset=int(row["offset"]),
        length=int(row["length"]),
        mac=str(row["mac"]),
    )
