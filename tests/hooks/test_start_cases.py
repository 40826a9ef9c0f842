"""What a session gets when it starts, by the reason that its agent gives."""

from __future__ import annotations

import json

import pytest

from gitsession.config import load_config
from gitsession.context.tokens import counter
from gitsession.operations.hooking import hooks
from gitsession.operations.hooking.hook_call import HookCall
from tests.acceptance.conftest import Person, a_session
from tests.builders import CLAUDE_ID

from .starting import NEW_ID, OTHER_ID, log, says, start

_OWN, _OTHER = "ownquestion alpha", "otherquestion omega"


@pytest.fixture
def two(person: Person) -> Person:
    """A person with two sessions in one project; the other one is the newer save."""
    says(person, CLAUDE_ID, _OWN)
    says(person, OTHER_ID, "a first turn", _OTHER)
    return person


def claimed(person: Person) -> list[str]:
    store = person.repository.store_path / "gitsession" / "claims"
    return sorted(path.name for path in store.iterdir()) if store.exists() else []


def test_CM17_compact_gives_the_state_and_the_snapshot_of_this_session_alone(two: Person) -> None:
    text = start(two, "compact")
    assert text.index("<session_state") < text.index("<session_resume")
    assert "ownquestion" in text and "otherquestion" not in text
    state = text[text.index("<session_state") : text.index("<session_resume")]
    assert counter("o200k_base", two.environment.cache_dir / "tiktoken").count(state) <= 500
    assert claimed(two) == [] and start(two, "compact") == text


def test_CM17_compact_saves_first_and_tells_of_the_turn_in_work(two: Person) -> None:
    session = a_session(two, _OWN)
    session.prompt("unfinishedwish now")
    session.bash("cd /srv/unfinished-folder && make", "done")
    two.writes(session)
    before = [version.id for version in two.repository.log(_branch(two))]
    text = start(two, "compact")
    assert "unfinishedwish" in text and "/srv/unfinished-folder" in text
    assert two.repository.resolve(f"{_branch(two)}@wip").commit not in before


def test_CM17_compact_of_an_unknown_session_takes_nothing_from_another(two: Person) -> None:
    assert start(two, "compact", NEW_ID) == ""
    assert claimed(two) == []


def test_CM17_resume_with_a_history_gives_only_that_of_this_id(two: Person) -> None:
    text = start(two, "resume")
    assert "ownquestion" in text and "otherquestion" not in text and "<session_state" not in text
    assert claimed(two) == [] and start(two, "resume") == text


def test_CM17_resume_saves_what_no_hook_has_saved(two: Person) -> None:
    two.writes(a_session(two, _OWN, "laterquestion beta"))
    assert "laterquestion" in start(two, "resume")


def test_CM17_resume_of_a_session_never_saved_gives_its_own(person: Person) -> None:
    says(person, OTHER_ID, _OTHER)
    person.writes(a_session(person, _OWN))
    text = start(person, "resume")
    assert "ownquestion" in text and "otherquestion" not in text


def test_CM17_resume_without_a_history_claims_once(two: Person) -> None:
    text = start(two, "resume", NEW_ID)
    assert "otherquestion" in text and "ownquestion" not in text
    assert "another conversation" in text
    assert len(claimed(two)) == 1
    assert "ownquestion" in start(two, "resume", NEW_ID)  # the one before it, once, too
    assert start(two, "resume", NEW_ID) == ""


def test_CM17_startup_gives_nothing(two: Person) -> None:
    assert start(two, "startup", NEW_ID) == ""
    assert claimed(two) == []


def test_CM17_clear_keeps_what_can_be_claimed(two: Person) -> None:
    assert start(two, "clear", NEW_ID) == "" == start(two, "clear")
    assert start(two, "fork", NEW_ID) == ""
    assert claimed(two) == []
    assert "otherquestion" in start(two, "resume", NEW_ID)


def test_CM17_startup_claims_if_it_is_configured_to(two: Person) -> None:
    load_config(two.environment).with_value("snapshot.startup", "claim").save()
    assert "otherquestion" in start(two, "startup", NEW_ID)
    assert "ownquestion" in start(two, "startup", NEW_ID)
    assert start(two, "startup", NEW_ID) == "" == start(two, "clear", NEW_ID)


def test_nothing_for_whom_a_person_has_left_out(two: Person) -> None:
    two.types("hooks", "pause", "claude-code")
    assert start(two, "resume") == ""
    two.types("hooks", "resume", "claude-code")
    two.types("exclude", CLAUDE_ID)
    assert start(two, "resume") == ""
    two.types("exclude", "--undo", CLAUDE_ID)
    assert "ownquestion" in start(two, "resume")
    two.types("delete", "--yes", _branch(two).partition("/")[0])
    assert start(two, "resume") == ""
    assert claimed(two) == []
    assert [words[4] for words in log(two)] == ["paused", "excluded", "given", "deleted"]


def test_too_much_to_save_is_left_to_the_end_of_the_turn(
    two: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gitsession.operations.hooking.injection._LARGEST_SAVE", 1)
    two.writes(a_session(two, _OWN, "laterquestion beta"))
    text = start(two, "resume")
    assert "ownquestion" in text and "laterquestion" not in text
    two.writes(a_session(two, "manythings said", session_id=NEW_ID), NEW_ID)
    assert start(two, "resume", NEW_ID) == ""  # it has a history of its own: no claim
    assert claimed(two) == []


def test_what_is_too_large_to_be_read_meanwhile_is_not_given(
    two: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gitsession.operations.hooking.ahead._MOST", 100)
    assert start(two, "resume") == "" == start(two, "compact") == start(two, "resume", NEW_ID)
    assert [words[4] for words in log(two)] == ["too-large", "too-large", "none-is-free"]
    assert claimed(two) == []


def test_a_secret_is_in_no_answer(person: Person) -> None:
    secret = "ghp_" + "A7b2C9d4E6" * 3 + "f1G3h5"
    says(person, CLAUDE_ID, f"use {secret} for the push")
    text = start(person, "compact")
    assert "for the push" in text and secret not in text and "__REDACTED_" in text


def test_the_save_behind_a_turn_makes_it_ahead(person: Person) -> None:
    """And only where the agent asks for it."""
    folder = person.environment.cache_dir / "messages"
    call = HookCall("claude-code", CLAUDE_ID, "Stop", str(person.path()), str(person.project))
    person.writes(a_session(person, _OWN))
    assert person.repository.save_call(call).outcome == "saved"
    assert not folder.exists()
    hooks.install(person.environment, ["claude-code"], "/bin/true", snapshot=True)
    person.writes(a_session(person, _OWN, "laterquestion beta"))
    assert person.repository.save_call(call).outcome == "saved"
    made = {path: path.read_bytes() for path in folder.iterdir()}
    assert len(made) == 1 and "laterquestion" in start(person, "resume")
    assert {path: path.read_bytes() for path in folder.iterdir()} == made


def test_a_snapshot_that_cannot_be_made_is_no_failure_of_the_save(
    person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("gitsession.operations.hooking.resume_snapshot.with_state", broken)
    hooks.install(person.environment, ["claude-code"], "/bin/true", snapshot=True)
    person.writes(a_session(person, _OWN))
    call = HookCall("claude-code", CLAUDE_ID, "Stop", str(person.path()), str(person.project))
    assert person.repository.save_call(call).outcome == "saved"
    assert person.repository.status().failures == ()
    assert start(person, "resume") == ""
    assert [words[3] for words in log(person)] == ["Stop", "this"]


def _branch(person: Person) -> str:
    rows = person.repository.list(everything=True)
    (row,) = [row for row in rows if row.native_id == CLAUDE_ID]
    return f"{row.session}/main"


def test_the_answer_is_plain_for_every_locale(person: Person) -> None:
    says(person, CLAUDE_ID, "Grüße, 世界 \U0001f600")
    told = json.dumps({"session_id": CLAUDE_ID, "source": "resume", "cwd": str(person.project)})
    done = person.types("snapshot", "--hook", "claude-code", stdin=told)
    assert done.out.isascii() and "世界" in json.loads(done.out)["hookSpecificOutput"].popitem()[1]
