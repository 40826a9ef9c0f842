"""Where a fetch writes its refs: a repository for the moment, with the store's objects, that knows
already what the remote had. So git writes only what is new, and no ref of the store moves."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping

from gitsession.model.history import HEADS, REMOTES, TAGS
from gitsession.store.names import REMOTE_TAGS
from gitsession.store.objects import make_folder
from gitsession.store.refs import Refs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

    from gitsession.store.store import Store

_HELD = "refs/held/"


class Quarantine:
    """A context manager. `mirrored` is the refs of the remote as they were seen last, by the names
    that they have over there; git runs on `folder` with `variables` besides its own."""

    def __init__(self, store: Store, mirrored: Mapping[str, str]) -> None:
        self.folder = f"{store.folder}/gitsession/quarantine/{os.urandom(8).hex()}"
        self.variables = {"GIT_OBJECT_DIRECTORY": f"{store.folder}/objects"}
        self._store = store
        self._mirrored = dict(mirrored)

    def __enter__(self) -> Quarantine:
        make_folder(f"{self.folder}/refs")
        shutil.copyfile(f"{self._store.folder}/config", f"{self.folder}/config")
        rows = sorted({**self._held(), **self._mirrored}.items())
        lines = "".join(f"{identity} {ref}\n" for ref, identity in rows)
        for name, text in (("HEAD", f"ref: {HEADS}none\n"), ("packed-refs", _SORTED + lines)):
            with open(f"{self.folder}/{name}", "w", encoding="utf-8", newline="\n") as stream:
                stream.write(text)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        shutil.rmtree(self.folder, ignore_errors=True)

    def news(self) -> dict[str, str]:
        """The refs of the remote that are not where they were."""
        refs = Refs(self.folder)
        found = {**refs.all(HEADS), **refs.all(TAGS)}
        return {ref: at for ref, at in found.items() if self._mirrored.get(ref) != at}

    def _held(self) -> dict[str, str]:
        """What came from other remotes need not be sent once more. Branches of ours are left out:
        reading thousands costs more than they save, and what was shared is at a remote."""
        refs = self._store.refs(REMOTES)
        return {_HELD + ref.removeprefix(REMOTES): at for ref, at in refs.items()}


_SORTED = "# pack-refs with: sorted \n"


def mirrored(store: Store, remote: str) -> dict[str, str]:
    """The refs of a remote as they were seen last, by the names that they have over there."""
    known: dict[str, str] = {}
    for here, there in ((f"{REMOTES}{remote}/", HEADS), (f"{REMOTE_TAGS}{remote}/", TAGS)):
        known.update((there + ref.removeprefix(here), at) for ref, at in store.refs(here).items())
    return known
