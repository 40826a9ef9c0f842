"""Real agents in another home: the store is cloned there, by its owner or by somebody else, and the
agent goes on in a project that lies elsewhere, from version 1."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from . import test_claude, test_codex, test_gemini, test_pi
from .conftest import Model, User, assert_rolled_back
from .test_convert import ASK

claude_user, codex_user, gemini_user, pi_user = (
    test_claude.claude_user, test_codex.codex_user, test_gemini.gemini_user, test_pi.pi_user,
)  # fmt: skip

MOVED = ("claude-code", "codex", "pi", "gemini")


def elsewhere(user: User, tmp_path: Path) -> User:
    """The same agent set up for another person, with the project in another place."""
    home, project = tmp_path / "other-home", tmp_path / "somewhere" / "else" / "work"
    shutil.copytree(user.home, home)
    project.mkdir(parents=True)
    config = home / ".codex" / "config.toml"
    if config.exists():
        config.write_text(config.read_text().replace(str(user.project), str(project)))
    return replace(user, home=home, project=project, variables=dict(user.variables))


def clone(user: User, other: User, tmp_path: Path, *, own: bool) -> None:
    """Push from the one, clone at the other; with the keys the store is their owner's there too."""
    shared = tmp_path / "shared.git"
    user.run("git", "init", "--bare", "--quiet", shared)
    user.gitsession("remote", "add", "origin", str(shared))
    user.gitsession("push", "--all", "--yes")
    if own:
        keys = Path(".config") / "gitsession"
        shutil.copytree(user.home / keys, other.home / keys)
    other.gitsession("clone", str(shared), "team")
    [store] = (other.home / ".local" / "share" / "gitsession").glob("team*")
    other.variables["GITSESSION_DIR"] = str(store)


def places(file: Path, folder: str) -> Iterator[str]:
    """Where a native file still names a folder as such: not in words, not in what Claude Code noted
    that it had told the model."""

    def walk(value: Any, path: str) -> Iterator[str]:
        if isinstance(value, dict):
            for key, inner in value.items():
                yield from walk(inner, f"{path}.{key}")
        elif isinstance(value, list):
            for inner in value:
                yield from walk(inner, path)
        elif value == folder:
            yield path

    for line in file.read_text().splitlines():
        found = walk(json.loads(line), "")
        yield from (path for path in found if not path.startswith(".attachment."))


@pytest.mark.parametrize("own", [True, False], ids=["own", "foreign"])
@pytest.mark.parametrize("agent", MOVED)
def test_goes_on_in_another_home(
    request: pytest.FixtureRequest, model: Model, tmp_path: Path, agent: str, own: bool
) -> None:
    user: User = request.getfixturevalue(f"{agent.partition('-')[0]}_user")
    other, ask = elsewhere(user, tmp_path), ASK[agent]
    path = user.project / "a.py"
    first = ask(user, f"First alpha-111 [[read:{path}]][[shell:echo shell-says-hi]]", "")
    ask(user, "Second beta-222", first)
    user.gitsession("save")
    session = user.json("list")["sessions"][0]["session"]
    clone(user, other, tmp_path, own=own)

    done = other.json("checkout", f"{session}~1")["checkout"]
    assert bool(done["losses"]) is not own
    assert done["native_id"] != first
    written = Path(done["path"])
    assert written.is_relative_to(other.home)
    assert not list(places(written, str(user.project)))
    assert ask(other, "Continued delta-444", done["native_id"]) == done["native_id"]
    assert_rolled_back(model, "Second beta-222", "Continued delta-444")
    other.gitsession("save")
    versions = other.json("log", done["branch"])["versions"]
    assert [v["subject"].split()[0] for v in versions] == ["Continued", "First"]
    assert versions[0]["parents"] == [done["version"]["id"]]
