"""export --format md: what stands in it, and where it is written."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.acceptance.conftest import Person, a_session, person
from tests.builders import CLAUDE_ID, Claude
from tests.operations.conftest import goes_on

__all__ = ["person"]

LONG = "x" * 2000
FORKED = "0f0f0f0f-2222-4333-8444-555555555555"


@pytest.fixture
def worked(person: Person) -> Person:
    session = Claude(cwd=str(person.project))
    session.extra = {"forkedFrom": {"sessionId": FORKED, "messageUuid": "x"}}
    session.prompt("What is in here?")
    session.think("Let me think about it in secret.")
    session.bash(f"cat {LONG}", LONG)
    session.say("A lot.")
    session.compact("What was said so far.")
    session.prompt("And now?")
    session.say("Done.")
    person.writes(session)
    assert person.types("save").code == 0
    return person


def test_CL25_a_page_has_all_its_parts(worked: Person) -> None:
    page = worked.types("export", "--format", "md").out
    head, _, conversation = page.partition("## Conversation")
    assert head.startswith("# ")
    facts = dict(re.findall(r"^- (\w[\w ]*): (.*)$", head, re.MULTILINE))
    assert facts["Session"] == "11111111-2222-4333-8444-555555555555"
    assert facts["File"].replace("\\", "") == str(worked.path())
    assert facts["Project"].replace("\\", "") == str(worked.project)
    assert facts["Messages"] == "7" and facts["Compactions"] == "1"
    assert re.fullmatch(r"[\d,]+ \(input [\d,]+, output [\d,]+, cache read [\d,]+\)",
                        facts["Tokens"])  # fmt: skip
    numbers = [int(number) for number in re.findall(r"^### (\d+)\. ", conversation, re.MULTILINE)]
    assert numbers == list(range(1, 8))
    [call] = [line for line in conversation.splitlines() if "Bash" in line]
    assert call.startswith("- ✓ **Bash** `toolu_2`: ") and len(call) <= 280 + 20
    assert "cat xxx" in call and " → xxx" in call
    assert "in secret" not in page and LONG not in page
    assert "What was said so far." in page


def test_CL25_ids_are_cut_to_twelve(person: Person) -> None:
    session = Claude(cwd=str(person.project))
    session.prompt("go")
    block = {"type": "tool_use", "id": "toolu_0123456789abcdef", "name": "Bash", "input": {"a": 1}}
    session.assistant(block, "tool_use")
    session.result("toolu_0123456789abcdef", "ok")
    session.say("Done.")
    person.writes(session)
    person.saves()
    page = person.types("export").out
    assert "`toolu_012345`" in page and "toolu_0123456" not in page


def test_CL25_full_has_complete_payloads_and_thinking(worked: Person) -> None:
    page = worked.types("export", "--format", "md", "--full").out
    assert page.count(LONG) == 2
    assert "in secret" in page
    assert worked.types("export", "--format", "json", "--full").code == 2


def test_CL25_a_path_keeps_its_name(worked: Person, tmp_path: Path) -> None:
    for name in ("notes", "notes.txt", "a.b"):
        assert worked.types("export", "-o", str(tmp_path / name)).code == 0
        assert (tmp_path / name).read_text().startswith("# ")
    assert not list(tmp_path.glob("*.md"))


def test_CL25_a_fork_names_where_it_comes_from(worked: Person) -> None:
    """One that the agent itself made."""
    assert f"- Fork of: {FORKED}\n" in worked.types("export").out


def test_CL25_so_does_a_checkout_that_was_continued_and_nothing_else(person: Person) -> None:
    person.writes(a_session(person, "one", "two"))
    person.saves()
    assert "Fork of" not in person.types("export").out
    done = person.repository.checkout("HEAD~1")
    goes_on(done.path, done.native_id, str(person.project)).turn("on another line")
    person.repository.save([done.native_id])
    page = person.types("export", done.branch).out
    assert f"- Session: {done.native_id}\n" in page
    assert f"- Fork of: claude-code/{CLAUDE_ID}\n" in page
