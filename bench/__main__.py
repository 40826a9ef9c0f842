"""`python -m bench [NAME …]`: the tables of docs/benchmarks.md, on this machine.

Without a name it runs startup, saving and growth. `large` adds 1 GB to `saving`; `everything` takes
`sessions=N` and `bytes=N`, `crowd` `sessions=N`, `search` `messages=N`; `scanners` with `kinds`
has one row for each kind of secret.
"""

from __future__ import annotations

import os
import platform
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

_SAMPLES = Path(os.environ.get("GITSESSION_SAMPLES", "../shared/samples"))
_SERIES = ("claude/entire/seq-fe3ed705", "codex/entire/seq-019dc0d3")


def _startup(scratch: Path, _: dict[str, str]) -> str:
    from bench import startup

    return startup.main(scratch)


def _saving(scratch: Path, words: dict[str, str]) -> str:
    from bench import saving

    sizes = (*saving.SIZES, saving.LARGE) if "large" in words else saving.SIZES
    return saving.main(scratch, sizes)


def _growth(scratch: Path, _: dict[str, str]) -> str:
    from bench import growth

    tables = []
    for series in _SERIES:
        files = sorted((_SAMPLES / series).glob("*.jsonl"))
        if series.startswith("codex"):
            files = files[1:]  # its publisher rewrote the first one
        if files:
            tables.append(growth.main(scratch / Path(series).name, files))
    return "\n".join(tables)


def _everything(scratch: Path, words: dict[str, str]) -> str:
    from bench import everything

    sessions = int(words.get("sessions", everything.SESSIONS))
    return everything.main(scratch, sessions, int(words.get("bytes", everything.BYTES)))


def _tokens(scratch: Path, _: dict[str, str]) -> str:
    from bench import tokens

    return tokens.main(scratch, _SAMPLES)


def _facts(scratch: Path, _: dict[str, str]) -> str:
    from bench import facts

    return facts.main(scratch, _SAMPLES)


def _scanners(scratch: Path, words: dict[str, str]) -> str:
    from bench import scanners

    return scanners.main(scratch, _SAMPLES, "kinds" in words)


def _peers(scratch: Path, _: dict[str, str]) -> str:
    from bench import peers

    return peers.main(scratch)


def _hooks(scratch: Path, _: dict[str, str]) -> str:
    from bench import hooks

    return hooks.main(scratch)


def _redaction(_: Path, __: dict[str, str]) -> str:
    from bench import redaction

    return redaction.main(_SAMPLES)


def _crowd(scratch: Path, words: dict[str, str]) -> str:
    from bench import crowd

    return crowd.main(scratch, int(words.get("sessions", crowd.SESSIONS)))


def _search(scratch: Path, words: dict[str, str]) -> str:
    from bench import search

    return search.main(scratch, _SAMPLES, int(words.get("messages", search.MESSAGES)))


MEASURES: dict[str, Callable[[Path, dict[str, str]], str]] = {
    "startup": _startup,
    "saving": _saving,
    "growth": _growth,
    "everything": _everything,
    "scanners": _scanners,
    "peers": _peers,
    "tokens": _tokens,
    "facts": _facts,
    "hooks": _hooks,
    "redaction": _redaction,
    "search": _search,
    "crowd": _crowd,
}


def main(arguments: list[str]) -> None:
    print(f"{platform.system()} {platform.machine()}, Python {platform.python_version()}, "
          f"{os.cpu_count()} cores\n")  # fmt: skip
    words = {name: value for name, _, value in (each.partition("=") for each in arguments)}
    chosen = [name for name in words if name in MEASURES] or ["startup", "saving", "growth"]
    with tempfile.TemporaryDirectory(prefix="gitsession-bench-") as folder:
        for name in chosen:
            print(MEASURES[name](Path(folder) / name, words))


if __name__ == "__main__":
    main(sys.argv[1:])
