"""A hint that names one of our commands can be pasted: it leads to the store that was named."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from gitsession.cli.own_commands import program, repeated
from gitsession.cli.verbs import SUMMARIES
from tests.builders import Claude

from .conftest import Cli
from .scene import Scene

_VERBS = [verb for verb in SUMMARIES if verb not in ("hooks", "config", "completion", "help")]
_OURS = re.compile(rf"gitsession(?: --store \S+)? (?:{'|'.join(_VERBS)})(?![\w-])")


@pytest.fixture
def other(tmp_path: Path) -> str:
    return str(tmp_path / "other store.git")


@pytest.mark.parametrize(
    "typed",
    [
        ("log", "nosuchthing"), ("log", "HEAD~9"), ("show", "HEAD:99"), ("list",),
        ("log", "-n", "1"), ("save",), ("save", "nosuchid"), ("status",), ("search", "cookies"),
        ("search", "nothinglikethis"), ("events",), ("undo", "999"), ("tag", "-d", "nope"),
        ("checkout", "HEAD~1"), ("checkout", "HEAD", "--force"), ("delete", "HEAD", "--yes"),
        ("push",), ("du",), ("gc", "--dry-run"), ("doctor",), ("hooks", "status"),
        ("diagnose", "--fact", "no such fact"), ("snapshot",),
        ("list", "--archived"), ("list", "--project", "/nowhere"), ("list", "--limit", "0"),
        ("diff", "A..B"), ("review",), ("resume", "nope"), ("config", "nope"), ("agents",),
    ],
)  # fmt: skip
def test_every_command_that_is_named_repeats_the_store(
    scene: Scene, other: str, typed: tuple[str, ...]
) -> None:
    assert scene.cli("--store", other, "save").code == 0
    first = f"gitsession --store {shlex.quote(other)} "
    for argv in (typed, (*typed, "--json")):
        done = scene.cli("--store", other, *argv)
        said = (done.out + done.err).replace("$ gitsession", "") if argv == typed else done.err
        named = _OURS.findall(said.replace(first, "gitsession --store S "))
        assert all("--store" in command for command in named), done
    assert "Traceback" not in done.err


def test_the_way_back_after_a_checkout_can_be_pasted(scene: Scene, other: str) -> None:
    cli = scene.cli
    assert cli("--store", other, "save").code == 0
    home = cli("--store", other, "log", "-n", "1", "--json").json["versions"][0]["id"]
    done = cli("--store", other, "checkout", "HEAD~2")
    (line,) = re.findall(r"back: gitsession (.*)", done.out)
    assert cli(*shlex.split(line)).code == 0
    assert cli("--store", other, "log", "-n", "1", "--json").json["versions"][0]["id"] == home
    told = cli("--store", other, "checkout", "HEAD~1", "--json").json["checkout"]["note"]
    assert f"back: gitsession --store {shlex.quote(other)} checkout " in told


def test_the_next_page_of_a_log_is_the_next_page(scene: Scene, other: str) -> None:
    cli = scene.cli
    assert cli("--store", other, "save").code == 0
    done = cli("--store", other, "log", "-n", "1", "--oneline")
    (line,) = re.findall(r"Older versions: gitsession (.*)", done.out)
    assert "cookies" in cli(*shlex.split(line)).out


def test_a_snapshot_names_commands_that_find_its_session(scene: Scene, other: str) -> None:
    cli = scene.cli
    assert cli("--store", other, "save").code == 0
    text = cli("--store", other, "snapshot").out
    (line,) = re.findall(r"instructions. gitsession (.*?):N prints", text)
    assert cli(*shlex.split(f"{line}:1")).code == 0


def test_what_a_session_says_stays_as_it_is(cli: Cli, other: str) -> None:
    agent = Claude(cwd=cli.environment.cwd)
    agent.prompt("run gitsession log and gitsession list")
    agent.say("hint: gitsession list, and to go back: gitsession checkout main")
    agent.save(Path(cli.environment.home))
    assert cli("--store", other, "save").code == 0
    for argv in ("show HEAD:1", "log", "diff", "export", "context", "show --raw", "list"):
        out = cli("--store", other, *argv.split()).out
        assert "gitsession log" in out or "gitsession list" in out, argv


def test_where_one_stands_is_repeated_too(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a b").mkdir()
    done = cli("-C", str(tmp_path / "a b"), "log")
    assert f"gitsession -C '{tmp_path}/a b' save" in done.err
    assert cli("log").err.count("-C") == 0, "the next run is another one"


def test_only_commands_are_rewritten() -> None:
    called = program("/s t", "")
    assert called == "gitsession --store '/s t'"
    assert program("", "") == "gitsession"
    assert program("s", "d") == "gitsession -C d --store s"
    text = "install gitsession again; `gitsession gc`, gitsession verify-facts F, gitsession --help"
    assert repeated(text, called) == (
        f"install gitsession again; `{called} gc`, {called} verify-facts F, gitsession --help"
    )
    assert repeated("gitsession hooks install", called) == "gitsession hooks install"
    assert repeated("gitsession logs in", called) == "gitsession logs in"
