"""Where redaction.yaml is read from, and what trust changes."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from gitsession.environment import Environment
from gitsession.repository import open_repository
from tests.acceptance.conftest import every_byte
from tests.cli.conftest import Cli
from tests.operations.conftest import LiveSession

TOKEN = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
RULES = "rules:\n  - {id: acme-key, anchors: [acme_], pattern: 'acme_[A-Za-z0-9]{20}'}\n"


def test_own_and_project_rules_count_and_allowing_needs_trust(
    environment: Environment, live: LiveSession
) -> None:
    subprocess.run(["git", "init", "-q", environment.cwd], check=True)
    with open_repository(environment) as repository:
        [finding] = repository._workspace.redactor().findings_in(f"token {TOKEN}")
    environment.config_dir.mkdir(parents=True, exist_ok=True)
    (environment.config_dir / "redaction.yaml").write_text("words: [bluebird]\n")
    theirs = Path(environment.cwd) / ".gitsession"
    theirs.mkdir()
    (theirs / "redaction.yaml").write_text(RULES + f"allow: [{finding.placeholder}]\n")
    live.turn("the Bluebird uses acme_Q7xk29LmPz04TrYbNc81", f"and {TOKEN}")
    with open_repository(environment) as repository:
        repository.save()
        data = every_byte(repository.store_path)
    assert b"Bluebird" not in data and b"acme_Q7" not in data and TOKEN.encode() not in data
    Cli(environment)("config", "trust", environment.cwd)
    live.turn("again", f"and {TOKEN}")
    with open_repository(environment) as repository:
        repository.save()
        assert TOKEN.encode() in every_byte(repository.store_path)


def test_a_broken_file_stops_the_save_and_says_so(
    environment: Environment, live: LiveSession
) -> None:
    environment.config_dir.mkdir(parents=True, exist_ok=True)
    (environment.config_dir / "redaction.yaml").write_text("rules: [{id: 1}]\n")
    live.turn("one", "two")
    done = Cli(environment)("save")
    assert done.code == 17 and "redaction.yaml" in done.err
    with open_repository(environment) as repository:
        assert not repository.list(everything=True)


def test_a_broken_file_of_a_project_does_not_hide_what_is_stored(
    environment: Environment, live: LiveSession
) -> None:
    """Nor is what its rules would have masked written anywhere meanwhile."""
    project = Path(environment.cwd)

    def git(*words: str) -> None:
        who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        subprocess.run(["git", "-C", str(project), *who, *words], check=True, capture_output=True)

    git("init", "-q")
    git("commit", "-q", "--allow-empty", "-m", "x")
    git("remote", "add", "origin", "https://example.org/me/acme_Q7xk29LmPz04TrYbNc81.git")
    live.turn("one", "two")
    rules = project / ".gitsession" / "redaction.yaml"
    rules.parent.mkdir()
    rules.write_text(RULES)
    cli = Cli(environment)
    assert cli("save").code == 0
    shutil.rmtree(environment.cache_dir)
    rules.write_text("rules: [broken\n")
    for typed in ("list", "search two", "agents", "log", "show", "status"):
        done = cli(*typed.split())
        assert done.code == 0, (typed, done)
        assert "acme_Q7" not in done.out
    done = cli("list")
    assert "one" in done.out and done.err.count("redaction.yaml cannot be read as YAML") == 1
    assert "nothing can be saved or shared here" in done.err
    for typed in ("save", "branch x", "tag y", "checkout HEAD", "scan", "scan .", "relink HEAD"):
        done = cli(*typed.split())
        if typed != "save":  # there is nothing to save
            assert done.code == 17 and "redaction.yaml" in done.err, (typed, done)
    assert b"acme_Q7" not in every_byte(environment.cache_dir)
    rules.write_text(RULES)
    assert cli("list").err == ""
    live.turn("three", "four")
    assert cli("save").code == 0
    with open_repository(environment) as repository:
        assert b"acme_Q7" not in every_byte(repository.store_path)
