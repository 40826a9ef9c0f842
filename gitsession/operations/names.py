"""Names that people give: what a branch or tag may be called, and which branch name is free."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container

from gitsession.errors import UsageError

MAX_NAME_BYTES = 120

_REFUSED = re.compile(r"[\x00-\x20\x7f~^:?*\[\]\\/]|\.\.|@\{|^[-.]|\.$|\.lock$|^@|@wip$")
_NOT_ON_WINDOWS = re.compile(
    r'[<>"|]|^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(\.|$)', re.IGNORECASE
)
"""A ref is a file: on Windows nobody could fetch a branch or tag with such a name."""
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_NUMBERED = re.compile(r"(.+)-([1-9][0-9]{0,5})")


def check_name(text: str, kind: str) -> str:
    """Return the name in its normal form (NFC, trimmed), valid as the last component of a ref.

    `kind` is the word used in errors: branch or tag. Raises UsageError.
    """
    name = unicodedata.normalize("NFC", text.strip())
    if not name:
        raise UsageError(f"a {kind} needs a name")
    if "/" in name:
        raise UsageError(f"a {kind} name cannot contain a slash", hint="use a dash instead")
    if len(name.encode("utf-8", "replace")) > MAX_NAME_BYTES:
        raise UsageError(f"a {kind} name has at most {MAX_NAME_BYTES} bytes")
    invisible = any(unicodedata.category(character) in _INVISIBLE for character in name)
    if invisible or _REFUSED.search(name) or _NOT_ON_WINDOWS.search(name) or name.upper() == "HEAD":
        raise UsageError(
            f"that is not a valid {kind} name",
            hint="letters, digits, dots, dashes and underscores always work",
        )
    return name


def next_branch(branch: str, taken: Container[str]) -> str:
    """Return the first free name among `<branch>-2`, `-3` …; a branch that already has such a
    number is counted on from its base (`main-2` gives `main-3`) if the base exists."""
    numbered = _NUMBERED.fullmatch(branch)
    if numbered and numbered[1] in taken:
        branch = numbered[1]
    number = 2
    while f"{branch}-{number}" in taken:
        number += 1
    return f"{branch}-{number}"


def split_ref(ref: str, prefix: str) -> tuple[str, str]:
    """Return (session, branch or tag) of a full ref name below `prefix`; a session has no slash."""
    session, _, name = ref.removeprefix(prefix).partition("/")
    return session, name
