"""push, fetch, pull, clone with their guards, over a bare repository in the file system."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from gitsession.config import load_config, load_key
from gitsession.environment import Environment
from gitsession.errors import Conflict, NotFound, SecretsFound
from gitsession.operations import show
from gitsession.operations.sharing import fetch
from gitsession.redaction import Redactor
from gitsession.repository import Repository, open_repository

from .conftest import LiveSession, assert_clean, goes_on
from .test_checkout import prompts, three_turns

SECRET = "ghp_" + "x7Kq2mVb9LpT4wRz8NcY1sHd6FgJ3aQe5uXo"


def git(*arguments: str, cwd: str | Path) -> str:
    variables = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    for who in ("AUTHOR", "COMMITTER"):
        variables |= {f"GIT_{who}_NAME": "T", f"GIT_{who}_EMAIL": "t@example.org"}
    done = subprocess.run(
        ["git", *arguments], cwd=cwd, env=variables, capture_output=True, text=True, check=True
    )
    return done.stdout


@pytest.fixture
def server(tmp_path: Path) -> Path:
    path = tmp_path / "server.git"
    git("init", "-q", "--bare", str(path), cwd=tmp_path)
    return path


@pytest.fixture
def friend(tmp_path: Path) -> Iterator[Environment]:
    """Another user, with a key of their own."""
    home = tmp_path / "friend"
    project = tmp_path / "friends-project"
    home.mkdir()
    project.mkdir()
    variables = {"HOME": str(home), "PATH": os.environ["PATH"]}
    yield Environment(variables, home, str(project))


def clone(environment: Environment, url: Path | str, name: str = "shared") -> Repository:
    config = load_config(environment)
    workspace, _ = fetch.clone(
        environment, config, load_key(environment, config),
        environment.data_dir / f"{name}.git", str(url),
    )  # fmt: skip
    return Repository(workspace)


def send(repository: Repository, remote: str = "origin", **wishes: object) -> object:
    plan = repository.plan_push(remote, **wishes)
    return repository.push(plan)


def test_first_push_says_what_goes_and_makes_a_readme_first(
    live: LiveSession, repository: Repository, server: Path, environment: Environment
) -> None:
    session = three_turns(live, repository)
    repository.create_tag("mark", message="why")
    repository.add_remote("origin", str(server))
    plan = repository.plan_push("origin")
    assert (plan.first, plan.sessions, plan.versions) == (True, (session,), 3)
    assert plan.url == str(server)
    assert environment.cwd in plan.paths
    assert "@" in plan.author
    done = repository.push(plan)
    assert not done.rejected
    refs = git("for-each-ref", "--format=%(refname)", cwd=server).split()
    assert refs == [
        "refs/heads/README", f"refs/heads/{session}/main", f"refs/tags/{session}/mark"
    ]  # fmt: skip
    assert git("log", "--format=%s", "README", cwd=server).strip() == "Sessions kept by gitsession"
    assert git("fsck", "--full", "--strict", cwd=server) == ""
    again = repository.plan_push("origin")
    assert (again.first, again.refs, again.versions) == (False, (), 0)
    assert not repository.push(again).updated


def test_wip_and_undo_never_leave(live: LiveSession, repository: Repository, server: Path) -> None:
    three_turns(live, repository)
    live.prompt("not finished")
    repository.save(auto=True)
    assert repository._store.refs("refs/gitsession/wip/")
    repository.create_branch("gone", "HEAD~1:1")
    repository.delete_branch("gone")
    repository.add_remote("origin", str(server))
    send(repository)
    refs = git("for-each-ref", "--format=%(refname)", cwd=server).split()
    assert [ref for ref in refs if not ref.startswith(("refs/heads/", "refs/tags/"))] == []


def test_A9_a_push_of_code_holds_no_session_and_ours_refuses_the_code_remote(
    live: LiveSession, repository: Repository, server: Path, environment: Environment
) -> None:
    project = Path(environment.cwd)
    git("init", "-q", "-b", "main", cwd=project)
    (project / "code.py").write_text("print(1)\n")
    git("add", ".", cwd=project)
    git("commit", "-q", "-m", "code", cwd=project)
    git("remote", "add", "origin", str(server), cwd=project)
    for number in range(3):
        live.turn(f"question {number}")
        repository.save()
    git("push", "-q", "--all", "origin", cwd=project)
    git("push", "-q", "--tags", "origin", cwd=project)
    git("push", "-q", "--mirror", "origin", cwd=project)
    code = git("rev-list", "--objects", "--all", cwd=server)
    objects = git("rev-list", "--objects", "--all", "--no-object-names", cwd=project)
    assert sorted(word[:40] for word in code.splitlines()) == sorted(objects.split())
    with pytest.raises(NotFound, match="there is no remote yet"):
        repository.plan_push()
    repository.add_remote("sessions", f"file://{server}")
    plan = repository.plan_push("sessions")
    assert len(plan.problems) == 1
    with pytest.raises(Conflict, match="code repository"):
        repository.push(plan)
    assert git("rev-list", "--objects", "--all", cwd=server) == code
    allowed = repository.plan_push("sessions", allow_code_remote=True)
    assert not allowed.problems
    repository.push(allowed)
    hidden = git("for-each-ref", "--format=%(refname)", cwd=server).split()
    assert [ref for ref in hidden if ref.startswith("refs/heads/")] == ["refs/heads/main"]
    assert any(ref.startswith("refs/gitsession/shared/heads/") for ref in hidden)
    git("symbolic-ref", "HEAD", "refs/heads/main", cwd=server)
    git("clone", "-q", str(server), "plain", cwd=project.parent)
    plain = git("rev-list", "--objects", "--all", cwd=project.parent / "plain")
    assert sorted(plain.split()) == sorted(code.split())


def plant(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, live: LiveSession, tool: str = ""
) -> None:
    """A version that an older rule set did not mask."""
    with monkeypatch.context() as patch:
        patch.setattr(Redactor, "learn", lambda self, session: None)
        from gitsession.model.finding import _PROOF, Redacted

        patch.setattr(Redactor, "redact", lambda self, session: Redacted(session, (), _PROOF))
        live.turn("nothing here" if tool else f"please see:\n\nthe token is {SECRET}", tool=tool)
        repository.save()


@pytest.mark.parametrize(
    "tool", [f"out: {SECRET}", "line\n" * 2000 + f"out: {SECRET}\n" + "line\n" * 2000]
)
def test_the_guard_reads_turns_joined_with_their_cut_strings(
    live: LiveSession, repository: Repository, server: Path, tool: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    three_turns(live, repository)
    plant(repository, monkeypatch, live, tool)
    repository.add_remote("origin", str(server))
    plan = repository.plan_push("origin")
    assert {row[0] for row in plan.findings} == {repository.version().id}
    assert any("main:" in row[1] for row in plan.findings)


def test_the_guard_reads_names_and_tags(
    live: LiveSession, repository: Repository, server: Path
) -> None:
    session = three_turns(live, repository)
    repository.add_remote("origin", str(server))
    ref = f"refs/heads/{session}/{SECRET}"
    git("update-ref", ref, repository.version().id, cwd=repository.store_path)
    assert repository.plan_push("origin").findings
    git("update-ref", "-d", ref, cwd=repository.store_path)
    assert not repository.plan_push("origin").findings
    git("tag", "-a", f"{session}/t", "-m", f"see {SECRET}", repository.version().id,
        cwd=repository.store_path)  # fmt: skip
    assert repository.plan_push("origin").findings
    repository.delete_tag("t")


def test_a_fetched_secret_in_a_message_or_tag_is_not_taken(
    live: LiveSession, repository: Repository, server: Path, friend: Environment, tmp_path: Path
) -> None:
    session = three_turns(live, repository)
    repository.add_remote("origin", str(server))
    send(repository)
    work = tmp_path / "work"
    git("clone", "-q", "-b", "README", str(server), str(work), cwd=tmp_path)
    git("commit", "-q", "--allow-empty", "-m", f"see {SECRET}", cwd=work)
    git("push", "-q", "origin", f"HEAD:refs/heads/{session}/bad", cwd=work)
    git("tag", "-a", f"{session}/bad-tag", "-m", SECRET, "HEAD~1", cwd=work)
    git("push", "-q", "origin", f"refs/tags/{session}/bad-tag", cwd=work)
    with clone(friend, server) as theirs:
        refs = "\n".join(theirs._store.refs())
        assert f"{session}/main" in refs
        assert "bad" not in refs
        assert "quarantine" not in refs


def test_a_secret_refuses_the_push_and_names_it_without_its_value(
    live: LiveSession, repository: Repository, server: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    three_turns(live, repository)
    plant(repository, monkeypatch, live)
    bad = repository.version().id
    live.turn("later, harmless")
    repository.save()
    repository.add_remote("origin", str(server))
    plan = repository.plan_push("origin")
    assert plan.findings
    assert {row[0] for row in plan.findings} == {bad}
    assert SECRET not in repr(plan)
    with pytest.raises(SecretsFound) as refused:
        repository.push(plan)
    assert SECRET not in repr((refused.value.args, refused.value.candidates, refused.value.hint))
    assert git("for-each-ref", cwd=server) == ""
    placeholders = tuple({row[2] for row in plan.findings})
    allowed = repository.plan_push("origin", allow=placeholders)
    assert not allowed.findings
    repository.push(allowed, allow=placeholders)
    assert not repository.plan_push("origin").findings  # recorded


def test_pull_goes_forward_and_keeps_both_lines_apart(
    live: LiveSession, repository: Repository, server: Path, friend: Environment
) -> None:
    session = three_turns(live, repository)
    repository.create_tag("mark", message="why")
    repository.add_remote("origin", str(server))
    send(repository)
    theirs = clone(friend, server)
    with theirs:
        assert [row.session for row in theirs.list(everything=True)] == [session]
        assert theirs.tags(session)[0].subject == "why"
        live.turn("more from me")
        repository.save()
        send(repository)
        done = theirs.pull("origin")
        assert not done.rejected
        assert theirs.version(f"{session}/main").subject == "more from me"
        out = theirs.checkout(f"{session}/main")
        assert out.branch == f"{session}/main"
        goes_on(out.path, out.native_id, friend.cwd).turn("from the friend")
        assert theirs.save([out.native_id]).sessions[0].branch == f"{session}/main"
        live.turn("meanwhile here")
        repository.save()
        send(repository)
        told = theirs.pull("origin")
        assert [ref for ref, _ in told.rejected] == [f"refs/heads/{session}/main"]
        assert theirs.version(f"{session}/main").subject == "from the friend"
        assert theirs.version(f"origin/{session}/main").subject == "meanwhile here"
        refused = send(theirs, sessions=(f"{session}/main",))
        assert refused.rejected
        assert_clean(theirs)
    assert git("log", "-1", "--format=%s", f"{session}/main", cwd=server) == "meanwhile here\n"


def test_a_foreign_session_is_shown_but_resumed_only_with_consent(
    live: LiveSession, repository: Repository, server: Path, friend: Environment
) -> None:
    session = three_turns(live, repository)
    repository.add_remote("origin", str(server))
    send(repository)
    with clone(friend, server) as theirs:
        tip = theirs.version(f"{session}/main")
        assert not theirs._store.is_own(tip.id)
        with pytest.raises(Conflict) as refused:
            theirs.check_resume(f"{session}/main", any_project=True)
        assert "messages" in str(refused.value)
        theirs.check_resume(f"{session}/main", any_project=True, trust=True)
        done = theirs.checkout(f"{session}/main")
        assert done.losses
        assert prompts(done.path) == ["first question", "second question", "third question"]
        assert not theirs.checkout(f"{session}/main", trust=True, branch="all").losses


def test_what_is_fetched_with_a_secret_is_marked_and_shown_masked(
    live: LiveSession,
    repository: Repository,
    server: Path,
    friend: Environment,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    session = three_turns(live, repository)
    plant(repository, monkeypatch, live)
    git(
        "push",
        "--no-verify",
        "-q",
        str(server),
        f"refs/heads/{session}/main",
        cwd=repository.store_path,
    )
    with clone(friend, server) as theirs:
        workspace = theirs._workspace
        commit = theirs.resolve(f"{session}/main").commit
        assert theirs._store.records.names("marked") == [commit]
        seen = show.session_of(workspace, commit)
        assert SECRET not in repr(seen)
        assert "__REDACTED_" in seen.messages[-2].text
        done = theirs.checkout(f"{session}/main")
        assert SECRET not in Path(done.path).read_text()
        assert done.masked
        for form in ("md", "html", "json", "native"):
            assert SECRET not in str(theirs.export(f"{session}/main", form))
        with pytest.raises(Conflict):
            theirs.checkout_raw(f"{session}/main", str(friend.home / "raw"))


def test_refs_that_are_no_branches_of_sessions_are_left_out(
    live: LiveSession, repository: Repository, server: Path, tmp_path: Path, friend: Environment
) -> None:
    session = three_turns(live, repository)
    repository.add_remote("origin", str(server))
    send(repository)
    work = tmp_path / "work"
    git("clone", "-q", str(server), str(work), cwd=tmp_path)
    git("push", "-q", "origin", "origin/README:refs/heads/a/b/c", cwd=work)
    git("push", "-q", "origin", f"origin/README:refs/heads/{session}/{SECRET}", cwd=work)
    done = repository.fetch("origin")
    assert len(done.rejected) == 2
    assert SECRET not in repr(done)
    names = "\n".join(repository._store.refs())
    assert "a/b/c" not in names
    assert SECRET not in names


def test_a_session_is_taken_away_from_the_remote(
    live: LiveSession, repository: Repository, server: Path
) -> None:
    session = three_turns(live, repository)
    repository.add_remote("origin", str(server))
    send(repository)
    send(repository, delete=session)
    refs = git("for-each-ref", "--format=%(refname)", cwd=server).split()
    assert refs == ["refs/heads/README"]
    with pytest.raises(NotFound):
        repository.plan_push("origin", delete=session)


def test_law_4_undo_brings_a_removed_remote_back(
    live: LiveSession, repository: Repository, server: Path
) -> None:
    live.turn("one")
    repository.save()
    repository.add_remote("team", str(server))
    repository.push(repository.plan_push("team"))
    repository.fetch("team")
    before = repository.remotes(), repository.branches(remotes=True)
    repository.remove_remote("team")
    assert repository.remotes() == []
    assert repository.undo().verb == "remote-rm"
    assert before == (repository.remotes(), repository.branches(remotes=True))
    repository.redo()
    assert repository.remotes() == []
    repository.undo()
    assert not repository.fetch("team").updated, "it is the same remote again"


def test_a_push_cannot_be_undone_and_says_so(
    live: LiveSession, repository: Repository, server: Path
) -> None:
    three_turns(live, repository)
    repository.add_remote("origin", str(server))
    send(repository)
    with pytest.raises(Conflict, match="sent"):
        repository.undo()


@pytest.mark.parametrize("url", [f"https://user:{SECRET}@example.org/x.git",
                                 f"https://example.org/x.git?token={SECRET}"])  # fmt: skip
def test_an_address_with_a_password_is_refused(repository: Repository, url: str) -> None:
    with pytest.raises(SecretsFound) as refused:
        repository.add_remote("origin", url)
    assert SECRET not in str(refused.value)
    assert not repository.remotes()


def test_another_name_over_there(live: LiveSession, repository: Repository, server: Path) -> None:
    three_turns(live, repository)
    repository.add_remote("origin", str(server))
    send(repository, name="login-story")
    refs = git("for-each-ref", "--format=%(refname)", cwd=server).split()
    assert "refs/heads/login-story/main" in refs


def test_open_repository_elsewhere_sees_the_clone(
    live: LiveSession, repository: Repository, server: Path, friend: Environment
) -> None:
    session = three_turns(live, repository)
    repository.add_remote("origin", str(server))
    send(repository)
    path = clone(friend, server, "team").store_path
    with open_repository(friend, store=path, create=False) as theirs:
        assert len(theirs.log(f"{session}/main")) == 3


def test_a_hostile_tree_is_not_taken_and_hides_nothing(
    live: LiveSession, repository: Repository, server: Path, friend: Environment, tmp_path: Path
) -> None:
    session = three_turns(live, repository)
    repository.add_remote("origin", str(server))
    send(repository)
    work = tmp_path / "work"
    git("clone", "-q", "-b", f"{session}/main", str(server), str(work), cwd=tmp_path)
    (work / "link").symlink_to("/etc/passwd")
    git("add", ".", cwd=work)
    git("commit", "-q", "-m", "nothing to see", cwd=work)
    git("push", "-q", "origin", f"HEAD:refs/heads/{session}/aside", cwd=work)
    git("rm", "-q", "link", cwd=work)
    (work / "extra.txt").write_text(f"token {SECRET}")
    git("add", ".", cwd=work)
    git("commit", "-q", "-m", "nothing here", cwd=work)
    git("push", "-q", "origin", f"HEAD:refs/heads/{session}/later", cwd=work)
    with clone(friend, server) as theirs:
        refs = set(theirs._store.refs("refs/heads/"))
        assert refs == {f"refs/heads/{session}/main"}
        assert theirs._store.records.names("marked")
