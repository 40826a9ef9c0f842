"""scan: what today's rules find in files, in the agents' own sessions, or in the store."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from gitsession.agents import registry
from gitsession.errors import GitSessionError, NotFound
from gitsession.files import is_regular
from gitsession.model.finding import Finding
from gitsession.model.history import HEADS, REMOTES, TAGS
from gitsession.operations import guard
from gitsession.operations.material import Material, missing_versions

if TYPE_CHECKING:
    from gitsession.agents.base import Source
    from gitsession.operations.workspace import Workspace

_BLOCK = 8 << 20


def scan(
    workspace: Workspace, paths: Iterable[str | Path] = (), everything: bool = False
) -> list[Finding]:
    """Findings in the named files and folders; with `everything` in every version of the store;
    else in this directory's newest native session. `place` begins with where it was found.

    Writes nothing, nowhere. Raises NotFound for a path that does not exist.
    """
    if everything:
        return list(_store(workspace))
    given = [Path(path) for path in paths]
    if not given:
        return list(_current_source(workspace))
    return [finding for path in given for finding in _path(workspace, path)]


def _path(workspace: Workspace, path: Path) -> Iterator[Finding]:
    if not path.exists():
        raise NotFound(f"there is no file {path}", hint="check the path")
    if path.is_dir():
        for file in sorted(path.rglob("*")):
            if is_regular(file) and not file.is_symlink():
                yield from _file(workspace, file)
    elif is_regular(path):
        yield from _file(workspace, path)


def _file(workspace: Workspace, path: Path) -> Iterator[Finding]:
    source = registry.recognise(path)
    if source is not None:
        yield from _source(workspace, source)
        return
    scanner = workspace.redactor()
    try:
        with path.open("rb") as stream:
            first = 1
            while block := stream.readlines(_BLOCK):
                text = b"".join(block).decode("utf-8", "replace")
                for finding in scanner.findings_in(text):
                    before = text.encode()[: max(finding.offset, 0)].count(b"\n")
                    member = finding.place.partition(" ")[2]
                    yield finding._replace(place=f"{path}:{first + before} {member}".rstrip())
                first += len(block)
    except OSError:
        return


def _source(workspace: Workspace, source: Source) -> Iterator[Finding]:
    agent, scanner = registry.get(source.agent), workspace.redactor()
    try:
        for part in agent.read(source):
            scanner.learn(part)
        for part in agent.read(source):
            for finding in scanner.redact(part).findings:
                yield finding._replace(place=f"{source.path} {finding.place}")
    except GitSessionError:
        return


def _current_source(workspace: Workspace) -> Iterator[Finding]:
    here = os.fspath(workspace.directory)
    found = [
        source
        for agent in registry.all_agents()
        for source in agent.find(workspace.environment, cwd=here)
    ]
    if not found:
        raise NotFound(
            "no agent session was found for this directory",
            hint="gitsession scan PATH scans files, --all every version of the store",
        )
    yield from _source(workspace, max(found, key=lambda source: source.mtime))


def _store(workspace: Workspace) -> Iterator[Finding]:
    store = workspace.store
    refs = {**store.refs(HEADS), **store.refs(TAGS), **store.refs(REMOTES)}
    texts = [*refs, *guard.tag_texts(workspace, refs.values())]
    rows = list(guard.scan_names(workspace, texts))
    versions = missing_versions(store, refs.values(), ())
    rows += guard.scan_versions(workspace, versions, Material(store))
    for commit, place, placeholder in dict.fromkeys(rows):
        rule = placeholder.removeprefix("__REDACTED_").rpartition("_")[0].rpartition("_")[0]
        yield Finding(rule, f"{commit[:8]} {place}".strip(), placeholder)
