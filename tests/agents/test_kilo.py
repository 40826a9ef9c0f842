"""Kilo Code CLI: the contract in both forms, and how its files are told from OpenCode's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gitsession.agents import registry
from gitsession.agents.base import Target, start_command
from gitsession.agents.kilo import AGENT
from gitsession.agents.opencode import AGENT as OPENCODE
from gitsession.environment import Environment
from gitsession.model.session import Session
from tests.agents.contract import the_source, whole
from tests.agents.contract_reading import ReadCase, WholeContract, place
from tests.opencode_builder import OPENCODE_ID, Kilo, OpenCode, grown, tool

_PLACE = ".local/share/kilo/kilo.db"


def _put_database(environment: Environment, data: bytes) -> Path:
    path = environment.home / _PLACE
    path.unlink(missing_ok=True)
    return grown(int(data), Kilo).save(path)


class TestDatabase(WholeContract):
    case = ReadCase(
        agent=AGENT,
        grow=lambda turns: b"%d" % turns,
        put=_put_database,
        unknown=b"",
        native_id=OPENCODE_ID,
    )


class TestExport(WholeContract):
    case = ReadCase(
        agent=AGENT,
        grow=lambda turns: grown(turns, Kilo).export,
        put=lambda environment, data: place(environment.home / "x.json", data),
        unknown=b"",
        native_id=OPENCODE_ID,
        found=False,
    )


def _read(environment: Environment) -> Session:
    return whole(AGENT.read(the_source(AGENT, _put_database(environment, b"2"))))


@pytest.mark.parametrize("kind", [OpenCode, Kilo])
@pytest.mark.parametrize("form", ["export", "db"])
def test_a_file_given_by_hand_belongs_to_one_of_both(
    kind: type[OpenCode], form: str, tmp_path: Path
) -> None:
    session = grown(1, kind)
    path = tmp_path / "given"
    if form == "db":
        session.save(path)
    else:
        place(path, session.export)
    named = "kilo" if kind is Kilo else "opencode"
    assert [source.agent for source in registry.recognise_all(path)] == [named]
    agents = [agent for agent in (OPENCODE, AGENT) if agent.recognise(path)]
    assert [agent.name for agent in agents] == [named]


@pytest.mark.parametrize(
    ("version", "agent"),
    [("1.18.33", "opencode"), ("7.0.33", "kilo"), ("11.2.0", "kilo"), ("", "opencode"),
     ("local", "opencode"), ("9" * 5_000, "opencode"), ("²", "opencode")],
)  # fmt: skip
def test_an_export_is_told_by_its_version(version: str, agent: str, tmp_path: Path) -> None:
    session = grown(1)
    session.version = version
    path = place(tmp_path / "x.json", session.export)
    assert [source.agent for source in registry.recognise_all(path)] == [agent]


def test_an_early_database_is_told_by_its_name(environment: Environment) -> None:
    grown(1).save(environment.home / _PLACE)
    [found] = AGENT.find(environment, cwd="/project")
    assert found.agent == "kilo"
    assert not list(OPENCODE.find(environment))


def test_both_keep_to_their_folders(environment: Environment) -> None:
    grown(1).save(environment.home / ".local/share/opencode/opencode.db")
    _put_database(environment, b"1")
    assert [(s.agent, s.path.name) for s in OPENCODE.find(environment)] == [
        ("opencode", "opencode.db")]  # fmt: skip
    assert [(s.agent, s.path.name) for s in AGENT.find(environment)] == [("kilo", "kilo.db")]
    assert {agent.name for agent in registry.agents_at_home(environment)} == {"opencode", "kilo"}


def test_another_database_is_named_by_a_variable(environment: Environment, tmp_path: Path) -> None:
    path = grown(1, Kilo).save(tmp_path / "mine.db")
    named = Environment({"KILO_DB": str(path)}, environment.home, environment.cwd)
    assert [source.path for source in AGENT.find(named)] == [path]
    assert not list(OPENCODE.find(named))


def test_written_for_kilo(environment: Environment) -> None:
    session = grown(2, Kilo)
    session.assistant("stop", tool("c9", "bash", {"command": "seq 9"}, "…", metadata={
        "outputPath": "/x/tool-output/tool_22db92138001aE0F"}))  # fmt: skip
    path = session.save(environment.home / _PLACE)
    place(path.parent / "tool-output/tool_22db92138001aE0F", b"all of it")
    read = whole(AGENT.read(the_source(AGENT, path)))
    written = AGENT.write(read, Target("/elsewhere", title="back"), environment)
    assert written.main == path.parent / "gitsession" / f"{written.native_id}.json"
    assert sorted(file.parent.name for file in written.files) == ["gitsession", "tool-output"]
    value = json.loads(written.files[written.main])
    assert {message["info"]["agent"] for message in value["messages"]} == {"code"}
    assert value["info"]["version"] == "7.7.7"
    assert AGENT.resume_command(written.native_id, "/elsewhere") == (
        "kilo", f"--session={written.native_id}")  # fmt: skip
    shell, dash_c, script, *words = start_command(AGENT, written.native_id, "/x", "/f.json")
    assert (shell, dash_c, words) == ("sh", "-c", ["kilo", "/f.json", written.native_id])
    assert script == 'kilo import "$1" && exec kilo --session="$2"'


def test_composed_for_kilo(environment: Environment) -> None:
    settings = environment.home / ".config/kilo/kilo.jsonc"
    place(settings, b'// mine\n{"model": "acme/large"}')
    place(environment.home / ".config/opencode/opencode.json", b'{"model": "other/small"}')
    read = _read(environment)
    (environment.home / _PLACE).unlink()
    target = Target("/elsewhere", title="taken over")
    written = AGENT.compose(AGENT.messages(read), read.info, target, environment)
    value = json.loads(written.files[written.main])
    assert value["info"]["model"] == {"providerID": "acme", "id": "large"}
    assert {message["info"]["agent"] for message in value["messages"]} == {"code"}
    again = whole(AGENT.read(the_source(AGENT, place(environment.home / "x.json",
                                                     written.files[written.main]))))  # fmt: skip
    assert [m.text for m in AGENT.messages(again) if m.role == "user"] == [
        "question 1", "question 2"]  # fmt: skip
