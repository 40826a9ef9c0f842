"""push --delete: a session is taken away from where it really lies over there."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitsession.environment import Environment
from gitsession.errors import NotFound
from gitsession.repository import Repository

from .conftest import LiveSession
from .test_checkout import three_turns
from .test_sharing import git, send, server

__all__ = ["server"]


def over_there(server: Path) -> list[str]:
    refs = git("for-each-ref", "--format=%(refname)", cwd=server).split()
    return [ref for ref in refs if not ref.endswith("/README")]


def test_on_a_code_remote_it_goes_from_the_hidden_namespace(
    live: LiveSession, repository: Repository, server: Path, environment: Environment
) -> None:
    project = Path(environment.cwd)
    git("init", "-q", "-b", "main", cwd=project)
    git("remote", "add", "origin", str(server), cwd=project)
    session = three_turns(live, repository)
    repository.create_tag("mark", message="why")
    # A branch of the code that bears the same name is none of ours.
    (project / "code.py").write_text("print(1)\n")
    git("add", ".", cwd=project)
    git("commit", "-q", "-m", "code", cwd=project)
    git("push", "-q", str(server), f"HEAD:refs/heads/{session}/main", cwd=project)
    repository.add_remote("origin", str(server))
    send(repository, allow_code_remote=True)
    hidden = "refs/gitsession/shared"
    assert f"{hidden}/heads/{session}/main" in over_there(server)
    plan = repository.plan_push("origin", delete=session)
    assert {ref for ref, _, _ in plan.refs} == {
        f"{hidden}/heads/{session}/main", f"{hidden}/tags/{session}/mark"
    }  # fmt: skip
    assert not repository.push(plan).rejected
    assert over_there(server) == [f"refs/heads/{session}/main"]
    assert repository.fetch("origin").updated == ()
    with pytest.raises(NotFound):
        repository.plan_push("origin", delete=session)


def test_one_that_was_sent_by_another_name_or_is_gone_here(
    live: LiveSession, repository: Repository, server: Path
) -> None:
    session = three_turns(live, repository)
    repository.add_remote("origin", str(server))
    send(repository, name="for-the-team")
    send(repository)
    assert not repository.push(repository.plan_push("origin", delete="for-the-team")).rejected
    assert over_there(server) == [f"refs/heads/{session}/main"]
    repository.delete(session)
    assert not repository.push(repository.plan_push("origin", delete=session)).rejected
    assert over_there(server) == []
    with pytest.raises(NotFound):
        repository.plan_push("origin", delete="never-there")
