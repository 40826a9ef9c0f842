"""A process that saves: started by the tests of many savers and of killed ones.

Arguments: store, ref, count, `loose` or `pack`, a name to tell its versions by.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from gitsession.environment import Environment
from gitsession.errors import Conflict
from gitsession.store import Store
from tests.builders import encoded
from tests.store.conftest import KEY


def main(path: str, ref: str, count: str, way: str, name: str) -> None:
    variables = {"PATH": os.environ["PATH"], "HOME": os.devnull}
    with Store.open(path, KEY, Environment(variables, Path(os.devnull), "/")) as store:
        for number in range(int(count)):
            while not _save(store, ref, way, f"{name}-{number}"):
                pass
            # In one piece: where output is not buffered, print would say a line word by word.
            sys.stdout.write(f"{name} {number}\n")
            sys.stdout.flush()


def _save(store: Store, ref: str, way: str, row: str) -> bool:
    old = store.ref(ref)
    base = store.version(old).tree if old else ""
    with store.writer(bulk=way == "pack") as writer:
        files = {f"rows/{row}": row.encode() * 50, "last": row.encode()}
        content = encoded(files, f"{row}\n\nGitsession-Kind: turn")
        commit, _ = writer.commit(content, base, (old,) if old else ())
        writer.flush()
        try:
            with store.transaction("save", automatic=True) as change:
                change.move(ref, old, commit)
        except Conflict:
            return False
    return True


if __name__ == "__main__":
    main(*sys.argv[1:])
