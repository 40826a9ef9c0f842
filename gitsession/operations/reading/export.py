"""export: one version as a file; it is redacted, because nothing else is stored."""

from __future__ import annotations

from gitsession.errors import UsageError
from gitsession.operations import natives, show
from gitsession.operations.reading import raw, up_to

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.model.history import Version
    from gitsession.model.session import Session
    from gitsession.operations.workspace import Workspace
    from gitsession.store.revisions import Resolved

FORMATS = ("md", "html", "json", "codesess", "lobe", "native", "sanitized")


def export(workspace: Workspace, found: Resolved, form: str, *, full: bool = False) -> bytes | str:
    """Return a version as `md` or `html` for people, `json` (the documented form that `import`
    reads again), `codesess` (that of CODESESSv1 programs), `lobe` (a LobeChat topic), `native` (the
    agent's own transcript), or `sanitized` (the transcript without any text: what was said, named,
    called and answered is gone). `full` omits nothing from `md`. Raises UsageError for an unknown
    form."""
    if form not in FORMATS:
        raise UsageError(f"there is no export format {form}", hint="one of " + ", ".join(FORMATS))
    version = workspace.store.version(found.commit)
    if form == "native" and not found.message and not show.is_suspect(workspace, version.id):
        return b"".join(raw.native_bytes(workspace.store.tree(version.tree)))
    session = up_to.session_of(workspace, found)
    if form == "native":
        return b"".join(record.data for record in session.stream().records)
    if form == "sanitized":
        from gitsession.agents import sanitize

        return sanitize.dump(session)
    path = _native_path(workspace, session) if form == "md" else ""
    return rendered(version, session, form, full=full, path=path)


def _native_path(workspace: Workspace, session: Session) -> str:
    """Return the path of the agent's own file of a session, as of its last save here."""
    record = natives.find(workspace, session.info.agent, session.info.native_id)
    return str((record or {}).get("path", ""))


def rendered(
    version: Version, session: Session, form: str, *, full: bool = True, path: str = ""
) -> bytes | str:
    """Return a session in a form; `full` and `path` only matter for `md`. Nothing is cut by
    default: what is to be masked in it must be found whole."""
    if form == "json":
        from gitsession.agents import generic

        data: bytes = generic.dump(session)
        return data
    if form == "codesess":
        from gitsession.agents import codesess

        return codesess.dump(session, session.messages)
    if form == "lobe":
        from gitsession.agents.lobechat import write as lobechat_write

        return lobechat_write.dump(session, session.messages)
    if form == "html":
        from gitsession.render import html

        return _joined(html.page(session, version))
    from gitsession.render import markdown

    return _joined(markdown.page(session, version, full=full, path=path))


def _joined(lines: object) -> str:
    return "".join(line if line.endswith("\n") else line + "\n" for line in lines)  # type: ignore[attr-defined]
