"""doctor: what it names, what it calls a failure, and that it changes nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gitsession.agents.claude_code import find as claude_find
from gitsession.builder import SessionBuilder
from gitsession.environment import Environment
from gitsession.model.care import Check
from gitsession.operations.care import doctor
from gitsession.repository import Repository
from tests.acceptance.conftest import every_byte
from tests.conftest import ROOT
from tests.operations.conftest import LiveSession

DAY = 86400


def examine(environment: Environment, program: str = "") -> dict[str, list[Check]]:
    found: dict[str, list[Check]] = {}
    for check in doctor.examine(environment, program=program):
        found.setdefault(check.name, []).append(check)
    return found


def levels(found: dict[str, list[Check]]) -> set[str]:
    return {check.level for checks in found.values() for check in checks}


def test_CM20_doctor_covers_what_it_must(
    environment: Environment, repository: Repository, live: LiveSession
) -> None:
    """git, FTS5, hooks, permissions, store version: each a line, none of them failing here."""
    live.turn("one")
    repository.save()
    found = examine(environment)
    assert {"git", "index", "permissions", "store", "libraries", "disk", "locks"} <= found.keys()
    assert "hooks of claude-code" in found
    assert "format 1" in found["store"][0].message and "FTS5" in found["index"][0].message
    assert "FAIL" not in levels(found)


@pytest.mark.parametrize("spoil", ["git", "key", "store", "format", "config"])
def test_CM20_doctor_fails_when_anything_does(
    environment: Environment, repository: Repository, live: LiveSession, spoil: str
) -> None:
    live.turn("one")
    repository.save()
    store, key = repository.store_path, environment.config_dir / "key"
    marker = store / "gitsession" / "format"
    before = (store.stat().st_mode, key.stat().st_mode, marker.read_bytes())
    if spoil == "git":
        environment = Environment({"PATH": "/nowhere"}, environment.home, environment.cwd)
    elif spoil == "key":
        key.chmod(0o644)
    elif spoil == "store":
        store.chmod(0o755)
    elif spoil == "format":
        marker.write_text("gitsession store 99\n")
    else:
        (environment.config_dir / "config.yaml").write_text("- not\n- a mapping\n")
    failed = [c for cs in examine(environment).values() for c in cs if c.level == "FAIL"]
    assert failed and all(check.hint for check in failed)
    store.chmod(before[0])
    key.chmod(before[1])
    marker.write_bytes(before[2])


def test_it_changes_nothing(
    environment: Environment, repository: Repository, live: LiveSession
) -> None:
    live.turn("one")
    repository.save()
    (repository.store_path / "gitsession" / "running" / "999999-abcdef01").touch()
    (repository.store_path / "refs" / "heads" / "x.lock").touch()
    home = Path(environment.home)
    before = {str(path): path.stat().st_mtime_ns for path in home.rglob("*") if path.is_file()}
    data = every_byte(repository.store_path)
    found = examine(environment)
    assert [check.level for check in found["locks"]].count("WARN") == 2
    assert "process 999999 was killed" in found["locks"][-2].message
    after = {str(path): path.stat().st_mtime_ns for path in home.rglob("*") if path.is_file()}
    assert after.keys() == before.keys() and every_byte(repository.store_path) == data
    (repository.store_path / "refs" / "heads" / "x.lock").unlink()


def test_nothing_is_made_for_a_newcomer(environment: Environment) -> None:
    found = examine(environment)
    assert "FAIL" not in levels(found)
    assert list(Path(environment.home).iterdir()) == []


def test_who_works_on_it_is_named(environment: Environment, repository: Repository) -> None:
    repository._store.presence.announce()
    with repository._store.lock("maintenance"):
        (line,) = examine(environment)["locks"]
    assert line.level == "OK" and str(os.getpid()) in line.message
    assert line.details["held"] == ["maintenance"]


def test_sources_that_vanished_or_shrank(
    environment: Environment, repository: Repository, live: LiveSession, another: object
) -> None:
    live.turn("one").turn("two")
    second = another()  # type: ignore[operator]
    second.turn("uno").turn("dos")
    repository.save(everything=True)
    assert examine(environment)["sources"][0].level == "OK"
    live.path.unlink()
    second.path.write_bytes(second.path.read_bytes()[:400])
    lines = examine(environment)["sources"]
    said = " ".join(check.message for check in lines)
    assert all(check.level == "WARN" for check in lines)
    assert f"vanished: claude-code/{live.native_id}" in said
    assert f"shrank: claude-code/{second.native_id}" in said


def test_a_session_that_never_had_a_file_is_not_missed(
    environment: Environment, repository: Repository
) -> None:
    """A program hands its own session over; there is nothing that could vanish."""
    session = SessionBuilder.new("my-model", project=environment.cwd)
    session.add_message("user", "one")
    session.add_message("assistant", "two")
    session.save(repository)
    (line,) = examine(environment)["sources"]
    assert (line.level, line.details) == ("OK", {})
    (native,) = repository.status().natives
    assert (native.native_id, native.source) == (session.id, "held")


def test_an_agents_retention_is_told(
    environment: Environment, repository: Repository, live: LiveSession
) -> None:
    live.turn("one")
    moment = time.time() - 0.5 * DAY
    os.utime(live.path, (moment, moment))
    (line,) = examine(environment)["retention of claude-code"]
    assert line.level == "WARN" and "30 days after" in line.message
    assert "29 days left" in line.message and "1 of 1 are not completely saved" in line.message
    repository.save()
    (line,) = examine(environment)["retention of claude-code"]
    assert line.level == "OK" and "29 days left" in line.message
    settings = claude_find.home(environment) / "settings.json"
    settings.write_text(json.dumps({"cleanupPeriodDays": 3}, indent=2))
    live.turn("two")
    (line,) = examine(environment)["retention of claude-code"]
    assert "3 days after" in line.message and line.level == "WARN"
    assert any(f"will be deleted in {left} days" in line.message for left in (2, 3))


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({}, "30 days"),
        ({"maxAge": "1w"}, "7 days"),
        ({"maxAge": "36h", "maxCount": 9}, "1.5 days"),
        ({"maxAge": "soon"}, "30 days"),
        ({"enabled": False}, ""),
    ],
)
def test_geminis_retention(environment: Environment, told: dict[str, object], said: str) -> None:
    from gitsession.agents.retention import retention

    folder = Path(environment.home) / ".gemini"
    folder.mkdir()
    (folder / "settings.json").write_text(json.dumps({"general": {"sessionRetention": told}}))
    found = retention(environment, "gemini")
    assert (f"{found.days:g} days" if found else "") == said
    assert retention(environment, "pi") is None


@pytest.mark.parametrize("data", [b"", b"[]", b"{", b"\xff\xfe", b'{"cleanupPeriodDays": true}'])
def test_settings_that_cannot_be_read_count_as_unset(environment: Environment, data: bytes) -> None:
    from gitsession.agents.retention import retention

    home = claude_find.home(environment)
    home.mkdir(parents=True)
    (home / "settings.json").write_bytes(data)
    found = retention(environment, "claude-code")
    assert found is not None and (found.days, found.is_default) == (30, True)


def test_hooks_of_another_program_are_named(environment: Environment) -> None:
    from gitsession.operations.hooking import hooks

    claude_find.home(environment).mkdir(parents=True)
    (Path(environment.home) / ".codex").mkdir()
    hooks.install(environment, ("claude-code", "codex"), sys.executable)
    found = examine(environment, sys.executable)
    assert found["hooks of claude-code"][0].level == "OK"
    assert "trust" in found["hooks of codex"][0].message
    (Path(environment.home) / ".codex" / "config.toml").open("a").write(
        '\n[hooks.state."/home/x/.codex/hooks.json:stop:0:0"]\ntrusted_hash = "sha256:00"\n'
    )
    assert examine(environment, sys.executable)["hooks of codex"][0].level == "OK"
    found = examine(environment, "/usr/bin/env")
    assert "another release or program" in found["hooks of claude-code"][0].message
    hooks.install(environment, ("claude-code",), "/nowhere/gitsession")
    assert examine(environment)["hooks of claude-code"][0].level == "FAIL"


def test_exit_codes_and_json(environment: Environment, tmp_path: Path) -> None:
    program = (sys.executable, "-c", "from gitsession.cli.main import entry; entry()")
    variables = {**environment.variables, "PYTHONPATH": str(ROOT)}

    def run(*argv: str, **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*program, *argv], env={**variables, **more}, cwd=tmp_path, capture_output=True,
            text=True, check=False,
        )  # fmt: skip

    fine = run("doctor")
    assert fine.returncode == 0 and fine.stdout.startswith("[OK] ") and fine.stderr == ""
    bad = run("doctor", "--json", PATH="/nowhere")
    answer = json.loads(bad.stdout)
    assert bad.returncode == 1 and answer["schema"] == "gitsession.doctor/1"
    assert [check["name"] for check in answer["checks"] if check["level"] == "FAIL"] == ["git"]
