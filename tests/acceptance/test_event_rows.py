"""Events and snapshots of real stores: nothing lost or doubled, all fields, every search finds."""

from __future__ import annotations

import hashlib
import shlex
from pathlib import Path
from xml.etree import ElementTree

import pytest

from gitsession.context.tokens import ESTIMATORS, counter
from tests.acceptance.conftest import Person
from tests.builders import Claude, a_uuid

PROCESSES, EACH = 8, 200
ODD = "</session_state>漢字😀\x00\u202e$(`';" + "a1$%" * 40


def busy(person: Person, name: str, files: int = EACH) -> Claude:
    """A session that edits so many files, each once, in turns of twenty."""
    session = Claude(a_uuid(name), cwd=str(person.project))
    for number in range(files):
        if number % 20 == 0:
            session.prompt(f"go on with part {number // 20} of {name}")
        session.edit(f"{person.project}/{name}-{number}.py", "old\n", "old", "new")
        if number % 20 == 19:
            session.say("That part is done.")
    return session


def edits(person: Person, name: str) -> list[str]:
    done = person.types("events", a_uuid(name), "--type", "file_edit", "--limit", "0", "--json")
    assert done.code == 0, done
    answer = done.json
    assert answer["total"] == len(answer["events"]) and not answer["more"]
    return [event["data"] for event in reversed(answer["events"])]


def test_CM5_eight_processes_lose_and_double_nothing(person: Person) -> None:
    """Each saves a session of its own and, with all others, one that they share."""
    names = [f"own{number}" for number in range(PROCESSES)]
    for name in [*names, "shared"]:
        person.writes(busy(person, name), a_uuid(name))
    running = [person.starts("save", a_uuid(name), a_uuid("shared")) for name in names]
    for process in running:
        _, error = process.communicate(timeout=120)
        assert process.returncode == 0, error
    for name in [*names, "shared"]:
        expected = [f"{person.project}/{name}-{number}.py" for number in range(EACH)]
        assert edits(person, name) == expected


def test_CM1_all_fields_and_the_hash_of_the_data(person: Person) -> None:
    session = busy(person, "one", 3)
    session.bash("git switch -c fix", "Switched to a new branch")
    session.say("done")
    person.writes(session, session.session_id)
    person.saves()
    answer = person.types("events", "--json").json
    assert answer["schema"] == "gitsession.events/1"
    assert answer["session"].endswith("/main") and answer["native_id"] == session.session_id
    assert len(answer["version"]) == 40 and answer["agent"] == "claude-code"
    for event in answer["events"]:
        assert set(event) == {
            "type", "category", "priority", "data", "message", "time", "tool", "project",
            "attribution", "confidence", "returned", "avoided", "hash",
        }  # fmt: skip
        assert event["hash"] == hashlib.sha256(event["data"].encode()).hexdigest()[:16].upper()
        assert 1 <= event["priority"] <= 4 and 0 <= event["confidence"] <= 1
        assert event["attribution"] in ("path", "cwd", "session")
    edit = next(event for event in answer["events"] if event["type"] == "file_edit")
    assert edit["tool"] == "Edit" and edit["project"] == str(person.project)
    assert edit["attribution"] == "path" and edit["returned"] > 0
    shown = person.types("show", f"HEAD:{edit['message']}")
    assert shown.code == 0 and "one-2.py" in shown.out


def test_CM2_counts_are_the_real_numbers(person: Person) -> None:
    session = busy(person, "one", 40).compact()
    session.turn("and then", command="make")
    person.writes(session, session.session_id)
    person.saves()
    answer = person.types("events", "--limit", "0", "--all", "--json").json
    assert answer["count"] == answer["total"] == len(answer["events"])
    assert answer["types"]["file_edit"] == 40 and answer["types"]["user_prompt"] == 3
    assert sum(answer["types"].values()) == answer["count"]
    assert answer["compactions"] == 1 and answer["project"] == str(person.project)
    times = [event["time"] for event in reversed(answer["events"])]
    assert (answer["started"], answer["last"]) == (times[0], times[-1])
    root = ElementTree.fromstring(person.repository.snapshot())
    assert root.attrib["compact_count"] == "1"
    tools = {
        row["name"]: row["calls"] for row in person.types("stats", "--json").json["stats"]["tools"]
    }
    assert tools == {"Edit": 40, "Bash": 1}


def test_CM4_the_most_important_thousand(person: Person) -> None:
    session = Claude(cwd=str(person.project))
    session.prompt("look around")
    for number in range(1_200):
        session.result(session.call("Grep", {"pattern": f"word{number}", "path": "/p"}), "found")
    session.say("ok")
    person.writes(session)
    person.saves()
    kept = person.types("events", "--limit", "0", "--json").json
    assert kept["total"] == len(kept["events"]) == 1_000
    assert kept["events"][-1]["type"] == "user_prompt", "the oldest and most important one stays"
    assert kept["events"][0]["data"].startswith("word1199")
    everything = person.types("events", "--limit", "0", "--all", "--json").json
    assert everything["total"] == everything["count"] >= 1_201


def test_CM15_never_more_than_500_tokens_of_a_real_store(person: Person) -> None:
    session = Claude(cwd=str(person.project))
    for number in range(12):
        session.prompt(f"{ODD[:110]}\nuse this, and not that, {number} {ODD}")
        session.result(session.call("Skill", {"skill": f"skill-{number}-{ODD[:60]}"}), "ok")
        session.say("ok")
    person.writes(session)
    person.saves()
    text = person.repository.state_block()
    assert len(text) > 700, "there is much to say"
    assert ESTIMATORS["bytes/4+1"](text) <= 500
    exact = counter("o200k_base", person.environment.cache_dir / "tiktoken")
    assert exact.count(text) <= 500, exact.name
    assert ElementTree.fromstring(text).tag == "session_state"


def searches(text: str) -> list[list[str]]:
    lines = [str(one.text) for one in ElementTree.fromstring(text).iter("search")]
    return [shlex.split(line)[1:] for line in lines]


@pytest.mark.parametrize(
    "name",
    [
        "claude/full-session-four.jsonl",
        "claude/entire/three-compactions.jsonl",
        "codex/entire/seq-019dc0d3/11.jsonl",
        "copilot/c3f091b3-1a1f-435f-8acb-6c7520106212.events.jsonl",
        "pi/before-compaction.jsonl",
    ],
)
def test_CM14_each_search_of_a_real_session_finds_something(
    person: Person, samples: Path, name: str
) -> None:
    assert person.types("import", str(samples / name)).code == 0
    row = person.types("list", "--all", "--json").json["sessions"][0]
    for revision in (row["session"], row["session"] + "~1"):
        done = person.types("snapshot", revision, "--budget", "20000")
        assert done.code == 0 and len(done.data) <= 20_000, done
        lines = searches(done.out)
        assert len(lines) > 4
        for words in lines:
            assert len(words[-1]) <= 80
            found = person.types(*words, "--json")
            assert found.code == 0 and found.json["answer"]["hits"], (words, found)
            assert found.json["answer"]["corrected"] == [], "as it stands there"
    assert done.out == person.types("snapshot", row["session"] + "~1", "--budget", "20000").out
