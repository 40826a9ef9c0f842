"""Versions for `log` and `list`: commits are parsed, their trees are not read.

`log` streams from the git program. Without one, or if git fails on a damaged object, the same walk
is done here, object by object.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gitsession.errors import FormatError
from gitsession.model.history import TAGS, TRAILER, Tip, Version
from gitsession.store import names, process, seal
from gitsession.store.objects import damaged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.store.store import Store

_TIME_DIGITS = 18
"""No time that git writes is longer."""

_FORMAT = "--format=tformat:%H%x00%T%x00%P%x00%at%x00%B"


def parse(identity: str, data: bytes) -> Version:
    """Parse a commit object into a Version. Raises FormatError if the bytes are not a commit."""
    head, found, message = data.partition(b"\n\n")
    tree, parents, time = "", [], None
    for line in head.split(b"\n"):
        name, _, value = line.partition(b" ")
        if name == b"tree":
            tree = value.decode("ascii", "replace")
        elif name == b"parent":
            parents.append(value.decode("ascii", "replace"))
        elif name == b"author" and time is None:
            time = _author_time(value)
    if not found or not tree or time is None:
        raise damaged(identity)
    return _version(identity, tree, tuple(parents), time, message.decode("utf-8", "replace"))


def _author_time(value: bytes) -> int | None:
    words = value.rpartition(b">")[2].split()
    plain = words and words[0].isdigit() and len(words[0]) <= _TIME_DIGITS
    return int(words[0]) if plain else None


def _version(
    identity: str, tree: str, parents: tuple[str, ...], time: int, message: str
) -> Version:
    subject, body, found = split_message(message)
    return Version(identity, tree, parents, time, subject, found, body)


def split_message(message: str) -> tuple[str, str, Mapping[str, str]]:
    """Split a commit message into (subject, body, trailers). Trailers are the lines
    `Gitsession-Name: value` of the last paragraph; a line that starts with a blank continues the
    previous one."""
    text = message.strip("\n")
    paragraphs = text.rsplit("\n\n", 1)
    found: dict[str, str] = {}
    if len(paragraphs) == 2 and paragraphs[1].startswith(TRAILER):
        text = paragraphs[0]
        found = _trailers(paragraphs[1])
    subject, _, body = text.partition("\n")
    return subject, body.strip("\n"), found


def _trailers(paragraph: str) -> dict[str, str]:
    found: dict[str, str] = {}
    name = ""
    for line in paragraph.split("\n"):
        if line.startswith(TRAILER):
            name, _, value = line[len(TRAILER) :].partition(":")
            found[name] = value.strip()
        elif line.startswith(" ") and name:
            found[name] += " " + line.strip()
    return found


def log(
    store: Store, commits: Sequence[str], limit: int = 0, skip: int = 0, grep: str = "",
    first_parent: bool = False, hidden: Sequence[str] = (),
) -> Iterator[Version]:  # fmt: skip
    """Yield the versions reachable from `commits` but from none of `hidden`, newest first, parents
    after their children.

    `limit` 0 means all; `skip` applies after the filter; `grep` is a plain text to find in
    subjects, ignoring case.
    """
    needle = grep.casefold()
    left = limit or -1
    wanted = limit + skip if limit and not needle else 0
    for version in _walk_with_git(store, commits, wanted, first_parent, hidden):
        if needle and needle not in version.subject.casefold():
            continue
        if skip > 0:
            skip -= 1
            continue
        yield version
        left -= 1
        if left == 0:
            return


def _walk_with_git(
    store: Store, commits: Sequence[str], limit: int, first_parent: bool, hidden: Sequence[str]
) -> Iterator[Version]:
    if not commits:
        return
    seen: set[str] = set()
    try:
        if store.git_program:
            options = [f"-n{limit}"] if limit else []
            options += ["--first-parent"] if first_parent else []
            # For a single tip git's own order is right; a topological one would make it read the
            # whole history.
            options += ["--topo-order"] if len(commits) > 1 else []
            told = "".join(f"^{commit}\n" for commit in hidden).encode()  # may be thousands
            options += ["--stdin"] if told else []
            command = store.git(
                "log", "-z", "--no-color", "--no-show-signature", "--no-notes",
                "--no-mailmap", "--encoding=UTF-8", _FORMAT, *options, "--end-of-options", *commits,
            )  # fmt: skip
            for row in process.fields(command, store.variables, 5, told):
                version = _from_row(row)
                seen.add(version.id)
                yield version
            return
    except FormatError:
        # A damaged object ends git's walk at once; ours continues up to it and names it.
        pass
    if hidden:
        seen.update(version.id for version in log(store, hidden))
    for version in _walk(store, commits, first_parent):
        if version.id not in seen:
            yield version


def _from_row(row: list[bytes]) -> Version:
    identity, tree, parents, time, message = (field.decode("utf-8", "replace") for field in row)
    return _version(identity, tree, tuple(parents.split()), int(time or 0), message)


def _walk(store: Store, commits: Sequence[str], first_parent: bool) -> Iterator[Version]:
    """Yield versions newest first by time, a parent never before the child that leads to it."""
    import heapq

    waiting: list[tuple[int, int, Version]] = []
    known = set(commits)
    for order, commit in enumerate(dict.fromkeys(commits)):
        version = store.version(commit)
        heapq.heappush(waiting, (-version.time, order, version))
    order = len(waiting)
    while waiting:
        _, _, version = heapq.heappop(waiting)
        yield version
        for parent in version.parents[: 1 if first_parent else None]:
            if parent not in known:
                known.add(parent)
                order += 1
                ahead = store.version(parent)
                heapq.heappush(waiting, (-ahead.time, order, ahead))


def tips(store: Store, prefix: str, *, lost: bool = False) -> list[Tip]:
    """Return the newest version of every ref below `prefix` (for a tag, of its target), by name.

    A ref with a damaged commit is left out, or with `lost` gets a tip without time, subject and
    trailers; `fsck` names it. A single git process reads two hundred refs in half the time needed
    here. Without git, or if it fails on a damaged object, the refs are read one by one.
    """
    if store.git_program and not prefix.startswith(TAGS):
        try:
            return [_tip(row) for row in _refs_with_git(store, prefix)]
        except (FormatError, ValueError):
            pass  # a damaged object ends git's walk: ours continues past it
    return list(tips_one_by_one(store, prefix, lost))


_TIP_FORMAT = "%(refname)%00%(objectname)%00%(authordate:unix)%00%(contents)%00"


def _refs_with_git(store: Store, prefix: str) -> Iterator[list[bytes]]:
    command = store.git("for-each-ref", f"--format={_TIP_FORMAT}", prefix)
    for row in process.fields(command, store.variables, 4):
        row[0] = row[0].removeprefix(b"\n")
        if names.is_ref(row[0].decode("utf-8", "replace")):
            yield row


def _tip(row: list[bytes]) -> Tip:
    """Parse a row of `for-each-ref`. Raises ValueError if the ref does not name a commit."""
    ref, identity, time, message = (field.decode("utf-8", "replace") for field in row)
    subject, _, trailers = split_message(message)
    return Tip(ref, identity, int(time), subject, trailers)


def tips_one_by_one(store: Store, prefix: str, lost: bool) -> Iterator[Tip]:
    """Yield the same tips without the git program."""
    refs = store.refs(prefix)
    objects = store.reader.many(dict.fromkeys(refs.values()))
    for ref, identity in refs.items():
        try:
            version = peel(store, identity, objects[identity])
        except (FormatError, KeyError):
            if lost:
                yield Tip(ref, identity, 0, "", {})
            continue
        yield Tip(ref, version.id, version.time, version.subject, version.trailers)


def peel(store: Store, identity: str, known: tuple[str, bytes] | None = None) -> Version:
    """The version that an id names, through annotated tags. Raises FormatError if there is none.

    `known` is (kind, content) of that id, if already read.
    """
    for _ in range(5):
        kind, data = known or store.reader.read(identity)
        known = None
        if kind == "commit":
            return parse(identity, data)
        if kind != "tag" or not data.startswith(b"object "):
            break
        identity = data[7:47].decode("ascii", "replace")
    raise FormatError(f"object {identity} is not a version", hint="run `gitsession fsck`")


def is_sealed(store: Store, identity: str) -> bool:
    """Whether this one commit carries a valid seal of the store's key."""
    data = store.reader.of_kind(identity, "commit")
    version = parse(identity, data)
    message = data.partition(b"\n\n")[2]
    return seal.verify(store.key, version.tree, version.parents, message)


def is_own(store: Store, identity: str, known: set[str] | None = None) -> bool:
    """Whether a version and all its ancestors were sealed with the store's key.

    `known` holds ids proven earlier; newly proven ids are added to it.
    """
    proven: set[str] = set()
    waiting = [identity]
    known = known if known is not None else set()
    while waiting:
        commit = waiting.pop()
        if commit in proven or commit in known:
            continue
        data = store.reader.of_kind(commit, "commit")
        version = parse(commit, data)
        message = data.partition(b"\n\n")[2]
        if not seal.verify(store.key, version.tree, version.parents, message):
            return False
        proven.add(commit)
        waiting.extend(version.parents)
    known |= proven
    return True
