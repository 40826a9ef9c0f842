"""The growth of the store: per save, after packing, and by a fork, relative to the bytes of new
content."""

from __future__ import annotations

import gzip
import subprocess
import zlib
from collections.abc import Sequence
from pathlib import Path

from bench.measure import GITSESSION, environment, folder_bytes, run, table


def main(scratch: Path, files: Sequence[Path]) -> str:
    """Return the table; `files` are growing states of one session, oldest first."""
    home, cwd = scratch / "home", scratch / "demo"
    home.mkdir(parents=True)
    cwd.mkdir()
    rows, before, seen = [], 0, b""
    store = home / ".local" / "share" / "gitsession" / "store.git"
    for path in files:
        data = path.read_bytes()
        new = data[len(seen) :] if data.startswith(seen) else data
        run([GITSESSION, "import", str(path)], home, cwd)
        now = folder_bytes(store)
        allowed = 2 * len(zlib.compress(new)) + 8192
        rows.append(
            (path.name, f"{len(new):,}", f"{now - before:,}", f"{(now - before) / allowed:.2f}")
        )
        before, seen = now, data
    packed = _packed(store, home)
    last = len(gzip.compress(files[-1].read_bytes(), 9))
    rows.append(
        (
            "after `git repack -adf`",
            "",
            f"{packed:,}",
            f"{packed / last:.2f} × gzip of the last file",
        )
    )
    columns = ("saved file", "new bytes", "store grew by", "of 2 × zlib of the new bytes + 8 KB")
    return table(f"Growth of the store, {files[-1].parent.name}", columns, rows)


def _packed(store: Path, home: Path) -> int:
    """Return the bytes of the packs after a full repack of a store that nobody else uses."""
    subprocess.run(
        ["git", "-C", str(store), "repack", "-adfq", "--window=250", "--depth=50"],
        env=environment(home), check=True,
    )  # fmt: skip
    return sum(path.stat().st_size for path in (store / "objects" / "pack").glob("*.pack"))
