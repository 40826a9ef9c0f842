"""Applies to a text what Claude Code's edit tools did to a file."""

from __future__ import annotations

import re
from collections import namedtuple

from gitsession.agents.lenient import list_of, mapping_of, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, NamedTuple

_TABS = r"^\t+"


if TYPE_CHECKING:

    class Edit(NamedTuple):
        old: str
        new: str
        everywhere: bool
else:
    Edit = namedtuple("Edit", "old new everywhere")


def edited(content: str, edits: Sequence[Edit], hunks: list[Any] | None = None) -> str | None:
    """Return the text after the edits; None if one does not fit.

    With `hunks` (the agent's own patch), the text must also look there as it did to the agent: a
    text found earlier in the transcript may have been changed since by somebody else.
    """
    if hunks and not _fits(content, hunks):
        return None
    for edit in edits:
        after = _replaced(content, edit)
        if after is None:
            return None
        content = after
    return content


def _replaced(content: str, edit: Edit) -> str | None:
    old, new, everywhere = edit
    if not old:
        return new if not content else None
    if old not in content:
        return None
    if not new and not old.endswith("\n") and old + "\n" in content:
        old += "\n"  # the agent also removes the line end when it deletes a line
    return content.replace(old, new) if everywhere else content.replace(old, new, 1)


def _fits(content: str, hunks: list[Any]) -> bool:
    """Whether the text contains the old side of the patch.

    The agent shows each leading tab as two spaces there.
    """
    lines = content.split("\n")
    for hunk in map(mapping_of, hunks):
        start = hunk.get("oldStart")
        if not isinstance(start, int):
            return False
        old = [
            text_of(line)[1:] for line in list_of(hunk.get("lines")) if text_of(line)[:1] in " -"
        ]
        here = lines[max(start - 1, 0) : max(start - 1, 0) + len(old)]
        if [_shown(line) for line in here] != [_shown(line) for line in old]:
            return False
    return True


def _shown(line: str) -> str:
    return re.sub(_TABS, lambda found: "  " * len(found[0]), line)


def patched(content: str, hunks: list[Any]) -> str | None:
    """Apply the agent's structured patch itself; None if a hunk does not fit exactly."""
    lines = content.split("\n")
    done: list[str] = []
    at = 0
    for hunk in map(mapping_of, hunks):
        start = hunk.get("oldStart")
        if not isinstance(start, int) or not at <= start - 1 <= len(lines):
            return None
        done += lines[at : start - 1]
        at = start - 1
        for line in list_of(hunk.get("lines")):
            mark, text = text_of(line)[:1], text_of(line)[1:]
            if mark in (" ", "-"):
                if at >= len(lines) or lines[at] != text:
                    return None
                at += 1
            if mark in (" ", "+"):
                done.append(text)
    return "\n".join(done + lines[at:])
