"""export: one version as a file, redacted because nothing else is stored."""

from __future__ import annotations

from gitsession.errors import UsageError
from gitsession.operations import raw, show

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.model.history import Version
    from gitsession.model.session import Session
    from gitsession.operations.workspace import Workspace

FORMATS = ("md", "html", "json", "codesess", "lobe", "native")


def export(workspace: Workspace, version: Version, form: str) -> bytes | str:
    """`md` and `html` for people, `json` the documented form that `import` reads again, `codesess`
    that of CODESESSv1 programs, `lobe` a LobeChat topic, `native` the agent's own transcript.
    Raises UsageError for another word."""
    if form not in FORMATS:
        raise UsageError(f"there is no export format {form}", hint="one of " + ", ".join(FORMATS))
    if form == "native" and not show.is_suspect(workspace, version.id):
        return b"".join(raw.native_bytes(workspace.store.tree(version.tree)))
    session = show.session_of(workspace, version.id)
    if form == "native":
        return b"".join(record.data for record in session.stream().records)
    return rendered(version, session, form)


def rendered(version: Version, session: Session, form: str) -> bytes | str:
    if form == "json":
        from gitsession.agents import generic

        data: bytes = generic.dump(session)
        return data
    if form == "codesess":
        from gitsession.agents import codesess

        return codesess.dump(session, session.messages)
    if form == "lobe":
        from gitsession.agents import lobechat_write

        return lobechat_write.dump(session, session.messages)
    if form == "html":
        from gitsession.render import html

        return _joined(html.page(session, version))
    from gitsession.render import markdown

    return _joined(markdown.page(session, version))


def _joined(lines: object) -> str:
    return "".join(line if line.endswith("\n") else line + "\n" for line in lines)  # type: ignore[attr-defined]
