"""aider: a chat history in Markdown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gitsession.agents.aider import AGENT, HISTORY
from gitsession.environment import Environment
from tests.agents.contract import (
    Contract,
    finished,
    head,
    joined,
    read_in_steps,
    the_source,
    whole,
)
from tests.agents.contract_reading import ReadCase, WholeContract, place


def _grow(turns: int) -> bytes:
    text = (
        "\n# aider chat started at 2026-01-31 12:00:00\n\n> Aider v0.86.2  \n> Model: m with x  \n"
    )
    for n in range(1, turns + 1):
        text += f"\n#### question {n}  \n\nanswer to question {n}\n\n"
        text += "> Tokens: 1.5k sent, 20 received.  \n"
    return text.encode()


def _put(environment: Environment, data: bytes) -> Path:
    return place(Path(environment.cwd) / HISTORY, data)


def _id(environment: Environment) -> str:
    [source] = AGENT.find(environment)
    return source.native_id


class TestContract(WholeContract):
    case = ReadCase(agent=AGENT, grow=_grow, put=_put, unknown=b"", native_id="aider-",
                    tells=frozenset({"time", "usage"}))  # fmt: skip

    test_growth_while_reading_is_left_for_the_next_time = (
        Contract.test_growth_while_reading_is_left_for_the_next_time
    )

    def test_finds_by_folder_id_prefix_and_all(self, environment: Environment) -> None:
        """There are no ids; the history stands at the top of the repository."""
        path = _put(environment, _grow(1))
        name = _id(environment)
        below = path.parent / "src" / "deep"
        below.mkdir(parents=True)
        (path.parent / ".git").mkdir()
        for query in ({"cwd": environment.cwd}, {"native_id": name}, {}, {"cwd": str(below)}):
            assert [(s.native_id, s.path) for s in AGENT.find(environment, **query)] == [
                (name, path)
            ]
        (path.parent / "src" / ".git").mkdir()
        assert not list(AGENT.find(environment, cwd=str(below)))
        assert not list(AGENT.find(environment, native_id="zzzz"))

    def test_recognises_only_its_own(self, environment: Environment, tmp_path: Path) -> None:
        assert AGENT.recognise(_put(environment, _grow(1))) is not None
        for data in (b"", b"# a heading\n", b"> quote\n", bytes(range(256))):
            assert AGENT.recognise(place(tmp_path / "x.md", data)) is None

    def test_reads_one_continuation_per_turn(self, environment: Environment) -> None:
        path = _put(environment, _grow(3))
        sessions = self.read(path)
        assert joined(sessions) == path.read_bytes()
        done = finished(sessions)
        assert [s.turn.prompt for s in done if s.turn] == [f"question {n}" for n in (1, 2, 3)]
        assert [s.turn.kind for s in done if s.turn] == ["turn"] * 3
        assert Path(done[-1].info.cwd) == path.parent
        assert (done[-1].usage.input, done[-1].usage.output) == (4500, 60)
        assert (done[-1].info.agent_version, done[-1].info.models) == ("0.86.2", ("m",))
        assert done[-1].info.created == "2026-01-31T12:00:00.000Z"


def test_steps_give_the_history_of_one_go(environment: Environment) -> None:
    data = _grow(4) + b"> Applied edit to a.py  \n" + _grow(2)
    path = _put(environment, data)
    once = finished(AGENT.read(the_source(AGENT, path)))
    assert len(once) == 6
    every_line = [at + 1 for at, byte in enumerate(data) if byte == 10]
    for ends in (every_line, every_line[::3], range(50, len(data), 37)):
        assert read_in_steps(AGENT, path, data, ends) == once


def test_commands_are_no_prompts(environment: Environment) -> None:
    text = (
        _grow(1)
        + b"\n#### /add a.py  \n> Added a.py  \n\n#### /ask why?  \n#### and how?  \n\nso\n"
    )
    sessions = list(AGENT.read(the_source(AGENT, _put(environment, text))))
    assert [s.turn.prompt for s in sessions if s.turn] == ["question 1", "/ask why?\nand how?"]
    roles = [(m.role, m.text) for m in AGENT.messages(whole(sessions))]
    assert roles[2:] == [("note", "/add a.py"), ("user", "/ask why?\nand how?"),
                         ("assistant", "so")]  # fmt: skip


def test_real_histories(samples: Path) -> None:
    expected: dict[str, list[Any]] = {
        "recorded/aider/aider.chat.history.md": ["First question alpha-111",
                                                 "Second question beta-222"],
        "aider/zen.aider.chat.history.md": [],
    }  # fmt: skip
    for name, prompts in expected.items():
        path = samples / name
        sessions = list(AGENT.read(the_source(AGENT, path)))
        assert joined(sessions) == path.read_bytes()
        said = [m for m in AGENT.messages(whole(sessions)) if m.role == "user"]
        if prompts:
            assert [m.text for m in said] == prompts
            assert len(finished(sessions)) == 2
            assert sessions[-1].usage.output == 40
        done = finished(sessions)
        if done:
            rest = list(AGENT.read(the_source(AGENT, path), head(done[-1])))
            assert joined(done) + joined(rest) == path.read_bytes()
