"""The conversations of subagents: shown, searched, counted, each by the name of its stream."""

from __future__ import annotations

import pytest

from gitsession.errors import NotFound
from gitsession.operations import sides
from gitsession.repository import Repository
from tests.cli.scene import TOKEN

from .conftest import LiveSession
from .test_search import texts_of


def subagent(live: LiveSession, name: str, asked: str, tool: str, answer: str) -> LiveSession:
    """One turn of a subagent: what it was asked, one command, its answer. Its minutes go on from
    those of the main conversation."""
    side = LiveSession(live.path.with_suffix("") / "subagents" / f"agent-{name}.jsonl",
                       live.native_id, live.cwd, minute=live.minute)  # fmt: skip
    side.path.parent.mkdir(parents=True, exist_ok=True)
    side.prompt(asked)
    call = {"type": "tool_use", "id": f"toolu_{name}", "name": "Bash",
            "input": {"command": "git commit -m tusks"}}  # fmt: skip
    side.assistant([call], "tool_use")
    result = {"type": "tool_result", "tool_use_id": call["id"], "content": tool}
    side.row("user", {"role": "user", "content": [result]})
    side.assistant([{"type": "text", "text": answer}], "end_turn")
    live.minute = side.minute
    return side


@pytest.fixture
def two(repository: Repository, live: LiveSession) -> Repository:
    """Two turns, each with a subagent of its own."""
    live.prompt("first")
    subagent(live, "a1f0", "find the walrus", "tusks.txt", "The walrus lies in tusks.txt.")
    live.assistant([{"type": "text", "text": "one"}], "end_turn")
    live.prompt("second")
    subagent(live, "b2e1", "find the walrus again", "tusks.txt and more", "Nothing new.")
    live.assistant([{"type": "text", "text": "two"}], "end_turn")
    repository.save()
    return repository


def test_search_names_the_stream_and_the_oldest_version(two: Repository) -> None:
    newest, oldest = (version.id for version in two.log())
    hits = two.search("tusks", limit=0).hits
    assert {(hit.version, hit.stream, hit.message, hit.tool) for hit in hits} == {
        (oldest, "subagents/a1f0", 2, "Bash"),
        (oldest, "subagents/a1f0", 3, ""),
        (newest, "subagents/b2e1", 2, "Bash"),
    }
    for hit in hits:
        message = two.message(hit.version, hit.message, hit.stream)
        assert "tusks" in str(message.parts)
    assert [hit.stream for hit in two.search("first").hits] == ["main"]


def test_what_a_subagent_was_asked_is_no_word_of_the_user(two: Repository) -> None:
    assert {hit.stream for hit in two.search("walrus").hits} == {
        "subagents/a1f0", "subagents/b2e1"
    }  # fmt: skip
    assert two.search("walrus", role="user").hits == ()
    assert len(two.search("walrus", role="assistant").hits) == 1


def test_the_index_follows_a_branch_that_lacks_a_subagent(two: Repository) -> None:
    assert two.search("nothing new").hits
    main = two.head()
    two.create_branch("early", "HEAD~1", move=True)
    two.delete_branch(main)
    assert {hit.stream for hit in two.search("tusks").hits} == {"subagents/a1f0"}
    assert not two.search("nothing new").hits


def test_a_stream_is_shown_by_its_name_or_a_part_of_it(two: Repository) -> None:
    for said in ("subagents/a1f0", "a1f0", "a1", "agent-a1", "f0"):
        messages = two.session("HEAD", said).messages
        assert [m.role for m in messages] == ["user", "assistant", "assistant"]
        assert {m.stream for m in messages} == {"subagents/a1f0"}
        assert messages[-1].text == "The walrus lies in tusks.txt."
    session = two.session("HEAD", "b2e1")
    assert [len(stream.records) for stream in session.streams] == [0, 0, 4]
    assert two.session("HEAD", "main").messages == two.session("HEAD").messages
    with pytest.raises(NotFound, match="not one of that version") as error:
        two.session("HEAD~1", "b2e1")
    assert "subagents/a1f0" in str(error.value.hint)
    with pytest.raises(NotFound, match="ambiguous"):
        sides.named({"subagents/ab": 1, "subagents/ac": 1}, "a")
    with pytest.raises(NotFound):
        two.message("HEAD", 4, "a1f0")


def test_counts_and_events_are_those_of_the_stream(two: Repository) -> None:
    whole, alone = two.stats("HEAD"), two.stats("HEAD", "a1f0")
    assert (whole.messages, whole.subagents, whole.tools) == (4, 2, ())
    assert (alone.turns, alone.prompts, alone.messages, alone.subagents) == (1, 1, 3, 0)
    assert [(tool.name, tool.calls) for tool in alone.tools] == [("Bash", 1)]
    assert alone.tokens.total == 30
    assert alone.models == ("claude-test-1",)

    listed = two.event_list("HEAD", stream="a1f0", everything=True)
    assert [(event.type, event.message) for event in listed.events] == [("git_commit", 2)]
    main = two.event_list("HEAD", everything=True)
    assert not [event for event in main.events if event.tool]


def test_what_is_masked_stays_masked(repository: Repository, live: LiveSession) -> None:
    live.prompt("first")
    subagent(live, "a1f0", f"use {TOKEN}", "ok", "walrus")
    live.assistant([{"type": "text", "text": "one"}], "end_turn")
    repository.save()
    assert repository.search("walrus").hits
    assert TOKEN.encode() not in texts_of(repository)
    assert "__REDACTED_" in repository.message("HEAD", 1, "a1f0").text
