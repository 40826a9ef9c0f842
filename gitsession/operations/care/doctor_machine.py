"""doctor's checks of the machine: git, Python, libraries, permissions, disk space."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator

from gitsession.config import KEY_BYTES
from gitsession.environment import find_program
from gitsession.model.care import Check

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitsession.config import Config
    from gitsession.environment import Environment

_OLDEST_GIT = (2, 34)
_OLDEST_PYTHON = (3, 11)
_NAMED = re.compile(r"([A-Za-z0-9._-]+)[^;>=<!~]*(?:>=\s*([0-9.]+))?")
_EXTRA = re.compile(r"extra\s*==\s*['\"]([^'\"]+)")
_LITTLE, _NOTHING = 1 << 30, 20 << 20


def checks(environment: Environment) -> Iterator[Check]:
    yield _git(environment)
    version = ".".join(map(str, sys.version_info[:3]))
    old = sys.version_info[:2] < _OLDEST_PYTHON
    yield Check("FAIL" if old else "OK", "python", version)
    yield from _libraries()
    yield _full_text()


def _git(environment: Environment) -> Check:
    import subprocess

    program = find_program("git", environment.variables)
    hint = f"install git {'.'.join(map(str, _OLDEST_GIT))} or newer"
    if not program:
        return Check("FAIL", "git", "the git program is not on the PATH", hint)
    try:
        done = subprocess.run(
            [program, "--version"], env=environment.git(), capture_output=True, timeout=20,
            check=False,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return Check("FAIL", "git", f"{program} does not run", hint)
    said = done.stdout.decode("utf-8", "replace").strip()
    found = re.search(r"([0-9]+)\.([0-9]+)", said)
    if done.returncode or not found:
        return Check("FAIL", "git", f"{program} does not say its version", hint)
    old = (int(found[1]), int(found[2])) < _OLDEST_GIT
    text = f"{said.removeprefix('git version ')} ({program})"
    return Check("WARN" if old else "OK", "git", text, hint if old else "")


def _libraries() -> Iterator[Check]:
    """Check what this release requires, from its installation's metadata; nothing is imported."""
    from importlib import metadata

    try:
        wanted = metadata.requires("gitsession") or []
    except metadata.PackageNotFoundError:
        yield Check("WARN", "libraries", "unknown, because gitsession runs from a source folder")
        return
    extras: dict[str, list[str]] = {}
    bad, good = [], 0
    for line in wanted:
        missing = _missing(line)
        extra = _EXTRA.search(line)
        if extra:
            extras.setdefault(extra[1], []).extend(missing)
        elif missing:
            bad += missing
        else:
            good += 1
    hint = "install gitsession again"
    if bad:
        yield Check("FAIL", "libraries", ", ".join(bad), hint, {"missing": bad})
    else:
        yield Check("OK", "libraries", f"all {good} installed")
    said = [f"{name} {'not installed' if gone else 'installed'}" for name, gone in extras.items()]
    yield Check("OK", "extras", ", ".join(said) or "none")


def _missing(line: str) -> list[str]:
    """Return what is wrong with one requirement, in words; empty if nothing is."""
    from importlib import metadata

    found = _NAMED.match(line)
    if not found:
        return []
    try:
        version = metadata.version(found[1])
    except metadata.PackageNotFoundError:
        return [f"{found[1]} is missing"]
    if found[2] and _numbers(version) < _numbers(found[2]):
        return [f"{found[1]} is {version}, older than {found[2]}"]
    return []


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"[0-9]+", version.partition("+")[0])[:4])


def _full_text() -> Check:
    try:
        import sqlite3

        with sqlite3.connect(":memory:") as connection:
            connection.execute("create virtual table t using fts5(text)")
        connection.close()
    except (ImportError, sqlite3.Error):
        hint = "searches are faster with a Python whose SQLite has FTS5"
        return Check("WARN", "index", "this SQLite has no full-text search (FTS5)", hint)
    return Check("OK", "index", f"SQLite {sqlite3.sqlite_version} with full-text search (FTS5)")


def has_key(environment: Environment, config: Config) -> bool:
    return os.path.exists(_key(environment, config))


def _key(environment: Environment, config: Config) -> str:
    shared: str = config["redaction.key_file"]
    own = os.path.join(environment.folder("config"), "key")
    return os.path.expanduser(shared) if shared else own


def permissions(environment: Environment, config: Config, store: str) -> Iterator[Check]:
    """Check that nobody but their owner can read the store, configuration, keys and backups."""
    folder, state = environment.folder("config"), environment.folder("state")
    key = _key(environment, config)
    secret = [key, os.path.join(folder, "denied"), store]
    private = [
        folder, os.path.join(folder, "config.yaml"), state, os.path.join(state, "backups"),
        environment.folder("data"), f"{store}/gitsession", f"{store}/config",
    ]  # fmt: skip
    open_ones = [("FAIL", path) for path in _open_to_others(secret)]
    open_ones += [("WARN", path) for path in _open_to_others(private)]
    for level, path in open_ones:
        mode = "700" if os.path.isdir(path) else "600"
        text = f"other users can read {path}"
        yield Check(level, "permissions", text, f"chmod {mode} {path}", {"path": path})
    if os.path.exists(key) and os.path.getsize(key) != KEY_BYTES:
        yield Check("FAIL", "key", f"{key} has not {KEY_BYTES} bytes", "restore it from a backup")
    if not open_ones:
        yield Check(
            "OK", "permissions", "only you can read the store, configuration, keys and backups"
        )


def _open_to_others(paths: Iterable[str]) -> Iterator[str]:
    if os.name != "posix":
        return
    for path in paths:
        try:
            status = os.stat(path)
        except OSError:
            continue
        if status.st_mode & 0o077:
            yield path


def disk(environment: Environment, store: str) -> Iterator[Check]:
    """Check the free space where the store is, or will be."""
    import shutil

    from gitsession.render import words

    place = store
    while not os.path.exists(place) and os.path.dirname(place) != place:
        place = os.path.dirname(place)
    del environment
    free = shutil.disk_usage(place).free
    level = "FAIL" if free < _NOTHING else "WARN" if free < _LITTLE else "OK"
    hint = "free some space; `gitsession gc` drops what nothing needs" if level != "OK" else ""
    yield Check(level, "disk", f"{words.size(free)} free", hint, {"free": free})
