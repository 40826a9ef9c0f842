"""Instruction files are stored with the turns for which they were in force, as far as that is
known: those that ended after the file was last changed. So is the hash of the system prompt."""

from __future__ import annotations

import os

from gitsession.agents import base
from gitsession.context.instructions import discover, hash_of
from gitsession.model.record import IN_RECORDS, SYSTEM_PROMPT, File
from gitsession.model.session import Session, Turn
from gitsession.snapshot.layout import INSTRUCTIONS
from gitsession.snapshot.paths import unescape_file
from gitsession.snapshot.times import unix_seconds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from gitsession.agents.base import Agent, Source
    from gitsession.operations.saving.grown import Grown
    from gitsession.operations.workspace import Workspace
    from gitsession.store.view import TreeView

    News = dict[str, tuple[float, File]]
    # By name: since when the file has been like this, and the file.


class InstructionFiles:
    """The instruction files of one save; `grown` is what that save has made so far."""

    def __init__(self, workspace: Workspace, agent: Agent, source: Source, grown: Grown) -> None:
        self._workspace = workspace
        self._grown = grown
        self._prompt, self._stated = "", b""
        self._may = _is_at_home(workspace, agent, source)

    def add(self, fates: Iterable[tuple[Session, str]]) -> Iterator[tuple[Session, str]]:
        """Yield the same turns, each with the files new or changed since the previous version."""
        news: News | None = None
        for part, fate in fates:
            if news is None:
                news = self._news(part.info.cwd) if self._may else {}
            now = _in_force(news, part)
            part = self._with_prompt(part)
            if now:
                found = {one.path: one for one in part.instructions}
                found.update((name, news[name][1]) for name in now)
                part = part._replace(instructions=tuple(found.values()))
            if now and (fate == "fold" or (fate == "version" and (part.turn or Turn()).finished)):
                for name in now:
                    del news[name]
            yield part, fate

    def _with_prompt(self, part: Session) -> Session:
        """Return the turn with the hash of the system prompt, if its agent states the prompt: the
        hash of the prompt without secrets, for no more may be known of it."""
        stated = next((one for one in part.instructions if one.path == SYSTEM_PROMPT), None)
        if stated is not None and stated.content and stated.content != self._stated:
            self._stated = stated.content
            text = stated.content.decode("utf-8", "replace")
            self._prompt = hash_of(str(self._workspace.redactor().clean(text)))
        if not self._prompt:
            return part
        return part._replace(
            state=part.state._replace(prompt_hash=self._prompt),
            instructions=tuple(one for one in part.instructions if one.reason != IN_RECORDS),
        )

    def _news(self, folder: str) -> News:
        """Return what differs from the newest finished version."""
        if not os.path.isabs(folder) or not os.path.isdir(folder):
            return {}
        stored = self._stored()
        found = {one.name: one for one in discover(folder)}
        news: News = {
            name: (0.0, File(name, None, "deleted"))
            for name in stored
            if name not in found and name != SYSTEM_PROMPT
        }
        for name, one in found.items():
            content = one.text.encode("utf-8", "replace")
            if not _holds(stored, name, content):
                news[name] = (_changed_at(one.path), File(name, content, "", len(content)))
        return news

    def _stored(self) -> dict[str, bytes]:
        if not self._grown.tree:
            return {}
        return stored(self._workspace.store.tree(self._grown.tree))


def _holds(stored: Mapping[str, bytes], name: str, content: bytes) -> bool:
    """Whether the file is stored with this content, apart from secrets."""
    if name not in stored or stored[name] == content:
        return name in stored
    from gitsession.operations.placeholders import stands_for

    return stands_for(stored[name], content)


def stored(tree: TreeView) -> dict[str, bytes]:
    """Return only the instruction files of a version, by name."""
    return {
        unescape_file(path.removeprefix(INSTRUCTIONS)): tree[path]
        for path, _ in tree.walk(INSTRUCTIONS.rstrip("/"))
    }


def shown(workspace: Workspace, commit: str) -> tuple[File, ...]:
    """Return the instruction files of a version as they may be shown, outermost first."""
    from gitsession.operations import show

    if show.is_suspect(workspace, commit):
        return show.files_of(workspace, commit).instructions
    found = stored(workspace.store.tree(commit))
    return tuple(File(name, data, "", len(data)) for name, data in found.items())


def _in_force(news: News, part: Session) -> list[str]:
    """Return the names of the files that were not changed after the turn's end."""
    ended = unix_seconds(part.turn.time) if news and part.turn else None
    return [name for name, (since, _) in news.items() if ended is None or since < ended + 1]


def _changed_at(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0


def _is_at_home(workspace: Workspace, agent: Agent, source: Source) -> bool:
    """Whether the session is live here: only then does it say anything about the folder as it is
    now."""
    if source.data is not None:
        return True
    return base.is_at_home(agent, workspace.environment, source.file)
