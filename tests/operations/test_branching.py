"""branch, fork, tag: at versions and at messages; storage that does not grow."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from gitsession.environment import Environment
from gitsession.errors import Conflict, NotFound, UsageError
from gitsession.repository import Repository, open_repository

from .conftest import LiveSession, goes_on, make_live
from .test_checkout import prompts, three_turns


def store_bytes(repository: Repository) -> int:
    return sum(
        os.path.getsize(os.path.join(folder, name))
        for folder, _, names in os.walk(repository.store_path / "objects")
        for name in names
    )


def test_CL10_fork_has_its_parent_and_cut_point_and_leaves_the_source(
    live: LiveSession, repository: Repository
) -> None:
    session = three_turns(live, repository)
    native = live.path.read_bytes()
    tips = repository._store.refs("refs/heads/")
    at = repository.version(f"{session}/main~1")
    made = repository.create_branch("  x ", f"{session}/main~1", move=True)
    assert made == f"{session}/x"
    assert repository.head() == made
    assert repository.version("HEAD").id == at.id
    assert repository.session("HEAD").info.identity == f"claude-code/{live.native_id}"
    assert live.path.read_bytes() == native
    refs = repository._store.refs("refs/heads/")
    assert {ref: refs[ref] for ref in tips} == tips


def test_a_branch_at_a_message_holds_exactly_the_messages_up_to_it(
    live: LiveSession, repository: Repository
) -> None:
    session = three_turns(live, repository)
    whole = repository.session(f"{session}/main").messages
    for number in range(1, len(whole) + 1):
        made = repository.create_branch(f"at-{number}", f"{session}/main:{number}")
        cut = repository.session(made).messages
        assert [(m.role, m.parts) for m in cut] == [(m.role, m.parts) for m in whole[:number]]
        assert repository._store.is_own(repository.version(made).id)
    version = repository.version(f"{session}/at-3")
    assert version.trailers["Kind"] == "open"
    assert version.parents == (repository.version(f"{session}/main~2").id,)


def test_a_message_at_the_end_of_a_version_needs_no_new_one(
    live: LiveSession, repository: Repository
) -> None:
    session = three_turns(live, repository)
    count = len(repository.session(f"{session}/main~1").messages)
    made = repository.create_branch("there", f"{session}/main:{count}")
    assert repository.version(made).id == repository.version(f"{session}/main~1").id


def test_a_checkout_at_a_message_goes_on_from_there(
    live: LiveSession, repository: Repository, environment: Environment
) -> None:
    session = three_turns(live, repository)
    done = repository.checkout(f"{session}/main:3")
    assert prompts(done.path) == ["first question", "second question"]
    goes_on(done.path, done.native_id, environment.cwd).turn("different")
    saved = repository.save([done.native_id]).sessions[0]
    assert [version.parents for version in saved.versions] == [(done.version.id,)]
    told = [message.text for message in repository.session(saved.branch).messages]
    assert told == ["first question", "Done.", "second question", "different", "Done."]
    repository._store.records.remove("state", done.branch)
    goes_on(done.path, done.native_id, environment.cwd).turn("more")
    assert len(repository.save([done.native_id]).sessions[0].versions) == 1
    told = [message.text for message in repository.session(saved.branch).messages]
    assert told[-2:] == ["more", "Done."]
    assert len(told) == 7


def test_a_message_that_does_not_exist_is_not_found(
    live: LiveSession, repository: Repository
) -> None:
    session = three_turns(live, repository)
    for attempt in (repository.create_branch, repository.create_tag):
        with pytest.raises(NotFound, match="it has"):
            attempt("x", f"{session}/main:99")


def test_A2_forks_cost_nothing_and_a_deleted_one_comes_back(
    live: LiveSession, repository: Repository, environment: Environment
) -> None:
    filler = os.urandom(40_000).hex()
    for number in range(40):
        live.turn(f"question {number}", tool=filler[number * 1000 :])
    repository.save()
    session = repository.head().partition("/")[0]
    middle = repository.version(f"{session}/main~20")
    sizes = []
    for number in range(10):
        before = store_bytes(repository)
        done = repository.checkout(middle.id, branch=f"fork-{number}")
        goes_on(done.path, done.native_id, environment.cwd).turn(f"fork question {number}")
        repository.save([done.native_id])
        sizes.append(store_bytes(repository) - before)
    assert max(sizes) < 100_000, sizes
    for number in range(10):
        log = repository.log(f"{session}/fork-{number}", limit=2)
        assert [version.subject for version in log] == [f"fork question {number}", middle.subject]
        assert log[1].id == middle.id
    tip = repository.version(f"{session}/fork-3").id
    repository.delete_branch(f"{session}/fork-3")
    with pytest.raises(NotFound):
        repository.resolve(f"{session}/fork-3")
    repository.undo()
    assert repository.version(f"{session}/fork-3").id == tip


def test_a_deleted_branch_is_not_brought_back_by_saving_everything(
    live: LiveSession, repository: Repository, environment: Environment
) -> None:
    session = three_turns(live, repository)
    done = repository.checkout(f"{session}/main~1")
    goes_on(done.path, done.native_id, environment.cwd).turn("aside")
    repository.save([done.native_id])
    repository.delete_branch(done.branch)
    assert repository.head() == f"{session}/main"
    deletion = repository.oplog()[0].id
    repository.save(everything=True)
    assert set(repository._store.refs("refs/heads/")) == {f"refs/heads/{session}/main"}
    repository.undo(deletion)
    goes_on(done.path, done.native_id, environment.cwd).turn("further")
    repository.save(everything=True)
    assert repository.version(done.branch).subject == "further"


def test_the_only_branch_is_not_deleted_and_a_missing_one_not_found(
    live: LiveSession, repository: Repository
) -> None:
    session = three_turns(live, repository)
    with pytest.raises(Conflict):
        repository.delete_branch("main")
    with pytest.raises(NotFound):
        repository.delete_branch(f"{session}/none")


def test_a_renamed_branch_keeps_its_native_session_and_head(
    live: LiveSession, repository: Repository
) -> None:
    session = three_turns(live, repository)
    assert repository.rename_branch("main", "trunk") == f"{session}/trunk"
    assert repository.head() == f"{session}/trunk"
    live.turn("next")
    assert repository.save().sessions[0].branch == f"{session}/trunk"
    repository.undo()  # the save
    repository.undo()  # the new name
    assert repository.head() == f"{session}/main"
    assert repository.save().sessions[0].branch == f"{session}/main"


def test_tags_mark_versions_and_messages_and_exclude_branches(
    live: LiveSession, repository: Repository
) -> None:
    session = three_turns(live, repository)
    why = "JWT\n\nnot cookies"
    full = repository.create_tag("jwt", f"{session}/main~1:3", message=why, key=True)
    assert full == f"{session}/jwt"
    tag = repository.tags(session)[0]
    assert (tag.id, tag.subject, tag.message, tag.key) == (
        repository.version(f"{session}/main~1").id, "JWT", 3, True
    )  # fmt: skip
    stream, _, index = tag.record.partition(":")
    record = repository.session(full).stream(stream).records[int(index)]
    assert json.loads(record.data)["message"]["content"] == "second question"
    with pytest.raises(Conflict):
        repository.create_tag("main")
    with pytest.raises(Conflict):
        repository.create_branch("jwt")
    with pytest.raises(UsageError):
        repository.create_tag("a/b")
    repository.delete_tag("jwt")
    assert not repository.tags(session)
    repository.undo()
    assert repository.tags(session)[0].message == 3


def test_a_secret_in_a_name_or_message_is_masked(
    live: LiveSession, repository: Repository, tmp_path: Path
) -> None:
    session = three_turns(live, repository)
    secret = "ghp_" + "x7Kq2mVb9LpT4wRz8NcY1sHd6FgJ3aQe5uXo"
    repository.create_branch(f"try-{secret}")
    repository.create_tag("why", message=f"because of {secret}")
    repository.create_tag(f"t-{secret}")
    for folder, _, names in os.walk(repository.store_path):
        assert secret not in folder
        for name in names:
            assert secret not in name
    assert any("__REDACTED_" in tag.subject for tag in repository.tags(session))


def test_A16_a_fork_at_a_message_shows_nothing_of_what_was_rewound(
    live: LiveSession, repository: Repository
) -> None:
    live.turn("one")
    start = live.last
    live.turn("two").turn("three")
    live.last = start
    live.turn("two again", tool="x")
    middle = live.last
    live.turn("three again")
    live.last = middle
    live.turn("three at last")
    repository.save()
    session = repository.head().partition("/")[0]
    told = [message.text for message in repository.session(f"{session}/main").messages]
    assert told == ["one", "Done.", "two again", "Done.", "three at last", "Done."] or told == [
        "one", "Done.", "two again", "", "Done.", "three at last", "Done."
    ]  # fmt: skip
    for number in range(1, len(told) + 1):
        made = repository.create_branch(f"at-{number}", f"{session}/main:{number}")
        assert [message.text for message in repository.session(made).messages] == told[:number]


def test_A14_names_of_any_script_work(
    environment: Environment, tmp_path: Path, repository: Repository
) -> None:
    sessions = []
    for name in ("외주/app", "개인/app", "Проект", "新聞 🎉"):
        folder = tmp_path / name
        folder.mkdir(parents=True)
        here = Environment({**environment.variables, "LANG": "C"}, environment.home, str(folder))
        native = make_live(here).turn(f"{name} 첫 질문").turn("둘째")
        with open_repository(here) as there:
            branch = there.save([native.native_id]).sessions[0].branch
            sessions.append(branch.partition("/")[0])
            done = there.checkout(f"{branch}~1", branch="새-길")
            goes_on(done.path, done.native_id, here.cwd).turn("더")
            assert there.save([done.native_id]).sessions[0].branch == f"{sessions[-1]}/새-길"
            there.create_tag("결정", message="왜")
            assert len(there.list()) == 1
    assert len(set(sessions)) == 4
    server = tmp_path / "server.git"
    subprocess.run(["git", "init", "-q", "--bare", str(server)], check=True)
    repository.add_remote("origin", str(server))
    done = repository.push(repository.plan_push("origin", everything=True))
    assert not done.rejected
    assert len(done.updated) == 12
