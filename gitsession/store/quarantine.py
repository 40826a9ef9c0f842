"""Where git talks to a remote: a temporary repository that shares the store's objects and already
has the refs that the remote had. So git transfers only what is new, and no ref of the store moves.

The store's own configuration is kept out of it: it may have come with the store, and could name
programs (`core.sshCommand`, `credential.helper`) for git to start.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping

from gitsession.model.history import HEADS, REMOTES, TAGS
from gitsession.store import layout
from gitsession.store.names import REMOTE_TAGS, SHARED
from gitsession.store.objects import make_folder
from gitsession.store.refs import Refs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

    from gitsession.store.store import Store

_HELD = "refs/held/"
_FETCHED = re.compile(r"^([0-9a-f]{40})\t[^\t\n]*\t(branch |tag |)'([^ \n]+)' of ", re.MULTILINE)
"""A line of FETCH_HEAD."""


class Quarantine:
    """A context manager. `mirrored` holds the refs of the remote as last seen, by their names
    there. Run git on `folder` with `variables` in addition to its own; git knows the remote `named`
    (name, address) if given."""

    def __init__(
        self, store: Store, mirrored: Mapping[str, str], named: tuple[str, str] | None = None
    ) -> None:
        self.folder = f"{store.folder}/gitsession/quarantine/{os.urandom(8).hex()}"
        self.variables = {"GIT_OBJECT_DIRECTORY": f"{store.folder}/objects"}
        self._store = store
        self._mirrored = dict(mirrored)
        self._remote = _REMOTE.format(*map(_quoted, named)) if named else ""

    def __enter__(self) -> Quarantine:
        make_folder(f"{self.folder}/refs")
        rows = sorted({**self._held(), **self._mirrored}.items())
        lines = "".join(f"{identity} {ref}\n" for ref, identity in rows)
        for name, text in (
            ("HEAD", f"ref: {HEADS}none\n"),
            ("config", layout.CONFIG + self._remote),
            ("packed-refs", _SORTED + lines),
        ):
            with open(f"{self.folder}/{name}", "w", encoding="utf-8", newline="\n") as stream:
                stream.write(text)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        shutil.rmtree(self.folder, ignore_errors=True)

    def news(self) -> dict[str, str]:
        """The refs of the remote that have changed or are new."""
        refs = Refs(self.folder)
        found = {**refs.all(HEADS), **refs.all(TAGS), **self._listed()}
        return {ref: at for ref, at in found.items() if self._mirrored.get(ref) != at}

    def _listed(self) -> dict[str, str]:
        """The refs that git listed in FETCH_HEAD, if told to: where two refs share one file name,
        only one of them can be read as a ref."""
        try:
            with open(f"{self.folder}/FETCH_HEAD", encoding="utf-8", errors="replace") as stream:
                rows = _FETCHED.findall(stream.read())
        except FileNotFoundError:
            return {}
        kinds = {"branch ": HEADS, "tag ": TAGS}
        named = ((kinds[kind] + name if kind else name, at) for at, kind, name in rows)
        return {name.replace(SHARED, "refs/", 1): at for name, at in named}

    def _held(self) -> dict[str, str]:
        """Objects from other remotes need not be sent again. Our own branches are left out: reading
        thousands costs more than it saves, and what was shared exists at a remote."""
        refs = self._store.refs(REMOTES)
        return {_HELD + ref.removeprefix(REMOTES): at for ref, at in refs.items()}


_REMOTE = '[remote "{}"]\n\turl = "{}"\n'


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


_SORTED = "# pack-refs with: sorted \n"


def mirrored(store: Store, remote: str) -> dict[str, str]:
    """The refs of a remote as last seen, by their names there."""
    known: dict[str, str] = {}
    for here, there in ((f"{REMOTES}{remote}/", HEADS), (f"{REMOTE_TAGS}{remote}/", TAGS)):
        known.update((there + ref.removeprefix(here), at) for ref, at in store.refs(here).items())
    return known
