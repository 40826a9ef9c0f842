"""G26: what a share would show, decided item by item; the store stays as it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gitsession.agents.generic import Generic
from gitsession.environment import Environment
from gitsession.redaction.private import private_data
from gitsession.repository import Repository
from tests.cli.conftest import Cli
from tests.operations.conftest import LiveSession

TEXT = (
    "connect to 10.20.30.40 or db1.corp.internal as ada@example.org, see /home/ada/notes, "
    "not 8.8.8.8, 127.0.0.1, 1.2.3, settings.local.json or https://docs.python.org"
)


def saved(repository: Repository, live: LiveSession) -> None:
    live.turn("hello", "hi").turn(f"the plan: {TEXT}", "ok for Bluebird").turn("bye", "bye")
    repository.save()


def test_what_is_private_is_named() -> None:
    assert sorted(private_data(TEXT.encode() + b" bluebird", [b"BlueBird"])) == [
        ("email", b"ada@example.org"),
        ("home-path", b"/home/ada"),
        ("host-name", b"db1.corp.internal"),
        ("private-address", b"10.20.30.40"),
        ("word", b"bluebird"),
    ]


def test_G26_every_item_is_listed_with_its_place(
    repository: Repository, live: LiveSession, environment: Environment
) -> None:
    saved(repository, live)
    done = Cli(environment)("review", "--dry-run", "--word", "bluebird")
    assert done.code == 0
    for text in ("10.20.30.40", "db1.corp.internal", "ada@example.org", "/home/ada", "Bluebird"):
        assert text in done.out
    assert "message 3" in done.out


def test_an_escape_of_json_is_no_letter_of_a_word(
    repository: Repository, live: LiveSession, environment: Environment
) -> None:
    """A tab before `@app.route` is no mailbox `t`."""
    answer = "12\t@app.route\n\\share@corp.example\nto bob@example.org"
    live.turn("look", answer, tool="1\t@app.get")
    repository.save()
    done = Cli(environment)("review", "--dry-run")
    assert "@app." not in done.out and "bob@example.org  (message 3)" in done.out
    assert "2 things to decide" in done.out and "email: share@corp.example" in done.out


def test_G26_unattended_without_decisions_writes_nothing(
    repository: Repository, live: LiveSession, environment: Environment
) -> None:
    saved(repository, live)
    target = Path(environment.cwd) / "out.json"
    done = Cli(environment)("review", "-o", str(target))
    assert done.code == 14
    assert not target.exists()
    assert Cli(environment)("review").code == 2


@pytest.mark.parametrize("form", ["json", "md", "html"])
def test_G26_what_is_redacted_or_dropped_is_not_in_the_file(
    repository: Repository, live: LiveSession, environment: Environment, form: str
) -> None:
    saved(repository, live)
    before = dict(repository._store.refs())
    folder = Path(environment.cwd)
    decisions = folder / "decisions.json"
    decisions.write_text(json.dumps({"email": "redact", "word": "drop", "*": "redact"}))
    target = folder / f"out.{form}"
    done = Cli(environment)(
        "review", "--decisions", str(decisions), "--format", form, "-o", str(target),
        "--word", "bluebird",
    )  # fmt: skip
    assert done.code == 0, done.err
    text = target.read_text()
    for private in ("10.20.30.40", "db1.corp.internal", "ada@example.org", "/home/ada"):
        assert private not in text
    assert "ok for" not in text and "Bluebird" not in text
    assert "__REDACTED_email_" in text and "8.8.8.8" in text
    assert repository._store.refs() == before
    if form == "json":
        source = Generic().recognise(target)
        assert source is not None
        parts = list(Generic().read(source))
        assert parts


def test_a_decision_for_one_item_goes_before_that_of_its_category(
    repository: Repository, live: LiveSession
) -> None:
    from gitsession.operations.sharing.review import reviewed

    saved(repository, live)
    found = repository.review()
    [email] = [item for item in found.items if item.category == "email"]
    data = reviewed(found, {email.placeholder: "keep", "*": "redact"})
    assert b"ada@example.org" in data and b"10.20.30.40" not in data
