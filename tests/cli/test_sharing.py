"""remote, push, fetch, pull: which remote is meant, the guards, and what is asked."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from gitsession.errors import Conflict, SecretsFound
from gitsession.model.report import PushPlan, Transfer

from .conftest import Cli, Fake

PLAN = PushPlan(
    "origin", "ssh://host/me.git", False, (("refs/heads/a-1/main", "", "c" * 40),), ("a-1",), 3, 2,
    ("/home/me/app",), "Me <me@x>",
)  # fmt: skip


class Repository(Fake):
    def __init__(self, plan: PushPlan = PLAN, rejected: bool = False, **remotes: str) -> None:
        self.plan = plan
        self.known = remotes or {"origin": "ssh://host/me.git"}
        self.asked: tuple[Any, ...] = ()
        self.sent: tuple[str, ...] | None = None
        self.rejected = (("refs/heads/a-1/main", "not a fast-forward"),) if rejected else ()

    def remotes(self) -> list[tuple[str, str]]:
        return list(self.known.items())

    def plan_push(self, remote: str, sessions: tuple[str, ...], **wishes: Any) -> PushPlan:
        self.asked = (remote, sessions, wishes)
        return self.plan

    def push(self, plan: PushPlan, allow: tuple[str, ...] = ()) -> Transfer:
        if plan.problems:
            raise Conflict("refused", candidates=plan.problems)
        if plan.findings:
            raise SecretsFound("refused", candidates=("  ".join(plan.findings[0]),))
        self.sent = allow
        moved = () if self.rejected else plan.refs
        return Transfer(plan.remote, moved, self.rejected)

    def fetch(self, remote: str) -> Transfer:
        return Transfer(remote, (), self.rejected, ("a note",))

    pull = fetch


@pytest.mark.parametrize(
    ("argv", "remote", "sessions"),
    [
        ([], "", ()),
        (["origin"], "origin", ()),
        (["a-1"], "", ("a-1",)),
        (["a-1", "b-2"], "", ("a-1", "b-2")),
        (["backup", "a-1"], "backup", ("a-1",)),
        (["--all"], "", ()),
        (["--delete", "a-1", "--yes"], "", ()),
        (["--delete", "a-1", "orgin", "--yes"], "orgin", ()),
    ],
)
def test_the_first_word_is_a_remote_or_a_session(
    cli: Cli, argv: list[str], remote: str, sessions: tuple[str, ...]
) -> None:
    repository = Repository(origin="x", backup="y")
    assert cli.fake(repository)("push", *argv).code == 0
    assert repository.asked[:2] == (remote, sessions)


def test_a_finding_refuses_the_push_and_names_no_value(cli: Cli) -> None:
    finding = ("3fa91c22", "main:4 text", "__REDACTED_aws_12345678__")
    repository = Repository(replace(PLAN, first=True, findings=(finding,)))
    done = cli.fake(repository)("push")  # refused before anything is asked
    assert done.code == 14 and repository.sent is None
    assert "  3fa91c22  main:4 text  __REDACTED_aws_12345678__\n" in done.err
    looked = cli("push", "--dry-run")
    assert looked.code == 14 and "main:4 text" in looked.out


def test_a_problem_refuses_the_push(cli: Cli) -> None:
    repository = Repository(replace(PLAN, problems=("the remote is that of your code",)))
    done = cli.fake(repository)("push", "--yes")
    assert done.code == 13 and repository.sent is None
    assert "the remote is that of your code" in done.err
    assert cli("push", "--dry-run").code == 13


def test_allow_is_handed_on(cli: Cli) -> None:
    repository = Repository()
    done = cli.fake(repository)("push", "--allow", "P1", "--allow", "P2", "--allow-code-remote")
    assert done.code == 0
    assert repository.sent == ("P1", "P2")
    assert repository.asked[2]["allow"] == ("P1", "P2")
    assert repository.asked[2]["allow_code_remote"] is True


def test_the_first_push_shows_the_destination_and_asks(cli: Cli) -> None:
    repository = Repository(replace(PLAN, first=True))
    cli.fake(repository)
    unattended = cli("push")
    assert unattended.code == 2 and "--yes" in unattended.err and repository.sent is None
    cli.terminal = True
    refused = cli("push", stdin="n\n")
    assert refused.code == 13 and repository.sent is None
    assert "Push to ssh://host/me.git? [y/N]" in refused.err
    agreed = cli("push", stdin="y\n")
    assert agreed.code == 0 and repository.sent == ()
    for shown in ("ssh://host/me.git", "a-1", "/home/me/app", "Me <me@x>", "masked in 2 places"):
        assert shown in agreed.out


def test_deleting_at_a_remote_asks_each_time(cli: Cli) -> None:
    repository = Repository()
    cli.fake(repository).terminal = True
    assert cli("push", "--delete", "a-1", stdin="n\n").code == 13 and repository.sent is None
    done = cli("push", "--delete", "a-1", stdin="y\n")
    assert done.code == 0 and "Delete a-1 on ssh://host/me.git? [y/N]" in done.err


def test_yes_does_not_ask(cli: Cli) -> None:
    repository = Repository(replace(PLAN, first=True))
    assert cli.fake(repository)("push", "--yes").code == 0 and repository.sent == ()


def test_dry_run_sends_nothing(cli: Cli) -> None:
    repository = Repository(replace(PLAN, first=True))
    done = cli.fake(repository)("push", "--dry-run")
    assert done.code == 0 and repository.sent is None and "ssh://host/me.git" in done.out
    plan = cli("push", "--dry-run", "--json").json
    assert plan["schema"] == "gitsession.push-plan/1" and plan["plan"]["sessions"] == ["a-1"]


@pytest.mark.parametrize("verb", ["push", "fetch", "pull"])
def test_a_rejected_ref_is_a_conflict_that_is_told(cli: Cli, verb: str) -> None:
    done = cli.fake(Repository(rejected=True))(verb)
    assert done.code == 13 and "not a fast-forward" in done.out
    assert cli(verb, "--json").code == 13


@pytest.mark.parametrize("argv", [["--all", "--project"], ["--all", "origin", "a-1"]])
def test_push_combinations_that_mean_nothing(cli: Cli, argv: list[str]) -> None:
    assert cli.fake(Repository())("push", *argv).code == 2


def test_remote_lists_adds_and_removes(cli: Cli) -> None:
    calls: list[tuple[str, ...]] = []

    class Remotes(Repository):
        def add_remote(self, name: str, url: str) -> None:
            calls.append(("add", name, url))

        def remove_remote(self, name: str) -> None:
            calls.append(("rm", name))

    cli.fake(Remotes(origin="ssh://host/a", backup="/srv/b"))
    assert cli("remote").out == "backup\norigin\n"
    assert cli("remote", "-v").out == "backup  /srv/b\norigin  ssh://host/a\n"
    assert cli("remote", "--json").json["remotes"] == {"origin": "ssh://host/a", "backup": "/srv/b"}
    assert cli("remote", "add", "x", "y").out.startswith("Added remote x;")
    said = "Removed remote origin (ssh://host/a) and what was fetched from it\n"
    assert cli("remote", "rm", "origin").out == said
    assert calls == [("add", "x", "y"), ("rm", "origin")]
    for wrong in (["add", "x"], ["rm"], ["rm", "a", "b"], ["what"]):
        assert cli("remote", *wrong).code == 2
