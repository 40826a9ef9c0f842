"""The name of a session follows the agent's title until somebody relies on it."""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from gitsession.environment import Environment
from gitsession.errors import Conflict, SecretsFound
from gitsession.model.report import PushPlan
from gitsession.model.saved import SaveReport
from gitsession.operations.saving import grow
from gitsession.operations.sharing import guard, push
from gitsession.render import report
from gitsession.repository import Repository, open_repository
from gitsession.store import renamed, transaction

from .conftest import LiveSession, goes_on

SECRET = "ghp_" + "x7Kq2mVb9LwT4nRz8YcJ5pHs3dFg6uAe1oNi"


def titled(live: LiveSession, title: str, *, by_user: bool = False) -> LiveSession:
    """A title as Claude Code writes one: made by itself, or given with /rename."""
    kind, field = ("custom-title", "customTitle") if by_user else ("ai-title", "aiTitle")
    row = {"type": kind, field: title, "sessionId": live.native_id}
    with live.path.open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(row, separators=(",", ":")) + "\n")
    return live


def begun(live: LiveSession, repository: Repository) -> str:
    live.turn("why does it fail?").turn("and now?")
    return repository.save().sessions[0].branch.partition("/")[0]


def refs(repository: Repository) -> set[str]:
    return {ref for ref in repository._store.refs() if "/undo/" not in ref}


def sessions(repository: Repository) -> set[str]:
    return {ref.split("/")[2] for ref in repository._store.refs("refs/heads/")}


def test_a_title_that_comes_later_gives_the_name(live: LiveSession, repository: Repository) -> None:
    old = begun(live, repository)
    assert old.startswith("why-does-it-fail-")
    repository.create_tag("mark")
    repository.create_branch("side", "HEAD~1")
    repository.archive(old)
    titled(live, "Login with cookies").turn("go on").prompt("unfinished")
    done = repository.save(auto=True).sessions[0]
    new = f"login-with-cookies-{old.rpartition('-')[2]}"
    assert (done.branch, done.renamed) == (f"{new}/main", old)
    said = list(report.saved(SaveReport((done,), "")))
    assert f"  now called {new} (was {old})" in said
    assert refs(repository) == {
        f"refs/heads/{new}/main", f"refs/heads/{new}/side", f"refs/tags/{new}/mark",
        f"refs/gitsession/wip/{new}/main",
    }  # fmt: skip
    assert repository.head() == f"{new}/main"
    assert len(repository.log()) == 3
    assert [row.session for row in repository.list(archived=True)] == [new]
    assert repository.resolve(f"{old}/side") == repository.resolve(f"{new}/side")
    assert repository.resolve(old).branch == f"{new}/main"
    assert repository.resolve(f"{old}/mark").commit == repository.resolve("mark").commit
    live.assistant([{"type": "text", "text": "Done."}], "end_turn")
    again = repository.save().sessions[0]
    assert (again.branch, again.renamed, len(again.versions)) == (f"{new}/main", "", 1)
    assert sessions(repository) == {new}


def test_a_save_under_the_same_title_loads_nothing_for_it(
    live: LiveSession, repository: Repository, environment: Environment
) -> None:
    begun(live, repository)
    titled(live, "Login with cookies").turn("go on")
    repository.save()
    titled(live, "Login with cookies").turn("and on")
    program = (
        "import sys; from gitsession.cli.main import main; code = main(['save', '--auto',"
        f" {live.native_id!r}]); print(sorted(m for m in sys.modules if 'renam' in m), code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], env=dict(environment.variables), cwd=environment.cwd,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stdout.endswith("[] 0\n"), done.stdout + done.stderr
    assert len(repository.log()) == 4


def test_rows_of_the_last_list_still_mean_the_session(
    live: LiveSession, repository: Repository
) -> None:
    begun(live, repository)
    repository.list()
    titled(live, "Login with cookies").turn("go on")
    done = repository.save(auto=True).sessions[0]
    assert repository.resolve("@1").branch == done.branch


def test_a_first_save_takes_the_title_that_is_there(
    live: LiveSession, repository: Repository
) -> None:
    live.turn("why?")
    titled(live, "Login with cookies").turn("and now?")
    done = repository.save().sessions[0]
    assert done.branch.startswith("login-with-cookies-")
    assert done.renamed == ""


@pytest.mark.parametrize("at_once", [False, True])
def test_a_bare_command_gives_no_name(
    live: LiveSession, repository: Repository, at_once: bool
) -> None:
    live.turn("/clear")
    if not at_once:
        assert repository.save().sessions[0].branch.startswith("clear-")
    live.turn("why does it fail?")
    assert repository.save().sessions[0].branch.startswith("why-does-it-fail-")


def test_a_working_state_of_the_first_turn_goes_along(
    live: LiveSession, repository: Repository
) -> None:
    live.prompt("why does it fail?")
    first = repository.save(auto=True).sessions[0]
    titled(live, "Login with cookies").assistant([{"type": "text", "text": "a"}], "tool_use")
    second = repository.save(auto=True).sessions[0]
    assert second.renamed == first.branch.partition("/")[0]
    live.assistant([{"type": "text", "text": "b"}], "tool_use")
    third = repository.save(auto=True).sessions[0]
    assert third.branch == second.branch
    assert refs(repository) == {f"refs/gitsession/wip/{second.branch}"}
    live.assistant([{"type": "text", "text": "Done."}], "end_turn")
    assert repository.save(auto=True).sessions[0].branch == second.branch
    assert refs(repository) == {f"refs/heads/{second.branch}"}


def test_what_a_person_named_stays(live: LiveSession, repository: Repository) -> None:
    old = begun(live, repository)
    name = repository.rename(old, "mine")
    repository.gc()
    titled(live, "Login with cookies", by_user=True).turn("go on")
    done = repository.save().sessions[0]
    assert (done.branch, done.renamed) == (f"{name}/main", "")


def test_a_title_given_by_hand_without_a_new_name_stays(
    live: LiveSession, repository: Repository
) -> None:
    old = begun(live, repository)
    assert repository.rename(old, "Why does it fail?") == old
    titled(live, "Login with cookies").turn("go on")
    assert repository.save().sessions[0].branch == f"{old}/main"


def test_a_push_of_all_beside_a_save_that_renames(
    live: LiveSession, repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has read the old name, under which no ref is any more when it looks: it goes on with the
    new one as soon as the save has said which that is."""
    old = begun(live, repository)
    server = tmp_path / "server.git"
    subprocess.run(["git", "init", "-q", "--bare", str(server)], check=True)
    repository.add_remote("far", str(server))
    beside = open_repository(repository._workspace.environment)
    real = renamed.follow
    with ThreadPoolExecutor(1) as pool:
        pushes = []

        def follow(*arguments: object, **named: bool) -> None:
            plan = pool.submit(push.plan, beside._workspace, "far", [old], push.Wishes())
            pushes.append(plan)
            with suppress(TimeoutError):
                plan.result(timeout=0.3)  # it waits for the store's lock, which this save holds
            real(*arguments, **named)  # type: ignore[arg-type]

        monkeypatch.setattr(renamed, "follow", follow)
        titled(live, "Login with cookies").turn("go on")
        new = repository.save().sessions[0].branch.partition("/")[0]
        assert new != old
        (plan,) = pushes
        assert plan.result().sessions == (new,)
        beside.push(plan.result())
    beside.close()
    there = subprocess.run(
        ["git", "--git-dir", str(server), "for-each-ref"], check=True, capture_output=True
    ).stdout.decode()
    assert f"refs/heads/{new}/main" in there and old not in there


def planned_before_a_new_name(
    live: LiveSession, repository: Repository, tmp_path: Path
) -> tuple[PushPlan, str, Path]:
    """A plan of a push, the name that the session got after it, and the remote."""
    old = begun(live, repository)
    server = tmp_path / "server.git"
    subprocess.run(["git", "init", "-q", "--bare", str(server)], check=True)
    repository.add_remote("far", str(server))
    plan = repository.plan_push("far", [old])
    titled(live, "Login with cookies").turn("go on")
    new = repository.save().sessions[0].branch.partition("/")[0]
    assert new != old
    return plan, new, server


def test_a_push_planned_under_the_old_name_goes_on_under_the_new_one(
    live: LiveSession, repository: Repository, tmp_path: Path
) -> None:
    plan, new, server = planned_before_a_new_name(live, repository, tmp_path)
    done = repository.push(plan)
    tip = repository.version(new).id
    assert done.updated == ((f"refs/heads/{new}/main", "", tip),)
    there = subprocess.run(
        ["git", "--git-dir", str(server), "for-each-ref", "--format=%(refname) %(objectname)"],
        check=True, capture_output=True,
    ).stdout.decode().split()  # fmt: skip
    assert there[-2:] == [f"refs/heads/{new}/main", tip]


def test_what_came_with_the_new_name_is_judged_too(
    live: LiveSession, repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan, _, server = planned_before_a_new_name(live, repository, tmp_path)
    finding = ("0" * 40, "main:3", "__REDACTED_word_00000000__")
    monkeypatch.setattr(guard, "scan_versions", lambda *_: [finding])
    with pytest.raises(SecretsFound):
        repository.push(plan)
    assert not list((server / "refs" / "heads").iterdir())


def test_names_that_change_all_the_time_end_the_push(
    live: LiveSession, repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = planned_before_a_new_name(live, repository, tmp_path)[0]
    kept = []

    def keep(*_: object) -> None:
        kept.append(1)
        raise renamed.Renamed("a session got another name meanwhile", "run the command again")

    monkeypatch.setattr(renamed, "keep", keep)
    with pytest.raises(Conflict):
        repository.push(plan)
    assert 1 < len(kept) < 10


@pytest.mark.parametrize("forgotten", [False, True])
def test_what_was_pushed_stays(
    live: LiveSession, repository: Repository, tmp_path: Path, forgotten: bool
) -> None:
    old = begun(live, repository)
    subprocess.run(["git", "init", "-q", "--bare", str(tmp_path / "far.git")], check=True)
    repository.add_remote("far", str(tmp_path / "far.git"))
    repository.push(repository.plan_push("far", [old]))
    if forgotten:
        repository.remove_remote("far")
    titled(live, "Login with cookies").turn("go on")
    done = repository.save().sessions[0]
    assert (done.branch, done.renamed) == (f"{old}/main", "")


def test_titles_that_flip_do_not_flip_the_name(live: LiveSession, repository: Repository) -> None:
    begun(live, repository)
    names = []
    for title in ("one", "two", "one", "two", "three", "four", "five", "one"):
        titled(live, title).turn(f"about {title}")
        names.append(repository.save().sessions[0].branch.rpartition("-")[0])
    assert names == ["one", "two", "two", "two", "three", "three", "three", "three"]
    for title in ("two", "one", "two"):
        titled(live, title, by_user=True).turn(f"about {title}")
        assert repository.save().sessions[0].branch.rpartition("-")[0] == title


def test_undo_of_the_save_takes_the_name_back(live: LiveSession, repository: Repository) -> None:
    old = begun(live, repository)
    before = repository._store.refs("refs/heads/")
    titled(live, "Login with cookies").turn("go on")
    done = repository.save().sessions[0]
    repository.undo()
    assert repository._store.refs("refs/heads/") == before
    assert repository.head() == f"{old}/main"
    repository.redo()
    assert repository.head() == done.branch
    assert repository.resolve(old).branch == done.branch
    repository.undo()
    again = repository.save().sessions[0]
    assert (again.branch, again.renamed) == (done.branch, old)


def test_undo_of_what_was_done_before_it_works_under_the_new_name(
    live: LiveSession, repository: Repository
) -> None:
    begun(live, repository)
    repository.create_tag("mark")
    titled(live, "Login with cookies").turn("go on")
    done = repository.save(auto=True).sessions[0]
    assert repository.undo().verb == "tag"
    assert refs(repository) == {f"refs/heads/{done.branch}"}
    repository.redo()
    session = done.branch.partition("/")[0]
    assert f"refs/tags/{session}/mark" in refs(repository)


def test_forks_go_along_and_do_not_decide(
    live: LiveSession, repository: Repository, environment: Environment
) -> None:
    old = begun(live, repository)
    fork = repository.checkout("HEAD~1")
    agent = goes_on(fork.path, fork.native_id, environment.cwd)
    titled(agent, "Quite another thing").turn("in the fork")
    assert repository.save([fork.native_id]).sessions[0].branch == fork.branch
    titled(live, "Login with cookies").turn("go on")
    new = repository.save([live.native_id]).sessions[0].branch.partition("/")[0]
    assert new != old
    agent.turn("more in the fork")
    saved = repository.save([fork.native_id]).sessions[0]
    assert saved.branch == f"{new}/{fork.branch.partition('/')[2]}"
    assert sessions(repository) == {new}


def test_a_secret_in_a_title_is_not_in_the_name(live: LiveSession, repository: Repository) -> None:
    begun(live, repository)
    titled(live, f"{SECRET} is the token").turn("go on")
    done = repository.save().sessions[0]
    assert done.renamed
    assert done.branch.startswith("redacted-")
    store = repository.store_path
    for path in store.rglob("*"):
        name = str(path.relative_to(store)).lower()
        assert SECRET.lower()[4:20] not in name
        if path.is_file():
            assert SECRET.lower()[4:20].encode() not in path.read_bytes().lower()


def test_a_save_of_the_fork_that_began_before_the_new_name_goes_on_under_it(
    live: LiveSession, repository: Repository, environment: Environment,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    begun(live, repository)
    fork = repository.checkout("HEAD~1")
    goes_on(fork.path, fork.native_id, environment.cwd).turn("in the fork")
    titled(live, "Login with cookies").turn("go on")
    publish = grow.Growth._publish
    others: list[str] = []

    def late(self: grow.Growth, wishes: object) -> None:
        if self._source.native_id == fork.native_id and not others:
            others.append("")
            with open_repository(environment) as other:
                others.append(other.save([live.native_id]).sessions[0].branch)
        publish(self, wishes)  # type: ignore[arg-type]

    monkeypatch.setattr(grow.Growth, "_publish", late)
    saved = repository.save([fork.native_id]).sessions[0]
    assert saved.outcome == "saved"
    assert {saved.branch.partition("/")[0]} == sessions(repository)
    assert others[1].partition("/")[0] == saved.branch.partition("/")[0]


def test_a_kill_after_the_refs_moved_leaves_one_name(
    live: LiveSession, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = begun(live, repository)
    repository.archive(old)
    titled(live, "Login with cookies").turn("go on")

    def killed(*arguments: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(transaction, "_finish", killed)
        with pytest.raises(KeyboardInterrupt):
            repository.save()
    live.turn("after it")
    done = repository.save().sessions[0]
    assert sessions(repository) == {done.branch.partition("/")[0]} != {old}
    assert len(done.versions) == 1
    assert len(repository.list(archived=True)) == 1
    assert repository.head() == done.branch


def test_A17_what_a_compaction_left_is_no_title(live: LiveSession, repository: Repository) -> None:
    """The session still is about what was asked first, and whoever knows its name finds it."""
    old = begun(live, repository)
    live.turn("and the tests?")
    repository.save()
    rows = [json.loads(row) for row in live.path.read_text().splitlines()][-2:]
    border, summary = (dict(rows[0], uuid=name * 8, parentUuid=None) for name in "56")
    border.update(type="system", subtype="compact_boundary", content="Conversation compacted")
    del border["message"]
    summary.update(parentUuid=border["uuid"], isCompactSummary=True)
    summary["message"] = {"role": "user", "content": "This session goes on. All went well."}
    rows[0]["parentUuid"] = summary["uuid"]
    live.path.write_text("".join(json.dumps(row) + "\n" for row in (border, summary, *rows)))
    [done] = repository.save().sessions
    assert done.versions[0].trailers["Kind"] == "compaction"
    assert (done.branch, done.renamed) == (f"{old}/main", "")
    live.turn("go on")
    repository.save()
    assert [row.title for row in repository.list()] == ["why does it fail?"]
    titled(live, "Login with cookies").turn("go on")
    assert repository.save().sessions[0].branch.startswith("login-with-cookies-")
