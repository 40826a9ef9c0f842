"""Claude Code: every real session file, read in place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gitsession.agents.base import Target
from gitsession.agents.claude_code import AGENT
from gitsession.environment import Environment
from tests.agents.contract import finished, head, joined, read_in_steps, the_source, whole


@pytest.fixture(scope="module")
def real(samples: Path) -> list[Path]:
    found = sorted((samples / "claude").rglob("*.jsonl"))
    found += sorted((samples / "recorded" / "claude").glob("*-*.jsonl"))
    assert len(found) > 20
    return found


def test_records_joined_are_the_file(real: list[Path]) -> None:
    for path in real:
        source = the_source(AGENT, path)
        sessions = list(AGENT.read(source))
        assert joined(sessions) == path.read_bytes(), path
        for name, file in source.streams.items():
            assert joined(sessions, name) == file.read_bytes(), file
        last = sessions[-1]
        assert last.counts.bytes == sum(len(joined(sessions, s.name)) for s in last.streams)
        assert last.counts.damaged == 0, path
        assert len(json.dumps(dict(last.carry))) < 1000


def test_messages_hold_every_call_with_its_result(real: list[Path]) -> None:
    for path in real:
        messages = AGENT.messages(whole(AGENT.read(the_source(AGENT, path))))
        assert messages, path
        calls = [p.call_id for m in messages for p in m.parts if p.kind == "tool_call"]
        assert len(calls) == len(set(calls)), path
        for message in messages:
            for part, following in zip(message.parts, message.parts[1:], strict=False):
                if part.kind == "tool_call" and following.kind == "tool_result":
                    assert part.call_id == following.call_id


def test_written_files_are_whole_and_stable(real: list[Path], environment: Environment) -> None:
    for path in real:
        session = whole(AGENT.read(the_source(AGENT, path)))
        for foreign in (False, True):
            target = Target("/target", "title", foreign, "99999999-8888-4777-8666-555555555555")
            written = AGENT.write(session, target, environment)
            data = written.files[written.main]
            rows = [json.loads(line) for line in data.splitlines()]
            assert data.endswith(b"\n")
            assert {row["sessionId"] for row in rows if "sessionId" in row} == {target.native_id}
            assert not any("permissionMode" in row for row in rows)
            assert AGENT.write(session, target, environment) == written


def test_growing_snapshots_give_one_history(samples: Path, tmp_path: Path) -> None:
    folder = samples / "claude" / "entire" / "seq-fe3ed705"
    ends = [len((folder / f"{n}.jsonl").read_bytes()) for n in ("01", "10")]
    data = (folder / "18.jsonl").read_bytes()
    once = finished(AGENT.read(the_source(AGENT, folder / "18.jsonl")))
    assert len(once) == 70
    assert read_in_steps(AGENT, tmp_path / "18.jsonl", data, ends) == once
    since = head(once[40])
    assert finished(AGENT.read(the_source(AGENT, folder / "18.jsonl"), since)) == once[41:]


def test_sessions_with_the_marks_they_are_known_for(samples: Path) -> None:
    folder = samples / "claude" / "entire"
    compacted = list(AGENT.read(the_source(AGENT, folder / "three-compactions.jsonl")))
    assert compacted[-1].counts.compactions == 3
    assert not any(s.turn and s.turn.rewound for s in compacted)
    glued = list(AGENT.read(the_source(AGENT, folder / "concat-line.jsonl")))
    assert glued[-1].counts.messages == len(AGENT.messages(whole(glued))) == 48
    forward = list(AGENT.read(the_source(AGENT, folder / "forward-parents.jsonl")))
    assert not any(s.turn and s.turn.rewound for s in forward)
    assert len(AGENT.messages(whole(forward))) >= forward[-1].counts.messages
