"""The builder for programs that are an agent themselves: what it says, when it is dirty, saving."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from gitsession.agents.base import Source, Target
from gitsession.agents.generic import AGENT, memory
from gitsession.agents.generic.write import created_of
from gitsession.builder import SessionBuilder
from gitsession.environment import Environment
from gitsession.errors import Conflict, FormatError, SourceUnreadable, UsageError
from gitsession.model.message import Message
from gitsession.model.report import SaveReport
from gitsession.model.session import Session
from tests.agents.contract import finished, head, joined, whole


@dataclass
class Shelf:
    """Stands for a Repository: keeps what it is given, as versions."""

    versions: list[Session] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)
    fails: bool = False

    def save_source(self, source: Source, *, message: str = "") -> SaveReport:
        if self.fails:
            raise Conflict("no")
        since = head(self.versions[-1]) if self.versions else None
        new = list(AGENT.read(source, since))
        assert finished(new) == new
        self.versions += new
        self.messages += [message] * len(new)
        return SaveReport((), "")


def said(builder: SessionBuilder) -> tuple[Message, ...]:
    return AGENT.messages(whole(AGENT.read(_source(builder))))


def _source(builder: SessionBuilder) -> Source:
    return memory(builder.id, builder.to_bytes())


def a_session(project: str = "/project") -> SessionBuilder:
    session = SessionBuilder.new("model-1", system_prompt="be kind", project=project)
    session.add_message("user", "what is in a.py?", files=["a.py"])
    session.add_message("assistant", "I look.")
    session.tool_call("read", {"path": "a.py"}, "x = 1\n")
    return session


def test_a_session_says_what_was_added() -> None:
    user, assistant = said(a_session())
    assert (user.role, user.text, user.extra["files"]) == ("user", "what is in a.py?", ["a.py"])
    assert [part.kind for part in assistant.parts] == ["text", "tool_call", "tool_result"]
    assert assistant.parts[1].input == {"path": "a.py"}
    assert assistant.parts[2].text == "x = 1\n"


def test_G1_metadata_with_names_of_files_only(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.py").write_text("content-that-stays-out")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "config").write_text("x")
    session = SessionBuilder.new("model-1", system_prompt="be kind", project=str(tmp_path))
    data = session.to_bytes()
    assert b"content-that-stays-out" not in data
    assert b"be kind" not in data
    [marker] = whole(AGENT.read(_source(session))).state.markers
    assert marker["project_context"] == {
        "root_path": str(tmp_path),
        "file_tree_snapshot": ["src/a.py"],
    }
    assert str(marker["system_prompt_hash"]).startswith("sha256:")


def test_CL8_the_id_holds_the_time_of_creation() -> None:
    sessions = [SessionBuilder.new() for _ in range(1000)]
    assert len({session.id for session in sessions}) == 1000
    assert all(created_of(session.id) == session.created_at for session in sessions)
    times = [session.created_at for session in sessions]
    assert times == sorted(times)


def test_each_save_makes_one_version_of_the_same_history() -> None:
    shelf, session = Shelf(), a_session()
    session.save(shelf, "first")
    first = session.to_bytes()
    session.add_message("user", "and b.py?")
    session.add_message("assistant", "nothing")
    session.save(shelf, "second")
    assert session.to_bytes().startswith(first)
    assert joined(shelf.versions) == session.to_bytes()
    assert [v.turn.prompt for v in shelf.versions if v.turn] == ["what is in a.py?", "and b.py?"]
    assert shelf.messages == ["first", "second"]


def test_dirty_is_what_a_save_would_write() -> None:
    shelf, session = Shelf(), a_session()
    assert session.dirty
    session.save(shelf)
    assert not session.dirty
    before = session.to_bytes()
    session.save(shelf)
    assert (session.to_bytes(), len(shelf.versions)) == (before, 1)
    session.set_state(active_file="a.py")
    assert session.dirty
    session.save(shelf)
    session.set_state(active_file="a.py")
    assert not session.dirty


def test_G3_a_changed_state_alone_is_a_version() -> None:
    shelf, session = Shelf(), a_session()
    memory = ["one"]
    session.set_state(active_file="a.py", working_memory=memory, exit_code=0)
    session.save(shelf)
    session.set_state(active_file="b.py")
    memory.append("two")
    session.save(shelf)
    first, second = (version.state for version in shelf.versions)
    assert (first.active_file, second.active_file) == ("a.py", "b.py")
    assert first.memory == second.memory == ("one",)
    session.set_state(working_memory=memory)
    session.save(shelf)
    assert shelf.versions[-1].state.memory == ("one", "two")


def test_a_failed_save_leaves_everything_to_be_saved() -> None:
    shelf, session = Shelf(fails=True), a_session()
    before = session.to_bytes()
    with pytest.raises(Conflict):
        session.save(shelf)
    assert session.dirty
    assert session.to_bytes() == before
    shelf.fails = False
    session.save(shelf)
    assert len(shelf.versions) == 1


def test_results_may_come_later() -> None:
    shelf, session = Shelf(), SessionBuilder.new(project="/project")
    session.add_message("user", "run it")
    first = session.tool_call("bash", "make")
    session.tool_result(first, {"code": 2}, error=True)
    second = session.tool_call("bash", "make again")
    session.save(shelf)
    session.tool_result(second, "fine")
    _, message = said(session)
    assert [(p.kind, p.call_id, p.error) for p in message.parts] == [
        ("tool_call", first, False),
        ("tool_result", first, True),
        ("tool_call", second, False),
        ("tool_result", second, False),
    ]
    assert message.parts[1].native == {"code": 2}


def test_G34_a_loaded_session_goes_on_where_it_was() -> None:
    shelf, session = Shelf(), a_session()
    session.set_state(active_file="a.py")
    session.save(shelf)
    again = SessionBuilder.load(session.to_bytes())
    assert (again.id, again.created_at, again.dirty) == (session.id, session.created_at, False)
    again.set_state(active_file="a.py")
    assert not again.dirty
    assert again.add_message("user", "go on") == 3
    again.save(shelf)
    assert joined(shelf.versions) == again.to_bytes()


def test_G34_a_file_that_a_checkout_wrote_is_continued(tmp_path: Path) -> None:
    shelf, session = Shelf(), a_session()
    session.save(shelf)
    environment = Environment({}, tmp_path, str(tmp_path))
    written = AGENT.write(whole(shelf.versions), Target("/project"), environment)
    written.main.parent.mkdir(parents=True)
    written.main.write_bytes(written.files[written.main][:-1])
    again = SessionBuilder.open(written.main)
    again.add_message("user", "go on")
    again.save(shelf := Shelf())
    assert written.main.read_bytes() == joined(shelf.versions) == again.to_bytes()
    assert written.main.read_bytes().startswith(written.files[written.main])
    assert [m.text for m in AGENT.messages(whole(shelf.versions))][-1] == "go on"
    with open(written.main, "ab") as stream:
        stream.write(b"{}\n")
    again.add_message("user", "too late")
    with pytest.raises(Conflict) as caught:
        again.save(shelf)
    assert caught.value.hint
    assert again.dirty
    with pytest.raises(SourceUnreadable):
        SessionBuilder.open(tmp_path / "missing")


def test_wrong_use_is_said() -> None:
    session = SessionBuilder.new(project="/project")
    for wrong in (
        lambda: session.add_message("robot", "x"),
        lambda: session.add_message("user", "x", timestamp="yesterday"),
        lambda: session.set_state(mood="good"),
        lambda: session.tool_call("t", object()),
        lambda: session.set_state(working_memory=[float("nan")]),
    ):
        with pytest.raises(UsageError) as caught:
            wrong()
        assert caught.value.hint
    with pytest.raises(SourceUnreadable):
        SessionBuilder.load(b"{}")
    newer = session.to_bytes().replace(b"generic 1", b"generic 2", 1)
    with pytest.raises(FormatError):
        SessionBuilder.load(newer)
