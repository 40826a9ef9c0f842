"""`hooks install --snapshot`: off by default, put in and taken out without a trace, told of."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gitsession.agents import hooks
from gitsession.cli.commands import hooks as command
from gitsession.environment import Environment
from gitsession.errors import NotFound
from gitsession.operations.hooking import hooks as work
from tests.cli.conftest import Cli

PROGRAM = "/opt/it's here/bin/gitsession"
TAKE = ("claude-code", "codex", "qwen")


def started(environment: Environment, name: str) -> list[object]:
    """The groups that the settings of an agent hold for a session's start."""
    hooking = hooks.HOOKINGS[name]
    assert hooking.start is not None
    (part,) = hooking.start(hooking.folder(environment), PROGRAM)
    text = part.file.read_text() if part.file.exists() else "{}"
    found = json.loads(text).get("hooks", {}).get("SessionStart", [])
    assert isinstance(found, list)
    return found


def everything(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*")
            if path.is_file() and ".local" not in path.parts}  # fmt: skip


def test_who_takes_snapshots() -> None:
    assert set(work.taking()) == set(TAKE)


@pytest.mark.parametrize("name", TAKE)
def test_it_is_off_until_it_is_asked_for(environment: Environment, name: str) -> None:
    (row,) = work.install(environment, [name], PROGRAM)
    assert not row.snapshot and started(environment, name) == []
    (row,) = work.install(environment, [name], PROGRAM, snapshot=True)
    assert row.snapshot and row.state == "installed"
    (group,) = started(environment, name)
    assert hooks.is_ours(group)
    assert "snapshot --hook" in json.dumps(group) and '"timeout": 5' in json.dumps(group)


@pytest.mark.parametrize("name", TAKE)
def test_it_goes_without_a_trace(environment: Environment, name: str) -> None:
    work.install(environment, [name], PROGRAM)
    saves = everything(environment.home)
    work.install(environment, [name], PROGRAM, snapshot=True)
    both = everything(environment.home)
    assert both != saves
    work.install(environment, [name], PROGRAM)  # an install alone leaves it as it is
    assert everything(environment.home) == both
    (row,) = work.give_no_snapshot(environment, [name], PROGRAM)
    assert not row.snapshot and row.state == "installed"
    assert everything(environment.home) == saves
    work.install(environment, [name], PROGRAM, snapshot=True)
    work.uninstall(environment, [name])
    assert everything(environment.home) == {}


def test_a_hook_of_the_user_stays(environment: Environment) -> None:
    file = environment.home / ".claude" / "settings.json"
    file.parent.mkdir()
    theirs = '{"hooks": {"SessionStart":[{"hooks": [{"type":"command","command":"date"}]} ]}}\n'
    file.write_text(theirs)
    work.install(environment, ["claude-code"], PROGRAM, snapshot=True)
    assert [hooks.is_ours(group) for group in started(environment, "claude-code")] == [False, True]
    work.give_no_snapshot(environment, [], PROGRAM)
    assert [hooks.is_ours(group) for group in started(environment, "claude-code")] == [False]
    work.install(environment, ["claude-code"], PROGRAM, snapshot=True)
    work.uninstall(environment, [])
    assert file.read_text() == theirs


@pytest.mark.parametrize("name", sorted(set(hooks.HOOKINGS) - set(TAKE)))
def test_who_takes_none_is_told(environment: Environment, name: str) -> None:
    with pytest.raises(NotFound) as caught:
        work.install(environment, [name], PROGRAM, snapshot=True)
    assert caught.value.candidates == work.taking()
    assert everything(environment.home) == {}
    hooks.HOOKINGS[name].folder(environment).mkdir(parents=True)
    (row,) = work.install(environment, [], PROGRAM, snapshot=True)
    assert "takes no snapshot" in row.note and row.state == "installed" and not row.snapshot


def test_a_moved_program_is_renewed_and_doctor_knows(environment: Environment) -> None:
    from gitsession.operations.care import doctor_agents

    def said(program: str) -> str:
        (check,) = doctor_agents.hooks(environment, program)
        return f"{check.level} {check.message}"

    (environment.home / ".claude").mkdir()
    for program in ("/bin/true", "/bin/false"):
        work.install(environment, [], program, snapshot=program == "/bin/true" or None)
        assert program in json.dumps(started(environment, "claude-code"))
        assert said(program).startswith("OK")
    assert "by another release or program" in said("/bin/true")


def test_the_command_line(environment: Environment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "program", lambda _: "/bin/true")
    cli = Cli(environment)
    (environment.home / ".claude").mkdir()
    assert "gets snapshots" not in cli("hooks", "install").out
    assert "gets snapshots" in cli("hooks", "install", "--snapshot").out
    assert "gets snapshots" in cli("hooks").out
    rows = json.loads(cli("--json", "hooks").out)["hooks"]
    assert [row["agent"] for row in rows if row["snapshot"]] == ["claude-code"]
    assert "hooked, gets" not in cli("hooks", "uninstall", "--snapshot", "claude-code").out
    assert started(environment, "claude-code") == []
    assert "Stop" in (environment.home / ".claude" / "settings.json").read_text()
    for words in (("claude-code", "--snapshot"), ("codex", "--snapshot", "claude-code")):
        cli("hooks", "uninstall")
        assert cli("hooks", "install", *words).code == 0
        assert len(started(environment, "claude-code")) == 1 and started(environment, "codex") == []
    assert "pi takes no snapshot" in cli("hooks", "install", "--snapshot", "pi").err
    refused = cli("hooks", "pause", "--snapshot")
    assert refused.code == 2 and "--snapshot" in refused.err
