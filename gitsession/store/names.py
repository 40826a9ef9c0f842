"""Names of refs: which texts may be one, and the refs of branches, tags and working states."""

from __future__ import annotations

from gitsession.errors import FormatError, UsageError
from gitsession.model.finding import Clean
from gitsession.model.history import HEADS, REMOTES, TAGS, WIP

REMOTE_TAGS = "refs/gitsession/remote-tags/"
SHARED = "refs/gitsession/shared/"
_FORBIDDEN = frozenset(" ~^:?*[\\\x7f").union(map(chr, range(32)))


def is_ref(name: str) -> bool:
    """Whether git would take it as the full name of a ref (`git check-ref-format`), and whether it
    stays inside `refs/` as a path."""
    if not name.startswith("refs/") or name.endswith(("/", ".")) or "@{" in name or ".." in name:
        return False
    if not _FORBIDDEN.isdisjoint(name) or "//" in name or "/." in name or ".lock/" in name:
        return False
    return name.count("/") > 1 and not name.endswith(".lock")


def check_ref(name: str) -> None:
    """Raises FormatError for what cannot be the name of a ref."""
    if not is_ref(name):
        raise FormatError("not a valid name of a ref", hint="see `git help check-ref-format`")


def branch_ref(session: str, branch: Clean) -> str:
    """The ref of a new branch. A session's name is Clean as well, or read from a ref."""
    return HEADS + _pair(session, branch)


def tag_ref(session: str, tag: Clean) -> str:
    return TAGS + _pair(session, tag)


def wip_ref(branch: str) -> str:
    """The ref of the working state of `<session>/<branch>`."""
    return WIP + branch


def _pair(session: str, name: Clean) -> str:
    if not isinstance(name, Clean):
        raise TypeError("the name of a branch or tag must be Clean")
    if "/" in name or name.startswith("-") or not is_ref(f"{HEADS}{session}/{name}"):
        raise UsageError(
            "not a valid name for a branch or tag",
            hint="letters, digits, `-`, `_` and `.`; no `/`, no space, not `-` first",
        )
    return f"{session}/{name}"


def branch_of(ref: str) -> str:
    """`<session>/<branch>` of a local branch or working state, "" for any other ref."""
    for prefix in (HEADS, WIP):
        if ref.startswith(prefix) and ref[len(prefix) :].count("/") == 1:
            return ref[len(prefix) :]
    return ""


def remote_ref(remote: str, name: str) -> str:
    return f"{REMOTES}{remote}/{name}"
