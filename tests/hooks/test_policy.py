"""When an automatic save is due: at a turn's end, every n messages, after each tool."""

from __future__ import annotations

import pytest

from tests.acceptance.conftest import Person, a_session
from tests.builders import CLAUDE_ID, Claude

from .conftest import Hook


def wip(person: Person) -> str:
    refs = person.git("for-each-ref", "--format=%(objectname)", "refs/gitsession/wip")
    return refs.strip()


def call(hook: Hook, number: int, event: str = "PostToolUse") -> str:
    hook(event=event)
    return hook.wait(number)


def working(person: Person, tools: int) -> Claude:
    """A turn that has ended and one in which so many tools were used."""
    session = a_session(person, "done")
    session.prompt("work")
    for number in range(tools):
        session.bash(f"step {number}", "ok")
    person.writes(session)
    return session


def test_turn_is_the_default(person: Person, hook: Hook) -> None:
    working(person, 3)
    assert " not yet " in call(hook, 1)
    assert person.git("for-each-ref").strip() == ""


def test_tools_keeps_each_call_in_wip(person: Person, hook: Hook) -> None:
    assert person.types("config", "autosave.policy", "tools").code == 0
    seen = []
    for number in (1, 2, 3):
        working(person, number)
        assert "PostToolUse" in call(hook, number)
        seen.append(wip(person))
    assert len(set(seen)) == 3
    session = working(person, 3)
    session.say("Done.")
    person.writes(session)
    call(hook, 4, "Stop")
    assert wip(person) == ""
    assert [v.subject for v in person.repository.log(limit=0)] == ["work", "done"]


def test_every_n_messages(person: Person, hook: Hook) -> None:
    assert person.types("config", "autosave.policy", "messages").code == 0
    assert person.types("config", "autosave.messages", "3").code == 0
    person.writes(a_session(person, "done"))
    call(hook, 1, "Stop")
    saved = []
    for number in range(1, 8):
        working(person, number)
        saved.append("not yet" not in call(hook, number + 1))
    # The prompt and one message for each call: 2, then 5, then 8 of them.
    assert saved == [False, True, False, False, True, False, False]


@pytest.mark.parametrize("policy", ["tools", "messages"])
def test_the_policy_decides_what_is_hooked(person: Person, policy: str) -> None:
    (person.environment.home / ".claude").mkdir(exist_ok=True)
    file = person.environment.home / ".claude" / "settings.json"
    assert person.types("hooks", "install").code == 0
    assert "PostToolUse" not in file.read_text()
    before = file.read_text()
    assert person.types("config", "autosave.policy", policy).code == 0
    assert "partly hooked" in person.types("hooks").out
    assert person.types("hooks", "install").code == 0
    assert "PostToolUse" in file.read_text()
    assert person.types("config", "--unset", "autosave.policy").code == 0
    assert person.types("hooks", "install").code == 0
    assert file.read_text() == before
    assert person.types("hooks", "uninstall").code == 0
    assert not file.exists()


def test_no_other_policy(person: Person) -> None:
    done = person.types("config", "autosave.policy", "sometimes")
    assert done.code == 2 and "turn, messages, tools" in done.err


def test_help_does_not_show_the_line(person: Person) -> None:
    assert "--hook" not in person.types("save", "--help").out
    assert CLAUDE_ID not in person.types("hooks", "--json").out
