"""What `save` and `import` say, and their exit codes, for every outcome."""

from __future__ import annotations

from typing import Any

import pytest

from gitsession.errors import NotFound
from gitsession.model.finding import Finding
from gitsession.model.history import Version
from gitsession.model.report import Saved, SaveReport
from gitsession.model.saved import Tally

from .conftest import Cli, Fake

VERSION = Version("a" * 40, "b" * 40, (), 0, "add a login page", {"Kind": "turn"}, "")
FINDING = Finding("aws", "main:3 text", "__REDACTED_aws_1234__")


def saved(outcome: str = "saved", **more: Any) -> Saved:
    if outcome == "saved":
        more = {"branch": "login-ab12/main", "versions": (VERSION,), "new_records": 3, **more}
    return Saved("codex", "0199-x", outcome, **more)


class Repository(Fake):
    def __init__(self, *sessions: Saved, first: bool = False, dry_run: bool = False) -> None:
        self.report = SaveReport(sessions, "/data/store.git", first, dry_run)
        self.asked: tuple[object, ...] = ()

    def save(self, names: tuple[str, ...], **wishes: Any) -> SaveReport:
        wishes.pop("progress")
        self.asked = (names, wishes)
        return self.report

    def import_files(self, paths: Any, **wishes: Any) -> SaveReport:
        wishes.pop("progress")
        self.asked = (tuple(map(str, paths)), wishes)
        return self.report


def test_everything_that_is_asked_reaches_the_repository(cli: Cli) -> None:
    repository = Repository(saved())
    cli.fake(repository)("save", "ab", "cd", "-m", "works", "--agent", "codex", "--single")
    assert repository.asked == (
        ("ab", "cd"),
        {"agent": "codex", "message": "works", "everything": False, "auto": False,
         "single": True, "dry_run": False, "scan": False},
    )  # fmt: skip
    cli("save", "--all", "--dry-run")
    assert repository.asked[1]["everything"] and repository.asked[1]["dry_run"]  # type: ignore[index]
    cli("import", "x.jsonl", "--format", "codex")
    here = cli.environment.cwd
    assert repository.asked == ((f"{here}/x.jsonl",), {"format": "codex", "single": False})


def test_the_first_save_says_where_what_and_how_to_look(cli: Cli) -> None:
    done = cli.fake(Repository(saved(findings=(FINDING,)), first=True))("save")
    assert done.code == 0 and done.err == ""
    assert "Saved 1 version" in done.out and "login-ab12/main" in done.out
    assert "1 value masked" in done.out
    assert "This was the first save" in done.out and "/data/store.git" in done.out
    assert "gitsession log" in done.out


def test_it_names_no_verb_that_does_not_exist(cli: Cli) -> None:
    import re

    from gitsession.cli.verbs import SUMMARIES

    outcomes = ["nothing", "wip", "shrunk", "stub", "excluded", "deleted"]
    reports = [Repository(saved(findings=(FINDING,)), first=True)]
    reports += [Repository(saved(outcome)) for outcome in outcomes]
    for repository in reports:
        text = cli.fake(repository)("save").out
        assert set(re.findall(r"gitsession ([a-z]+)", text)) <= set(SUMMARIES)


def test_nothing_new_is_no_error(cli: Cli) -> None:
    done = cli.fake(Repository(saved("nothing", branch="login-ab12/main")))("save")
    assert done.code == 0 and done.err == ""
    assert done.out == "Nothing to save: login-ab12/main is up to date.\n"


def test_a_hook_is_silent(cli: Cli) -> None:
    done = cli.fake(Repository(saved()))("save", "--auto")
    assert (done.code, done.out, done.err) == (0, "", "")


@pytest.mark.parametrize(
    ("argv", "outcomes", "code"),
    [
        (["save"], ["saved"], 0),
        (["save"], ["shrunk"], 0),
        (["save"], ["stub"], 0),
        (["save", "a", "b"], ["saved", "unreadable"], 16),
        (["save", "a", "b"], ["busy", "saved"], 11),
        (["save", "--all"], ["saved", "unreadable", "busy"], 0),
        (["save", "--all"], ["nothing", "missing"], 0),
        (["save", "--all"], ["unreadable", "busy"], 16),
        (["save", "--all"], [], 16),
        (["import", "a", "b"], ["saved", "unreadable"], 16),
        (["import", "a"], ["nothing"], 0),
        (["import", "."], ["saved", "unreadable"], 0),
        (["import", "."], ["unreadable"], 16),
    ],
)
def test_exit_codes(cli: Cli, argv: list[str], outcomes: list[str], code: int) -> None:
    sessions = [
        saved(outcome, error="torn" if outcome == "unreadable" else "") for outcome in outcomes
    ]
    done = cli.fake(Repository(*sessions))(*argv)
    assert done.code == code
    as_json = cli(*argv, "--json")
    assert as_json.code == code
    if outcomes:
        told = as_json.json["report"]["sessions"]
        assert [session["outcome"] for session in told] == outcomes


def test_one_bad_file_does_not_hide_the_others(cli: Cli) -> None:
    bad = saved("unreadable", error="the file is empty")
    done = cli.fake(Repository(saved(), bad))("import", "a", "b")
    assert done.code == 16
    assert "login-ab12/main" in done.out and "empty" not in done.out
    assert done.err.startswith("error: codex 0199-x: the file is empty\nhint: ")


@pytest.mark.parametrize("argv", [["--all", "x"], ["--all", "-m", "x"]])
def test_combinations_that_mean_nothing(cli: Cli, argv: list[str]) -> None:
    assert cli.fake(Repository(saved()))("save", *argv).code == 2


def test_an_error_of_a_named_session_is_that_error(cli: Cli) -> None:
    class Empty(Fake):
        def save(self, *_: Any, **__: Any) -> SaveReport:
            raise NotFound("no native session has that id", hint="x")

    done = cli.fake(Empty())("save", "zzz")
    assert (done.code, done.err) == (12, "error: no native session has that id\nhint: x\n")


def test_progress_tells_sessions_bytes_masked_values_and_the_time_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from gitsession.cli import saving

    said: list[tuple[int, int, str]] = []
    now = iter([0.0, 60.0, 200.0])
    monkeypatch.setattr(saving.time, "monotonic", lambda: next(now))
    step = saving.each(lambda *line: said.append(line))  # type: ignore[arg-type]
    step(Tally(0, 3, 0, 9_000_000, 0, "", ""))
    step(Tally(1, 3, 0, 9_000_000, 0, "pi", "empty"))
    step(Tally(2, 3, 3_000_000, 9_000_000, 7, "codex", "one"))
    step(Tally(3, 3, 9_000_000, 9_000_000, 7, "codex", "two"))
    assert [line[:2] for line in said] == [(0, 9_000_000)] * 2 + [(3_000_000, 9_000_000)] + [
        (9_000_000, 9_000_000)
    ]
    assert said[0][2].strip() == "0 of 3 sessions, 0 B of 9.0 MB, 0 masked"
    assert said[1][2].endswith("0 masked  pi empty")
    assert said[2][2] == "2 of 3 sessions, 3.0 MB of 9.0 MB, 7 masked  about 2 min left"
    assert said[3][2].endswith("7 masked  codex two")
