"""Which project files are stored with a version: not what git ignores or what is too large.

Redaction withholds secret files; here it is a matter of size and of the project's own rules.
"""

from __future__ import annotations

from gitsession import project
from gitsession.giants import left_out

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.model.record import File
    from gitsession.model.session import Session
    from gitsession.operations.workspace import Workspace


def withhold(workspace: Workspace, part: Session, root: str) -> Session:
    """Return the continuation without the contents of files that are not to be stored."""
    part = part._replace(instructions=tuple(f for f in part.instructions if not _is_cut(f)))
    if not part.files:
        return part
    limit = workspace.config["capture.max_file_bytes"]
    inside = tuple(file.path for file in part.files if not file.path.startswith("/"))
    hidden = project.ignored(part.info.cwd if root else "", inside, workspace.environment)
    files = tuple(_judge(file, limit, file.path in hidden) for file in part.files)
    return part._replace(files=files)


def _is_cut(file: File) -> bool:
    return file.content is not None and left_out(file.content) > 0


def _judge(file: File, limit: int, ignored: bool) -> File:
    if file.content is None:
        return file
    cut = left_out(file.content)
    size = len(file.content) + cut
    if ignored:
        return file._replace(content=None, reason="ignored", size=size)
    if size > limit or cut:
        return file._replace(content=None, reason="too large", size=size)
    return file
