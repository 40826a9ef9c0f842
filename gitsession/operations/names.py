"""Names that people give: what a branch or tag may be called, and which name is free."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container

from gitsession.errors import UsageError

MAX_NAME_BYTES = 120

_REFUSED = re.compile(r"[\x00-\x20\x7f~^:?*\[\]\\/]|\.\.|@\{|^[-.]|\.$|\.lock$|^@|@wip$")
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_NUMBERED = re.compile(r"(.+)-([1-9][0-9]{0,5})")


def check_name(text: str, kind: str) -> str:
    """The name in its normal form (NFC, trimmed), fit to be the last part of a ref.

    `kind` is the word for the error: branch or tag. Raises UsageError.
    """
    name = unicodedata.normalize("NFC", text.strip())
    if not name:
        raise UsageError(f"a {kind} needs a name")
    if "/" in name:
        raise UsageError(f"a {kind} name has no slash in it", hint="use a dash instead")
    if len(name.encode("utf-8", "replace")) > MAX_NAME_BYTES:
        raise UsageError(f"a {kind} name has at most {MAX_NAME_BYTES} bytes")
    invisible = any(unicodedata.category(character) in _INVISIBLE for character in name)
    if invisible or _REFUSED.search(name) or name.upper() == "HEAD":
        raise UsageError(
            f"that is no good {kind} name",
            hint="letters, digits, dots, dashes and underscores always work",
        )
    return name


def next_branch(branch: str, taken: Container[str]) -> str:
    """The first free one of `<branch>-2`, `-3` …; a number that such a name already carries counts
    on (`main-2` gives `main-3`) if the branch it counts from exists."""
    numbered = _NUMBERED.fullmatch(branch)
    if numbered and numbered[1] in taken:
        branch = numbered[1]
    number = 2
    while f"{branch}-{number}" in taken:
        number += 1
    return f"{branch}-{number}"


def split_ref(ref: str, prefix: str) -> tuple[str, str]:
    """(session, branch or tag) of a full ref name below `prefix`; the session has no slash."""
    session, _, name = ref.removeprefix(prefix).partition("/")
    return session, name
