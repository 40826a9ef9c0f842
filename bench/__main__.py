"""`python -m bench [startup saving growth]`: the tables of docs/benchmarks.md, on this machine."""

from __future__ import annotations

import os
import platform
import sys
import tempfile
from pathlib import Path

from bench import growth, saving, startup

_SAMPLES = Path(os.environ.get("GITSESSION_SAMPLES", "../shared/samples"))
_SERIES = ("claude/entire/seq-fe3ed705", "codex/entire/seq-019dc0d3")


def main(names: list[str]) -> None:
    print(f"{platform.system()} {platform.machine()}, Python {platform.python_version()}, "
          f"{os.cpu_count()} cores\n")  # fmt: skip
    chosen = names or ["startup", "saving", "growth"]
    with tempfile.TemporaryDirectory(prefix="gitsession-bench-") as folder:
        scratch = Path(folder)
        if "startup" in chosen:
            print(startup.main(scratch / "startup"))
        if "saving" in chosen:
            print(saving.main(scratch / "saving"))
        if "growth" in chosen:
            for series in _SERIES:
                files = sorted((_SAMPLES / series).glob("*.jsonl"))
                if series.startswith("codex"):
                    files = files[1:]  # the first one was rewritten by its publisher
                if files:
                    print(growth.main(scratch / "growth" / Path(series).name, files))


if __name__ == "__main__":
    main(sys.argv[1:])
