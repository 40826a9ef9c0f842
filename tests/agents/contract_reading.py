"""What an adapter that only reads must do: those parts of the contract that need no writing."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from gitsession.agents import registry
from gitsession.agents.base import Target, native_bytes, native_length
from gitsession.environment import Environment
from gitsession.errors import GitSessionError, SourceUnreadable
from gitsession.model.session import Session
from tests.agents.contract import Case, Contract, finished, head, joined, the_source, whole

ALL = frozenset({"calls", "cwd", "time", "usage"})


@dataclass(frozen=True)
class ReadCase(Case):
    """`tells` says what the native form has a place for; `found` whether `find` can know the file,
    `by_id` whether what a session is called stands in it."""

    tells: frozenset[str] = ALL
    found: bool = True


class WholeContract:
    """For a source that is no file of lines: a document, a database, a part of an export."""

    case: ReadCase

    read = Contract.read
    read_bytes = Contract.read_bytes
    test_finds_nothing_without_a_home = Contract.test_finds_nothing_without_a_home
    test_recognises_only_its_own = Contract.test_recognises_only_its_own

    def test_is_registered_with_what_it_can(self, environment: Environment) -> None:
        agent = self.case.agent
        assert registry.get(agent.name) is agent
        assert agent.title
        session = whole(self.read_bytes(environment, self.case.grow(1)))
        if agent.capabilities.restore:
            assert agent.write(session, Target("/project"), environment).files
        else:
            with pytest.raises(GitSessionError) as caught:
                agent.write(session, Target("/project"), environment)
            assert caught.value.hint
        assert bool(agent.resume_command("x", "/project")) == agent.capabilities.resume

    def test_finds_by_folder_id_prefix_and_all(self, environment: Environment) -> None:
        case = self.case
        path = case.put(environment, case.grow(1))
        if not case.found:
            assert not list(case.agent.find(environment))
            return
        queries: list[dict[str, str]] = [{"native_id": case.native_id}, {}]
        if "cwd" in case.tells:
            queries.append({"cwd": case.cwd})
        for query in queries:
            found = list(case.agent.find(environment, **query))
            assert [(s.native_id, s.path) for s in found] == [(case.native_id, path)]
        assert not list(case.agent.find(environment, cwd="/other"))
        assert not list(case.agent.find(environment, native_id="zzzz"))

    def test_reads_one_continuation_per_turn(self, environment: Environment) -> None:
        case = self.case
        path = case.put(environment, case.grow(3))
        source = the_source(case.agent, path)
        sessions = self.read(path)
        length = native_length(case.agent, source)
        assert joined(sessions) == native_bytes(case.agent, source, 0, length)
        done = finished(sessions)
        assert [s.turn.prompt for s in done if s.turn] == [f"question {n}" for n in (1, 2, 3)]
        assert [s.turn.kind for s in done if s.turn] == ["turn"] * 3
        assert [s.counts.turns for s in done] == [1, 2, 3]
        assert all(s.info.native_id == case.native_id for s in done)
        last = done[-1]
        assert last.counts.damaged == last.counts.foreign == 0
        assert last.counts.records == sum(len(s.stream().records) for s in done)
        assert last.info.title.startswith("question 1")
        self.check_what_it_tells(done)

    def check_what_it_tells(self, done: list[Session]) -> None:
        tells, last = self.case.tells, done[-1]
        assert last.info.cwd == (self.case.cwd if "cwd" in tells else "")
        assert bool(last.turn and last.turn.time) == ("time" in tells)
        assert last.state.last_command == ("ls" if "calls" in tells else "")
        assert (last.usage.total > done[0].usage.total > 0) == ("usage" in tells)

    test_positions_follow_each_other = Contract.test_positions_follow_each_other

    def test_nothing_new_gives_nothing(self, environment: Environment) -> None:
        case = self.case
        path = case.put(environment, case.grow(2))
        done = finished(self.read(path))
        again = list(case.agent.read(the_source(case.agent, path), head(done[-1])))
        assert not finished(again)

    def test_what_is_longer_goes_on(self, environment: Environment) -> None:
        case = self.case
        if not case.agent.capabilities.incremental:
            pytest.skip("a longer export is a rewrite")
        since: Session | None = None
        seen: list[Session] = []
        for turns in (1, 2, 3, 4):
            path = case.put(environment, case.grow(turns))
            new = finished(case.agent.read(the_source(case.agent, path), since))
            assert [s.turn.prompt for s in new if s.turn] == [f"question {turns}"]
            seen += new
            since = head(new[-1])
        assert seen == finished(self.read(path))

    def test_messages_hold_results_with_their_calls(self, environment: Environment) -> None:
        case = self.case
        sessions = self.read_bytes(environment, case.grow(2))
        messages = case.agent.messages(whole(sessions))
        assert [m.text for m in messages if m.role == "user"] == ["question 1", "question 2"]
        assert "answer to question 2" in [m.text for m in messages if m.role == "assistant"]
        calls = 0
        for message in messages:
            kinds = [part.kind for part in message.parts]
            calls += kinds.count("tool_call")
            assert kinds.count("tool_call") == kinds.count("tool_result")
            for call, result in zip(message.parts, message.parts[1:], strict=False):
                if call.kind == "tool_call":
                    assert (result.kind, result.call_id) == ("tool_result", call.call_id)
        assert calls == (2 if "calls" in case.tells else 0)
        assert sessions[-1].counts.messages == len(messages)

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


class LinesContract(WholeContract):
    """For a file of lines that its agent appends to."""

    test_steps_give_the_history_of_one_go = Contract.test_steps_give_the_history_of_one_go
    test_keeps_a_damaged_line = Contract.test_keeps_a_damaged_line
    test_a_torn_tail_stays_open_and_is_completed = (
        Contract.test_a_torn_tail_stays_open_and_is_completed
    )
    test_ignores_but_keeps_what_it_does_not_know = (
        Contract.test_ignores_but_keeps_what_it_does_not_know
    )
    test_growth_while_reading_is_left_for_the_next_time = (
        Contract.test_growth_while_reading_is_left_for_the_next_time
    )


def place(path: Path, data: bytes) -> Path:
    """Bytes in a file whose folder need not exist."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path
