"""History is a function of the content: one version per finished turn, however it was saved."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.acceptance.conftest import Person, a_session
from tests.builders import CLAUDE_ID, Claude

PROMPTS = ("read the parser", "fix the bug", "run the tests", "write the docs")


def ends(session: Claude) -> list[int]:
    """How many rows each finished turn ends after."""
    return [number for number, row in enumerate(session.rows, 1) if b'"end_turn"' in row]


def test_G23_each_save_is_a_version_and_none_is_overwritten(person: Person) -> None:
    whole = a_session(person, *PROMPTS)
    for end in ends(whole):
        person.writes(b"".join(whole.rows[:end]))
        assert len(person.saves().versions) == 1
    versions = person.repository.log(limit=0)
    assert [version.subject for version in versions] == list(reversed(PROMPTS))
    assert person.raw("HEAD~2") == b"".join(whole.rows[: ends(whole)[1]])
    assert person.raw() == whole.data
    person.is_sound()


def test_one_late_save_makes_what_many_hook_saves_make(person: Person, tmp_path: object) -> None:
    whole = a_session(person, *PROMPTS)
    whole.row(type="last-prompt", lastPrompt="write the docs")
    for end in range(1, len(whole.rows) + 1):
        person.writes(b"".join(whole.rows[:end]))
        person.saves(auto=True)
    step_by_step = [version.id for version in person.repository.log(limit=0)]
    person.repository.delete("HEAD")
    other = open_other(person)
    other.saves(auto=True)
    assert [version.id for version in other.repository.log(limit=0)] == step_by_step


def open_other(person: Person) -> Person:
    """The same person with another, empty store."""
    variables = {
        **person.environment.variables,
        "GITSESSION_DIR": str(person.project / "other.git"),
    }
    environment = type(person.environment)(
        variables, person.environment.home, person.environment.cwd
    )
    return Person(environment)


def test_nothing_new_is_no_version(person: Person) -> None:
    person.writes(a_session(person, "one"))
    assert person.saves().outcome == "saved"
    assert person.saves().outcome == "nothing"
    assert len(person.repository.log()) == 1


def test_an_unfinished_turn_goes_to_wip_by_hook_and_to_an_open_version_by_hand(
    person: Person,
) -> None:
    session = a_session(person, "one")
    session.prompt("two")
    person.writes(session)
    assert person.saves(auto=True).outcome == "saved"
    assert [v.subject for v in person.repository.log()] == ["one"]
    assert person.raw() == session.data
    saved = person.saves()
    assert [v.trailers["Kind"] for v in saved.versions] == ["open"]
    assert not person.saves().versions
    assert [native.unsaved_records for native in person.repository.status().natives] == [0]
    session.say("done")
    person.writes(session)
    person.saves()
    kinds = [version.trailers["Kind"] for version in person.repository.log()]
    assert kinds == ["turn", "open", "turn"]
    other = open_other(person)
    other.saves()
    assert len(other.repository.log()) == 2
    assert tree_of_streams(person) == tree_of_streams(other)


def test_a_prompt_without_an_answer_ends_as_interrupted(person: Person) -> None:
    session = Claude(cwd=str(person.project))
    session.prompt("one")
    session.prompt("two")
    session.say("answer")
    person.writes(session)
    saved = person.saves()
    assert [version.trailers["Kind"] for version in saved.versions] == ["interrupted", "turn"]


def test_single_makes_one_version_with_the_same_last_tree(person: Person) -> None:
    session = a_session(person, *PROMPTS)
    person.writes(session)
    saved = person.saves(single=True)
    assert len(saved.versions) == 1
    other = open_other(person)
    other.saves()
    streams = [tree_of_streams(each) for each in (person, other)]
    assert streams[0] == streams[1]


def tree_of_streams(person: Person) -> str:
    return person.git("rev-parse", f"{person.repository.version('HEAD').id}:streams").strip()


def test_message_names_the_newest_version(person: Person) -> None:
    person.writes(a_session(person, "one", "two"))
    person.saves(message="auth works")
    assert [v.subject for v in person.repository.log()] == ["auth works", "one"]


def test_A18_a_source_that_vanished_takes_nothing_with_it(person: Person) -> None:
    session = a_session(person, *PROMPTS)
    path = person.writes(session)
    person.saves()
    before = person.repository.log()
    path.unlink()
    path.parent.rmdir()
    assert person.repository.log() == before
    assert person.raw() == session.data
    status = person.repository.status()
    assert [native.source for native in status.natives] == ["missing"]
    assert person.repository.diff("HEAD~1", "HEAD")[0] is not None
    tip = person.repository.version("HEAD").id
    assert person.types("save", "--all").code in (0, 16)
    assert person.types("gc").code == 0
    assert person.repository.log(tip) == before
    made = person.repository.checkout(f"{tip}~1")
    written = Path(made.path).read_text()
    assert [prompt in written for prompt in PROMPTS] == [True, True, True, False]
    assert person.raw(tip) == session.data
    person.is_sound()


def test_a_source_that_shrank_is_no_version(person: Person) -> None:
    session = a_session(person, *PROMPTS)
    person.writes(session)
    person.saves()
    person.writes(b"".join(session.rows[:3]))
    assert person.saves().outcome == "shrunk"
    assert [native.source for native in person.repository.status().natives] == ["shrunk"]
    assert len(person.repository.log()) == len(PROMPTS)
    assert person.raw() == session.data


def test_a_source_that_became_a_stub_is_no_version(person: Person) -> None:
    person.writes(a_session(person, *PROMPTS))
    person.saves()
    stub = Claude(cwd=str(person.project)).row(type="custom-title", customTitle="gone")
    person.writes(stub)
    assert person.saves().outcome == "stub"
    assert len(person.repository.log()) == len(PROMPTS)


def test_A17_a_compacted_source_is_one_version_and_the_old_one_stays(person: Person) -> None:
    whole = a_session(person, *[f"question {number}" for number in range(40)])
    person.writes(whole)
    person.saves()
    person.repository.create_tag("decision", "HEAD~10", message="keep this")
    tagged = person.repository.version("decision").id
    compacted = Claude("later", cwd=str(person.project))
    compacted.tree("system", None, subtype="compact_boundary", content="Conversation compacted")
    compacted.tree("user", message={"role": "user", "content": "Summary so far"},
                   isCompactSummary=True)  # fmt: skip
    compacted.prompt("go on")
    compacted.say("going on")
    shorter = compacted.data.replace(b'"later"', f'"{CLAUDE_ID}"'.encode())
    person.writes(shorter)
    saved = person.saves()
    assert [version.trailers["Kind"] for version in saved.versions] == ["compaction"]
    assert len(person.repository.log(limit=0)) == 41
    assert person.raw() == shorter
    assert person.raw("HEAD~1") == whole.data
    assert person.repository.version("decision").id == tagged
    difference, _ = person.repository.diff("HEAD~1", "HEAD")
    assert difference.left is not None
    assert len(difference.left.messages) == 80
    told = person.types("diff", "HEAD~1", "HEAD").out
    assert "Summary so far" in told
    assert "question 0" in told
    person.is_sound()


def test_a_rewritten_source_is_one_version_and_later_turns_are_versions_again(
    person: Person,
) -> None:
    person.writes(a_session(person, "one", "two"))
    person.saves()
    other = a_session(person, "uno", "two", "three")
    person.writes(other)
    saved = person.saves()
    assert [version.trailers["Kind"] for version in saved.versions] == ["rewrite"]
    assert [v.trailers["Version"] for v in person.repository.log()] == ["3", "2", "1"]
    other.prompt("four")
    other.say("answer")
    person.writes(other)
    assert [v.trailers["Kind"] for v in person.saves().versions] == ["turn"]
    assert person.raw() == other.data


def test_A16_two_children_are_branches_and_none_is_lost(person: Person) -> None:
    session = a_session(person, "one", "two")
    second = session.tip
    session.prompt("three")
    session.say("answer three")
    session.prompt("three again", second)
    session.say("answer three again")
    first = session.rows[1]
    assert b"Answer to one" in first
    import json

    session.prompt("two again", json.loads(first)["uuid"])
    session.say("answer two again")
    person.writes(session)
    saved = person.saves()
    assert len(saved.versions) == 5
    assert len(saved.left) == 2
    prompts = {
        name: [m.text for m in person.repository.session(name).messages if m.role == "user"]
        for name in (saved.branch, *saved.left)
    }
    assert prompts[saved.branch] == ["one", "two again"]
    assert prompts[saved.left[0]] == ["one", "two", "three"]
    assert prompts[saved.left[1]] == ["one", "two", "three again"]


def test_the_hint_is_only_a_hint(person: Person) -> None:
    session = a_session(person, "one", "two")
    person.writes(session)
    person.saves()
    import shutil

    shutil.rmtree(person.repository.store_path / "gitsession" / "state")
    shutil.rmtree(person.repository.store_path / "gitsession" / "native")
    session.prompt("three")
    session.say("answer")
    person.writes(session)
    assert [version.subject for version in person.saves().versions] == ["three"]
    assert len(person.repository.log()) == 3


@pytest.mark.parametrize("cut", [10, 200, 700])
def test_A3_a_torn_tail_is_kept_and_replaced(person: Person, cut: int) -> None:
    whole = a_session(person, *PROMPTS)
    torn = len(b"".join(whole.rows[:5])) + cut
    person.writes(whole.data[:torn])
    person.saves()
    assert person.raw() == whole.data[:torn]
    person.writes(whole)
    person.saves()
    assert person.raw() == whole.data
    assert person.repository.session().stream("main").count == len(whole.rows)


def test_save_of_everything_sets_head_only_where_there_is_none(person: Person) -> None:
    person.writes(a_session(person, "mine"))
    elsewhere = Claude("99999999-2222-4333-8444-555555555555", cwd="/another/project")
    elsewhere.turn("not mine")
    elsewhere.save(person.environment.home)
    report = person.repository.save(everything=True)
    assert len(report.sessions) == 2
    assert person.repository.head().startswith("mine-")
    person.repository.checkout("HEAD")
    head = person.repository.head()
    person.repository.save(everything=True)
    assert person.repository.head() == head
