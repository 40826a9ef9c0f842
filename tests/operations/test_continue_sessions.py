"""Continue puts a summary in the place of what was said: earlier versions stay, one follows."""

from __future__ import annotations

import json
from pathlib import Path

from gitsession.environment import Environment
from gitsession.repository import Repository
from tests.continue_builder import Continue

from .conftest import LiveSession

SECRET = "sk-ant-api03-" + "Qx7" * 31 + "AA"


def _kinds(repository: Repository, branch: str) -> list[tuple[str, str]]:
    return [(v.trailers["Kind"], v.subject) for v in repository.log(branch)][::-1]


def test_a_compaction_that_shrinks_the_file_is_a_version(
    repository: Repository, environment: Environment
) -> None:
    session = Continue(cwd=environment.cwd)
    for number in (1, 2, 3):
        session.turn(number).save(environment.home)
        [saved] = repository.save().sessions
        assert len(saved.versions) == 1
    session.compact("in short").turn(4).save(environment.home)
    [saved] = repository.save().sessions
    assert (saved.outcome, len(saved.versions)) == ("saved", 1)
    session.turn(5).save(environment.home)
    repository.save()
    assert _kinds(repository, saved.branch) == [
        ("turn", "question 1"), ("turn", "question 2"), ("turn", "question 3"),
        ("compaction", "question 4"), ("turn", "question 5"),
    ]  # fmt: skip
    assert repository.save().sessions[0].outcome == "nothing"
    said = [m.text for m in repository.session(f"{saved.branch}~2").messages if m.role == "user"]
    assert said == ["question 1", "question 2", "question 3"]


def test_goes_on_from_a_checkout(repository: Repository, environment: Environment) -> None:
    Continue(cwd=environment.cwd).turn(1).turn(2).turn(3).save(environment.home)
    repository.save()
    first = repository.version("HEAD~2")
    done = repository.checkout("HEAD~2")
    path = Path(done.path)
    assert done.command == ("sh", "-c", 'touch "$1" && exec cn --resume', "cn", str(path))
    went_on = Continue(done.native_id, environment.cwd).turn(1)
    went_on.title = "question 1"
    went_on.turn(7).save(environment.home)
    [saved] = repository.save([done.native_id]).sessions
    assert [version.parents for version in saved.versions] == [(first.id,)]
    assert _kinds(repository, done.branch) == [("turn", "question 1"), ("turn", "question 7")]


def test_a_title_of_later_is_no_version(repository: Repository, environment: Environment) -> None:
    session = Continue(cwd=environment.cwd).turn(1)
    session.save(environment.home)
    repository.save()
    session.title = "Better named"
    session.save(environment.home)
    assert repository.save().sessions[0].outcome == "nothing"
    session.turn(2).save(environment.home)
    [saved] = repository.save().sessions
    assert _kinds(repository, saved.branch) == [("turn", "question 1"), ("turn", "question 2")]


def test_no_secret_reaches_the_store(repository: Repository, environment: Environment) -> None:
    session = Continue(cwd=environment.cwd).ask(f"the key is {SECRET}")
    session.answer(f"I see {SECRET}").ask("and?", contextItems=[
        {"name": ".env", "content": f"KEY={SECRET}", "description": ".env"}])  # fmt: skip
    session.answer("done").save(environment.home)
    [saved] = repository.save().sessions
    assert saved.outcome == "saved"
    told = str([message.parts for message in repository.session(saved.branch).messages])
    assert SECRET not in told and "__REDACTED_" in told
    done = repository.checkout("HEAD")
    assert SECRET not in Path(done.path).read_text()


def test_goes_on_with_what_another_agent_held(
    repository: Repository, environment: Environment, live: LiveSession
) -> None:
    live.turn("first", "one", tool="a.py").turn("second", "two")
    repository.save()
    base = repository.version("HEAD")
    done = repository.checkout("HEAD", to="continue")
    assert repository.save([done.native_id]).sessions[0].outcome == "nothing"
    session = Continue(done.native_id, environment.cwd)
    session.history = json.loads(Path(done.path).read_bytes())["history"]
    session.turn(7).save(environment.home)  # the agent writes all of it anew
    [saved] = repository.save([done.native_id]).sessions
    assert [version.parents for version in saved.versions] == [(base.id,)]
    said = [m.text for m in repository.session(done.branch).messages if m.role == "user"]
    assert said == ["first", "second", "question 7"]
