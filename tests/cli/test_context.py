"""context, request, diagnose, verify-facts, compact, prune, unprune on a real store."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import Done
from .scene import Scene


@pytest.fixture
def talk(scene: Scene) -> Scene:
    """A long conversation with a decision, a tool output and a requirement far back."""
    scene.agent.prompt("We decided to use JWT in RS256 for the login.")
    scene.agent.say("Understood: JWT.")
    scene.agent.prompt("look at the port")
    scene.agent.bash("cat config", "listen on 18080")
    scene.agent.say("I have seen it.")
    for number in range(40):
        scene.agent.turn(f"step {number} " + "details " * 30, "answer " * 40)
    scene.live()
    assert scene.cli("save").code == 0
    return scene


def ok(done: Done) -> Done:
    assert done.code == 0, done
    return done


def test_G16_context_stays_within_its_budget_and_says_how_it_counts(talk: Scene) -> None:
    found = ok(talk.cli("context", "--budget", "3000", "--json")).json
    assert found["schema"] == "gitsession.context/1"
    context = found["context"]
    assert context["tokens"] + context["margin"] <= 3_000
    assert context["estimator"] == "tiktoken o200k_base"
    assert len(context["ledger"]) > 80
    shown = ok(talk.cli("context", "--budget", "3000", "--explain"))
    assert "strategy default" in shown.out.splitlines()[0]
    assert shown.out.count("summarised") > 20
    other = ok(talk.cli("context", "--estimator", "bytes/4+1", "--budget", "3000", "--explain"))
    assert "bytes/4+1" in other.out.splitlines()[0]


def test_G14_a_key_tag_keeps_its_message_in_every_strategy(talk: Scene) -> None:
    messages = ok(talk.cli("show", "--json")).json["session"]["messages"]
    number = next(n for n, m in enumerate(messages, 1) if "Now it uses cookies" in json.dumps(m))
    ok(talk.cli("tag", "cookies", f"HEAD:{number}", "--key"))
    for strategy in ("default", "recent", "claw", "opencode", "lobe", "lobe-compress"):
        done = ok(talk.cli("context", "--budget", "1500", "--strategy", strategy))
        assert "Now it uses cookies" in done.out, strategy


def test_G13_recent_exchanges_are_whole(talk: Scene) -> None:
    done = ok(talk.cli("context", "--budget", "2000", "--recent", "4"))
    assert all(f"step {n} " in done.out for n in (36, 37, 38, 39))
    context = ok(talk.cli("context", "--budget", "2000", "--recent", "4", "--json")).json["context"]
    whole = ok(talk.cli("show", "--json")).json["session"]["messages"]
    assert [m["parts"] for m in context["messages"][-8:]] == [m["parts"] for m in whole[-8:]]
    done = talk.cli("context", "--budget", "500", "--recent", "40")
    assert done.code == 2 and "must stay" in done.err


@pytest.mark.parametrize("form", ["anthropic", "openai", "gemini"])
def test_G19_request(talk: Scene, form: str) -> None:
    done = ok(talk.cli("request", "--message", "go on", "--format", form, "--budget", "3000"))
    body = done.json
    text = json.dumps(body)
    assert text.rstrip("}]").count("go on") == 1
    rows = body.get("messages") or body["contents"]
    assert "go on" in json.dumps(rows[-1])
    assert ok(talk.cli("context", "--format", form, "--budget", "3000")).json


def test_G5_G20_a_given_prompt_and_the_working_state_stand_in_the_request_once(
    talk: Scene,
) -> None:
    prompt = talk.project / "prompt.txt"
    prompt.write_text("Answer in French.")
    done = ok(talk.cli("request", "--message", "go on", "--system-prompt", str(prompt)))
    system = done.json["system"]
    assert system.startswith("Answer in French.")
    assert system.count("Last command: ls") + system.count("Last command: cat config") <= 1
    assert done.out.count("Working state of the session:") == 1


def test_G21_diagnose_names_message_version_and_what_to_do(talk: Scene) -> None:
    whole = ok(talk.cli("diagnose", "--fact", "jwt in rs256"))
    assert whole.out.startswith("present in message ")
    cut = talk.cli("diagnose", "--fact", "RS256", "--budget", "600", "--strategy", "recent")
    assert cut.code == 1
    assert "cause: message, first in version " in cut.out
    assert "is not marked as key" in cut.out and "--key" in cut.out
    lost = talk.cli("diagnose", "--fact", "18080", "--budget", "600", "--strategy", "recent")
    assert "cause: tool-output" in lost.out and "show --tool-call" in lost.out
    unsaid = talk.cli("diagnose", "--fact", "Haskell", "--json")
    assert (unsaid.code, unsaid.json["cause"]) == (1, "unsaid")
    found = talk.cli("diagnose", "--fact", "RS256", "--budget", "600", "--strategy", "recent",
                     "--json").json  # fmt: skip
    version = found["version"]["id"]
    shown = ok(talk.cli("show", f"{version}:{found['message']}"))
    assert "RS256" in shown.out
    assert talk.cli("show", f"{version}~1:{found['message']}").code == 12


def test_G22_verify_facts(talk: Scene) -> None:
    facts = talk.project / "facts.txt"
    facts.write_text("# of the login\nJWT\n18080\n\nHaskell\n")
    done = talk.cli("verify-facts", str(facts))
    assert (done.code, done.out) == (1, "missing: Haskell\n")
    assert talk.cli("verify-facts", "-", stdin="jwt\n").code == 0
    done = talk.cli("verify-facts", "-", "--budget", "600", "--strategy", "recent", "--json",
                    stdin="jwt\nstep 39\n")  # fmt: skip
    assert done.json["missing"] == ["jwt"]
    assert talk.cli("verify-facts", "/nowhere").code == 16


def streams(scene: Scene) -> list[str]:
    """The tree of the newest version without the two files of metadata."""
    import subprocess

    store = ok(scene.cli("dir")).out.strip()
    head = ok(scene.cli("log", "-n", "1", "--json")).json["versions"][0]["id"]
    listing = subprocess.run(
        ["git", "-C", store, "ls-tree", "-r", head], capture_output=True, text=True, check=True
    ).stdout
    return [
        line for line in listing.splitlines() if not line.endswith(("session.yaml", "state.yaml"))
    ]


def blobs(scene: Scene, version: str) -> dict[str, str]:
    """Paths below `streams/` of a version, and what git calls their contents."""
    import subprocess

    store = ok(scene.cli("dir")).out.strip()
    listing = subprocess.run(
        ["git", "-C", store, "ls-tree", "-r", f"{version}:streams"],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    rows = (line.split(maxsplit=3) for line in listing.splitlines())
    return {path: blob for _, _, blob, path in rows}


def test_compact_is_a_mark_and_the_streams_stay(talk: Scene) -> None:
    before = streams(talk)
    done = ok(talk.cli("compact"))
    assert ": Compact messages 1 to " in done.out and "gitsession undo" in done.out
    assert streams(talk) == before
    context = ok(talk.cli("context", "--json")).json["context"]
    assert context["numbers"][0] == 0
    marker = ok(talk.cli("show", "--json")).json["session"]["state"]["markers"][-1]
    assert marker["last"] + 1 == context["numbers"][1]  # OC11: the border is stored
    assert len(context["numbers"]) < 15
    assert "step 20" in ok(talk.cli("show", "HEAD")).out
    ok(talk.cli("compact", "--undo"))
    assert 0 not in ok(talk.cli("context", "--json")).json["context"]["numbers"]
    ok(talk.cli("undo"))
    assert ok(talk.cli("context", "--json")).json["context"]["numbers"][0] == 0


def test_a_mark_survives_the_next_turn_which_is_saved_as_ever(talk: Scene) -> None:
    ok(talk.cli("compact"))
    talk.agent.turn("one more step", "done")
    talk.live()
    assert "Saved" in ok(talk.cli("save")).out
    context = ok(talk.cli("context", "--json")).json["context"]
    assert context["numbers"][0] == 0
    log = ok(talk.cli("log", "-n", "2", "--json")).json["versions"]
    assert log[0]["subject"] == "one more step"
    assert log[1]["subject"].startswith("Compact messages 1 to ")
    assert "nothing to save" in ok(talk.cli("save")).out.lower()
    assert talk.cli("fsck").code == 0


def test_OC9_prune_and_unprune(talk: Scene) -> None:
    calls = [
        part["call_id"]
        for message in ok(talk.cli("show", "--json")).json["session"]["messages"]
        for part in message["parts"]
        if part["kind"] == "tool_result" and "18080" in part.get("text", "")
    ]
    ok(talk.cli("prune", *calls))
    pruned = ok(talk.cli("context")).out
    assert "[Old tool result content cleared]" in pruned and "18080" not in pruned
    assert "18080" in ok(talk.cli("show", "--tool-call", calls[0])).out
    tip = talk.cli("log", "-n", "1", "--json").json["versions"][0]["id"]
    assert talk.cli("unprune", "toolu_none").code == 12
    assert talk.cli("log", "-n", "1", "--json").json["versions"][0]["id"] == tip
    ok(talk.cli("unprune", calls[0]))
    assert "18080" in ok(talk.cli("context")).out
    ok(talk.cli("prune", *calls))
    ok(talk.cli("unprune"))
    assert "18080" in ok(talk.cli("context")).out
    assert ok(talk.cli("prune")).out.startswith("Nothing to prune")
    assert talk.cli("prune", "toolu_none").code == 12


def test_a_mark_that_changes_nothing_is_no_version(talk: Scene) -> None:
    """A session that is compacted is not compacted again without a gain."""

    def versions() -> int:
        return len(ok(talk.cli("log", "-n", "0", "--json")).json["versions"])

    assert ok(talk.cli("compact", "--undo")).out == "Nothing is compacted\n"
    assert ok(talk.cli("unprune")).out == "Nothing is pruned\n"
    assert ok(talk.cli("compact", "--recent", "500")).out.startswith("Nothing to compact")
    before = versions()
    ok(talk.cli("compact"))
    assert ok(talk.cli("compact", "--json")).json["version"] is None
    assert versions() == before + 1
    ok(talk.cli("compact", "--recent", "2"))
    assert versions() == before + 2, "more is summarised now"


def test_marks_go_on_the_tip_only(talk: Scene) -> None:
    done = talk.cli("compact", "HEAD~3")
    assert done.code == 2 and "newest version of a branch" in done.err


def test_a_summarizer_is_the_user_s_and_asked_once(talk: Scene, tmp_path: Path) -> None:
    import sys

    script = tmp_path / "summarize.py"
    log = tmp_path / "asked"
    script.write_text(
        f"import sys\nsys.stdin.read()\nopen({str(log)!r}, 'a').write('x')\n"
        "print('All was about JWT.')"
    )
    ok(talk.cli("config", "context.summarizer", f"{sys.executable} {script}"))
    for _ in range(2):
        assert "All was about JWT." in ok(talk.cli("context", "--budget", "2000")).out
    assert log.read_text() == "x"
    assert "All was about" not in ok(talk.cli("context", "--budget", "2000", "--local")).out
    script.write_text("import sys; sys.exit(1)")
    ok(talk.cli("context", "--budget", "2000"))
    assert talk.cli("context", "--budget", "2100").code == 16


def test_wrong_usage(talk: Scene) -> None:
    assert talk.cli("context", "--budget", "-1").code == 2
    assert talk.cli("context", "--strategy", "best").code == 2
    assert talk.cli("context", "--estimator", "guess").code == 2
    assert talk.cli("request", "--message", "  ").code == 2
    assert talk.cli("diagnose", "--fact", "").code == 2
    assert talk.cli("context", "HEAD:9999").code == 12


def test_LC6_the_last_groups_are_whole(talk: Scene) -> None:
    talk.agent.prompt("look again")
    talk.agent.bash("cat config", "listen on 18081")
    talk.agent.say("Seen.")
    talk.live()
    ok(talk.cli("save"))
    done = ok(talk.cli("context", "--strategy", "lobe", "--last", "2", "--json"))
    parts = [part for message in done.json["context"]["messages"] for part in message["parts"]]
    assert [part["kind"] for part in parts] == ["tool_call", "tool_result", "text"]
    assert parts[-1]["text"] == "Seen."


def test_OC12_the_opencode_view_is_not_chronological_and_show_is(talk: Scene) -> None:
    words = ("context", "--strategy", "opencode", "--budget", "3000", "--format", "json")
    context = ok(talk.cli(*words)).json["context"]
    assert context["numbers"][:2] == [0, 0]
    assert [message["role"] for message in context["messages"][:2]] == ["user", "assistant"]
    messages = ok(talk.cli("show", "--json")).json["session"]["messages"]
    assert [message["number"] for message in messages] == list(range(1, len(messages) + 1))
    assert [m["time"] for m in messages] == sorted(m["time"] for m in messages)


def test_LC18_another_session_of_the_project_stays_out(talk: Scene) -> None:
    from tests.builders import Claude

    other = Claude("99999999-2222-4333-8444-555555555555", cwd=str(talk.project))
    other.turn("zebra question", "zebra answer")
    other.save(talk.home)
    ok(talk.cli("save", "--all"))
    rows = ok(talk.cli("list", "--json")).json["sessions"]
    assert len(rows) == 2
    for row in rows:
        text = ok(talk.cli("context", row["session"])).out
        assert ("zebra" in text) != ("RS256" in text)


def test_checkout_within_a_budget_writes_just_the_context(talk: Scene) -> None:
    from tests.builders import Claude

    context = ok(talk.cli("context", "--budget", "3000", "--json")).json["context"]
    whole = ok(talk.cli("show", "--json")).json["session"]["messages"]
    done = ok(talk.cli("checkout", "HEAD", "--budget", "3000", "--json")).json["checkout"]
    path = Path(done["path"])
    rows = [json.loads(line) for line in path.read_bytes().splitlines()]
    said = [row for row in rows if row["type"] in ("user", "assistant")]
    texts = [
        block["text"]
        for row in said
        for block in row["message"]["content"]
        if block["type"] == "text"
    ]
    assert texts == [
        part["text"]
        for message in context["messages"]
        for part in message["parts"]
        if part["kind"] == "text"
    ]
    assert said[0]["isCompactSummary"] is True
    assert said[0]["parentUuid"] is None
    assert [row["parentUuid"] for row in said[1:]] == [row["uuid"] for row in said[:-1]]
    agent = Claude(done["native_id"], cwd=str(talk.project))
    agent.rows, agent.tip = path.read_bytes().splitlines(keepends=True), said[-1]["uuid"]
    agent.turn("after the light start", "fine")
    path.write_bytes(agent.data)
    ok(talk.cli("save"))
    log = ok(talk.cli("log", "-n", "2", "--json")).json["versions"]
    assert log[0]["subject"] == "after the light start"
    assert log[0]["kind"] == "turn"
    assert log[0]["parents"] == [log[1]["id"]] == [done["version"]["id"]]
    stored = ok(talk.cli("show", "--json")).json["session"]["messages"]
    assert [part["text"] for message in stored for part in message["parts"]] == [
        *texts, "after the light start", "fine",
    ]  # fmt: skip
    before, after = (blobs(talk, version["id"]) for version in log[::-1])
    assert {f"base/{path}": blob for path, blob in before.items()}.items() <= after.items()
    assert not any(after.get(path) == blob for path, blob in before.items() if "rec" in path)
    old = ok(talk.cli("show", log[1]["id"], "--json")).json["session"]["messages"]
    assert [m["parts"] for m in old] == [m["parts"] for m in whole]
    branches = ok(talk.cli("branch", "--json")).json["branches"]
    assert not any("rewound" in branch["ref"] for branch in branches)
    assert talk.cli("fsck").code == 0


def test_checkouts_of_other_budgets_are_not_the_same_one(talk: Scene) -> None:
    version = ok(talk.cli("log", "-n", "2", "--json")).json["versions"][1]["id"]

    def at(*options: str) -> str:
        done = ok(talk.cli("checkout", version, *options, "--json")).json["checkout"]
        return str(done["native_id"])

    assert at("--budget", "3000") == at("--budget", "3000")
    assert len({at(), at("--budget", "3000"), at("--budget", "4000")}) == 3
    assert talk.cli("checkout", "HEAD", "--budget", "-1").code == 2
    assert talk.cli("checkout", "HEAD", "--budget", "3000", "--reveal").code == 2
