"""The files that a patch in the format of `apply_patch` touches."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_FILE = re.compile(r"^\*\*\* (Add File|Update File|Delete File|Move to): (.+)$", re.MULTILINE)


class Target(NamedTuple):
    """A file of a patch; `added` is its whole text if the patch creates it, else ""."""

    path: str
    new: bool
    added: str = ""


def targets(patch: str) -> Iterator[Target]:
    """Yield every file, once for each kind of change, in order."""
    seen = set()
    found = list(_FILE.finditer(patch))
    ends = [*(match.start() for match in found[1:]), len(patch)]
    for match, end in zip(found, ends, strict=False):
        path, new = match[2].strip(), match[1] == "Add File"
        if path and (path, new) not in seen:
            seen.add((path, new))
            yield Target(path, new, _added(patch[match.end() : end]) if new else "")


def _added(body: str) -> str:
    return "\n".join(line[1:] for line in body.split("\n") if line.startswith("+"))
