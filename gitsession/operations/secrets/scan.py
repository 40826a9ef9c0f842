"""scan: what today's rules find in files, in the agents' own sessions, or in the store."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from gitsession.agents import registry
from gitsession.errors import GitSessionError, NotFound, RedactionFailed
from gitsession.files import is_regular
from gitsession.model.finding import Finding
from gitsession.model.history import HEADS, REMOTES, TAGS
from gitsession.operations.sharing import guard
from gitsession.operations.sharing.material import Material, missing_versions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.agents.base import Source
    from gitsession.operations.workspace import Workspace
    from gitsession.redaction import Redactor

_BLOCK = 8 << 20


def scan(
    workspace: Workspace, paths: Iterable[str | Path] = (), everything: bool = False,
    audit: bool = False,
) -> list[Finding]:  # fmt: skip
    """Return the findings in the named files and folders; with `everything`, in every version of
    the store; else in this directory's newest native session. `place` begins with where a finding
    is. With `audit`, every plugin of the second detector is asked too: slow, and mostly false
    positives.

    Writes nothing anywhere. Raises NotFound for a path that does not exist.
    """
    if everything:
        return list(_store(workspace, audit))
    given = [Path(path) for path in paths]
    if not given:
        return list(_current_source(workspace, audit))
    return [finding for path in given for finding in _path(workspace, path, audit)]


def _path(workspace: Workspace, path: Path, audit: bool) -> Iterator[Finding]:
    if not path.exists():
        raise NotFound(f"there is no file {path}", hint="check the path")
    if path.is_dir():
        for file in sorted(path.rglob("*")):
            if is_regular(file) and not file.is_symlink():
                yield from _file(workspace, file, audit)
    elif is_regular(path):
        yield from _file(workspace, path, audit)


def _file(workspace: Workspace, path: Path, audit: bool) -> Iterator[Finding]:
    sources = registry.recognise_all(path)
    if sources:
        for source in sources:
            yield from _source(workspace, source, audit)
        return
    scanner, known = workspace.redactor(), _looked_at(workspace)
    try:
        with path.open("rb") as stream:
            first = 1
            while block := stream.readlines(_BLOCK):
                text = b"".join(block).decode("utf-8", "replace")
                for finding in scanner.findings_in(text):
                    data, at = text.encode(), max(finding.offset, 0)
                    if _is_excused(data, at, finding.length, known):
                        continue
                    member = finding.place.partition(" ")[2]
                    line = first + data[:at].count(b"\n")
                    yield finding._replace(place=f"{path}:{line} {member}".rstrip())
                if audit:
                    yield from _audited(scanner, text, path, first, known)
                first += len(block)
    except OSError:
        return


def _looked_at(workspace: Workspace) -> frozenset[str]:
    """Return the hashes that this directory's `.secrets.baseline` lists as no secrets."""
    from gitsession.redaction.audit import baseline_hashes

    path = Path(workspace.directory) / ".secrets.baseline"
    try:
        return baseline_hashes(path.read_text("utf-8", "replace")) if is_regular(path) else NOBODY
    except OSError:
        return NOBODY


NOBODY: frozenset[str] = frozenset()


def _is_excused(data: bytes, at: int, length: int, known: frozenset[str]) -> bool:
    """Whether the line of a finding has an allow pragma, or a baseline lists the value. This is for
    files only: text in a transcript excuses nothing."""
    from gitsession.redaction.audit import baseline_hash, is_pragma

    end = data.find(b"\n", at)
    line = data[data.rfind(b"\n", 0, at) + 1 : end if end >= 0 else len(data)]
    value = data[at : at + length].decode("utf-8", "replace")
    return is_pragma(line.decode("utf-8", "replace")) or baseline_hash(value) in known


def _audited(
    scanner: Redactor, text: str, path: Path, first: int, known: frozenset[str]
) -> Iterator[Finding]:
    from gitsession.redaction.audit import audit, baseline_hash, is_pragma

    lines = ["" if is_pragma(line) else line for line in text.splitlines()]
    for index, rule, value in audit(lines):
        if baseline_hash(value) not in known:
            placeholder = scanner.named(value.encode("utf-8", "replace"), rule)
            yield Finding(rule, f"{path}:{first + index}", placeholder)


def _source(workspace: Workspace, source: Source, audit: bool) -> Iterator[Finding]:
    agent, scanner = registry.get(source.agent), workspace.redactor()
    scanner.findings_in("rules")  # unusable rules raise now: the source itself is readable
    try:
        for part in agent.read(source):
            scanner.learn(part)
        for part in agent.read(source):
            redacted = scanner.redact(part)
            for finding in redacted.findings:
                yield finding._replace(place=f"{source.file} {finding.place}")
            for place, placeholder in guard.audited(scanner, redacted.session) if audit else ():
                yield Finding(_rule(placeholder), f"{source.file} {place}", placeholder)
    except RedactionFailed:
        raise  # an incomplete audit is no audit
    except GitSessionError:
        return


def _current_source(workspace: Workspace, audit: bool) -> Iterator[Finding]:
    here = os.fspath(workspace.directory)
    found = [
        source
        for agent in registry.all_agents()
        for source in agent.find(workspace.environment, cwd=here)
    ]
    if not found:
        raise NotFound(
            "no agent session was found for this directory",
            hint="`gitsession scan PATH` scans files, `--all` every version of the store",
        )
    yield from _source(workspace, max(found, key=lambda source: source.mtime), audit)


def _rule(placeholder: str) -> str:
    return placeholder.removeprefix("__REDACTED_").rpartition("_")[0].rpartition("_")[0]


def _store(workspace: Workspace, audit: bool) -> Iterator[Finding]:
    store = workspace.store
    refs = {**store.refs(HEADS), **store.refs(TAGS), **store.refs(REMOTES)}
    texts = [*refs, *guard.tag_texts(workspace, refs.values())]
    rows = list(guard.scan_names(workspace, texts))
    versions = missing_versions(store, refs.values(), ())
    rows += guard.scan_versions(workspace, versions, Material(store), audit)
    for commit, place, placeholder in dict.fromkeys(rows):
        yield Finding(_rule(placeholder), f"{commit[:8]} {place}".strip(), placeholder)
