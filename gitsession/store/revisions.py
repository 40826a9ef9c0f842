"""Resolving what a person types for a version: ids, branches, tags, sessions, `@1`, `HEAD~2` …

Local names take precedence over remote ones, branches over tags, whole names over prefixes. A text
that matches more than one thing is an error that lists them.
"""

from __future__ import annotations

import re
from collections import namedtuple

from gitsession.errors import Ambiguous, FormatError, NotFound, UsageError
from gitsession.model.history import HEADS, REMOTES, TAGS, WIP
from gitsession.store import history, names
from gitsession.store.objects import is_id
from gitsession.store.sessions import HEX, SHORTEST, Found, Sessions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple

    from gitsession.store.store import Store

    class Resolved(NamedTuple):
        commit: str
        ref: str
        branch: str
        message: int
else:
    Resolved = namedtuple("Resolved", "commit ref branch message")
    Resolved.__doc__ = """`ref` is the ref that names exactly this commit, "" after `~n` or for an
    id; `branch` the local `<session>/<branch>` the text went through, "" if none; `message` counts
    from 1, 0 for none."""

_MESSAGE = re.compile(r"(.*):([0-9]+)", re.DOTALL).fullmatch
_STEPS = re.compile(r"(.*)~([0-9]*)", re.DOTALL).fullmatch
_ROW = re.compile(r"@([0-9]+)").fullmatch
_WIP = "@wip"
_MOST_STEPS = 1_000_000

_LONGEST = 200
_WHERE = "`gitsession list --all` shows the sessions, `gitsession log` the versions"


def resolve(store: Store, text: str, directory: str = "", *, whole: bool = False) -> Resolved:
    """Resolve `text` to one version, with the HEAD and list rows of `directory`. `whole` refuses a
    message of a version (`REV:N`).

    Raises NotFound, Ambiguous (with candidates), or UsageError for a range, an empty text or a bad
    message.
    """
    if ".." in text:
        raise UsageError(
            f"{_brief(text)} is a range, but one version is needed here",
            hint="gitsession log and gitsession diff take ranges",
        )
    message = 0
    if match := _MESSAGE(text):
        text, message = match[1], int(match[2])
        if message < 1:
            hint = "gitsession show REV lists them with their numbers"
            raise UsageError("message numbers start at 1", hint=hint)
        if whole:
            raise UsageError(
                f"{_brief(text)}:{message} is a message, and a whole version is needed here",
                hint=f"leave :{message} out; `gitsession show REV:N` shows a message",
            )
    steps = 0
    while match := _STEPS(text):
        text, steps = match[1], steps + int(match[2] or 1)
    found = _base(store, text, directory)
    if steps:
        found = Found(_back(store, found.commit, steps), "", found.branch, found.label)
    return Resolved(found.commit, found.ref, found.branch, message)


def resolve_range(
    store: Store, text: str, directory: str = "", *, whole: bool = False
) -> tuple[Resolved, Resolved]:
    """Resolve both ends of `A..B`; an empty side is HEAD. Raises UsageError if it is no range."""
    first, dots, second = text.partition("..")
    if not dots or second.startswith(".") or ".." in second:
        raise UsageError(f"{text} is not a range", hint="write A..B")
    return (
        resolve(store, first or "HEAD", directory, whole=whole),
        resolve(store, second or "HEAD", directory, whole=whole),
    )


def message_of(text: str) -> int:
    """The N of `REV:N`, 0 without one."""
    match = _MESSAGE(text)
    return int(match[2]) if match else 0


def is_range(text: str) -> bool:
    return ".." in text


def _base(store: Store, text: str, directory: str) -> Found:
    if not text:
        raise UsageError("no revision given", hint="see `gitsession list` and `gitsession log`")
    if text.endswith(_WIP):
        name = text[: -len(_WIP)] or "HEAD"
        return _first_turn(store, name) or _wip(store, _base(store, name, directory))
    if text in ("HEAD", "@"):
        return _head(store, directory)
    if match := _ROW(text):
        return _row(store, int(match[1]), directory)
    sessions = Sessions(store)
    return (
        _exact(store, sessions, text)
        or _short(store, sessions, text, directory)
        or _found_so(store, sessions, text)
    )


def _found_so(store: Store, sessions: Sessions, text: str) -> Found:
    found = sessions.by_prefix(text)
    other = None if found else _first_turn(store, text) or _once_called(store, sessions, text)
    return other or _one(store, text, found, sessions)


def _once_called(store: Store, sessions: Sessions, text: str) -> Found | None:
    """A session by a name that it had before it was renamed."""
    from gitsession.store import renamed

    name = renamed.now(store.records, text)
    return (_exact(store, sessions, name) or _first_turn(store, name)) if name else None


def _first_turn(store: Store, text: str) -> Found | None:
    """The working state of a session whose first turn is not finished: it has no branch yet, so its
    name refers to that. `text` is a whole name or the beginning of one."""
    begun = {
        ref: ref.removeprefix(WIP)
        for ref in store.refs(WIP)
        if not store.refs(f"{HEADS}{ref.removeprefix(WIP).partition('/')[0]}/")
    }
    whole = [ref for ref, name in begun.items() if text in (name, name.partition("/")[0])]
    fitting = whole or [ref for ref, name in begun.items() if text and name.startswith(text)]
    if len(fitting) != 1:
        return None
    return Found(store.ref(fitting[0]), fitting[0], begun[fitting[0]], fitting[0])


def _short(store: Store, sessions: Sessions, text: str, directory: str) -> Found | None:
    """A branch or tag of this directory's current session, by its last name alone."""
    session, slash, _ = store.head(directory).partition("/")
    if not slash or "/" in text:
        return None
    for prefix in (HEADS, TAGS):
        if found := sessions.at(f"{prefix}{session}/{text}"):
            return found
    return None


def _exact(store: Store, sessions: Sessions, text: str) -> Found | None:
    """A whole name: of a branch, a tag or a session, then the same on remotes, then a whole id."""
    for prefix in (HEADS, TAGS):
        if found := sessions.at(prefix + text):
            return found
    if found := sessions.newest(HEADS, text):
        return found
    for prefix in (REMOTES, names.REMOTE_TAGS):
        if found := sessions.at(prefix + text):
            return found
    if found := sessions.newest(REMOTES, text):
        return found
    if is_id(text):
        try:
            return Found(history.peel(store, text).id, "", "", text)
        except FormatError as error:
            from gitsession.store import rewritten

            if rewritten.follow(store, text):
                return None  # the search by prefix finds its replacement
            if later := rewritten.left_out(store, text):
                raise _left_out(text, later) from error
            hint = error.hint if store.reader.has(text) else _WHERE
            raise NotFound(f"there is no version {text}", hint=hint) from error
    return None


def _one(store: Store, text: str, found: list[Found], sessions: Sessions) -> Found:
    # Found both by id and by branch, it is one thing; the branch is the better name.
    named = {candidate.commit for candidate in found if candidate.branch}
    found = [at for at in found if at.branch or at.commit not in named]
    by_commit = {(candidate.commit, candidate.branch): candidate for candidate in found}
    if not by_commit:
        if len(text) >= SHORTEST and not set(text) - HEX:
            from gitsession.store import rewritten

            if later := rewritten.left_out(store, text):
                raise _left_out(text, later)
        raise NotFound(
            f"nothing is named {_brief(text)}",
            hint=_WHERE,
            candidates=sessions.near(text),
        )
    if len(by_commit) > 1:
        labels = tuple(sorted(candidate.label for candidate in by_commit.values()))
        raise Ambiguous(f"{_brief(text)} fits {len(labels)} things", "write more of it", labels)
    return next(iter(by_commit.values()))


def _left_out(text: str, later: str) -> NotFound:
    return NotFound(
        f"the version {text} was removed by gc",
        hint=f"the nearest later version is {later[:12]}",
    )


def _head(store: Store, directory: str) -> Found:
    head = store.head(directory) or store.default_head(directory)
    if not head:
        raise NotFound(
            "this directory has no current session",
            hint="save one with `gitsession save`, or name one from `gitsession list`",
        )
    if is_id(head):
        return Found(history.peel(store, head).id, "", "", head)
    found = Sessions(store, spelled=True).at(HEADS + head)
    if found is None:
        raise NotFound(
            f"HEAD of this directory names {head}, which is gone",
            hint="`gitsession undo` brings a deleted branch back",
        )
    return found


def _row(store: Store, number: int, directory: str) -> Found:
    record = store.records.read("listed", store.records.directory(directory)) or {}
    rows = record.get("rows")
    if not isinstance(rows, list) or not rows:
        raise NotFound(
            "nothing was listed in this directory yet", hint="run `gitsession list` first"
        )
    if not 1 <= number <= len(rows):
        had = "1 row" if len(rows) == 1 else f"{len(rows)} rows"
        raise NotFound(f"the last list had {had}, so there is no @{number}", hint="gitsession list")
    sessions = Sessions(store)
    text = str(rows[number - 1])
    found = _exact(store, sessions, text) or _first_turn(store, text)
    found = found or _once_called(store, sessions, text)
    if found is None:
        raise NotFound(f"row {number} of the last list is gone", hint="run `gitsession list` again")
    return found


def _wip(store: Store, found: Found) -> Found:
    ref = names.wip_ref(found.branch) if found.branch else ""
    commit = store.ref(ref) if ref else ""
    if not commit:
        raise NotFound("there is no working state here: the last turn is finished and saved")
    return Found(commit, ref, found.branch, ref)


def _back(store: Store, commit: str, steps: int) -> str:
    """The version `steps` before, along first parents, as in git. Raises NotFound."""
    if steps <= _MOST_STEPS:
        for version in store.log([commit], 1, skip=steps, first_parent=True):
            return version.id
    few = f"are fewer than {steps} versions" if steps > 1 else "is no version"
    raise NotFound(f"there {few} before this one", hint="`gitsession log` lists them")


def _brief(text: str) -> str:
    """What was typed, cut to the maximum length of a name."""
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"
