"""checkout --to: the same conversation in another agent, its losses counted, its history kept."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gitsession import snapshot
from gitsession.agents import registry
from gitsession.agents.base import Target, Written
from gitsession.agents.copilot.assets import asset_of, reference
from gitsession.agents.said import Image, Speech, flat
from gitsession.agents.speech import speech
from gitsession.environment import Environment
from gitsession.errors import NotFound, SourceUnreadable, UsageError
from gitsession.model.message import Message, Part
from gitsession.model.report import Checkout
from gitsession.model.session import Session
from gitsession.operations.checkouts import convert
from gitsession.repository import Repository
from tests.agents.contract import the_source, whole
from tests.builders import Claude
from tests.codex_builder import Codex
from tests.continue_builder import Continue
from tests.continue_builder import call as continue_call
from tests.copilot_builder import Events
from tests.gemini_builder import Gemini
from tests.opencode_builder import Kilo, OpenCode
from tests.opencode_builder import tool as opencode_tool
from tests.operations.conftest import LiveSession, goes_on
from tests.pi_builder import Pi
from tests.qwen_builder import Qwen

AGENTS = ("claude-code", "codex", "pi", "gemini", "qwen", "opencode", "kilo", "continue", "copilot")
PAIRS = list(itertools.permutations(AGENTS, 2))
IN_FILES = [pair for pair in PAIRS if pair[1] not in ("opencode", "kilo", "continue")]
"""Pairs whose target goes on in the file that is written for it."""
PICTURE = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4"
    "z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"
)  # one red dot
INLINE = {"inlineData": {"mimeType": "image/png", "data": PICTURE}}
ONE = {"command": "ls", "deep": {"a": [1, 2.5, None, "é"]}}
TWO = {"command": "false"}


def of_claude() -> Claude:
    """A prompt with a picture, a thought, two calls at once (the second fails), an answer."""
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png",
                                         "data": PICTURE}}  # fmt: skip
    session = Claude()
    session.prompt([{"type": "text", "text": "look at this"}, image])
    session.think("I should list first")
    first = session.call("Bash", ONE, message="msg_two")
    second = session.call("Grep_it", TWO, message="msg_two")
    session.result(first, "a.py\n")
    session.result(second, "it broke", error=True)
    session.say("done it")
    return session


def of_codex() -> Codex:
    session = Codex(base_instructions={"text": "be good"})
    session.starts()
    session.item("message", role="developer", content=[{"type": "input_text", "text": "rules"}])
    url = f"data:image/png;base64,{PICTURE}"
    content = [{"type": "input_text", "text": "look at this"},
               {"type": "input_image", "image_url": url}]  # fmt: skip
    session.item("message", role="user", content=content)
    summary = [{"type": "summary_text", "text": "I should list first"}]
    session.item("reasoning", summary=summary, encrypted_content="c2VhbGVk")
    session.item("reasoning", summary=[], encrypted_content="c2VhbGVk")
    session.item("function_call", name="Bash", arguments=json.dumps(ONE), call_id="call_a")
    session.item("custom_tool_call", name="apply_patch", call_id="call_b", input="*** Begin\n")
    session.item("function_call_output", call_id="call_a", output="a.py\n")
    failed = "Wall time: 0 seconds\nProcess exited with code 2\nOutput:\nit broke"
    session.item("custom_tool_call_output", call_id="call_b", output=failed)
    return session.says("assistant", "done it").spends().ends()


def of_pi() -> Pi:
    session = Pi()
    image = {"type": "image", "data": PICTURE, "mimeType": "image/png"}
    session.message("user", content=[{"type": "text", "text": "look at this"}, image])
    thought = {"type": "thinking", "thinking": "I should list first", "thinkingSignature": "c2ln"}
    calls = [{"type": "toolCall", "id": f"call_{name}|fc", "name": tool, "arguments": given}
             for name, tool, given in (("a", "Bash", ONE), ("b", "Grep_it", TWO))]  # fmt: skip
    session.answer(thought, *calls, stop="toolUse")
    content = [{"type": "text", "text": "a.py\n"}, image]
    session.message("toolResult", toolCallId="call_a|fc", toolName="Bash", content=content,
                    isError=False, details={"shown": 1})  # fmt: skip
    session.result("call_b|fc", "Grep_it", "it broke", error=True)
    session.say("done it")
    return session


def of_gemini() -> Gemini:
    session = Gemini()
    session.message("user", [{"text": "look at this"}, INLINE])
    row = session.say("")
    row = {**row, "thoughts": [{"subject": "I should", "description": "list first"}]}
    calls = []
    for name, tool, given in (("a", "Bash", ONE), ("b", "Grep_it", TWO)):
        said = {"output": "a.py\n"} if name == "a" else {"error": "it broke"}
        response = {"functionResponse": {"id": name, "name": tool, "response": said}}
        result = [response, INLINE] if name == "a" else [response]
        calls.append({"id": name, "name": tool, "args": given, "result": result,
                      "status": "success" if name == "a" else "error",
                      "resultDisplay": "shown"})  # fmt: skip
    session.raw({**row, "toolCalls": calls})
    session.say("done it")
    return session


def of_qwen() -> Qwen:
    session = Qwen()
    session.tree("user", provenance="real_user",
                 message={"role": "user", "parts": [{"text": "look at this"}, INLINE]})  # fmt: skip
    calls = [{"functionCall": {"id": f"call_{name}", "name": tool, "args": given}}
             for name, tool, given in (("a", "Bash", ONE), ("b", "Grep_it", TWO))]  # fmt: skip
    thought = {"text": "I should list first", "thought": True, "thoughtSignature": "c2ln"}
    session.answer(thought, *calls)
    session.result("call_a", "Bash", "a.py\n", display="shown")
    response = {"id": "call_b", "name": "Grep_it", "response": {"error": "it broke"}}
    session.tree("tool_result", provenance="tool_result",
                 message={"role": "user", "parts": [{"functionResponse": response}]},
                 toolCallResult={"callId": "call_b", "status": "error"})  # fmt: skip
    session.say("done it")
    return session


def of_opencode(kind: type[OpenCode] = OpenCode) -> OpenCode:
    session = kind()
    url = f"data:image/png;base64,{PICTURE}"
    image = {"type": "file", "mime": "image/png", "filename": "a.png", "url": url}
    session.user({"type": "text", "text": "look at this"}, image, tools={"bash": True})
    state = {"status": "error", "error": "it broke", "output": None}
    session.assistant(
        "tool-calls", {"type": "step-start", "snapshot": "ab"},
        {"type": "reasoning", "text": "I should list first",
         "metadata": {"anthropic": {"signature": "c2ln"}}},
        opencode_tool("call_a", "Bash", ONE, "a.py\n", metadata={"exit": 0}, attachments=[image]),
        opencode_tool("call_b", "Grep_it", TWO, **state),
        {"type": "step-finish", "reason": "tool-calls"},
    )  # fmt: skip
    return session.assistant("stop", {"type": "text", "text": "done it"})


def of_continue() -> Continue:
    url = {"type": "imageUrl", "imageUrl": {"url": f"data:image/png;base64,{PICTURE}"}}
    session = Continue().ask([{"type": "text", "text": "look at this"}, url])
    session.item({"role": "thinking", "content": "I should list first", "signature": "c2ln"})
    done, failed = continue_call("call_a", "Bash", ONE, "a.py\n"), ("call_b", "Grep_it", TWO)
    session.answer("", done, continue_call(*failed, "it broke", "errored"))
    return session.answer("done it")


def of_kilo() -> OpenCode:
    return of_opencode(Kilo)


def of_copilot() -> Events:
    session = Events()
    session.add("system.message", role="system", content="be good")
    asset = asset_of(Image("image/png", PICTURE))
    session.add("session.binary_asset", **asset)
    session.add("user.message", content="look at this", transformedContent="<now/>look at this",
                attachments=[{**reference(asset), "type": "file", "path": "/a.png"}])  # fmt: skip
    session.answer("", ("call_a", "Bash", ONE), ("call_b", "Grep_it", TWO),
                   reasoningText="I should list first", reasoningOpaque="c2ln")  # fmt: skip
    beside = {"detailedContent": "shown", "binaryResultsForLlm": [reference(asset)]}
    session.result("call_a", "a.py\n", extra=beside)
    error = {"message": "it broke", "code": "failure"}
    session.add("tool.execution_complete", toolCallId="call_b", success=False, error=error)
    session.add("assistant.turn_end", turnId="0")
    return session.answer("done it").add("assistant.turn_end", turnId="1")


MADE: dict[str, Callable[[], Any]] = {
    "claude-code": of_claude, "codex": of_codex, "pi": of_pi, "gemini": of_gemini, "qwen": of_qwen,
    "opencode": of_opencode, "kilo": of_kilo, "continue": of_continue, "copilot": of_copilot,
}  # fmt: skip


def place_of(agent: str, environment: Environment) -> Path:
    """Where a builder puts its session: below the home, or into the agent's database."""
    if agent not in ("opencode", "kilo"):
        return environment.home
    return environment.home / ".local" / "share" / agent / f"{agent}.db"


def read(agent: str, path: Path) -> tuple[Session, tuple[Message, ...]]:
    adapter = registry.get(agent)
    session = whole(adapter.read(the_source(adapter, path)))
    return session, adapter.messages(session)


def spoken(agent: str, path: Path) -> Speech:
    return speech(read(agent, path)[1])


def written_to(
    session: Session, messages: tuple[Message, ...], agent: str, environment: Environment
) -> Written:
    prepared = convert.prepare(session, messages)
    target = Target(environment.cwd, title="mine")
    return convert.compose(registry.get(agent), prepared, session, target, environment).written


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_every_pair_reads_back_the_same(source: str, target: str, environment: Environment) -> None:
    session, messages = read(source, MADE[source]().save(place_of(source, environment)))
    written = written_to(session, messages, target, environment)
    for path, data in written.files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    assert written.files[written.main].endswith(b"\n")
    assert not written.repairs
    said = spoken(target, written.main).said
    texts = [block for one in said for block in one.blocks if isinstance(block, str)]
    thought = "<thinking>\nI should list first\n</thinking>"
    if source == "gemini":
        thought = thought.replace("should ", "should\n")
    assert texts == ["look at this", thought, "done it"]
    assert [block.data for block in said[0].blocks if not isinstance(block, str)] == [PICTURE]
    [parallel] = [one.calls for one in said if one.calls]
    first, second = parallel
    assert (first.name, first.input, first.output, first.error) == ("Bash", ONE, "a.py\n", False)
    assert second.error
    assert second.output.endswith("it broke")
    if source == "codex":
        assert (second.name, second.arguments) == ("apply_patch", {"input": "*** Begin\n"})
    else:
        assert (second.name, second.input) == ("Grep_it", TWO)
    pictures = 1 if source in ("pi", "gemini", "opencode", "kilo", "copilot") else 0
    assert [len(call.images) for call in parallel] == [pictures, 0]


LOSSES = {
    "claude-code": {"signatures": 1, "permissions": 1, "usage": 3},
    "codex": {"sealed": 2, "system_prompts": 2, "screen": 3, "permissions": 1, "usage": 1},
    "pi": {"signatures": 1, "screen": 1, "usage": 2},
    "gemini": {"notes": 1, "screen": 2, "usage": 2},
    "qwen": {"signatures": 1, "screen": 1, "usage": 2},
    "opencode": {"permissions": 1, "screen": 1, "signatures": 1, "steps": 2, "usage": 2},
    "kilo": {"permissions": 1, "screen": 1, "signatures": 1, "steps": 2, "usage": 2},
    "continue": {"signatures": 1, "usage": 2},
    "copilot": {"sealed": 1, "system_prompts": 1, "screen": 1, "usage": 2},
}


@pytest.mark.parametrize("source", AGENTS)
def test_losses_are_counted_exactly(source: str, environment: Environment) -> None:
    session, messages = read(source, MADE[source]().save(place_of(source, environment)))
    assert convert.prepare(session, messages).lost == LOSSES[source]


def test_losses_beside_the_conversation(environment: Environment) -> None:
    session = Claude()
    session.row(type="permission-mode", permissionMode="bypassPermissions")
    root = session.prompt("one")
    session.say("answer one")
    session.prompt("two, left behind")
    session.say("answer two")
    session.prompt("two again", root)
    session.tree("user", isMeta=True, message={"role": "user", "content": "by the program"})
    todo = session.call("TodoWrite", {"todos": [{"content": "a", "status": "pending"}]})
    session.result(todo, "noted")
    stored, messages = read("claude-code", session.save(environment.home))
    lost = convert.prepare(stored, messages).lost
    assert lost == {"permissions": 4, "rewound": 1, "notes": 1, "tasks": 1, "usage": 1}
    sentences = convert.prepare(stored, messages).losses
    assert "1 abandoned branch" in sentences
    assert "4 records with permissions or modes" in sentences


def test_a_summary_goes_along_as_text(environment: Environment) -> None:
    session = Claude()
    session.turn("long ago", "an old answer")
    session.compact("what was said before")
    session.turn("now", "a new answer")
    stored, messages = read("claude-code", session.save(environment.home))
    prepared = convert.prepare(stored, messages)
    assert prepared.lost["before_compaction"] == 2
    for agent in AGENTS[1:]:
        written = written_to(stored, messages, agent, environment)
        text = written.files[written.main].decode()
        assert "what was said before" in text
        assert "long ago" not in text


def test_what_opencode_kept_beside_its_summary_goes_along(environment: Environment) -> None:
    session = OpenCode().turn(1).turn(2)
    kept = session.messages[3]["info"]["id"]
    session.user({"type": "compaction", "auto": True, "tail_start_id": kept})
    session.assistant("stop", {"type": "text", "text": "in short"}, summary=True)
    session.user({"type": "text", "text": "Continue", "synthetic": True})
    session.assistant("stop", {"type": "text", "text": "going on"}).turn(3)
    stored, messages = read("opencode", session.save(place_of("opencode", environment)))
    prepared = convert.prepare(stored, messages)
    assert (prepared.lost["before_compaction"], prepared.lost["notes"]) == (3, 1)
    said = speech(prepared.messages).said
    texts = [block for one in said for block in one.blocks if isinstance(block, str)]
    assert texts == ["in short", "question 2", "answer to question 2", "going on", "question 3",
                     "answer to question 3"]  # fmt: skip
    for agent in AGENTS[:-1]:
        written_to(stored, messages, agent, environment)


def test_a_call_without_result_is_repaired(environment: Environment) -> None:
    session = Claude()
    session.prompt("do it")
    session.call("Bash", {"command": "sleep"})
    stored, messages = read("claude-code", session.save(environment.home))
    for agent in AGENTS[1:]:
        written = written_to(stored, messages, agent, environment)
        assert written.repairs == ("1 tool call without result marked as interrupted",)
        assert b"interrupted" in written.files[written.main]


@pytest.mark.parametrize("agent", AGENTS)
def test_more_screenshots_than_a_request_takes(agent: str, environment: Environment) -> None:
    """The newest go along; what stands for the others is said in the report and in their place."""
    session = Claude()
    session.prompt("look at all of them")
    source = {"type": "base64", "media_type": "image/png", "data": PICTURE.ljust(1 << 20, "A")}
    for _ in range(42):
        shot = session.call("Screenshot", {})
        session.result(shot, [{"type": "image", "source": source}])
    session.say("seen")
    stored, messages = read("claude-code", session.save(environment.home))
    written = written_to(stored, messages, agent, environment)
    [told] = written.repairs
    assert told.startswith("22 images of 42 over the limits of a request replaced by a note")
    data = written.files[written.main]
    assert data.count(source["data"].encode()) == 20
    assert data.count(b"left out here for its size") == 22


def test_odd_texts_come_back(environment: Environment) -> None:
    """Half surrogates, nothing but spaces, what looks like an agent's own envelope, odd ids."""
    texts = (
        "half \ud83d moji",
        "  \n ",
        '{"output":"x"}',
        "/slash",
        "<state_snapshot> no",
        "? really",
        "<hook_context>said</hook_context>\n\nasked",
    )
    parts = [Part("text", text) for text in texts]
    calls = [Part("tool_call", name="t", call_id="same", input=given) for given in ([1], None)]
    results = [Part("tool_result", '{"output":"x"}', call_id="same"),
               Part("tool_result", "", call_id="same", error=True)]  # fmt: skip
    messages = (
        *(Message("user", (part,)) for part in parts),
        Message("assistant", (*calls, *results)),
        Message("assistant", (Part("image", name="x.png"), Part("opaque", name="new"))),
    )
    session, _ = read("claude-code", of_claude().save(environment.home))
    for agent in AGENTS:
        prepared = convert.prepare(session, messages)
        assert (prepared.lost["images"], prepared.lost["unknown"]) == (1, 1)
        target = Target(environment.cwd)
        convert.compose(registry.get(agent), prepared, session, target, environment)


# Through the store


def go_on(agent: str, done: Checkout) -> None:
    """The target adds one turn to what was written."""
    path = Path(done.path)
    made: Any
    if agent == "copilot":
        made = Events(done.native_id, done.cwd)
        made.rows.clear()
        made.says("go on", "went on")
        with path.open("ab") as stream:
            stream.write(made.data)
        return
    if agent == "claude-code":
        goes_on(done.path, done.native_id, done.cwd).turn("go on", "went on", tool="tool says")
        return
    made = {"codex": Codex, "pi": Pi, "gemini": Gemini, "qwen": Qwen}[agent](
        done.native_id, done.cwd
    )
    rows = made.lines if agent == "codex" else made.rows
    begun = len(rows)
    if agent in ("pi", "qwen"):
        last = json.loads(path.read_bytes().splitlines()[-1])
        made.tip = last["id" if agent == "pi" else "uuid"]
    made.turn("go on", "went on")
    with path.open("ab") as stream:
        stream.write(b"".join(rows[begun:]))


def raw(repository: Repository, revision: str, stream: str) -> bytes:
    tree = repository._store.tree(repository.version(revision).tree)
    head = snapshot.decode_head(tree)
    return b"".join(record.data for record in snapshot.records(tree, head, stream))


@pytest.mark.parametrize(("source", "target"), IN_FILES)
def test_the_next_save_goes_on_from_the_version(
    source: str, target: str, repository: Repository, environment: Environment
) -> None:
    made = MADE[source]()
    made.cwd = environment.cwd
    path = made.save(place_of(source, environment))
    [saved] = repository.import_files([path]).sessions
    base = saved.versions[-1]
    done = repository.checkout(base.id, to=target)
    assert (done.agent, done.version.id) == (target, base.id)
    assert done.lost == LOSSES[source]
    assert len(done.losses) == len(done.lost)
    written = Path(done.path).read_bytes()
    assert repository.save([done.native_id]).sessions[0].outcome == "nothing"

    go_on(target, done)
    [again] = repository.save([done.native_id]).sessions
    assert [version.parents for version in again.versions] == [(base.id,)]
    tip = repository.version(done.branch)
    assert int(tip.trailers["Version"]) == int(base.trailers["Version"]) + 1
    assert tip.trailers["Session"] == base.trailers["Session"]
    now = Path(done.path).read_bytes()
    assert now.startswith(written)
    kept = raw(repository, tip.id, "main")
    assert now.startswith(kept)
    assert b'"type"' not in now[len(kept) :]  # rows of metadata wait for the next turn
    assert raw(repository, tip.id, "base/main") == raw(repository, base.id, "main")
    messages = repository.session(tip.id).messages
    assert [m.text for m in messages if m.role == "user"][-1] == "go on"
    assert repository.save([done.native_id]).sessions[0].outcome == "nothing"

    go_on(target, done)
    repository._store.records.remove("state", done.branch)  # the hint is only a hint
    [third] = repository.save([done.native_id]).sessions
    assert [version.parents for version in third.versions] == [(tip.id,)]
    kept = raw(repository, done.branch, "main")
    assert Path(done.path).read_bytes().startswith(kept)
    assert kept.count(b"go on") == now.count(b"go on") * 2


def test_there_and_back_again(repository: Repository, live: LiveSession) -> None:
    live.turn("first", "one", tool="a.py").turn("second", "two")
    repository.save()
    there = repository.checkout("HEAD~1", to="codex")
    go_on("codex", there)
    repository.save([there.native_id])
    back = repository.checkout(there.branch, to="claude-code")
    go_on("claude-code", back)
    [saved] = repository.save([back.native_id]).sessions
    assert saved.versions[0].parents == (repository.version(there.branch).id,)
    texts = [m.text for m in repository.session(back.branch).messages if m.role == "user"]
    assert texts == ["first", "go on", "go on"]
    names = [stream.name for stream in repository.session(back.branch).streams]
    assert sorted(names) == ["base/base/main", "base/main", "main"]
    assert raw(repository, back.branch, "base/base/main") == raw(
        repository, f"{back.branch}~2", "main"
    )
    plain = repository.checkout(f"{back.branch}~1")  # in its own agent again
    assert plain.agent == "codex"
    assert not plain.lost


def test_subagents_of_the_parent_stay_by_reference(
    repository: Repository, live: LiveSession
) -> None:
    """Their lifted constants lean on those of `main`, which is another stream afterwards."""
    live.turn("first", "one")
    side = LiveSession(live.path.with_suffix("") / "subagents" / "agent-a1.jsonl",
                       live.native_id, live.cwd)  # fmt: skip
    side.path.parent.mkdir(parents=True)
    side.row("user", {"role": "user", "content": "look"}, isSidechain=True, agentId="a1")
    repository.save()
    base = repository.version("HEAD")
    assert raw(repository, base.id, "subagents/a1") == side.path.read_bytes()
    there = repository.checkout("HEAD", to="codex")
    assert there.lost["subagents"] == 1
    go_on("codex", there)
    repository.save([there.native_id])
    assert raw(repository, there.branch, "base/subagents/a1") == side.path.read_bytes()
    assert raw(repository, there.branch, "base/main") == live.path.read_bytes()
    trees = [repository._store.tree(repository.version(v).tree) for v in (base.id, there.branch)]
    old, new = (
        {path: tree[path] for path in tree if path.startswith("streams/")} for tree in trees
    )
    moved = {path.replace("streams/", "streams/base/", 1): data for path, data in old.items()}
    assert moved.items() <= new.items()


def test_a_message_of_a_converted_line_can_be_checked_out(
    repository: Repository, live: LiveSession
) -> None:
    live.turn("first", "one").turn("second", "two")
    repository.save()
    base = repository.version("HEAD")
    there = repository.checkout("HEAD", to="pi")
    go_on("pi", there)
    repository.save([there.native_id])
    done = repository.checkout(f"{there.branch}:2")
    assert done.agent == "pi"
    assert done.version.parents == (base.id,)
    assert [m.text for m in repository.session(done.version.id).messages] == ["first", "one"]


def test_what_is_unsaved_is_the_new_turn_alone(repository: Repository, live: LiveSession) -> None:
    live.turn("first", "one")
    repository.save()
    there = repository.checkout("HEAD", to="codex")
    go_on("codex", there)
    changed, what = repository.diff()
    assert what == "what is not saved yet"
    assert "go on" in str(changed)
    [native] = [n for n in repository.status().natives if n.native_id == there.native_id]
    assert native.source == "live"
    # A hook inside the turn: kept in wip, on the version that was checked out, every time anew.
    open_turn = Codex(there.native_id, there.cwd)
    open_turn.starts().says("user", "not answered yet")
    with Path(there.path).open("ab") as stream:
        stream.write(b"".join(open_turn.lines[1:]))
    for _ in range(2):
        repository.save([there.native_id], auto=True)
    assert len(repository.log(there.branch)) == 2


def test_only_an_open_turn_was_added(repository: Repository, live: LiveSession) -> None:
    live.turn("first", "one")
    repository.save()
    base = repository.version("HEAD").id
    there = repository.checkout("HEAD", to="codex")
    more = Codex(there.native_id, there.cwd)
    more.starts().says("user", "asked")
    with Path(there.path).open("ab") as stream:
        stream.write(b"".join(more.lines[1:]))
    for outcome in ("wip", "nothing"):
        [saved] = repository.save([there.native_id], auto=True).sessions
        assert saved.outcome == outcome
    assert repository.version(there.branch).id == base
    with Path(there.path).open("ab") as stream:
        begun = len(more.lines)
        more.says("assistant", "answered").ends()
        stream.write(b"".join(more.lines[begun:]))
    [saved] = repository.save([there.native_id], auto=True).sessions
    assert saved.versions[0].parents == (base,)
    assert raw(repository, there.branch, "main") == Path(there.path).read_bytes()


def test_an_unused_conversion_is_reused_and_cleaned(
    repository: Repository, live: LiveSession
) -> None:
    live.turn("first", "one")
    repository.save()
    there = repository.checkout("HEAD", to="gemini")
    again = repository.checkout(there.branch, to="gemini")
    assert again.reused
    assert again.native_id == there.native_id
    assert again.lost == there.lost
    repository.clean_checkout(there.branch)
    assert not Path(there.path).exists()


def test_nothing_is_left_behind_when_it_does_not_read_back(
    repository: Repository, live: LiveSession, environment: Environment,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    live.turn("first", "one")
    repository.save()
    before = repository._store.refs("refs/")
    agent = registry.get("pi")
    compose = type(agent).compose  # type: ignore[attr-defined]

    def broken(self: Any, *given: Any) -> Written:
        made: Written = compose(self, *given)
        data = made.files[made.main].replace(b'"one"', b'"two"')
        return made._replace(files={made.main: data})

    monkeypatch.setattr(type(agent), "compose", broken)
    with pytest.raises(SourceUnreadable, match="nothing was written"):
        repository.checkout("HEAD", to="pi")
    assert repository._store.refs("refs/") == before
    assert not (environment.home / ".pi").exists()


def test_what_cannot_be(repository: Repository, live: LiveSession) -> None:
    live.turn("first", "one")
    repository.save()
    with pytest.raises(NotFound):
        repository.checkout("HEAD", to="nobody")
    with pytest.raises(UsageError):
        repository.checkout("HEAD", to="generic")
    with pytest.raises(UsageError):
        repository.checkout("HEAD", to="codex", reveal=True)


def test_a_budget_for_another_agent(repository: Repository, live: LiveSession) -> None:
    for number in range(12):
        live.turn(f"question {number} " + "word " * 400, f"answer {number} " + "word " * 400)
    repository.save()
    done = repository.checkout("HEAD", to="codex", budget=4000)
    text = Path(done.path).read_text()
    assert "question 11" in text
    assert len(text) < Path(live.path).stat().st_size / 2
    pi = repository.checkout("HEAD", to="pi")
    go_on("pi", pi)
    repository.save([pi.native_id])
    own = repository.checkout(pi.branch, budget=4000)  # pi has no other way to get one
    assert own.agent == "pi"
    assert "go on" in Path(own.path).read_text()


def test_flat_is_what_is_compared() -> None:
    message = Message("assistant", (Part("text", "a"), Part("tool_call", name="t", call_id="c")))
    kinds = [piece[0] for piece in flat(speech((message,)).said)]
    assert kinds == ["block", "call", "result"]
