"""show: a version as a session with messages, one message of it, and what was masked in it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from gitsession import snapshot
from gitsession.agents import registry
from gitsession.errors import NotFound
from gitsession.model.finding import Finding
from gitsession.operations.placeholders import PLACEHOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.model.message import Message
    from gitsession.model.session import Session
    from gitsession.operations.workspace import Workspace

_RULE = re.compile(rb"__REDACTED_([A-Za-z0-9.-]+)_[0-9a-f]{8,}__")


def session_of(workspace: Workspace, commit: str) -> Session:
    """Return the whole session of a version as it may be shown (see `masked`), with its messages;
    without them if its agent is not known here."""
    session = masked(workspace, commit, snapshot.decode(workspace.store.tree(commit)))
    try:
        agent = registry.get(session.info.agent)
    except NotFound:
        return session
    return session._replace(messages=agent.messages(session))


def files_of(workspace: Workspace, commit: str) -> Session:
    """Return only a version's metadata and files, as they may be shown; reads no record."""
    from gitsession.snapshot.decoding import decode_files

    return masked(workspace, commit, decode_files(workspace.store.tree(commit)))


def masked(workspace: Workspace, commit: str, session: Session) -> Session:
    """Return the session itself, or what today's rules leave of it if the version is somebody
    else's and a fetch has brought secrets into this store (their blobs may occur in any of its
    versions)."""
    if not is_suspect(workspace, commit):
        return session
    scanner = workspace.redactor()
    scanner.learn(session)
    return scanner.redact(session).session


def is_suspect(workspace: Workspace, commit: str) -> bool:
    """Whether a version is somebody else's, in a store into which a fetch has brought secrets."""
    marked = workspace.store.records.names("marked")
    return bool(marked) and not workspace.store.is_own(commit)


def message(session: Session, number: int) -> Message:
    """Return message `number`, counted from 1; raises NotFound."""
    if not 1 <= number <= len(session.messages):
        raise NotFound(
            f"there is no message {number} in that version; it has {len(session.messages)}",
            hint="`gitsession show REV` lists them with their numbers",
        )
    return session.messages[number - 1]


def findings(tree: Mapping[str, bytes]) -> list[Finding]:
    """Return everything that is masked in a version: each placeholder with its place.

    This reads the placeholders themselves, so the result is the same for own, fetched and old
    versions.
    """
    head = snapshot.decode_head(tree)
    found: list[Finding] = []
    for stream in head.session.streams:
        for index, record in enumerate(snapshot.records(tree, head, stream.name)):
            if b"__REDACTED_" in record.data:
                found += _in_record(stream.name, index, record.data)
    for path in tree:
        if path.startswith("streams/"):
            continue
        found += _in_bytes(path, path, tree[path])
    return found


def _in_record(stream: str, index: int, data: bytes) -> Iterator[Finding]:
    place = f"{stream}:{index}"
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        yield from _in_bytes(stream, place, data)
        return
    for path, text in _texts(value, ""):
        where = f"{place} {path}".rstrip()
        yield from _in_bytes(stream, where, text.encode("utf-8", "surrogatepass"))


def _in_bytes(stream: str, place: str, data: bytes) -> Iterator[Finding]:
    for placeholder in dict.fromkeys(PLACEHOLDER.findall(data)):
        rule = _RULE.fullmatch(placeholder)
        name = rule[1].decode() if rule else ""
        yield Finding(name, place, placeholder.decode(), stream)


def _texts(value: object, path: str) -> Iterator[tuple[str, str]]:
    """Yield every string inside a JSON value with a readable path, including member names that hold
    a placeholder."""
    waiting: list[tuple[object, str]] = [(value, path)]
    while waiting:
        item, at = waiting.pop()
        if isinstance(item, str):
            yield at, item
        elif isinstance(item, list):
            waiting += [(part, f"{at}[{index}]") for index, part in enumerate(item)][::-1]
        elif isinstance(item, dict):
            for name in item:
                if "__REDACTED_" in name:
                    yield f"{at} (a member's name)".strip(), name
            members = [(part, f"{at}.{name}" if at else name) for name, part in item.items()]
            waiting += members[::-1]
