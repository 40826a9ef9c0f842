"""Reconstructs file contents along a transcript whose edits do not hold the original file.

Newer versions omit the original of larger files; then the content is the result of earlier records.
Those are looked up in the session file itself, so that nothing has to be carried between saves.
"""

from __future__ import annotations

from gitsession.agents.claude_code.files import changes
from gitsession.agents.lenient import compact, parse_line
from gitsession.agents.project_files import file_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.agents.claude_code.files import Change
    from gitsession.agents.claude_code.records import Row
    from gitsession.model.record import File

_WINDOW = 4 << 20
_MOST_CACHED = 16 << 20


class _Known:
    """A text and the position of the record that held it (or the version it was derived from)."""

    __slots__ = ("base", "text")

    def __init__(self, text: str | None, base: int) -> None:
        self.text = text
        self.base = base


class Contents:
    """The project files that result from the records of the main stream.

    A result depends only on the bytes of the window before a record; the cache merely saves time
    and evicts the oldest entries first.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._cache: dict[str, _Known] = {}
        self._cached = 0

    def see(self, row: Row, root: str, position: int) -> list[File]:
        """Return the files after the main record that begins at byte `position`."""
        found = []
        for change in changes(row):
            known = _Known(change.content, position)
            if change.needs:
                before = self._before(change.path, position)
                known = _Known(change.after(before.text), before.base)
            self._remember(change.path, known)
            found.append(file_of(change.path, known.text, root))
        return found

    def _before(self, path: str, position: int) -> _Known:
        known = self._cache.get(path)
        if known is None:
            return self._looked_up(path, position)
        return known if known.base >= position - _WINDOW else _Known(None, known.base)

    def _remember(self, path: str, known: _Known) -> None:
        old = self._cache.pop(path, None)
        self._cached += len(known.text or "") - len(old.text or "" if old else "")
        self._cache[path] = known
        while self._cached > _MOST_CACHED and len(self._cache) > 1:
            oldest = next(iter(self._cache))
            self._cached -= len(self._cache.pop(oldest).text or "")

    def _looked_up(self, path: str, position: int) -> _Known:
        from gitsession.agents.lookback import lines_backward

        needle = compact(path).encode()
        later: list[Change] = []
        for start, data in lines_backward(self._path, position, max(0, position - _WINDOW)):
            if needle not in data:
                continue
            here = [c for row in parse_line(data).objects for c in changes(row) if c.path == path]
            while here:
                change = here.pop()
                if change.needs:
                    later.append(change)
                    continue
                text = change.content
                for following in reversed(later):
                    text = following.after(text)
                return _Known(text, start)
        return _Known(None, -1)
