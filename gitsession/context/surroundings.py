"""What a session finds in a folder to which it returns: file counts, and what is missing."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass

from gitsession.context.instructions import hash_of
from gitsession.model.session import Session

_INSTALLS = (
    (r"\b(?:npm (?:install|i|ci)|yarn(?: install)?|pnpm (?:install|i)|bun install)\b",
     ("node_modules",)),
    (r"\b(?:uv (?:sync|venv)|poetry install|pdm install|pip3? install|python3? -m venv)\b",
     (".venv", "venv", "env")),
    (r"\bcomposer install\b", ("vendor",)),
    (r"\bcargo (?:build|test|run)\b", ("target",)),
)  # fmt: skip
"""Commands that a session ran, and the folders of which (at least) one should exist afterwards."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Claw Code's file counts of a project; 0 for a missing folder."""

    source_python: int = 0
    test_python: int = 0
    assets: int = 0
    archive: bool = False


def scan(folder: str) -> Counts:
    """Count Python files under `src` and `tests` and all files under `assets`; check whether
    `archive` exists."""
    return Counts(
        source_python=_count(os.path.join(folder, "src"), ".py"),
        test_python=_count(os.path.join(folder, "tests"), ".py"),
        assets=_count(os.path.join(folder, "assets"), ""),
        archive=os.path.isdir(os.path.join(folder, "archive")),
    )


def _count(folder: str, ending: str) -> int:
    return sum(name.endswith(ending) for _, _, names in os.walk(folder) for name in names)


_NO_BRANCH = "HEAD"
"""What Claude Code records when no branch is checked out."""


def hints(session: Session, folder: str, branch: str = "") -> Iterator[str]:
    """Yield one sentence for each thing that is not as the session left it. The session continues
    in `folder`, where `branch` is checked out ("" if unknown)."""
    old = session.info.cwd
    moved = bool(old) and not os.path.isdir(old)
    if moved:
        yield f"the project folder {old} is not here"
    if not os.path.isdir(folder):
        return
    was = session.info.git_branch
    if was not in ("", _NO_BRANCH) and branch and was != branch:
        yield f"the session worked on branch {was}, {branch} is checked out"
    commands = "\n".join(_commands(session))
    for pattern, places in _INSTALLS:
        found = re.search(pattern, commands)
        if found and not any(os.path.isdir(os.path.join(folder, name)) for name in places):
            yield f"{found[0]} was run, but there is no {places[0]} in {folder}"
    # In a folder that replaces a missing one, the absence of a file means nothing.
    active = "" if moved else session.state.active_file
    if active and not os.path.exists(os.path.join(folder, active)):
        yield f"the active file {active} is not there"


def prompt_hash(session: Session) -> str:
    """Return the SHA-256 of the system prompt of a version, "" if there is none: the one in its
    state (versions of the first release have it among the markers), else that of the prompt with
    which the session begins."""
    if session.state.prompt_hash:
        return session.state.prompt_hash
    for marker in session.state.markers:
        stated = marker.get("system_prompt_hash")
        if isinstance(stated, str) and stated:
            return stated.removeprefix("sha256:")
    first = session.messages[0] if session.messages else None
    if first is None or first.role != "system" or not first.text:
        return ""
    return hash_of(first.text)


def _commands(session: Session) -> Iterator[str]:
    for message in session.messages:
        for part in message.parts:
            if part.kind != "tool_call" or not isinstance(part.input, dict):
                continue
            given = part.input.get("command") or part.input.get("cmd")
            if isinstance(given, list):
                given = " ".join(map(str, given))
            if isinstance(given, str):
                yield given
    yield session.state.last_command
