"""tag: mark key decisions with an annotated tag, at a version or at one of its messages."""

from __future__ import annotations

import re
import time
from collections import namedtuple

from gitsession import snapshot
from gitsession.agents import registry
from gitsession.errors import Conflict, NotFound, UsageError
from gitsession.model.history import HEADS, TAGS, TRAILER
from gitsession.operations import homes
from gitsession.operations.names import check_name
from gitsession.render import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.operations.workspace import Workspace
    from gitsession.store.revisions import Resolved

TagRow = namedtuple("TagRow", "ref id time subject trailers message key record")
TagRow.__doc__ = """A tag as a Tip: `ref`, `id` of the version, `time` of the tag, `subject`
(first line of the reason), `trailers`. `message` is the number of the message it marks (0: the
version), `key` says that every context keeps it whole, `record` is `<stream>:<index>` or ""."""

_TRAILER = re.compile(rf"{TRAILER}([A-Z][A-Za-z]*): (.*)")
_TAGGED = re.compile(r"^tagger .*> ([0-9]+) ", re.MULTILINE)


def list_tags(workspace: Workspace, session: str = "") -> list[TagRow]:
    """Return the tags of one session, or of all, sorted by name."""
    prefix = f"{TAGS}{session}/" if session else TAGS
    refs = workspace.store.refs(prefix)
    return [_row(ref, *workspace.store.reader.read(at), at) for ref, at in sorted(refs.items())]


def _row(ref: str, kind: str, data: bytes, identity: str) -> TagRow:
    """Return the row of a tag; a plain git tag (made by hand) marks its commit and has no text."""
    head, _, text = data.decode("utf-8", "replace").partition("\n\n")
    if kind != "tag":
        return TagRow(ref, identity, 0, "", {}, 0, False, "")
    lines = text.rstrip("\n").split("\n")
    trailers: dict[str, str] = {}
    while lines and (found := _TRAILER.fullmatch(lines[-1])):
        trailers[found[1]] = found[2]
        lines.pop()
    number, made = trailers.get("Message", ""), _TAGGED.search(head)
    return TagRow(
        ref,
        head[7:47],
        int(made[1]) if made else 0,
        "\n".join(lines).strip().partition("\n")[0],
        trailers,
        int(number) if number.isdigit() else 0,
        trailers.get("Key") == "true",
        trailers.get("Record", ""),
    )


def create(
    workspace: Workspace, name: str, found: Resolved, message: str = "", key: bool = False
) -> str:
    """Tag a version, or its message `found.message`; return the full name `<session>/<tag>`.

    Raises Conflict if a branch or tag has that name, UsageError for an invalid name, NotFound for a
    message that does not exist.
    """
    session, _ = homes.home_of(workspace, found)
    clean = workspace.names.clean
    full = f"{session}/{clean(check_name(name, 'tag'))}"
    if workspace.store.ref(HEADS + full):
        raise Conflict(f"a branch {full} exists; a tag cannot have the same name")
    if workspace.store.ref(TAGS + full):
        raise Conflict(
            f"the tag {full} already exists",
            hint=f"`gitsession tag -d {safe.pasted(full)}` deletes it",
        )
    prefix = f"{TAGS}{session}/"
    tags = [ref.removeprefix(prefix) for ref in workspace.store.refs(prefix)]
    homes.check_spelling(full.removeprefix(f"{session}/"), tags)
    version = workspace.store.version(found.commit)
    text = message.strip() or version.subject
    trailers = _trailers(workspace, found) + ([f"{TRAILER}Key: true"] if key else [])
    body = clean(text) + ("\n\n" + "\n".join(trailers) if trailers else "") + "\n"
    with workspace.store.writer(bulk=False) as writer:
        made = writer.tag(found.commit, clean(full), clean(body), int(time.time()))
    with workspace.store.transaction("tag", workspace.directory) as change:
        change.move(clean(TAGS + full), "", made)
    return full


def _trailers(workspace: Workspace, found: Resolved) -> list[str]:
    if not found.message:
        return []
    version = workspace.store.version(found.commit)
    session = snapshot.decode(workspace.store.tree(version.tree))
    messages = registry.get(session.info.agent).messages(session)
    if not 1 <= found.message <= len(messages):
        raise NotFound(
            f"there is no message {found.message} in that version; it has {len(messages)}",
            hint="`gitsession show REV` lists them with their numbers",
        )
    marked = messages[found.message - 1]
    lines = [f"{TRAILER}Message: {found.message}"]
    if marked.record >= 0:
        lines.append(f"{TRAILER}Record: {marked.stream}:{marked.record}")
    return lines


def delete(workspace: Workspace, full: str) -> None:
    """Delete a tag; undo restores it. Raises NotFound, UsageError for a name without session."""
    if full.count("/") != 1:
        raise UsageError("a tag is named SESSION/TAG here")
    at = workspace.store.ref(TAGS + full)
    if not at:
        raise NotFound(f"there is no tag {full}", hint="`gitsession tag` lists them")
    with workspace.store.transaction("tag-delete", workspace.directory) as change:
        change.move(workspace.names.clean(TAGS + full), at, "")
