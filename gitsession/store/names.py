"""Names of refs: which texts are valid, and the refs of branches, tags and working states."""

from __future__ import annotations

from gitsession.errors import FormatError, UsageError
from gitsession.model.finding import Clean
from gitsession.model.history import HEADS, REMOTES, TAGS, WIP

REMOTE_TAGS = "refs/gitsession/remote-tags/"
SHARED = "refs/gitsession/shared/"
_FORBIDDEN = frozenset(" ~^:?*[\\\x7f").union(map(chr, range(32)))


def is_ref(name: str) -> bool:
    """Whether git would accept it as a full ref name (`git check-ref-format`), and whether it stays
    inside `refs/` as a path."""
    if not name.startswith("refs/") or name.endswith(("/", ".")) or "@{" in name or ".." in name:
        return False
    if not _FORBIDDEN.isdisjoint(name) or "//" in name or "/." in name or ".lock/" in name:
        return False
    return name.count("/") > 1 and not name.endswith(".lock")


def folded(name: str) -> str:
    """A form that is equal for two names that macOS or Windows take for the same file: they differ
    in case, or in how accents are encoded."""
    if name.isascii():
        return name.lower()
    from unicodedata import normalize

    return normalize("NFC", normalize("NFC", name).casefold())


def check_ref(name: str) -> None:
    """Raises FormatError unless `name` is a valid ref name."""
    if not is_ref(name):
        raise FormatError("not a valid name of a ref", hint="see `git help check-ref-format`")


def branch_ref(session: str, branch: Clean) -> str:
    """The ref of a new branch. A session's name is Clean as well, or was read from a ref."""
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


def remote_of(ref: str) -> str:
    """The remote that a ref was fetched from, "" for a ref of our own."""
    for prefix in (REMOTES, REMOTE_TAGS):
        if ref.startswith(prefix):
            return ref[len(prefix) :].partition("/")[0]
    return ""
