"""What `status` calls the files of the native sessions: live, untouched, shrunk, stub, missing."""

from __future__ import annotations

import json

from gitsession.environment import Environment
from gitsession.repository import Repository
from tests.cli.conftest import Cli

from .conftest import LiveSession, goes_on
from .test_checkout import three_turns


def states(repository: Repository) -> dict[str, str]:
    return {native.native_id: native.source for native in repository.status().natives}


def test_a_checkout_is_untouched_until_its_agent_goes_on(
    live: LiveSession, repository: Repository, environment: Environment
) -> None:
    three_turns(live, repository)
    made = repository.checkout("HEAD~1")
    assert states(repository)[made.native_id] == "untouched"
    assert "untouched: made by checkout, not continued yet" in Cli(environment)("status").out
    goes_on(made.path, made.native_id, live.cwd).turn("on from here")
    assert states(repository)[made.native_id] == "live"
    [native] = [one for one in repository.status().natives if one.native_id == made.native_id]
    assert native.unsaved_records == 2


def test_each_way_in_which_a_source_can_be_less_than_what_is_stored(
    live: LiveSession, repository: Repository, environment: Environment
) -> None:
    three_turns(live, repository)
    versions = repository.log(limit=0)
    whole = live.path.read_bytes()
    assert states(repository) == {live.native_id: "live"}
    rows = whole.splitlines(keepends=True)
    stub = json.dumps({"type": "summary", "summary": "s", "leafUuid": "x"}).encode() + b"\n"
    for data, expected in ((b"".join(rows[:3]), "shrunk"), (stub, "stub")):
        live.path.write_bytes(data)
        assert states(repository) == {live.native_id: expected}
        assert f"{expected}: " in Cli(environment)("status").out
        repository.save()
        assert repository.log(limit=0) == versions
    live.path.unlink()
    assert states(repository) == {live.native_id: "missing"}
    assert repository.log(limit=0) == versions
