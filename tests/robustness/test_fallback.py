"""G11: a version that cannot be read as a whole is named, and the last good one is at hand."""

from __future__ import annotations

import json

import pytest

from tests.builders import Claude
from tests.robustness.conftest import Shell
from tests.robustness.test_damage import flip


def damaged(shell: Shell, what: str) -> tuple[str, list[str], Claude]:
    """Three saved turns; one object that only the newest version has is damaged."""
    session = shell.session()
    for number in range(3):
        shell.writes(session.turn(f"turn {number}", command="ls"))
        shell.does("save")
    ids = shell.history(session)
    wanted = {"commit": "HEAD", "tree": "HEAD^{tree}", "metadata": "HEAD:session.yaml",
              "turn": "HEAD:streams/main/00/00"}[what].replace("HEAD", ids[-1])  # fmt: skip
    if what == "turn":
        names = shell.git("ls-tree", "--name-only", "-r", wanted).split()
        last = max(name for name in names if "turn-records" in name)
        wanted += f"/{last}"
    victim = shell.git("rev-parse", wanted).strip()
    flip(shell.store / "objects" / victim[:2] / victim[2:], 0.6)
    shell.path().unlink()
    return victim, ids, session


@pytest.mark.parametrize("what", ["commit", "tree", "metadata", "turn"])
def test_G11_fallback_to_the_last_good_version(shell: Shell, what: str) -> None:
    victim, ids, _ = damaged(shell, what)
    refused = shell("checkout", "HEAD")
    assert refused.code == 17, refused
    assert victim.encode() in refused.err and b"--fallback" in refused.err
    assert not shell.path().parent.exists() or not list(shell.path().parent.iterdir())
    done = shell.does("checkout", "HEAD", "--fallback")
    assert f"the last good version {ids[1][:12]}".encode() in done.err
    assert victim.encode() in done.err
    (native,) = shell.path().parent.glob("*.jsonl")
    rows = [json.loads(line) for line in native.read_bytes().splitlines()]
    said = json.dumps(rows)
    assert "turn 1" in said and "turn 2" not in said


def test_a_whole_version_is_taken_as_it_is(shell: Shell) -> None:
    session = shell.session("one", "two")
    shell.writes(session)
    shell.does("save")
    done = shell.does("checkout", "HEAD~1", "--fallback")
    assert done.err == b"" and b"one" in done.out


def test_raw_bytes_of_the_last_good_version(shell: Shell) -> None:
    _, _, session = damaged(shell, "turn")
    target = shell.temporary / "raw"
    shell.does("checkout", "HEAD", "--fallback", "--raw", str(target))
    assert session.data.startswith(target.read_bytes())
    assert b"turn 1" in target.read_bytes()


def test_nothing_good_is_left(shell: Shell) -> None:
    shell.writes(shell.session("one"))
    shell.does("save")
    victim = shell.git("rev-parse", f"{shell.history(shell.session('one'))[0]}^{{tree}}").strip()
    flip(shell.store / "objects" / victim[:2] / victim[2:], 0.6)
    done = shell("checkout", "HEAD", "--fallback")
    assert done.code == 12 and victim.encode() in done.err and b"fsck" in done.err
