"""checkout --reveal: fill masked values in again from the live native source, only for files in the
agent's own folder. There is no vault: what the source no longer holds stays masked."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from gitsession.agents import registry
from gitsession.agents.base import native_bytes
from gitsession.errors import NotFound
from gitsession.files import read_range
from gitsession.operations import natives
from gitsession.operations.placeholders import PLACEHOLDER
from gitsession.operations.saving import bindings, unsaved

if TYPE_CHECKING:
    from gitsession.agents.base import Source, Written
    from gitsession.operations.workspace import Workspace


def revealed(workspace: Workspace, written: Written, branch: str) -> Written:
    """Return the same native session with the values that the sources of this branch's session
    still hold at the recorded places, each verified by its keyed hash."""
    wanted = {found for data in written.files.values() for found in PLACEHOLDER.findall(data)}
    known = dict(_values(workspace, branch.partition("/")[0], wanted))
    filled: set[bytes] = set()
    files = {
        path: b"".join(_filled(line, known, filled) for line in data.splitlines(keepends=True))
        for path, data in written.files.items()
    }
    said = f"{len(filled)} masked values filled in from the live source"
    return written._replace(files=files, repairs=(*written.repairs, said))


def _values(
    workspace: Workspace, session: str, wanted: set[bytes]
) -> Iterator[tuple[bytes, bytes]]:
    """Yield placeholder and raw bytes (as they are inside a JSON string), unescaped values last, so
    that they win."""
    sources = _sources(workspace, session)
    scanner = workspace.redactor()
    rows = [row for branch in _branches(workspace, session)
            for row in bindings.findings_of(workspace, branch)]  # fmt: skip
    found = []
    for row in rows:
        name = str(row.get("placeholder", "")).encode()
        if name in wanted:
            data = _read(sources.get(str(row.get("path")), ()), row)
            if data and scanner.matches(data, str(row.get("mac"))):
                found.append((name, data))
    yield from sorted(found, key=lambda pair: pair[1].count(b"\\"), reverse=True)


def _branches(workspace: Workspace, session: str) -> list[str]:
    return workspace.store.records.names_of("findings", session)


def _sources(workspace: Workspace, session: str) -> Mapping[str, tuple[Source, ...]]:
    """Return the live sources of a session by the path that its records give."""
    found: dict[str, tuple[Source, ...]] = {}
    clean = workspace.names.clean
    for record in natives.of_session(workspace, session):
        source = unsaved.source_of(workspace, record)
        if source is not None:
            path = clean(source.file)
            found[path] = (*found.get(path, ()), source)
    return found


def _read(sources: tuple[Source, ...], row: Mapping[str, Any]) -> bytes | None:
    """Return the bytes at a recorded place, None if they cannot be read."""
    stream, offset, length = str(row["stream"]), int(row["offset"]), int(row["length"])
    for source in sources:
        path = source.side_files.get(stream)
        try:
            if path is not None:
                return read_range(path, offset, length)
            if stream == "main":
                return native_bytes(registry.get(source.agent), source, offset, length)
        except (OSError, NotFound):
            continue
    return None


def _filled(line: bytes, known: Mapping[bytes, bytes], filled: set[bytes]) -> bytes:
    """Return one record with its values; one that would no longer be valid JSON stays masked."""
    if b"__REDACTED_" not in line:
        return line
    here: set[bytes] = set()
    pieces, done = [], 0
    for match in PLACEHOLDER.finditer(line):
        value = known.get(match.group())
        if value is None or (b"\\" in value and _is_nested(line, match.start())):
            continue
        pieces += [line[done : match.start()], value]
        done = match.end()
        here.add(match.group())
    made = b"".join([*pieces, line[done:]])
    if _parses(line) and not _parses(made):
        return line
    filled |= here
    return made


def _is_nested(line: bytes, at: int) -> bool:
    """Whether a place is in JSON inside a JSON string, which is escaped once more."""
    quote = line.rfind(b'"', 0, at)
    return line[quote - 1 : quote] == b"\\"


def _parses(line: bytes) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True
