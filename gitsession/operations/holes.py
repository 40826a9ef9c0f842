"""Find the messages of a version that have lost text: what a damaged object means to a person."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gitsession import snapshot
from gitsession.agents import registry
from gitsession.errors import FormatError, GitSessionError
from gitsession.model.report import Problem
from gitsession.snapshot.layout import STREAMS
from gitsession.store.view import TreeView

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.model.history import Version
    from gitsession.model.message import Message
    from gitsession.operations.workspace import Workspace

_CUT_STRING = re.compile(re.escape(STREAMS) + r".*\.s[0-9]+\b")
_MARK = re.compile(r"gitsession-lost-([0-9a-f]{40,64})")


class _Filled(TreeView):
    """A tree in which each lost text is replaced by a mark that names its object."""

    def __getitem__(self, path: str) -> bytes:
        try:
            return super().__getitem__(path)
        except FormatError:
            if not _CUT_STRING.match(path):
                raise
            return f"gitsession-lost-{self.blob_id(path)}".encode()


def find(workspace: Workspace, version: Version) -> Iterator[Problem]:
    """Yield one problem per lost text, naming message and object; nothing if more is damaged."""
    try:
        session = snapshot.decode(_Filled(workspace.store.reader, version.tree))
        messages = registry.get(session.info.agent).messages(session)
    except GitSessionError:
        return
    for number, message in enumerate(messages, 1):
        for identity in dict.fromkeys(_MARK.findall(_text(message))):
            name = f" ({message.native_id})" if message.native_id else ""
            said = f"message {number}{name} has lost a text: object {identity}"
            yield Problem("string", version.id, said)


def _text(message: Message) -> str:
    return repr([(part.text, part.input, part.native) for part in message.parts])
