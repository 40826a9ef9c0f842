"""List how a work tree differs from a commit of its code repository, without changing either.

Does not refresh the index, run the repository's filters or fetch anything.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from gitsession.environment import Environment
from gitsession.project import repository_of, run_git

EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
"""The tree to compare with in a repository without a commit."""
_FILES = ("100644", "100755", "100664")
_RUNS = "100755"
_LINKS = ("120000", "160000")


class Change(NamedTuple):
    """A path below the folder, with `/`, that may differ. `original` is the id of the commit's blob
    at that path, "" if it has none; `original_runs` says whether that file is executable; `plain`
    is False for a link or a submodule."""

    path: str
    original: str = ""
    plain: bool = True
    original_runs: bool = False


def changes(folder: str, commit: str, environment: Environment) -> list[Change] | None:
    """Return the paths below `folder` that may differ from `commit`, including untracked files that
    are not ignored. git goes by time and size, so some of them may in fact be unchanged. None if
    git cannot answer (no repository, no such commit, too slow)."""
    variables = _variables(folder, environment)
    tracked = run_git(
        ["-C", folder, "diff-index", "--raw", "-z", "--no-renames", "--relative",
         "--ignore-submodules=all", "--no-ext-diff", commit, "--"], variables,
    )  # fmt: skip
    if tracked is None:
        return None
    untracked = run_git(
        ["-C", folder, "ls-files", "--others", "--exclude-standard", "-z"],
        {**variables, **_own_ignores(environment, variables)},
    )
    if untracked is None:
        return None
    found = {change.path: change for change in _tracked(tracked.split(b"\0"))}
    for name in filter(None, untracked.split(b"\0")):
        path = _text(name)
        if not path.endswith("/"):  # another repository inside this one
            found.setdefault(path, Change(path))
    return list(found.values())


def _tracked(fields: list[bytes]) -> Iterator[Change]:
    for about, name in zip(fields[::2], fields[1::2], strict=False):
        old_mode, new_mode, old_id, *_ = about.decode().lstrip(":").split(" ")
        plain = old_mode not in _LINKS and new_mode not in _LINKS
        original = old_id if old_mode in _FILES else ""
        yield Change(_text(name), original, plain, old_mode == _RUNS)


def blobs(
    folder: str, ids: Iterable[str], largest: int, environment: Environment
) -> dict[str, bytes]:
    """Return the contents, by id, of those blobs that have at most `largest` bytes."""
    wanted = "".join(f"{identity}\n" for identity in dict.fromkeys(ids)).encode()
    if not wanted:
        return {}
    variables = _variables(folder, environment)
    asked = ["-C", folder, "cat-file"]
    sizes = run_git([*asked, "--batch-check"], variables, wanted) or b""
    rows = [line.split(b" ") for line in sizes.splitlines()]
    small = b"".join(
        row[0] + b"\n" for row in rows if row[1:2] == [b"blob"] and int(row[2]) <= largest
    )
    said = run_git([*asked, "--batch"], variables, small) if small else b""
    return dict(_batch(said or b""))


def _batch(said: bytes) -> Iterator[tuple[str, bytes]]:
    at = 0
    while at < len(said):
        end = said.index(b"\n", at)
        identity, _, size = said[at:end].split(b" ")
        start = end + 1
        yield identity.decode(), said[start : start + int(size)]
        at = start + int(size) + 1


def _variables(folder: str, environment: Environment) -> Mapping[str, str]:
    """Return the environment for read-only git: filters named in the repository's own configuration
    do not run."""
    variables = environment.git()
    found = repository_of(os.path.realpath(folder))
    names = run_git(
        [f"--git-dir={found[1]}", "config", "--local", "--name-only", "-z", "--get-regexp",
         r"^filter\..*\.(clean|smudge|process|required)$"], variables,
    ) if found else None  # fmt: skip
    rows = [(_text(name), "") for name in (names or b"").split(b"\0") if name]
    rows = [(name, "false" if name.endswith("required") else "") for name, _ in rows]
    return _with_settings(variables, rows)


def _own_ignores(environment: Environment, variables: Mapping[str, str]) -> Mapping[str, str]:
    """Return settings for the user's own list of ignored files, wherever their git configuration
    puts it."""
    own = {
        name: value
        for name, value in environment.variables.items()
        if not name.startswith("GIT_") or name == "GIT_CONFIG_GLOBAL"
    }
    said = run_git(["config", "--global", "--type=path", "--get", "core.excludesFile"], own)
    place = _text(said or b"").rstrip("\n")
    return _with_settings(variables, [("core.excludesFile", place)]) if place else {}


def _with_settings(
    variables: Mapping[str, str], settings: Iterable[tuple[str, str]]
) -> Mapping[str, str]:
    number = int(variables.get("GIT_CONFIG_COUNT", "0"))
    made = dict(variables)
    for name, value in settings:
        made[f"GIT_CONFIG_KEY_{number}"], made[f"GIT_CONFIG_VALUE_{number}"] = name, value
        number += 1
    made["GIT_CONFIG_COUNT"] = str(number)
    return made


def _text(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")
