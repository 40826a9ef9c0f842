"""A verb that only looks makes nothing: no store, no key, no file of any kind in an empty HOME."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gitsession.cli import verbs
from gitsession.errors import StoreNotFound
from tests.builders import Claude, a_uuid

from .conftest import Cli

ARGUMENTS = {
    "search": ("word",),
    "diagnose": ("--fact", "a fact"),
    "request": ("--message", "a question"),
    "verify-facts": ("facts.txt",),
    "completion": ("bash",),
    "scan": ("facts.txt",),
}
"""What a verb of the table must be given."""
ANSWERS = {"agents", "completion", "dir", "doctor", "help", "scan", "status"}
"""Those that have an answer where no store is; all others say that there is none."""


def everything(cli: Cli) -> set[str]:
    home = cli.environment.home
    cache = os.path.relpath(cli.environment.folder("cache"), home)
    found = {str(path.relative_to(home)) for path in home.rglob("*")}
    return {path for path in found if not cache.startswith(path) and not path.startswith(cache)}


@pytest.mark.parametrize("verb", sorted(verbs.SUMMARIES))
def test_help_of_every_verb_makes_nothing(cli: Cli, verb: str) -> None:
    done = cli(verb, "--help")
    assert done.code == 0 and done.out.startswith("usage: gitsession")
    assert list(cli.environment.home.iterdir()) == []


@pytest.mark.parametrize("verb", [*sorted(verbs.READS), "remote", "branch", "tag"])
def test_a_verb_that_looks_makes_nothing(cli: Cli, verb: str) -> None:
    (Path(cli.environment.cwd) / "facts.txt").write_text("a fact\n")
    done = cli(verb, *ARGUMENTS.get(verb, ()))
    assert everything(cli) == set()
    if verb in ANSWERS:
        assert done.out and "no store" not in done.err
    else:
        assert (done.code, "there is no store yet" in done.err) == (
            StoreNotFound.exit_code,
            True,
        ), done


@pytest.mark.parametrize("verb", sorted(verbs.READS))
def test_a_verb_that_looks_may_not_ask_for_a_store(cli: Cli, verb: str) -> None:
    """Whatever its command does: the table has the last word."""
    asked = []

    def opener(environment: object, *, store: object, create: bool) -> None:
        asked.append(create)
        raise StoreNotFound("no")

    cli.opener = opener
    cli(verb, *ARGUMENTS.get(verb, ()))
    assert not any(asked)


def test_status_and_agents_answer_without_a_store(cli: Cli) -> None:
    session = Claude(cwd=cli.environment.cwd)
    session.turn("first")
    session.save(cli.environment.home)
    before = everything(cli)
    assert "No session of this directory is saved yet." in cli("status").out
    rows = {row["name"]: row for row in cli("agents", "--json").json["agents"]}
    assert rows["claude-code"]["sessions"] == 1
    assert cli("status", "--json").json["status"]["head"] == ""
    assert cli("dir").out.strip().endswith("store.git")
    assert everything(cli) == before


def test_a_folder_that_is_no_store_is_not_taken_for_a_missing_one(cli: Cli) -> None:
    other = Path(cli.environment.cwd) / "other"
    other.mkdir()
    done = cli("--store", str(other), "status")
    assert done.code == StoreNotFound.exit_code and "is not a gitsession store" in done.err
    assert list(other.iterdir()) == []


@pytest.mark.parametrize("arguments", [(), ("--all",)])
def test_a_dry_run_of_the_first_save_makes_nothing(cli: Cli, arguments: tuple[str, ...]) -> None:
    """Two sessions of more than helpers would be called for, and what would become of them."""
    for name in ("one", "two"):
        session = Claude(a_uuid(name), cwd=cli.environment.cwd)
        session.turn("first", answer="word " * 1_000_000)
        session.save(cli.environment.home)
    before = everything(cli)
    done = cli("save", "--dry-run", "--json", *arguments)
    assert done.code == 0, done
    report = done.json["report"]
    assert [saved["outcome"] for saved in report["sessions"]] == ["saved"] * (1 + bool(arguments))
    assert everything(cli) == before
    assert cli("save").code == 0 and everything(cli) > before


@pytest.mark.parametrize(
    "words",
    [("save",), ("save", "--all"), ("save", "no-such-id"), ("import", "not-there.jsonl"),
     ("import", "facts.txt"), ("import", ".")],
)  # fmt: skip
def test_nothing_is_made_where_there_is_nothing_to_save(cli: Cli, words: tuple[str, ...]) -> None:
    (Path(cli.environment.cwd) / "facts.txt").write_bytes(b"\x00 no session")
    done = cli(*words)
    assert done.code in (12, 16) and "error: " in done.err
    assert everything(cli) == set()
