"""Files that hold several sessions, and databases of agents, all the way into the store and out."""

from __future__ import annotations

import base64
import json
import subprocess
import zlib
from pathlib import Path

from gitsession.environment import Environment
from gitsession.repository import Repository
from tests.agents.contract_reading import place
from tests.opencode_builder import OPENCODE_ID, SECRET, grown


def _conversations(turns: int) -> bytes:
    values = []
    for number in (1, 2, 3):
        messages = []
        for n in range(1, turns + 1):
            at = f"2026-01-31T12:0{number}:{n:02}Z"
            for sender, text in (("human", f"question {number}.{n}"), ("assistant", "answer")):
                messages.append({"uuid": f"{number}{n}{sender}", "sender": sender, "text": text,
                                 "created_at": at})  # fmt: skip
        values.append({"uuid": f"conversation-{number}", "name": f"Talk {number}",
                       "chat_messages": messages})  # fmt: skip
    return json.dumps(values).encode()


def test_every_conversation_of_an_export_is_saved(repository: Repository, tmp_path: Path) -> None:
    path = place(tmp_path / "conversations.json", _conversations(2))
    report = repository.import_files([path])
    assert [(s.native_id, s.outcome, len(s.versions)) for s in report.sessions] == [
        (f"conversation-{n}", "saved", 2) for n in (1, 2, 3)
    ]
    again = repository.import_files([path])
    assert [s.outcome for s in again.sessions] == ["nothing"] * 3
    place(path, _conversations(3))
    longer = repository.import_files([path])
    assert [len(s.versions) for s in longer.sessions] == [1, 1, 1]
    session = repository.session(longer.sessions[1].versions[-1].id)
    assert [m.text for m in session.messages if m.role == "user"] == [
        "question 2.1", "question 2.2", "question 2.3"]  # fmt: skip


def test_OC6_a_database_grows_in_the_store_and_leaves_no_secret(
    repository: Repository, environment: Environment
) -> None:
    path = environment.home / ".local/share/opencode/opencode.db"
    grown(2).save(path)
    [first] = repository.save([OPENCODE_ID]).sessions
    assert len(first.versions) == 2
    session = grown(3)
    session.title = "Named by the agent"
    session.todos = [("ship", "pending")]
    session.save(path)
    [second] = repository.save([OPENCODE_ID]).sessions
    assert [v.subject for v in second.versions] == ["question 3"]
    assert not second.note
    assert repository.session(second.versions[0].id).state.todos[0].text == "ship"
    [same] = repository.save([OPENCODE_ID]).sessions
    assert same.outcome == "nothing"
    export = place(environment.home / "session.json", session.export)
    [known] = repository.import_files([export]).sessions
    assert not known.versions  # the other form of what is stored
    _holds_nowhere(repository.store_path, SECRET)


def _holds_nowhere(store: Path, secret: str) -> None:
    found = subprocess.run(
        ["git", "-C", str(store), "cat-file", "--batch-all-objects", "--batch"],
        capture_output=True, check=True,
    ).stdout  # fmt: skip
    assert b"question 3" in found
    assert secret.encode() not in found
    for path in store.rglob("*"):
        assert not path.is_file() or secret.encode() not in path.read_bytes()


def test_G29_export_is_what_the_forms_own_programs_load(
    repository: Repository, tmp_path: Path
) -> None:
    path = place(tmp_path / "conversations.json", _conversations(1))
    version = repository.import_files([path]).sessions[0].versions[0].id
    data = repository.export(version, "codesess")
    assert isinstance(data, bytes)
    head, _, body = data.partition(b"\n")
    assert head == b"CODESESSv1"
    values = json.loads(zlib.decompress(base64.b64decode(body)))
    assert values["message_count"] == 2
    assert [m["content"] for m in values["messages"]] == ["question 1.1", "answer"]
    back = repository.import_files([place(tmp_path / "back.session", data)]).sessions[0]
    assert back.outcome == "saved"


def test_LC13_export_of_a_topic_is_imported_again(repository: Repository, tmp_path: Path) -> None:
    path = place(tmp_path / "conversations.json", _conversations(1))
    version = repository.import_files([path]).sessions[0].versions[0].id
    data = repository.export(version, "lobe")
    assert isinstance(data, bytes)
    assert json.loads(data)["version"] == "2.0"
    back = repository.import_files([place(tmp_path / "topic.json", data)]).sessions[0]
    assert (back.agent, back.outcome) == ("lobechat", "saved")
