from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from gitsession.environment import Environment
from gitsession.errors import Conflict, NotFound, StoreBusy, UsageError
from gitsession.operations import denied
from gitsession.repository import Repository, open_repository
from tests.acceptance.conftest import every_byte
from tests.operations.conftest import LiveSession, goes_on

SECRET = "harvest moon over quiet rivers 1979"


def scrub(repository: Repository, value: str = SECRET) -> str:
    values, _ = repository.plan_scrub(value)
    return repository.scrub(values).placeholders[0]


def assert_gone(repository: Repository, value: str = SECRET) -> None:
    data = every_byte(repository.store_path)
    for text in (value, json.dumps(value)[1:-1]):
        assert text.encode() not in data


@pytest.mark.parametrize(
    "value",
    [
        'tell "nobody" about\\this\n2nd line of it',
        "héllo wörld is my pass phrase",
        "$plain+chars/with=punctuation&more",
    ],
)
def test_any_spelling_is_found(repository: Repository, live: LiveSession, value: str) -> None:
    nested = json.dumps({"inner": json.dumps({"text": value})})
    live.turn(f"use {value}", f"yes {value}", tool=nested).turn("next", "done")
    repository.save()
    before = repository.checkout_raw("HEAD", str(repository.store_path.parent / "before"))[0]
    lines = Path(before).read_bytes().count(b"\n")
    scrub(repository, value)
    assert_gone(repository, value)
    after = repository.checkout_raw("HEAD", str(repository.store_path.parent / "after"))[0]
    records = Path(after).read_bytes().splitlines()
    assert len(records) == lines
    assert all(json.loads(record) for record in records)


def test_a_value_that_two_outputs_cut_is_found(repository: Repository, live: LiveSession) -> None:
    live.turn("a", "b", tool="the first half is harvest moon over").turn(
        "c", "d", tool=" quiet rivers 1979 was the second"
    )
    live.turn("long", "e", tool="x" * 6000 + "harvest moon over").turn("f", "harvest moon only")
    repository.save()
    scrub(repository)
    data = every_byte(repository.store_path)
    assert b"harvest moon over" not in data
    assert b" quiet rivers 1979" not in data
    assert b"harvest moon only" in data  # the beginning of a sentence, not of the value


def test_names_messages_and_records(repository: Repository, live: LiveSession) -> None:
    word = "moonriver1979x"
    live.turn(f"about {word}", "ok").turn("next", "ok")
    repository.save()
    repository.rename("HEAD", f"the {word} session")
    repository.create_branch(f"{word}-branch", "HEAD~1", move=True)
    repository.create_tag(f"{word}-tag", "HEAD", message=f"{word}!")
    head = repository.head()
    assert word in head
    placeholder = scrub(repository, word)
    assert_gone(repository, word)
    assert placeholder in repository.head()
    assert repository.version("HEAD").id
    assert repository.tags()[0].subject == f"{placeholder}!"
    live.turn("more", f"still {word}")
    with open_repository(repository._workspace.environment) as again:
        assert again.save().sessions[0].outcome == "saved"
        assert_gone(again, word)


def test_what_undo_held_is_gone(repository: Repository, live: LiveSession) -> None:
    live.turn(f"use {SECRET}", "ok").turn("next", "ok")
    repository.save()
    repository.create_branch("gone", "HEAD")
    repository.delete_branch("gone")
    number = repository.oplog()[0].id
    scrub(repository)
    assert [operation.verb for operation in repository.oplog()] == ["scrub"]
    assert repository.oplog()[0].id > number
    with pytest.raises((NotFound, Conflict)):
        repository.undo()
    assert_gone(repository)


def test_a_checkout_goes_on_after_a_scrub(repository: Repository, live: LiveSession) -> None:
    live.turn(f"use {SECRET}", "ok").turn("second", "ok").turn("third", "ok")
    repository.save()
    made = repository.checkout("HEAD~1")
    scrub(repository)
    goes_on(made.path, made.native_id, live.cwd).turn("other way", f"not {SECRET}")
    tip = repository.version(made.branch).id
    saved = repository.save((made.native_id,)).sessions[0]
    assert saved.branch == made.branch
    assert repository.version(made.branch).parents == (tip,)
    assert_gone(repository)


def test_a_placeholder_that_scan_named(
    repository: Repository, live: LiveSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    from gitsession.redaction.engine import Engine

    live.turn(f"export GITHUB_TOKEN={token}", "ok").turn("next", "ok")
    with monkeypatch.context() as blind:  # the rules of an earlier day
        blind.setattr(Engine, "find", lambda self, source, name=b"": [])
        blind.setattr(Engine, "find_vendor", lambda self, source: [])
        repository.save()
    repository._workspace.forget_scanners()
    assert token.encode() in every_byte(repository.store_path)
    found = {finding.placeholder for finding in repository.scan(everything=True)}
    [placeholder] = found
    assert scrub(repository, placeholder) == placeholder
    assert_gone(repository, token)
    assert not repository.scan(everything=True)


def test_what_is_refused(repository: Repository, live: LiveSession) -> None:
    live.turn("a", "b")
    repository.save()
    with pytest.raises(UsageError):
        repository.plan_scrub("abc")
    with pytest.raises(NotFound):
        repository.plan_scrub("__REDACTED_secret_01234567__")
    with pytest.raises(Conflict, match="part of the format of every version"):
        scrub(repository, "format: 1")
    repository._workspace.environment.variables["CLAUDECODE"] = "1"
    with pytest.raises(Conflict, match="inside an agent"):
        repository.plan_scrub(SECRET)


def test_nothing_is_dropped_beside_a_save(repository: Repository, live: LiveSession) -> None:
    live.turn(f"use {SECRET}", "ok")
    repository.save()
    values, _ = repository.plan_scrub(SECRET)
    repository._workspace.config.values["lock.timeout"] = 0.05
    with repository._store.at_work(), pytest.raises(StoreBusy):
        repository.scrub(values)
    repository.scrub(values)
    assert_gone(repository)


def test_a_save_that_waits_learns_the_value(
    repository: Repository, live: LiveSession, environment: Environment
) -> None:
    live.turn(f"use {SECRET}", "ok")
    repository.save()
    live.turn(f"again {SECRET}", "ok")
    values, _ = repository.plan_scrub(SECRET)

    def save() -> None:
        with open_repository(environment) as other:
            other.save()

    thread = threading.Thread(target=save)
    thread.start()
    repository.scrub(values)
    thread.join()
    with open_repository(environment) as other:
        other.save()
    assert_gone(repository)


def test_the_deny_list_is_private_and_unreadable(
    repository: Repository, live: LiveSession, environment: Environment
) -> None:
    live.turn(f"use {SECRET}", "ok")
    repository.save()
    scrub(repository)
    path = environment.config_dir / denied.NAME
    assert path.stat().st_mode & 0o777 == 0o600
    assert SECRET.encode() not in path.read_bytes()
    assert denied.read(environment, repository._workspace.key)[0][0] == SECRET.encode()


def test_rewriting_under_newer_rules(
    repository: Repository, live: LiveSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gitsession.redaction.engine import Engine

    tokens = ["ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8", "AKIA" + "QYLPMN5HFIQRWZ7T"]
    live.turn(f"export GITHUB_TOKEN={tokens[0]}", "ok").turn("next", f"the key is {tokens[1]}")
    with monkeypatch.context() as blind:
        blind.setattr(Engine, "find", lambda self, source, name=b"": [])
        blind.setattr(Engine, "find_vendor", lambda self, source: [])
        repository.save()
    repository._workspace.forget_scanners()
    count = len(repository.log())
    values, plan = repository.plan_rewrite()
    assert set(values) == {token.encode() for token in tokens} and plan.objects["blob"]
    repository.rewrite(values)
    for token in tokens:
        assert_gone(repository, token)
    assert len(repository.log()) == count
    assert not repository.plan_rewrite()[1].objects
    assert not (repository._workspace.environment.config_dir / denied.NAME).exists()


def test_the_filter_knows_scrubbed_values(
    repository: Repository, live: LiveSession, environment: Environment
) -> None:
    live.turn(f"use {SECRET}", "ok")
    repository.save()
    placeholder = scrub(repository)
    from tests.cli.conftest import Cli

    done = Cli(environment)("redact", stdin=f"a text with {SECRET} in it\n")
    assert done.out == f"a text with {placeholder} in it\n"
    done = Cli(environment)("redact", stdin=json.dumps({"text": f"with {SECRET}"}) + "\n")
    assert done.out == json.dumps({"text": f"with {placeholder}"}) + "\n"


def test_a_scrubbed_number_leaves_json_behind(repository: Repository, live: LiveSession) -> None:
    """In a record and in a file; what is saved later does not bring it back, nor is the source
    taken for a changed one."""
    pin = "839201839184"
    live.turn("a", "b", tool=json.dumps({"pin": int(pin), "list": [1, int(pin)]}))
    path = live.path
    lines = path.read_text().splitlines(keepends=True)
    row = {**json.loads(lines[0]), "extra": {"pin": int(pin), "all": [int(pin), 2]}}
    path.write_text(json.dumps(row) + "\n" + "".join(lines[1:]))
    repository.save()
    placeholder = scrub(repository, pin)
    assert_gone(repository, pin)
    before = len(list(repository.log()))
    live.turn("more", "done", tool=json.dumps({"pin": int(pin)}))
    with open_repository(repository._workspace.environment) as again:
        again.save()
        assert_gone(again, pin)
        assert len(list(again.log())) == before + 1
        raw = again.checkout_raw("HEAD", str(again.store_path.parent / "raw"))[0]
    first = json.loads(Path(raw).read_bytes().splitlines()[0])
    assert first["extra"] == {"pin": placeholder, "all": [placeholder, 2]}
