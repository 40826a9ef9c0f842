"""checkout: a new native session at a version, its branch, and what a later save makes of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from gitsession.agents import claude_code
from gitsession.agents.claude_code import find as claude_find
from gitsession.environment import Environment
from gitsession.errors import Conflict, NotFound
from gitsession.model.report import Checkout
from gitsession.repository import Repository, open_repository

from .conftest import LiveSession, goes_on, make_live


def prompts(path: str) -> list[str]:
    rows = [json.loads(line) for line in Path(path).read_text().splitlines()]
    return [
        row["message"]["content"]
        for row in rows
        if row["type"] == "user" and isinstance(row["message"]["content"], str)
    ]


def three_turns(live: LiveSession, repository: Repository) -> str:
    live.turn("first question").turn("second question", tool="a\nb").turn("third question")
    saved = repository.save().sessions[0]
    assert len(saved.versions) == 3
    return saved.branch.partition("/")[0]


def test_G23_any_version_comes_back_and_the_others_stay(
    live: LiveSession, repository: Repository
) -> None:
    for number in range(1, 6):
        live.turn(f"question {number}")
        repository.save()
    versions = list(repository.log(limit=0))
    assert len(versions) == 5
    done = repository.checkout(versions[2].id)
    assert prompts(done.path) == ["question 1", "question 2", "question 3"]
    session = done.branch.partition("/")[0]
    assert [version.id for version in repository.log(f"{session}/main")] == [
        version.id for version in versions
    ]
    assert done.branch == f"{session}/main-2"
    assert repository.head() == done.branch
    assert done.command[0] == "claude"
    assert done.native_id in done.command


def test_G34_what_follows_a_checkout_has_it_as_parent_and_shares_all_blobs(
    live: LiveSession, repository: Repository, environment: Environment
) -> None:
    session = three_turns(live, repository)
    first = repository.version(f"{session}/main~2")
    done = repository.checkout(first.id)
    before = Path(done.path).read_bytes()
    goes_on(done.path, done.native_id, environment.cwd).turn("another way")
    saved = repository.save([done.native_id]).sessions[0]
    assert saved.branch == done.branch
    assert [version.parents for version in saved.versions] == [(first.id,)]
    assert Path(done.path).read_bytes().startswith(before)
    store = repository._store
    old = dict(store.tree(first.id).walk("streams"))
    new = dict(store.tree(saved.versions[0].id).walk("streams"))
    assert old.items() <= new.items()
    assert len(new) == len(old) + 1
    assert [version.subject for version in repository.log(saved.branch)] == [
        "another way", "first question"
    ]  # fmt: skip


def test_the_lost_hint_is_rebuilt_from_what_checkout_wrote(
    live: LiveSession, repository: Repository, environment: Environment
) -> None:
    session = three_turns(live, repository)
    done = repository.checkout(f"{session}/main~1")
    repository._store.records.remove("state", done.branch)
    goes_on(done.path, done.native_id, environment.cwd).turn("another way")
    saved = repository.save([done.native_id]).sessions[0]
    assert [version.parents for version in saved.versions] == [(done.version.id,)]


def test_A15_go_back_and_forward(
    live: LiveSession, repository: Repository, environment: Environment, tmp_path: Path
) -> None:
    session = three_turns(live, repository)
    live.turn("not saved yet", tool="x")
    native = live.path.read_bytes()
    done = repository.checkout(f"{session}/main~2")
    assert done.saved_first == (f"{session}/main",)
    assert f"gitsession checkout {session}/main" in done.note
    assert prompts(done.path) == ["first question"]
    assert repository.version(f"{session}/main").subject == "not saved yet"
    back = repository.checkout(f"{session}/main")
    assert prompts(back.path) == [
        "first question", "second question", "third question", "not saved yet"
    ]  # fmt: skip
    repository.checkout_raw(f"{session}/main", str(tmp_path / "raw.jsonl"))
    assert (tmp_path / "raw.jsonl").read_bytes() == native
    assert live.path.read_bytes() == native


def test_an_untouched_checkout_is_reused_and_never_saved_as_a_session(
    live: LiveSession, repository: Repository
) -> None:
    session = three_turns(live, repository)
    done = repository.checkout(f"{session}/main~1")
    again = repository.checkout(f"{session}/main~1")
    assert (again.native_id, again.branch, again.reused) == (done.native_id, done.branch, True)
    report = repository.save(everything=True)
    assert {saved.outcome for saved in report.sessions} == {"nothing"}
    other = repository.checkout(f"{session}/main~1", branch="own")
    assert other.native_id != done.native_id
    assert other.branch == f"{session}/own"


def test_a_used_checkout_is_not_reused(
    live: LiveSession, repository: Repository, environment: Environment
) -> None:
    session = three_turns(live, repository)
    done = repository.checkout(f"{session}/main~1")
    goes_on(done.path, done.native_id, environment.cwd).prompt("hm")
    again = repository.checkout(f"{session}/main~1")
    assert again.native_id != done.native_id
    assert again.branch == f"{session}/main-3"


def test_clean_removes_file_branch_and_binding(live: LiveSession, repository: Repository) -> None:
    session = three_turns(live, repository)
    done = repository.checkout(f"{session}/main~1")
    repository.clean_checkout(done.branch)
    assert not Path(done.path).exists()
    assert live.path.exists()
    assert repository.head() == f"{session}/main"
    with pytest.raises(NotFound):
        repository.resolve(done.branch)


def test_clean_refuses_what_the_agent_has_used(
    live: LiveSession, repository: Repository, environment: Environment
) -> None:
    session = three_turns(live, repository)
    done = repository.checkout(f"{session}/main~1")
    goes_on(done.path, done.native_id, environment.cwd).prompt("hm")
    with pytest.raises(Conflict):
        repository.clean_checkout(done.branch)
    assert Path(done.path).exists()


def test_a_tip_that_nobody_continues_is_continued_on_its_branch(
    live: LiveSession, repository: Repository, environment: Environment
) -> None:
    session = three_turns(live, repository)
    live.path.unlink()  # the agent's own clean-up
    done = repository.checkout(f"{session}/main")
    assert done.branch == f"{session}/main"
    goes_on(done.path, done.native_id, environment.cwd).turn("on and on")
    saved = repository.save([done.native_id]).sessions[0]
    assert (saved.branch, len(saved.versions)) == (f"{session}/main", 1)
    assert len(repository.log(f"{session}/main")) == 4


def test_continue_takes_a_bound_tip_over_and_the_other_goes_on_beside(
    live: LiveSession, repository: Repository, environment: Environment
) -> None:
    session = three_turns(live, repository)
    with pytest.raises(Conflict):
        repository.checkout(f"{session}/main~1", take_over=True)
    done = repository.checkout(f"{session}/main", take_over=True)
    assert done.branch == f"{session}/main"
    assert f"{session}/main-2" in done.note
    live.turn("from the old window")
    saved = repository.save([live.native_id]).sessions[0]
    assert (saved.branch, len(saved.versions)) == (f"{session}/main-2", 1)
    goes_on(done.path, done.native_id, environment.cwd).turn("from the new one")
    assert repository.save([done.native_id]).sessions[0].branch == f"{session}/main"


def test_dry_run_changes_nothing(live: LiveSession, repository: Repository) -> None:
    session = three_turns(live, repository)
    live.turn("unsaved")
    refs = repository._store.refs()
    files = sorted(live.path.parent.iterdir())
    done = repository.checkout(f"{session}/main~1", dry_run=True)
    assert done.dry_run
    assert repository._store.refs() == refs
    assert sorted(live.path.parent.iterdir()) == files
    repository.checkout(f"{session}/main:2", dry_run=True)
    assert repository._store.refs() == refs


def test_the_file_is_private_and_the_main_file_comes_last(
    live: LiveSession, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = three_turns(live, repository)
    seen: list[bool] = []
    real_link = os.link

    def link(source: str, target: Path, **where: object) -> None:
        if str(target).endswith(".jsonl"):
            bound = [name for name, _ in repository._store.records.items("native")]
            seen.append(f"claude-code/{Path(target).stem}" in bound)
        real_link(source, target, **where)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "link", link)
    done = repository.checkout(f"{session}/main~1")
    assert seen
    assert all(seen)
    assert Path(done.path).stat().st_mode & 0o777 == 0o600


def test_an_own_branch_name_is_checked_and_must_be_free(
    live: LiveSession, repository: Repository
) -> None:
    session = three_turns(live, repository)
    assert repository.checkout("HEAD~1", branch="try").branch == f"{session}/try"
    with pytest.raises(Conflict):
        repository.checkout(f"{session}/main~2", branch="try")


def test_another_project_gets_the_session_in_its_folder(
    live: LiveSession, repository: Repository, tmp_path: Path, environment: Environment
) -> None:
    three_turns(live, repository)
    other = tmp_path / "other"
    other.mkdir()
    done = repository.checkout("HEAD~1", project=str(other))
    assert done.cwd == str(other)
    assert Path(done.path).parent.name == claude_find.folder_name(str(other))
    source = next(iter(claude_code.AGENT.find(environment, native_id=done.native_id)))
    assert source.path == Path(done.path)


def test_repairs_are_told_and_the_conversation_goes_on_through_them(
    live: LiveSession, repository: Repository, environment: Environment
) -> None:
    live.turn("first question")
    live.prompt("second question")
    call = {"type": "tool_use", "id": "toolu_x", "name": "Bash", "input": {"command": "sleep 9"}}
    live.assistant([call], "tool_use")
    live.prompt("third question").assistant([{"type": "text", "text": "Yes."}], "end_turn")
    saved = repository.save().sessions[0]
    interrupted = saved.versions[1]
    done = repository.checkout(interrupted.id)
    assert done.repairs
    goes_on(done.path, done.native_id, environment.cwd).turn("another third question")
    after = repository.save([done.native_id]).sessions[0]
    assert after.versions[0].parents == (interrupted.id,)
    messages = repository.session(after.branch).messages
    assert [m.text for m in messages if m.role == "user"] == [
        "first question", "second question", "another third question"
    ]  # fmt: skip
    assert not after.left  # a repair is no rewind


SERIES = (
    "claude/entire/seq-fe3ed705/10.jsonl", "claude/entire/three-compactions.jsonl",
    "codex/entire/seq-019dc0d3/11.jsonl", "codex/entire/fork-child-019d7e30.jsonl",
)  # fmt: skip


@pytest.mark.parametrize("name", SERIES)
def test_one_more_turn_after_a_checkout_costs_little_on_real_sessions(
    name: str, samples: Path, repository: Repository, environment: Environment
) -> None:
    saved = repository.import_files([samples / name]).sessions[0]
    middle = saved.versions[len(saved.versions) // 2]
    done = repository.checkout(middle.id)
    count = len(repository.session(middle.id).messages)
    before = _size(repository)
    with Path(done.path).open("a") as stream:
        stream.writelines(json.dumps(row) + "\n" for row in _next_turn(done, environment.cwd))
    after = repository.save([done.native_id]).sessions[0]
    assert [version.parents for version in after.versions] == [(middle.id,)]
    assert _size(repository) - before < 100_000
    messages = repository.session(after.branch).messages
    assert [message.text for message in messages[-2:]] == ["go on", "gone on"]
    assert len(messages) == count + 2


def _size(repository: Repository) -> int:
    objects = repository.store_path / "objects"
    return sum(path.stat().st_size for path in objects.rglob("*") if path.is_file())


def _next_turn(done: Checkout, cwd: str) -> list[dict[str, object]]:
    """A prompt and an answer as that agent writes them."""
    late = "2030-01-01T00:00:0{}.000Z"
    if done.agent == "codex":
        said = {"type": "message", "role": "user",
                "content": [{"type": "input_text", "text": "go on"}]}  # fmt: skip
        answer = {"type": "message", "role": "assistant",
                  "content": [{"type": "output_text", "text": "gone on"}]}  # fmt: skip
        payloads = [
            ("event_msg", {"type": "task_started", "turn_id": "late"}),
            ("response_item", said),
            ("event_msg", {"type": "user_message", "message": "go on"}),
            ("response_item", answer),
            ("event_msg", {"type": "agent_message", "message": "gone on"}),
            ("event_msg", {"type": "task_complete", "turn_id": "late"}),
        ]
        return [{"timestamp": late.format(n), "type": kind, "payload": payload}
                for n, (kind, payload) in enumerate(payloads)]  # fmt: skip
    rows = [json.loads(line) for line in Path(done.path).read_text().splitlines()]
    leaf = next(row["uuid"] for row in reversed(rows) if "uuid" in row)
    common = {"isSidechain": False, "userType": "external", "cwd": cwd,
              "sessionId": done.native_id, "version": "2"}  # fmt: skip
    prompt = {**common, "type": "user", "parentUuid": leaf, "timestamp": late.format(1),
              "uuid": "00000000-0000-4000-8000-000000000001",
              "message": {"role": "user", "content": "go on"}}  # fmt: skip
    reply = {"role": "assistant", "id": "msg_late", "model": "m", "stop_reason": "end_turn",
             "content": [{"type": "text", "text": "gone on"}]}  # fmt: skip
    answer = {**common, "type": "assistant", "parentUuid": prompt["uuid"],
              "uuid": "00000000-0000-4000-8000-000000000002", "timestamp": late.format(2),
              "message": reply}  # fmt: skip
    return [prompt, answer]


def test_no_secret_of_folder_title_or_names_reaches_the_store(
    tmp_path: Path, environment: Environment
) -> None:
    key, token = "AKIA" + "QZ7WN3LB5KXC2PVD", "ghp_" + "x7Kq2mVb9LpT4wRz8NcY1sHd6FgJ3aQe5uXo"
    folder = tmp_path / f"proj-{key}"
    folder.mkdir()
    here = Environment(environment.variables, environment.home, str(folder))
    live = make_live(here).turn(f"look at {folder}").turn(f"it is {token}")
    with open_repository(here) as repository:
        session = repository.save().sessions[0].branch.partition("/")[0]
        session = repository.rename(session, f"the story of {token}")
        done = repository.checkout("HEAD~1", branch=f"b-{token}")
        again = repository.checkout(f"{session}/main~1", branch=f"b-{token}")
        assert again.reused
        goes_on(done.path, done.native_id, here.cwd).turn("go on")
        assert len(repository.save([done.native_id]).sessions[0].versions) == 1
        repository.checkout(f"{session}/main:1", branch="other")
        repository.undo()
        repository.exclude(live.native_id)
        for parent, folders, files in os.walk(repository.store_path):
            for name in (*folders, *files):
                assert key not in name
                assert token not in name
            for name in files:
                assert_holds_none(Path(parent, name), (key, token))


def assert_holds_none(path: Path, secrets: tuple[str, ...]) -> None:
    data = path.read_bytes()
    if "objects" in path.parts and len(path.parent.name) == 2:
        data = zlib.decompress(data)
    for secret in secrets:
        assert secret.encode() not in data, path


_RACER = """
import sys
from pathlib import Path
from gitsession.environment import Environment
from gitsession.repository import open_repository
home, cwd, path, store = sys.argv[1:]
environment = Environment({"HOME": home, "PATH": path}, Path(home), cwd)
with open_repository(environment, store=Path(store)) as repository:
    print(repository.checkout(sys.stdin.readline().strip()).branch)
"""


def test_checkouts_at_the_same_moment_get_branches_of_their_own(
    live: LiveSession, repository: Repository, environment: Environment, tmp_path: Path
) -> None:
    session = three_turns(live, repository)
    commit = repository.version(f"{session}/main~1").id
    racers = []
    for number in range(4):
        folder = tmp_path / f"p{number}"
        folder.mkdir()
        arguments = [str(environment.home), str(folder), os.environ["PATH"]]
        racers.append(subprocess.Popen(
            [sys.executable, "-c", _RACER, *arguments, str(repository.store_path)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        ))  # fmt: skip
    for racer in racers:
        assert racer.stdin is not None
        racer.stdin.write(f"{commit}\n")
        racer.stdin.flush()
    branches = {racer.communicate()[0].strip() for racer in racers}
    assert branches == {f"{session}/main-{number}" for number in range(2, 6)}
    bound = {str(record["branch"]) for _, record in repository._store.records.items("native")}
    assert bound == branches | {f"{session}/main"}


def test_a_value_masked_before_a_checkout_is_masked_when_it_is_repeated_after_it(
    live: LiveSession, repository: Repository, environment: Environment
) -> None:
    value = "tr0ub4dor-Zq81xv"
    live.turn(f"export DATABASE_PASSWORD={value}").turn("next")
    repository.save()
    assert value not in str(repository.export("HEAD", "native"))
    done = repository.checkout("HEAD~1")
    goes_on(done.path, done.native_id, environment.cwd).turn(f"again {value} alone")
    saved = repository.save([done.native_id]).sessions[0]
    assert value not in str(repository.export(saved.branch, "native"))
    assert "__REDACTED_" in repository.session(saved.branch).messages[-2].text
