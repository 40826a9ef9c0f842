"""fsck --session: defects of one conversation, and the version that mends them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gitsession.agents.lobechat import doctor as lobechat_doctor
from gitsession.errors import Conflict, UsageError
from gitsession.repository import Repository
from tests.operations.conftest import LiveSession


def row(identity: str, role: str, parent: str = "", content: str = "x", **more: Any) -> Any:
    return {
        "id": identity, "role": role, "content": content, "parentId": parent or None,
        "topicId": "topic-1", "createdAt": f"2026-01-01T00:00:{len(identity):02}.000Z", **more,
    }  # fmt: skip


CHAIN = [row("u1", "user"), row("a1", "assistant", "u1"), row("u2", "user", "a1")]
CALL = [{"id": "c1", "identifier": "web", "apiName": "search", "arguments": "{}"}]
SEEDED: dict[str, tuple[str, list[Any]]] = {
    "concurrent-fork": ("u2", [
        row("u1", "user"), row("a1", "assistant", "u1", tools=CALL),
        row("t1", "tool", "a1", tool_call_id="c1"), row("u2", "user", "a1"),
        row("a2", "assistant", "t1", "went on"), row("a3", "assistant", "u2", "answer"),
    ]),
    "orphan-signal-turn": ("s1", [
        row("u1", "user"), row("a1", "assistant", "u1", tools=CALL),
        row("t1", "tool", "a1", tool_call_id="c1"),
        row("s1", "assistant", "a1", "done", metadata={"signal": {"sourceToolCallId": "c1"}}),
    ]),
    "stale-branch-index": ("u1", [
        row("u1", "user", metadata={"activeBranchIndex": 2}), row("a1", "assistant", "u1"),
        row("a2", "assistant", "u1", "other"),
    ]),
    "segment-split": ("u9", [*CHAIN, row("u9", "user"), row("a9", "assistant", "u9")]),
    "lost-content": ("a8", [
        *CHAIN, row("a8", "assistant", "u2", ""), row("a9", "assistant", "a8", ""),
    ]),
}  # fmt: skip
"""Each with the message it stands at."""


def import_topic(repository: Repository, folder: Path, rows: list[Any]) -> None:
    document = {"version": "2.0", "title": "A topic", "exportedAt": "2026-01-02T00:00:00.000Z"}
    path = folder / "topic.json"
    path.write_text(json.dumps({**document, "messages": rows}, indent=1))
    report = repository.import_files([path])
    assert report.sessions[0].versions, report
    repository.create_branch("work", report.sessions[0].branch, move=True)


@pytest.mark.parametrize("kind", SEEDED)
def test_LC20_each_seeded_defect_is_named(
    repository: Repository, tmp_path: Path, kind: str
) -> None:
    place, rows = SEEDED[kind]
    import_topic(repository, tmp_path, rows)
    found = [problem for problem in repository.check_session() if problem.kind == kind]
    assert [problem.place for problem in found] == [place]
    assert place in found[0].message


@pytest.mark.parametrize("kind", [kind for kind in SEEDED if kind != "lost-content"])
def test_LC20_a_repair_is_a_new_version(repository: Repository, tmp_path: Path, kind: str) -> None:
    """Only parents and the index change; the old version stays as it was, right before it."""
    _, rows = SEEDED[kind]
    import_topic(repository, tmp_path, rows)
    before = repository.version()
    old = repository.session(before.id)
    made = repository.repair_session()
    assert made.parents == (before.id,) and kind in made.subject
    assert [one.kind for one in repository.check_session() if one.kind == kind] == []
    assert repository.session(before.id) == old
    new = repository.session()
    texts = sorted(part.text for message in new.messages for part in message.parts if part.text)
    wanted = sorted(one["content"] for one in rows if one["content"] and one["role"] != "tool")
    assert [text for text in wanted if text not in texts] == [], "now the reader shows all of it"
    pairs = zip(old.stream().records, new.stream().records, strict=True)
    assert sum(one.data != other.data for one, other in pairs) == 1
    assert repository.fsck() == []
    assert repository.undo().verb == "repair-session" and repository.version().id == before.id


def test_LC20_what_is_lost_is_not_mended(repository: Repository, tmp_path: Path) -> None:
    import_topic(repository, tmp_path, SEEDED["lost-content"][1])
    before = repository.version().id
    with pytest.raises(Conflict):
        repository.repair_session()
    assert repository.version().id == before


def test_a_sound_topic_has_no_defect(repository: Repository, tmp_path: Path) -> None:
    rows = [*CHAIN, row("a2", "assistant", "u2"), row("a3", "assistant", "u2", "again")]
    import_topic(repository, tmp_path, rows)
    assert repository.check_session() == []


def test_all_five_at_once_and_mended_twice_is_mended_once() -> None:
    for _, rows in SEEDED.values():
        records = [b'{"messages": [', *(b", \n" + json.dumps(one).encode() for one in rows), b"]}"]
        issues = [issue for issue in lobechat_doctor.diagnose(records) if issue.changes]
        mended = lobechat_doctor.mended(records, issues)
        again = [issue for issue in lobechat_doctor.diagnose(mended) if issue.changes]
        assert again == []
        assert lobechat_doctor.mended(mended, again) == mended
        values = [json.loads(data.lstrip(b", \n")) for data in mended[1:-1]]
        assert [one["content"] for one in values] == [one["content"] for one in rows]


def test_calls_without_results_and_ids_that_stand_twice(
    repository: Repository, live: LiveSession
) -> None:
    live.turn("one", tool="fine")
    part = {"type": "tool_use", "id": "toolu_lonely", "name": "Bash", "input": {}}
    live.prompt("two").assistant([part], "tool_use")
    live.prompt("three").assistant([{"type": "text", "text": "ok"}], "end_turn")
    result = [{"type": "tool_result", "tool_use_id": "toolu_nobody", "content": "?"}]
    live.row("user", {"role": "user", "content": result})
    live.turn("four")
    repository.save()
    said = [problem.message for problem in repository.check_session()]
    assert "call toolu_lonely has no result" in said
    assert any("toolu_nobody" in text for text in said)
    with pytest.raises(Conflict):
        repository.repair_session()
    with pytest.raises(UsageError):
        repository.repair_session("HEAD~1")


def test_a_call_that_is_still_running_is_no_defect(
    repository: Repository, live: LiveSession
) -> None:
    part = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {}}
    live.prompt("one").assistant([part], "tool_use")
    repository.save()
    assert repository.check_session() == []


def test_broken_records_are_named_with_the_last_version_before_them(
    repository: Repository, live: LiveSession
) -> None:
    live.turn("one").turn("two")
    repository.save()
    with live.path.open("ab") as stream:
        stream.write(b'{"type":"user","torn\n')
    live.last = "deadbeef-0000-4000-8000-000000000000"
    live.turn("three").turn("half \ud83d of a face")
    repository.save()
    versions = list(reversed(repository.log(limit=0)))
    assert repository.check_session(versions[1].id) == []
    found = sorted((one.kind, one.place, one.last_good) for one in repository.check_session())
    assert found == [
        ("broken-link", "record 6", versions[1].id),
        ("damaged-record", "record 5", versions[1].id),
        ("half-character", "record 8", versions[2].id),
    ]
    assert repository.fsck() == []


def test_the_last_good_version_of_a_lost_result_is_the_one_before(
    repository: Repository, live: LiveSession
) -> None:
    live.turn("one")
    part = {"type": "tool_use", "id": "toolu_lonely", "name": "Bash", "input": {}}
    live.prompt("two").assistant([part], "tool_use")
    live.turn("three")
    repository.save()
    (problem,) = repository.check_session()
    assert problem.last_good == repository.version("HEAD~2").id
    assert repository.version("HEAD~2").subject == "one"
