"""What every adapter must do, as one suite: `class TestContract(Contract): case = Case(...)`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest

from gitsession.agents import registry
from gitsession.agents.base import Agent, Source, Target
from gitsession.environment import Environment
from gitsession.errors import SourceUnreadable
from gitsession.model.record import Stream
from gitsession.model.session import Session


@dataclass(frozen=True)
class Case:
    """One adapter with what the suite needs to try it.

    `grow(n)` gives a native file of n finished turns for the project `/project` (prompts
    `question 1` …, each with one shell command, answers `answer to question 1` …), of which a
    longer one extends a shorter one; `put` places such bytes where the agent keeps its sessions;
    `unknown` is a record as a future version may write it.
    """

    agent: Agent
    grow: Callable[[int], bytes]
    put: Callable[[Environment, bytes], Path]
    unknown: bytes
    native_id: str
    cwd: str = "/project"


def head(session: Session) -> Session:
    """What a store remembers of a saved version: positions and running facts, no contents."""
    positions = tuple(Stream(s.name, (), s.count, s.offset) for s in session.streams)
    return session._replace(streams=positions, files=(), sidecars=(), instructions=(), turn=None)


def whole(sessions: Iterable[Session]) -> Session:
    """The continuations of one source put together again, as a store gives them back."""
    parts = list(sessions)
    names = dict.fromkeys(stream.name for part in parts for stream in part.streams)
    streams = [
        Stream(
            name,
            tuple(record for part in parts for record in part.stream(name).records),
            0,
            parts[-1].stream(name).offset,
        )
        for name in names
    ]
    sidecars = {sidecar.path: sidecar for part in parts for sidecar in part.sidecars}
    sides = tuple(sidecars.values())
    return parts[-1]._replace(streams=tuple(streams), sidecars=sides, turn=None)


def joined(sessions: Iterable[Session], stream: str = "main") -> bytes:
    return b"".join(r.data for session in sessions for r in session.stream(stream).records)


def finished(sessions: Iterable[Session]) -> list[Session]:
    return [session for session in sessions if session.turn and session.turn.finished]


def read_in_steps(agent: Agent, path: Path, data: bytes, ends: Iterable[int]) -> list[Session]:
    """The finished turns as many saves see them while the file grows to each of `ends`."""
    since: Session | None = None
    seen: list[Session] = []
    for end in [*ends, len(data)]:
        path.write_bytes(data[:end])
        source = agent.recognise(path)
        if source is None:
            continue
        new = finished(agent.read(source, since))
        seen += new
        since = head(new[-1]) if new else since
    return seen


def the_source(agent: Agent, path: Path) -> Source:
    source = agent.recognise(path)
    assert source is not None
    return source


class Contract:
    case: Case

    def read(self, path: Path) -> list[Session]:
        return list(self.case.agent.read(the_source(self.case.agent, path)))

    def test_is_registered(self) -> None:
        agent = self.case.agent
        assert registry.get(agent.name) is agent
        assert agent.title
        assert all(isinstance(name, str) for name in agent.constants)

    def test_finds_by_folder_id_prefix_and_all(self, environment: Environment) -> None:
        case = self.case
        path = case.put(environment, case.grow(1))
        for query in ({"cwd": case.cwd}, {"native_id": case.native_id}, {},
                      {"native_id": case.native_id[:8]}):  # fmt: skip
            found = list(case.agent.find(environment, **query))
            assert [(s.native_id, s.path, s.size) for s in found] == [
                (case.native_id, path, path.stat().st_size)
            ]
        assert not list(case.agent.find(environment, cwd="/other"))
        assert not list(case.agent.find(environment, native_id="zzzz"))

    def test_finds_nothing_without_a_home(self, environment: Environment) -> None:
        assert not list(self.case.agent.find(environment))

    def test_recognises_only_its_own(self, environment: Environment, tmp_path: Path) -> None:
        case = self.case
        path = case.put(environment, case.grow(1))
        assert the_source(case.agent, path).native_id == case.native_id
        for name, data in {
            "empty.jsonl": b"",
            "text.jsonl": b"hello\nworld\n",
            "list.jsonl": b"[1,2]\n",
            "other.jsonl": b'{"a":1}\n',
            "binary.jsonl": bytes(range(256)) * 40,
            "null.jsonl": b"null\n",
        }.items():
            (tmp_path / name).write_bytes(data)
            assert case.agent.recognise(tmp_path / name) is None, name
        assert case.agent.recognise(tmp_path) is None
        assert case.agent.recognise(tmp_path / "missing.jsonl") is None
        os.mkfifo(tmp_path / "pipe.jsonl")
        assert case.agent.recognise(tmp_path / "pipe.jsonl") is None

    def test_reads_one_continuation_per_turn(self, environment: Environment) -> None:
        case = self.case
        data = case.grow(3)
        sessions = self.read(case.put(environment, data))
        assert joined(sessions) == data
        done = finished(sessions)
        assert [s.turn.prompt for s in done if s.turn] == [f"question {n}" for n in (1, 2, 3)]
        assert [s.turn.kind for s in done if s.turn] == ["turn"] * 3
        assert [s.counts.turns for s in done] == [1, 2, 3]
        assert all(s.info.cwd == case.cwd and s.info.native_id == case.native_id for s in done)
        assert all(s.turn.time for s in done if s.turn)
        last = done[-1]
        assert last.counts.damaged == 0
        assert last.counts.bytes == len(joined(done))
        assert last.counts.records == sum(len(s.stream().records) for s in done)
        assert last.state.last_command == "ls"
        assert last.info.title == "question 1"
        assert last.usage.total > done[0].usage.total > 0

    def test_positions_follow_each_other(self, environment: Environment) -> None:
        sessions = self.read(self.case.put(environment, self.case.grow(4)))
        count = offset = 0
        for session in sessions:
            stream = session.stream()
            assert stream.first == count
            count, offset = stream.count, offset + sum(len(r.data) for r in stream.records)
            assert stream.offset == offset

    def test_steps_give_the_history_of_one_go(self, environment: Environment) -> None:
        case = self.case
        data = case.grow(4)
        path = case.put(environment, data)
        once = finished(self.read(path))
        every_line = [at + 1 for at, byte in enumerate(data) if byte == 10]
        for ends in (every_line, every_line[::3], range(0, len(data), 997)):
            assert read_in_steps(case.agent, path, data, ends) == once

    def test_keeps_a_damaged_line(self, environment: Environment) -> None:
        case = self.case
        good = case.grow(3)
        lines = good.splitlines(keepends=True)
        middle = len(lines) // 2
        data = b"".join((*lines[:middle], b'\0\0{"type": garb\n', *lines[middle:]))
        sessions = self.read(case.put(environment, data))
        assert joined(sessions) == data
        assert sessions[-1].counts.damaged == 1
        assert len(finished(sessions)) == 3
        expected = [m.text for m in case.agent.messages(whole(self.read_bytes(environment, good)))]
        assert [m.text for m in case.agent.messages(whole(sessions))] == expected

    def read_bytes(self, environment: Environment, data: bytes) -> list[Session]:
        return self.read(self.case.put(environment, data))

    def test_a_torn_tail_stays_open_and_is_completed(self, environment: Environment) -> None:
        case = self.case
        data = case.grow(2)
        path = case.put(environment, data[:-20])
        torn = self.read(path)
        assert joined(torn) == data[:-20]
        assert torn[-1].turn is not None
        assert not torn[-1].turn.finished
        assert torn[-1].counts.damaged == 1
        assert torn[-1].counts.turns == 2  # the open one too
        since = finished(torn)
        path.write_bytes(data)
        rest = list(case.agent.read(the_source(case.agent, path), head(since[-1])))
        assert joined(since) + joined(rest) == data
        assert rest[-1].counts.damaged == 0

    def test_ignores_but_keeps_what_it_does_not_know(self, environment: Environment) -> None:
        case = self.case
        data = case.grow(1) + case.unknown + case.grow(2)[len(case.grow(1)) :]
        sessions = self.read_bytes(environment, data)
        assert joined(sessions) == data
        assert len(finished(sessions)) == 2
        assert sessions[-1].counts.damaged == 0

    def test_growth_while_reading_is_left_for_the_next_time(self, environment: Environment) -> None:
        case = self.case
        data = case.grow(3)
        size = len(case.grow(2))
        path = case.put(environment, data[:size])
        source = the_source(case.agent, path)
        path.write_bytes(data)
        first = list(case.agent.read(source))
        assert joined(first) == data[:size]
        since = head(finished(first)[-1])
        rest = list(case.agent.read(the_source(case.agent, path), since))
        assert joined(finished(first)) + joined(rest) == data

    def test_nothing_new_gives_nothing(self, environment: Environment) -> None:
        case = self.case
        path = case.put(environment, case.grow(2))
        done = self.read(path)
        again = list(case.agent.read(the_source(case.agent, path), head(done[-1])))
        assert not again

    def test_messages_hold_results_with_their_calls(self, environment: Environment) -> None:
        case = self.case
        sessions = self.read_bytes(environment, case.grow(2))
        messages = case.agent.messages(whole(sessions))
        users = [m.text for m in messages if m.role == "user"]
        assert users == ["question 1", "question 2"]
        answers = [m.text for m in messages if m.role == "assistant"]
        assert "answer to question 2" in answers
        for message in messages:
            kinds = [part.kind for part in message.parts]
            assert kinds.count("tool_call") == kinds.count("tool_result")
            for call, result in zip(message.parts, message.parts[1:], strict=False):
                if call.kind == "tool_call":
                    assert (result.kind, result.call_id) == ("tool_result", call.call_id)
        assert sessions[-1].counts.messages == len(messages)

    def test_written_sessions_say_the_same(self, environment: Environment, tmp_path: Path) -> None:
        case, agent = self.case, self.case.agent
        session = whole(self.read_bytes(environment, case.grow(3)))
        cwd = str(tmp_path / "elsewhere")
        written = agent.write(session, Target(cwd, title="other main@1234"), environment)
        assert written.native_id != case.native_id
        assert list(written.files)[-1] == written.main
        assert written.files[written.main].endswith(b"\n")
        for path, data in written.files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        [found] = agent.find(environment, cwd=cwd)
        assert found.native_id == written.native_id
        again = whole(agent.read(found))
        assert again.info.native_id == written.native_id
        assert again.info.cwd == cwd
        assert again.counts.foreign == 0
        assert [(m.role, m.text) for m in agent.messages(again)] == [
            (m.role, m.text) for m in agent.messages(session)
        ]
        command = agent.resume_command(written.native_id, cwd)
        assert command
        assert written.native_id in command[-1]

    def test_writing_twice_gives_the_same_bytes(self, environment: Environment) -> None:
        case = self.case
        session = whole(self.read_bytes(environment, case.grow(2)))
        first = case.agent.write(session, Target("/project"), environment)
        target = Target("/project", native_id=first.native_id)
        twice = [case.agent.write(session, target, environment) for _ in range(2)]
        assert twice[0] == twice[1]
        assert twice[0].native_id == first.native_id

    def test_refuses_what_holds_no_session(self, environment: Environment) -> None:
        case = self.case
        path = case.put(environment, case.grow(1))
        source = the_source(case.agent, path)
        for data in (b"", b"\n\n", bytes(range(256)) * 20):
            path.write_bytes(data)
            with pytest.raises(SourceUnreadable) as caught:
                list(case.agent.read(source._replace(size=len(data))))
            assert caught.value.hint
        path.unlink()
        with pytest.raises(SourceUnreadable):
            list(case.agent.read(source))
