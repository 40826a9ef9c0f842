"""Looking up sessions, branches and versions by name or by the beginning of one.

A session is nothing but the middle part of a ref here: `refs/heads/<session>/<branch>`.
"""

from __future__ import annotations

import sys
import unicodedata
from collections import namedtuple

from gitsession.errors import FormatError
from gitsession.model.history import HEADS, REMOTES, TAGS
from gitsession.store import history, names
from gitsession.store.packindex import ids_with_prefix

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import NamedTuple

    from gitsession.store.store import Store

    class Found(NamedTuple):
        commit: str
        ref: str
        branch: str
        label: str
else:
    Found = namedtuple("Found", "commit ref branch label")
    Found.__doc__ = "A version and the name under which it was found; `label` is for a person."

SHORTEST = 4
HEX = frozenset("0123456789abcdef")
_MAIN = "main"
_CASE_COUNTS = sys.platform not in ("darwin", "win32")
"""Elsewhere files are found whatever the case, but refs are not."""


class Sessions:
    """The refs of a store for the duration of one lookup. A whole name is looked up directly; all
    refs are read only for part of a name."""

    def __init__(self, store: Store, spelled: bool = _CASE_COUNTS) -> None:
        """`spelled`: the names asked for are spelled exactly as the refs are, if they exist."""
        self._store = store
        self._all: dict[str, str] | None = None if spelled else store.refs()

    @property
    def _refs(self) -> dict[str, str]:
        if self._all is None:
            self._all = self._store.refs()
        return self._all

    def at(self, ref: str) -> Found | None:
        """What a ref names, None if it does not exist. Raises FormatError if that is damaged."""
        identity = self._one(ref) or self._one(unicodedata.normalize("NFC", ref))
        if not identity:
            return None
        commit = history.peel(self._store, identity).id
        branch = names.branch_of(ref) if ref.startswith(HEADS) else ""
        return Found(commit, ref, branch, _label(ref))

    def _one(self, ref: str) -> str:
        if self._all is not None:
            return self._all.get(ref, "")
        try:
            return self._store.ref(ref)
        except (FormatError, ValueError):  # a damaged file (`fsck` names it), or an impossible name
            return self._refs.get(ref, "")

    def _sound(self, ref: str) -> Found | None:
        """Like `at`, for a search: one damaged thing never hides the others."""
        try:
            return self.at(ref)
        except FormatError:
            return None

    def newest(self, prefix: str, session: str) -> Found | None:
        """The branch that a bare session name means: `main`, else the one with the newest version.

        Below `refs/remotes/` the session may be named with or without its remote.
        """
        session = unicodedata.normalize("NFC", session)
        found = []
        for ref in self._near(prefix, session):
            holder = ref[len(prefix) :].rpartition("/")[0]
            if holder == session or (prefix == REMOTES and holder.partition("/")[2] == session):
                found.append(ref)
        mains = [ref for ref in found if ref.endswith(f"/{_MAIN}")]
        meant = mains or found
        candidates = [at for ref in meant if (at := self._sound(ref))]
        if meant and not candidates:
            return self.at(meant[0])
        return max(candidates, key=lambda at: self._store.version(at.commit).time, default=None)

    def _near(self, prefix: str, session: str) -> list[str]:
        """Refs below a prefix, including at least all of that session."""
        if self._all is None and prefix != REMOTES:
            possible = session and names.is_ref(f"{prefix}{session}/{_MAIN}")
            return [*self._store.refs(f"{prefix}{session}/")] if possible else []
        return [ref for ref in self._refs if ref.startswith(prefix)]

    def by_prefix(self, text: str) -> list[Found]:
        """Everything whose name begins with `text`: sessions, native ids, versions. Local before
        remote; a native id given in full means that session alone."""
        text = unicodedata.normalize("NFC", text)
        natives, whole = self._natives(text)
        if whole:
            return natives
        found = [
            *self._slugs(text),
            *self._of_session_part(text),
            *natives,
            *self._ids(text),
        ]
        return found or self._trailers(text)

    def near(self, text: str) -> tuple[str, ...]:
        """Up to three session names that a person may have meant."""
        import difflib

        known = sorted({ref.split("/")[2] for ref in self._refs if ref.startswith(HEADS)})
        return tuple(difflib.get_close_matches(text.partition("/")[0], known, 3, 0.5))

    def _sessions(self, prefix: str) -> set[str]:
        return {
            ref[len(prefix) :].rpartition("/")[0] for ref in self._refs if ref.startswith(prefix)
        } - {""}

    def _slugs(self, text: str) -> Iterator[Found]:
        for session in self._matching(text):
            if found := self.newest(HEADS, session):
                yield Found(found.commit, found.ref, found.branch, session)

    def _matching(self, text: str) -> list[str]:
        """Local sessions by the beginning of their names; a whole slug beats a longer one."""
        matching = [name for name in self._sessions(HEADS) if text and name.startswith(text)]
        whole = [name for name in matching if name.rpartition("-")[0] == text]
        return sorted(whole or matching)

    def _of_session_part(self, text: str) -> Iterator[Found]:
        """`<beginning of a session>/<branch or tag>`."""
        part, slash, rest = text.partition("/")
        if slash and rest:
            for session in self._matching(part):
                name = f"{session}/{rest}"
                found = self._sound(HEADS + name) or self._sound(TAGS + name)
                if found:
                    yield found

    def _natives(self, text: str) -> tuple[list[Found], bool]:
        """Sessions by native id, with or without the agent, and whether the id is given in full."""
        begun: list[Found] = []
        whole: list[Found] = []
        for name, record in self._store.records.items("native"):
            fits = _fit(text, name)
            found = self._sound(HEADS + str(record.get("branch", ""))) if fits else None
            if found:
                named = Found(found.commit, found.ref, found.branch, name)
                (whole if fits == _WHOLE else begun).append(named)
        return whole or begun, bool(whole)

    def _ids(self, text: str) -> Iterator[Found]:
        if len(text) < SHORTEST or set(text) - HEX:
            return
        known = False
        for identity in ids_with_prefix(self._store.folder, text):
            try:
                kind, _ = self._store.reader.read(identity)
            except FormatError:
                continue
            if kind == "commit":
                yield Found(identity, "", "", identity)
                known = True
        if not known:
            yield from self._rewritten(text)

    def _rewritten(self, text: str) -> Iterator[Found]:
        """An id from before a rewrite, resolved to its replacement."""
        from gitsession.store import rewritten

        for identity in rewritten.follow(self._store, text):
            if self._store.reader.has(identity):
                commit = history.peel(self._store, identity).id
                yield Found(commit, "", "", commit)

    def _trailers(self, text: str) -> list[Found]:
        """Native ids that only the versions record: in a clone, or when records are lost."""
        for prefix in (HEADS, REMOTES):
            rows = []
            for tip in self._store.tips(prefix):
                told = (tip.trailers.get("Native", ""), tip.trailers.get("Session", ""))
                fits = max(_fit(text, name) for name in told)
                if fits:
                    branch = names.branch_of(tip.ref)
                    rows.append((fits, Found(tip.id, tip.ref, branch, _label(tip.ref))))
            best = max((fits for fits, _ in rows), default=0)
            found = [at for fits, at in rows if fits == best]
            mains = [at for at in found if at.ref.endswith(f"/{_MAIN}")]
            if found:
                return mains if len(mains) == 1 else found
        return []


_BEGUN, _WHOLE = 1, 2


def _fit(text: str, name: str) -> int:
    """Whether `text` is `<agent>/<native id>` or the native id, in full or (SHORTEST characters or
    more) its beginning."""
    native = name.partition("/")[2]
    if text and text in (name, native):
        return _WHOLE
    begun = len(text) >= SHORTEST and (name.startswith(text) or native.startswith(text))
    return _BEGUN if begun else 0


def _label(ref: str) -> str:
    for prefix in (HEADS, REMOTES, TAGS, names.REMOTE_TAGS):
        if ref.startswith(prefix):
            return ref[len(prefix) :]
    return ref
