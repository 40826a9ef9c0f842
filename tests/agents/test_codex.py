"""Codex: the contract, turns and facts, forks, compressed files, damage, and the real samples."""

from __future__ import annotations

import json
import os
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitsession.agents.base import native_bytes, native_length
from gitsession.agents.codex import AGENT
from gitsession.environment import Environment
from gitsession.errors import SourceUnreadable
from gitsession.model.session import Session, Todo
from tests.agents.contract import (
    Case,
    Contract,
    finished,
    head,
    joined,
    read_in_steps,
    the_source,
    whole,
)
from tests.codex_builder import CODEX_ID, PARENT_ID, Codex, codex_session


def _put(environment: Environment, data: bytes) -> Path:
    path = Codex().save(environment.home)
    path.write_bytes(data)
    return path


class TestContract(Contract):
    case = Case(
        agent=AGENT,
        grow=codex_session,
        put=_put,
        unknown=b'{"timestamp":"2026-11-29T19:59:59.000Z","type":"new","payload":{"a":[1]}}\n',
        native_id=CODEX_ID,
    )


@pytest.fixture
def rollout(tmp_path: Path) -> Path:
    return tmp_path / f"rollout-2026-11-29T19-12-39-{CODEX_ID}.jsonl"


def read(path: Path, data: bytes = b"", since: Session | None = None) -> list[Session]:
    if data:
        path.write_bytes(data)
    return list(AGENT.read(the_source(AGENT, path), since))


def kinds(sessions: list[Session]) -> list[str]:
    return [session.turn.kind for session in sessions if session.turn]


def prompts(sessions: list[Session]) -> list[str]:
    return [session.turn.prompt for session in sessions if session.turn]


# Turns.


def test_an_aborted_turn_is_interrupted(rollout: Path) -> None:
    session = Codex().starts().says("user", "first").event("turn_aborted", reason="interrupted")
    session.turn("second", "done")
    assert kinds(read(rollout, session.data)) == ["interrupted", "turn"]


def test_a_task_without_an_end_is_closed_by_the_next_one(rollout: Path) -> None:
    session = Codex().starts().says("user", "first").says("assistant", "half")
    session.turn("second", "done")
    sessions = read(rollout, session.data)
    assert kinds(sessions) == ["interrupted", "turn"]
    assert prompts(sessions) == ["first", "second"]


def test_what_the_user_adds_while_codex_works_stays_in_the_turn(rollout: Path) -> None:
    session = Codex().starts().says("user", "first").runs("ls", "").says("user", "and this")
    session.says("assistant", "both done").ends()
    sessions = read(rollout, session.data)
    assert (kinds(sessions), prompts(sessions)) == (["turn"], ["first"])


def test_older_forms_end_right_before_the_next_prompt(rollout: Path) -> None:
    session = Codex()
    for number in (1, 2, 3):
        session.says("user", f"question {number}").event("user_message", message="x")
        session.runs("ls", "a.py\n").says("assistant", "answer")
    session.says("user", "unanswered").runs("ls", "").says("user", "question 5")
    sessions = read(rollout, session.data)
    assert kinds(sessions) == ["turn", "turn", "turn", "interrupted", "open"]
    assert prompts(sessions)[-2:] == ["unanswered", "question 5"]


def test_what_follows_the_end_opens_the_next_turn(rollout: Path) -> None:
    session = Codex().turn("first", "done").event("thread_settings_applied")
    sessions = read(rollout, session.data)
    assert kinds(sessions) == ["turn", "open"]
    assert sessions[-1].turn is not None
    assert sessions[-1].turn.messages == 0


def test_a_compaction_makes_the_turn_one(rollout: Path) -> None:
    session = Codex().turn("first", "done").starts()
    session.add("compacted", message="what happened", replacement_history=[])
    session.says("user", "second").says("assistant", "done").ends()
    sessions = read(rollout, session.data)
    assert kinds(sessions) == ["turn", "compaction"]
    assert sessions[-1].counts.compactions == 1
    assert [marker["kind"] for marker in sessions[-1].state.markers] == ["compaction"]
    parts = [part for message in AGENT.messages(whole(sessions)) for part in message.parts]
    assert [part.text for part in parts if part.kind == "compaction"] == ["what happened"]


def test_a_rollback_leaves_the_active_path_and_marks_the_turn(rollout: Path) -> None:
    session = Codex().turn("first", "one").turn("second", "two")
    session.event("thread_rolled_back", num_turns=1).turn("third", "three")
    sessions = read(rollout, session.data)
    assert [s.turn.rewound for s in sessions if s.turn] == [False, False, True]
    texts = [message.text for message in AGENT.messages(whole(sessions))]
    assert "second" not in texts
    assert "two" not in texts
    assert [t for t in texts if t] == ["first", "one", "third", "three"]


# Facts.


def test_usage_is_the_last_running_total(rollout: Path) -> None:
    session = Codex().turn("first", "one").turn("second", "two")
    usage = read(rollout, session.data)[-1].usage
    assert (usage.input, usage.cache_read, usage.output) == (1000, 1000, 10)


def test_usage_goes_on_where_counting_began_anew(rollout: Path) -> None:
    session = Codex().turn("first", "one").turn("second", "two")
    session._spent = 0
    session.turn("third", "three")
    sessions = read(rollout, session.data)
    assert [s.usage.total for s in sessions] == [1010, 2010, 3020]


def test_plan_command_and_active_file_are_state(rollout: Path) -> None:
    session = Codex().starts().says("user", "go")
    plan = [{"step": "look", "status": "completed"}, {"step": "fix", "status": "in_progress"}]
    session.call("update_plan", {"plan": plan}, "Plan updated")
    session.runs("make test", "2 failed\n", code=2)
    session.patches("*** Begin Patch\n*** Add File: new.py\n+x = 1\n*** End Patch").ends()
    state = read(rollout, session.data)[-1].state
    assert state.todos == (Todo("look", "completed"), Todo("fix", "in_progress"))
    assert (state.last_command, state.exit_code) == ("make test", 2)
    assert (state.output_snippet, state.active_file) == ("2 failed\n", "new.py")


def test_injected_texts_are_notes_and_instructions(rollout: Path) -> None:
    session = Codex().starts()
    session.says(
        "user", "# AGENTS.md instructions for /p\n\n<INSTRUCTIONS>\nbe kind\n</INSTRUCTIONS>"
    )
    session.says("user", "<environment_context>\n  <cwd>/p</cwd>\n</environment_context>")
    session.says("developer", "<permissions instructions>").says("user", "hello").ends()
    sessions = read(rollout, session.data)
    assert prompts(sessions) == ["hello"]
    assert [m.role for m in AGENT.messages(whole(sessions))] == ["note", "note", "system", "user"]
    assert [(f.path, f.content) for f in sessions[0].instructions] == [("AGENTS.md", b"be kind\n")]


def test_several_headers_count_only_when_foreign(rollout: Path) -> None:
    session = Codex(forked_from_id=PARENT_ID)
    session.add("session_meta", id=PARENT_ID, cwd="/other").turn("a", "b")
    session.add("session_meta", id=CODEX_ID, cwd="/third")
    session.add("session_meta", id="01a228b0-0000-7000-8000-00000000ffff", cwd="/fourth")
    last = read(rollout, session.data)[-1]
    assert last.counts.foreign == 1
    assert (last.info.cwd, last.info.parent) == ("/project", PARENT_ID)


def test_reasoning_keeps_what_the_provider_sealed(rollout: Path) -> None:
    session = Codex().starts().says("user", "think")
    summary = [{"type": "summary_text", "text": "hmm"}]
    session.item("reasoning", summary=summary, encrypted_content="gAAAA").ends()
    message = AGENT.messages(whole(read(rollout, session.data)))[-1]
    assert (message.parts[0].kind, message.parts[0].text) == ("reasoning", "hmm")
    native: Any = message.parts[0].native
    assert native["encrypted_content"] == "gAAAA"


def test_unknown_items_are_opaque_and_whole(rollout: Path) -> None:
    session = Codex().starts().says("user", "x").item("novelty", deep={"a": [1, 2]}).ends()
    parts = [p for m in AGENT.messages(whole(read(rollout, session.data))) for p in m.parts]
    assert parts[-1].kind == "opaque"
    assert parts[-1].native == {"type": "novelty", "deep": {"a": [1, 2]}}


# Files.

_ADD = "*** Begin Patch\n*** Add File: src/a.py\n+one\n+two\n+three\n*** End Patch"
_UPDATE = "*** Begin Patch\n*** Update File: src/a.py\n@@\n one\n-two\n+TWO\n three\n*** End Patch"
_MOVE = (
    "*** Begin Patch\n*** Update File: src/a.py\n*** Move to: src/b.py\n@@\n-one\n+ONE\n"
    "*** Delete File: old.py\n*** End Patch"
)


def _edited() -> Codex:
    session = Codex().starts().says("user", "add").patches(_ADD).ends()
    session.starts().says("user", "change").patches(_UPDATE).ends()
    session.starts().says("user", "fail").patches(_UPDATE, applied=False).ends()
    return session.starts().says("user", "move").patches(_MOVE).ends()


def _files(session: Session) -> dict[str, tuple[bytes | None, str]]:
    return {file.path: (file.content, file.reason) for file in session.files}


def test_patches_rebuild_the_files(rollout: Path) -> None:
    sessions = read(rollout, _edited().data)
    assert _files(sessions[0]) == {"src/a.py": (b"one\ntwo\nthree\n", "")}
    assert _files(sessions[1]) == {"src/a.py": (b"one\nTWO\nthree\n", "")}
    assert _files(sessions[2]) == {}
    assert _files(sessions[3]) == {
        "src/a.py": (None, "deleted"),
        "src/b.py": (b"ONE\nTWO\nthree\n", ""),
        "old.py": (None, "deleted"),
    }


_TWICE = (
    "*** Begin Patch\n*** Update File: src/b.py\n@@\n-ONE\n+1\n*** Update File: src/b.py\n@@\n"
    "-three\n+3\n*** End Patch"
)


def test_files_are_the_same_in_steps(rollout: Path) -> None:
    session = _edited().starts().says("user", "twice").patches(_TWICE).ends()
    once_more = "*** Begin Patch\n*** Update File: /project/src/b.py\n@@\n-TWO\n+2\n*** End Patch"
    data = session.starts().says("user", "once more").patches(once_more).ends().data
    ends = [at + 1 for at, byte in enumerate(data) if byte == 10]
    once = finished(read(rollout, data))
    assert _files(once[-1]) == {"src/b.py": (b"1\n2\n3\n", "")}
    assert read_in_steps(AGENT, rollout, data, ends) == once


_HEADS = (
    "Wall time: 0.0 seconds\nProcess exited with code 0\nOutput:\n",
    "Exit code: 0\nWall time: 0 seconds\nOutput:\n",
    "Command: sh -c 'cat\n a'\nChunk ID: 1\nWall time: 0 s\nProcess exited with code 0\nOutput:\n",
)


@pytest.mark.parametrize("head", _HEADS)
def test_what_codex_puts_before_an_output_is_not_the_file(rollout: Path, head: str) -> None:
    session = Codex().starts().says("user", "look")
    session.call("exec_command", {"cmd": "cat a.py"}, head + "Output:\nx\n").ends()
    assert _files(read(rollout, session.data)[0]) == {"a.py": (b"Output:\nx\n", "")}


@pytest.mark.parametrize(
    ("command", "output", "content"),
    [
        ("cat 'my file.py'", "x\n", b"x\n"),
        ("sed -n '1,220p' 'my file.py'", "x\ny\n", b"x\ny\n"),
        ("sed -n '1,2p' 'my file.py'", "x\ny\n", None),
        ("cat 'my file.py' | head -3", "x\n", None),
        ("cat 'my file.py' && ls", "x\n", None),
        ("cat 'my file.py'", "x\n…120 tokens truncated…\ny\n", None),
    ],
)
def test_only_a_certain_full_read_gives_content(
    rollout: Path, command: str, output: str, content: bytes | None
) -> None:
    session = Codex().starts().says("user", "look").runs(command, output).ends()
    files = _files(read(rollout, session.data)[0])
    assert files.get("my file.py", (None, ""))[0] == content


def test_a_patch_on_unknown_content_is_not_invented(rollout: Path) -> None:
    session = Codex().starts().says("user", "change").patches(_UPDATE).ends()
    assert _files(read(rollout, session.data)[0]) == {"src/a.py": (None, "not reconstructable")}


def test_files_outside_the_project_are_absolute(rollout: Path) -> None:
    patch = "*** Begin Patch\n*** Add File: ../up.txt\n+x\n*** End Patch"
    session = Codex().starts().says("user", "out").patches(patch).ends()
    assert list(_files(read(rollout, session.data)[0])) == ["/up.txt"]


def test_remembered_positions_stay_few(rollout: Path) -> None:
    session = Codex()
    for number in range(60):
        session.starts().says("user", f"{number}")
        for _ in range(10):
            patch = f"*** Begin Patch\n*** Add File: f{number}.txt\n+{number}\n*** End Patch"
            session.patches(patch).ends()
    last = read(rollout, session.data)[-1]
    assert len(json.dumps(dict(last.carry))) < 8192


# Forks by reference.


def _parent() -> Codex:
    return Codex(PARENT_ID).turn("question 1", "one").turn("question 2", "two")


def _fork(parent: bytes, base: str = PARENT_ID, native_id: str = CODEX_ID) -> Codex:
    reference = {"thread_id": base, "end_ordinal_exclusive": 9, "end_byte_offset": len(parent)}
    return Codex(native_id, history_base=reference).turn("question 3", "three")


def test_a_fork_reads_its_parents_history_first(environment: Environment) -> None:
    parent, child = _parent(), _fork(_parent().data)
    parent.save(environment.home)
    path = child.save(environment.home)
    sessions = read(path)
    assert joined(sessions) == parent.data + child.data
    assert prompts(sessions) == ["question 1", "question 2", "question 3"]
    last = sessions[-1]
    assert last.info.native_id == CODEX_ID
    assert last.info.parent == PARENT_ID
    assert last.counts.foreign == 0
    assert last.carry["base"] == {"bytes": len(parent.data), "records": len(parent.lines)}
    source = the_source(AGENT, path)
    everything = parent.data + child.data
    assert (
        AGENT.bytes_at(source, len(parent.data) - 10, 30)
        == (everything[len(parent.data) - 10 : len(parent.data) + 20])
    )


def test_a_fork_grows_in_steps_while_its_parent_grows_too(environment: Environment) -> None:
    parent, child = _parent(), _fork(_parent().data)
    parent_path = parent.save(environment.home)
    path = child.save(environment.home)
    since = head(read(path)[-1])
    parent_path.write_bytes(parent.turn("not for the child", "no").data)
    before = len(child.data)
    child.turn("question 4", "four").save(environment.home)
    [new] = read(path, since=since)
    assert joined([new]) == child.data[before:]
    parent_path.unlink()
    assert [joined([s]) for s in read(path, since=since)] == [child.data[before:]]


def test_a_fork_of_a_fork_is_followed_to_the_end(environment: Environment) -> None:
    grandparent = _parent()
    middle_id = "01a228b0-0000-7000-8000-000000000002"
    middle = _fork(grandparent.data, native_id=middle_id)
    child = _fork(middle.data, base=middle_id)
    for session in (grandparent, middle, child):
        path = session.save(environment.home)
    assert joined(read(path)) == grandparent.data + middle.data + child.data


@pytest.mark.parametrize("what", ["missing", "shortened", "its own parent"])
def test_a_fork_without_its_parent_is_kept_alone(environment: Environment, what: str) -> None:
    parent = _parent()
    child = _fork(parent.data, base=CODEX_ID if what == "its own parent" else PARENT_ID)
    if what == "shortened":
        parent.save(environment.home).write_bytes(parent.data[:-100])
    sessions = read(child.save(environment.home))
    assert joined(sessions) == child.data
    assert sessions[-1].carry["missing"] in (PARENT_ID, CODEX_ID)


# Finding.


def test_names_given_in_codex_are_titles(environment: Environment) -> None:
    path = Codex().turn("question", "answer").save(environment.home)
    index = environment.home / ".codex" / "session_index.jsonl"
    rows = [{"id": CODEX_ID, "thread_name": name} for name in ("old name", "new name")]
    index.write_text("".join(json.dumps(row) + "\n" for row in rows) + "garbage\n")
    [source] = AGENT.find(environment)
    assert source.title == "new name"
    assert read(path)[-1].info.title == "new name"


def test_codex_home_archived_and_linked_folders_are_found(tmp_path: Path) -> None:
    project = tmp_path / "real"
    project.mkdir()
    (tmp_path / "link").symlink_to(project)
    home = tmp_path / "elsewhere"
    (home / "archived_sessions").mkdir(parents=True)
    path = home / "archived_sessions" / f"rollout-2026-11-29T19-12-39-{CODEX_ID}.jsonl"
    path.write_bytes(Codex(cwd=str(project)).data)
    environment = Environment({"CODEX_HOME": str(home)}, tmp_path, str(tmp_path))
    for cwd in (project, tmp_path / "link"):
        assert [s.path for s in AGENT.find(environment, cwd=str(cwd))] == [path]


def test_the_id_in_the_header_counts_more_than_the_file_name(environment: Environment) -> None:
    path = Codex().save(environment.home)
    other = path.with_name(f"rollout-2026-11-29T19-12-39-{PARENT_ID}.jsonl")
    path.rename(other)
    assert [s.path for s in AGENT.find(environment, native_id=CODEX_ID)] == [other]


def test_threads_that_codex_started_come_last_in_a_folder(environment: Environment) -> None:
    spawned = {"subagent": {"thread_spawn": {"parent_thread_id": CODEX_ID, "depth": 1}}}
    mine = Codex().turn("question", "answer").save(environment.home)
    part = Codex(PARENT_ID)
    part.lines[0] = part.lines[0].replace(b'"exec"', json.dumps(spawned).encode())
    path = part.turn("look at this", "looked").save(environment.home)
    os.utime(mine, ns=(1, 1))
    assert [s.path for s in AGENT.find(environment, cwd="/project")] == [mine, path]
    assert [s.path for s in AGENT.find(environment)] == [path, mine]
    assert read(path)[-1].info.parent == CODEX_ID


# Compressed files.


def _compressed(data: bytes) -> bytes:
    import zstandard

    half = data.index(b"\n", len(data) // 2) + 1
    compressor = zstandard.ZstdCompressor()
    return compressor.compress(data[:half]) + compressor.compress(data[half:])


def test_a_compressed_rollout_reads_like_a_plain_one(environment: Environment) -> None:
    data = codex_session(3)
    plain = _put(environment, data)
    expected = read(plain)
    squeezed = plain.with_name(plain.name + ".zst")
    squeezed.write_bytes(_compressed(data))
    assert [s.path for s in AGENT.find(environment)] == [plain]
    plain.unlink()
    assert [s.path for s in AGENT.find(environment)] == [squeezed]
    assert read(squeezed) == expected
    assert read(squeezed, since=head(expected[0])) == expected[1:]
    source = the_source(AGENT, squeezed)
    assert native_bytes(AGENT, source, 100, 200) == data[100:300]
    assert native_length(AGENT, source) == len(data)


def test_a_cut_compressed_rollout_gives_what_it_holds(environment: Environment) -> None:
    data = codex_session(3)
    plain = _put(environment, data)
    squeezed = plain.with_name(plain.name + ".zst")
    squeezed.write_bytes(_compressed(data)[:-40])
    plain.unlink()
    sessions = read(squeezed)
    assert data.startswith(joined(sessions))
    assert finished(sessions)


# Damage.


def test_A4_damaged_middle_loses_no_good_record(rollout: Path) -> None:
    lines = Codex().turn("first", "one").turn("second\u2028line", "two").lines
    glued = lines[4].rstrip(b"\n") + lines[5]
    torn = lines[6][: len(lines[6]) // 2] + lines[7]
    data = b"".join(
        (
            b"\xef\xbb\xbf",
            lines[0],
            b"\0" * 300 + b"\n",
            *lines[1:4],
            glued,
            torn,
            b"\n",
            lines[8].replace(b"\n", b"\r\n"),
            *lines[9:],
            b"null\n[1,2]\n",
        )
    )
    sessions = read(rollout, data)
    assert joined(sessions) == data
    assert sessions[-1].info.native_id == CODEX_ID
    assert sessions[-1].counts.damaged == 4
    texts = [m.text for m in AGENT.messages(whole(sessions))]
    assert "first" in texts
    assert "second\u2028line" in texts
    assert "two" in texts


def test_A3_torn_tail_is_replaced_by_the_whole_line(rollout: Path) -> None:
    data = codex_session(2)
    cut = data.rindex(b'"task_complete"')
    torn = read(rollout, data[:cut])
    assert kinds(torn) == ["turn", "open"]
    rest = read(rollout, data, head(torn[0]))
    assert kinds(rest) == ["turn"]
    assert joined(torn[:1]) + joined(rest) == data


def test_A5_half_surrogates_and_odd_numbers_stay(rollout: Path) -> None:
    session = Codex().starts()
    line = '{"timestamp":"2026-11-29T19:13:00.000Z","type":"response_item","payload":{"type":'
    line += '"message","role":"user","content":[{"type":"input_text","text":"half \\ud83d"}],'
    session.raw(line + '"n":1.10,"n":1e400,"path":"a\\/b"}}').ends()
    sessions = read(rollout, session.data)
    assert joined(sessions) == session.data
    [message] = AGENT.messages(whole(sessions))
    assert message.text == "half \ufffd"


@pytest.mark.parametrize(
    "data",
    [b"", b"\n", b"hello\n", b"[1]\n", b'{"tag":"SessionStart","ts":1}\n', bytes(range(256))],
)
def test_what_is_no_rollout_is_refused(rollout: Path, data: bytes) -> None:
    rollout.write_bytes(data)
    assert AGENT.recognise(rollout) is None
    source = the_source(AGENT, _other(rollout))
    with pytest.raises(SourceUnreadable) as caught:
        list(AGENT.read(source._replace(file=str(rollout), size=len(data))))
    assert caught.value.hint


def _other(rollout: Path) -> Path:
    path = rollout.with_name("rollout-other.jsonl")
    path.write_bytes(codex_session(1))
    return path


@given(
    noise=st.lists(st.binary(max_size=60), min_size=1, max_size=5),
    places=st.randoms(),
    cut=st.floats(0, 1),
)
def test_any_noise_is_kept_and_never_fails(
    tmp_path_factory: pytest.TempPathFactory, noise: list[bytes], places: Any, cut: float
) -> None:
    lines = codex_session(3).splitlines(keepends=True)
    for piece in noise:
        lines.insert(places.randrange(1, len(lines) + 1), piece + b"\n")
    data = b"".join(lines)
    path = tmp_path_factory.mktemp("noise") / f"rollout-x-{CODEX_ID}.jsonl"
    once = read(path, data)
    assert joined(once) == data
    AGENT.messages(whole(once))
    ends = [max(1, int(len(data) * cut))]
    assert read_in_steps(AGENT, path, data, ends) == finished(once)


# The real ones.

_SAMPLES = (
    "codex/rollout-2025-08-26T20-20-25-41237214-385b-4ac4-8b13-728d2bf57441.jsonl",
    "codex/rollout-2025-08-26T23-45-33-212bf5a0-c91c-4d27-b563-55ecf3e0bf0d.jsonl",
    "codex/rollout-2025-09-24T19-22-20-01997e76-d124-7592-9cac-2ec05abbca08.jsonl",
    "codex/rollout-2025-09-25T08-02-05-0199812e-64f0-7f73-91fc-095dda01c36e.jsonl",
    "codex/rollout-2025-10-31T18-36-16-fa1ac8bf-348e-4b9a-a06d-767050fa1e10.jsonl",
    "codex/entire/fork-parent-019d7d08.jsonl",
    "codex/entire/fork-child-019d7e30.jsonl",
    "codex/entire/seq-019dc0d3/01.jsonl",
    "codex/entire/seq-019dc0d3/11.jsonl",
    "codex/entire/seq-019dc0d3/31.jsonl",
    "recorded/codex/compacted-rollout-2026-11-29T19-17-12-01a228bd-6c65-7c23-9a93-790aedc3ce2f.jsonl",
    "recorded/codex/rollout-2026-11-29T19-12-39-01a228b9-437c-7591-8401-a4e7acb3ea4f.jsonl",
)
_FORK = "recorded/codex/fork-rollout-2026-11-29T19-12-41-01a228b9-4870-7763-b6dc-9e6734c50aa8.jsonl"


@pytest.mark.parametrize("name", _SAMPLES)
def test_real_sessions_read_whole(samples: Path, name: str) -> None:
    sessions = read(samples / name)
    assert joined(sessions) == (samples / name).read_bytes()
    last = sessions[-1]
    assert last.counts.damaged == last.counts.foreign == 0
    messages = AGENT.messages(whole(sessions))
    assert len(messages) == last.counts.messages
    said = [message.usage.total for message in messages if message.usage]
    assert sum(said) == last.usage.total


@pytest.mark.parametrize("name", [*_SAMPLES, _FORK])
def test_real_sessions_go_on_from_every_turn_in_the_same_way(samples: Path, name: str) -> None:
    sessions = read(samples / name)
    source = the_source(AGENT, samples / name)
    for before, after in pairwise(sessions):
        assert next(iter(AGENT.read(source, head(before)))) == after


def test_real_sessions_have_the_turns_they_name(samples: Path) -> None:
    counted = {name: kinds(read(samples / name)) for name in _SAMPLES}
    long = counted["codex/entire/seq-019dc0d3/31.jsonl"]
    assert (long.count("turn"), long.count("interrupted"), long.count("compaction")) == (52, 1, 1)
    old = counted["codex/rollout-2025-09-24T19-22-20-01997e76-d124-7592-9cac-2ec05abbca08.jsonl"]
    assert (old.count("turn"), old.count("interrupted"), old[-1]) == (8, 4, "open")


def test_a_real_series_gives_one_history(samples: Path, rollout: Path) -> None:
    folder = samples / "codex" / "entire" / "seq-019dc0d3"
    first, eleventh, last = (
        (folder / f"{number}.jsonl").read_bytes() for number in ("01", "11", "31")
    )
    assert not eleventh.startswith(first)
    assert last.startswith(eleventh)
    once = finished(read(rollout, last))
    assert read_in_steps(AGENT, rollout, last, [len(eleventh)]) == once
    steps = [len(last) * part // 23 for part in range(1, 23)]
    assert read_in_steps(AGENT, rollout, last, steps) == once


def test_a_real_fork_by_reference_is_one_history_with_its_parent(samples: Path) -> None:
    parent = (samples / _SAMPLES[-1]).read_bytes()
    sessions = read(samples / _FORK)
    assert joined(sessions) == parent + (samples / _FORK).read_bytes()
    assert kinds(sessions) == ["turn"] * 4
    assert sessions[-1].info.parent == "01a228b9-437c-7591-8401-a4e7acb3ea4f"


def test_a_real_copied_fork_names_its_parent(samples: Path) -> None:
    last = read(samples / "codex/entire/fork-child-019d7e30.jsonl")[-1]
    assert last.info.parent == "019d7d08-46c9-7f73-affe-4e6ca9852d56"
    assert last.info.native_id.startswith("019d7e30")


def test_hook_logs_are_no_session(samples: Path) -> None:
    assert AGENT.recognise(samples / "recorded/codex/hooks.jsonl") is None
