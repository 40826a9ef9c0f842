"""Identify the project of a folder by its code repository, without changing that repository.

A project's identity is not a path but the root commit of the code repository plus the subfolder, so
that a rename, a worktree or another home keeps one history. Everything here only reads.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping

from gitsession.digests import keyed
from gitsession.environment import Environment, find_program
from gitsession.files import is_regular, make_private, read, regular, replace


class Project:
    """`id` is `git:<root commit>:<subfolder>:<remote>` or `path:<canonical path>`; `name` is the
    folder's own name; `root` is the top of the work tree ("" without a repository); `remote` is the
    normalised address of `origin` (or of the first remote), "" if there is none."""

    __slots__ = ("id", "name", "remote", "root")

    def __init__(self, id: str, name: str, root: str, remote: str) -> None:
        self.id = id
        self.name = name
        self.root = root
        self.remote = remote


_OBJECT_ID = r"[0-9a-f]{40}(?:[0-9a-f]{24})?"


def identify(
    folder: str, environment: Environment, key: bytes = b"", clean: Callable[[str], str] = str,
    *, keep: bool = True,
) -> Project:  # fmt: skip
    """Return the project of a folder, which need not exist. Runs at most two git commands, once per
    repository: if `keep`, the answer is cached under a keyed hash of the path, with the remote
    after `clean`."""
    path = os.path.realpath(folder) if os.path.isdir(folder) else folder
    name = os.path.basename(path.rstrip("/\\")) or path
    found = repository_of(path)
    if found is None:
        return Project(f"path:{path}", name, "", "")
    root, git_dir = found
    facts = _facts(git_dir, environment, key, clean, keep)
    if not facts[0]:  # a repository without a commit has no identity yet
        return Project(f"path:{path}", name, root, facts[1])
    subfolder = os.path.relpath(path, root).replace(os.sep, "/")
    subfolder = "" if subfolder == "." else subfolder
    return Project(f"git:{facts[0]}:{subfolder}:{facts[1]}", name, root, facts[1])


def same_project(one: str, other: str) -> bool:
    """Whether two ids name one project: same root commit and subfolder, unless both have remotes
    and these differ (templates and client forks share a root commit)."""
    if one == other:
        return True
    if not (one.startswith("git:") and other.startswith("git:")):
        return False
    first, second = one.split(":", 3), other.split(":", 3)
    if first[1:3] != second[1:3]:
        return False
    return not (first[3] and second[3])


def repository_of(path: str) -> tuple[str, str] | None:
    """Return (top of the work tree, common git folder) of the innermost repository around
    `path`."""
    current = path
    while True:
        candidate = os.path.join(current, ".git")
        if os.path.isdir(candidate):
            return (current, candidate) if _is_plain(candidate) else None
        if os.path.isfile(candidate):
            git_dir = _linked(candidate)
            if git_dir:
                return (current, git_dir) if _is_plain(git_dir) else None
        parent = os.path.dirname(current)
        if parent == current:
            return None
        current = parent


def _is_plain(git_dir: str) -> bool:
    """Whether git can read the folder's own files without blocking: on a FIFO it waits forever."""
    paths = [os.path.join(git_dir, name) for name in ("HEAD", "config", "packed-refs")]
    return all(is_regular(path) or not os.path.lexists(path) for path in paths)


def _linked(pointer: str) -> str:
    """Return the common folder that a `.git` file (worktree or submodule) points to, "" if none
    exists."""
    git_dir = _pointed(pointer)
    if not git_dir:
        return ""
    common = _first_line(os.path.join(git_dir, "commondir"))
    return os.path.normpath(os.path.join(git_dir, common)) if common else git_dir


def _pointed(pointer: str) -> str:
    line = _first_line(pointer)
    if not line.startswith("gitdir: "):
        return ""
    git_dir = os.path.normpath(os.path.join(os.path.dirname(pointer), line[8:]))
    return git_dir if os.path.isdir(git_dir) else ""


def _first_line(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape", opener=regular) as stream:
            return stream.readline(4096).rstrip("\n")
    except OSError:
        return ""


def code_commit(folder: str) -> str:
    """Return the commit checked out around `folder`, "" if there is none or it cannot be
    determined.

    Reads the files of the repository: spawning a process for each save would cost more than the
    save.
    """
    found = repository_of(os.path.realpath(folder))
    if found is None:
        return ""
    root, common = found
    own = _own_folder(root)
    line = _first_line(os.path.join(own, "HEAD"))
    if not line.startswith("ref: "):
        return line if re.fullmatch(_OBJECT_ID, line) else ""
    ref = line[5:]
    if ".." in ref.split("/") or ref.startswith("/"):
        return ""
    for base in (own, common):
        value = _first_line(os.path.join(base, ref))
        if re.fullmatch(_OBJECT_ID, value):
            return value
    return _packed(os.path.join(common, "packed-refs"), ref)


def has_commit(folder: str, commit: str, environment: Environment) -> bool | None:
    """Whether the repository around `folder` still has that commit; None if this cannot be
    determined. Fetches nothing."""
    found = repository_of(os.path.realpath(folder))
    if found is None or not re.fullmatch(_OBJECT_ID, commit):
        return None
    arguments = [f"--git-dir={found[1]}", "cat-file", "--batch-check=%(objecttype)"]
    said = run_git(arguments, environment.git(), commit.encode() + b"\n")
    return None if said is None else said.strip() == b"commit"


def current_branch(folder: str) -> str:
    """Return the branch checked out around `folder`, "" if there is none."""
    found = repository_of(os.path.realpath(folder))
    line = _first_line(os.path.join(_own_folder(found[0]), "HEAD")) if found else ""
    return line.removeprefix("ref: refs/heads/") if line.startswith("ref: refs/heads/") else ""


def _own_folder(root: str) -> str:
    """Return the git folder of a work tree itself, which a linked work tree does not share."""
    own = os.path.join(root, ".git")
    return own if os.path.isdir(own) else _pointed(own)


def _packed(path: str, ref: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape", opener=regular) as stream:
            for line in stream:
                value, _, name = line.rstrip("\n").partition(" ")
                if name == ref and re.fullmatch(_OBJECT_ID, value):
                    return value
    except OSError:
        pass
    return ""


def remotes(folder: str, environment: Environment) -> tuple[str, ...]:
    """Return the fetch and push URLs of all remotes of the code repository around `folder`."""
    found = repository_of(os.path.realpath(folder))
    if found is None:
        return ()
    lines = _git(found[1], environment, "config", "--get-regexp", r"^remote\..*\.(push)?url$")
    return tuple(dict.fromkeys(line.split(" ", 1)[1] for line in lines if " " in line))


def ignored(root: str, paths: tuple[str, ...], environment: Environment) -> frozenset[str]:
    """Return those of the paths (relative to `root`) that its git ignores."""
    if not root or not paths:
        return frozenset()
    lines = _git(
        os.path.join(root, ".git"), environment, "check-ignore", "-z", "--stdin", "--no-index",
        work_tree=root, given="\0".join(paths) + "\0", separator="\0",
    )  # fmt: skip
    return frozenset(line for line in lines if line)


def normalise_remote(url: str) -> str:
    """Return `host/path` of a remote's URL, without scheme, user, port and `.git`; "" if it is
    local."""
    match = re.match(r"(?:[a-z][a-z0-9+.-]*://)?(?:[^@/]*@)?([^/:]+)(?::\d+)?[:/](.+)$", url)
    if not match or url.startswith(("/", ".", "file:")):
        return ""
    path = match[2].strip("/")
    return f"{match[1].lower()}/{path.removesuffix('.git')}"


def _facts(
    git_dir: str, environment: Environment, key: bytes, clean: Callable[[str], str], keep: bool
) -> tuple[str, str]:
    """Return (root commit, normalised remote), cached until the repository's own config changes."""
    name = keyed(key, git_dir.encode("utf-8", "surrogateescape")).hex()
    try:
        stamp = os.stat(os.path.join(git_dir, "config")).st_mtime_ns
    except OSError:
        stamp = 0
    cache = os.path.join(environment.folder("cache"), "projects", f"{name[:32]}.json")
    try:
        known = json.loads(read(cache))
        if known["stamp"] == stamp and known["root"]:
            return known["root"], known["remote"]
    except (OSError, ValueError, KeyError, TypeError):
        pass
    facts = (_root_commit(git_dir, environment), clean(_remote(git_dir, environment)))
    if facts[0] and keep:
        _remember(cache, {"stamp": stamp, "root": facts[0], "remote": facts[1]})
    return facts


def _remember(cache: str, document: dict[str, object]) -> None:
    try:
        make_private(os.path.dirname(cache))
        replace(cache, json.dumps(document).encode())
    except OSError:
        return  # only slower next time


def _root_commit(git_dir: str, environment: Environment) -> str:
    """Return the oldest root commit (joined histories have several), "" in a shallow clone, which
    cannot know its root."""
    if os.path.exists(os.path.join(git_dir, "shallow")):
        return ""
    lines = _git(git_dir, environment, "rev-list", "--max-parents=0", "HEAD")
    roots = [line for line in lines if re.fullmatch(_OBJECT_ID, line)]
    return roots[-1] if roots else ""


def _remote(git_dir: str, environment: Environment) -> str:
    lines = _git(git_dir, environment, "config", "--get-regexp", r"^remote\..*\.url$")
    urls = dict(line.split(" ", 1) for line in lines if " " in line)
    chosen = urls.get("remote.origin.url") or next(iter(urls.values()), "")
    return normalise_remote(chosen)


def _git(
    git_dir: str,
    environment: Environment,
    *arguments: str,
    work_tree: str = "",
    given: str = "",
    separator: str = "\n",
) -> list[str]:
    """Return the output lines of a read-only git command; `[""]` if git is missing, fails or prints
    nothing."""
    where = ["-C", work_tree] if work_tree else [f"--git-dir={git_dir}"]
    data = given.encode("utf-8", "surrogateescape")
    said = run_git([*where, *arguments], environment.git(), data) or b""
    return said.decode("utf-8", "surrogateescape").split(separator)


def run_git(arguments: list[str], variables: Mapping[str, str], given: bytes = b"") -> bytes | None:
    """Return the output of a read-only git command; None if git is missing, fails or takes more
    than 30 seconds."""
    import subprocess

    git = find_program("git", variables)
    if not git:
        return None
    command = [git, "-c", "safe.directory=*", "-c", "core.fsmonitor=false", *arguments]
    try:
        done = subprocess.run(
            command, env=variables, input=given, capture_output=True, timeout=30, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return None if done.returncode else done.stdout
