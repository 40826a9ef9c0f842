"""What `status` calls the files of the native sessions: live, untouched, shrunk, stub, missing."""

from __future__ import annotations

import json

from gitsession.environment import Environment
from gitsession.repository import Repository
from tests.cli.conftest import Cli
from tests.gemini_builder import gemini_object

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
    assert "untouched: created by checkout, not continued yet" in Cli(environment)("status").out
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


def test_G32_rows_of_metadata_after_a_turn_are_nothing_to_save(
    live: LiveSession, repository: Repository, environment: Environment
) -> None:
    """They are kept (the next turn takes them in), but no turn is unfinished because of them."""
    live.turn("one")
    repository.save(auto=True)
    with live.path.open("a") as stream:
        stream.write(json.dumps({"type": "cost-state", "sessionId": live.native_id}) + "\n")
    said = Cli(environment)("save").out
    assert said.startswith("Nothing to save: ") and "unfinished" not in said
    raw = environment.home / "raw.jsonl"
    repository.checkout_raw("HEAD@wip", str(raw))
    assert raw.read_bytes() == live.path.read_bytes()


def test_G33_the_first_save_says_that_nothing_is_encrypted(
    live: LiveSession, repository: Repository, environment: Environment
) -> None:
    live.turn("one")
    types = Cli(environment)
    assert types("save").out.count("not encrypted") == 1
    live.turn("two")
    assert "encrypted" not in types("save").out


def test_an_older_copy_of_a_whole_file_has_fewer_records_not_metadata_alone(
    repository: Repository, environment: Environment
) -> None:
    """What follows its last message differs from what stands there in the longer one."""
    path = environment.home / "session-2026-01-31T12-00-9159418e.json"
    path.write_bytes(gemini_object(["one", "two", "three"]))
    assert repository.import_files([path]).sessions[0].outcome == "saved"
    path.write_bytes(gemini_object(["one"], changed="2026-01-31T12:30:00.000Z"))
    assert repository.import_files([path]).sessions[0].outcome == "shrunk"
    path.write_bytes(gemini_object([]))
    assert repository.import_files([path]).sessions[0].outcome == "stub"
