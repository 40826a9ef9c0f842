"""What comes from a session never steers the terminal, whichever verb prints it."""

from __future__ import annotations

import pytest

from .scene import Scene

EVIL = "\x1b]0;owned\x07\x1b[2J\u202etxt.exe\u200b\u2066\x9b31m\x85\r\x08"
VERBS = (
    "list", "list --all", "log", "log --oneline", "log --graph --stat", "show", "show HEAD:1",
    "show --tool-call toolu_1", "diff HEAD~1 HEAD", "diff HEAD~1 HEAD --stat", "diff", "status",
    "events", "events --all --limit 0", "snapshot", "snapshot --state",
    "branch", "branch -l", "tag", "oplog", "checkout HEAD~1", "checkout HEAD --dry-run",
    "export HEAD --format md", "fsck", "scan", "remote -v", "archive @1", "save",
)  # fmt: skip


@pytest.fixture
def hostile(scene: Scene) -> Scene:
    """Evil text in prompt, answer, tool call, output, file, path, title and working state."""
    scene.agent = type(scene.agent)(cwd=str(scene.project))
    agent = scene.agent
    agent.prompt(f"first {EVIL}")
    agent.write(f"{scene.project}/{EVIL.replace('/', '')}.txt", f"content {EVIL}\n")
    agent.say(f"answer {EVIL}")
    agent.prompt(f"second {EVIL}")
    agent.bash(f"echo {EVIL}", f"output {EVIL}")
    agent.say("done")
    agent.row(type="custom-title", customTitle=f"title {EVIL}")
    agent.extra = {"gitBranch": f"branch {EVIL}"}
    agent.turn("third")
    agent.prompt(f"unsaved {EVIL}")
    scene.live()
    assert scene.cli("save", "--auto").code == 0
    scene.cli("tag", "mark", "-m", f"why {EVIL}")
    scene.cli("remote", "add", "origin", "/somewhere")
    assert scene.cli("list").code == 0
    return scene


@pytest.mark.parametrize("verb", VERBS)
def test_text_is_printable(hostile: Scene, verb: str) -> None:
    done = hostile.cli(*verb.split(), "--color", "never")
    assert done.code in (0, 12), done
    for character in (done.out + done.err).replace("\n", ""):
        assert character.isprintable(), (verb, hex(ord(character)))


@pytest.mark.parametrize("verb", VERBS[:16])
def test_json_is_ascii(hostile: Scene, verb: str) -> None:
    done = hostile.cli(*verb.split(), "--json")
    assert done.out.isascii() and done.json["schema"].startswith("gitsession.")


def test_names_of_branches_and_tags_are_refused_or_shown(hostile: Scene) -> None:
    for argv in (["branch", EVIL], ["tag", EVIL], ["rename", "@1", EVIL], ["log", EVIL],
                 ["checkout", EVIL], ["--store", EVIL, "list"], ["import", EVIL]):  # fmt: skip
        done = hostile.cli(*argv)
        for character in (done.out + done.err).replace("\n", ""):
            assert character.isprintable(), (argv[0], hex(ord(character)))


@pytest.mark.parametrize("verb", ["show", "show HEAD~2", "diff HEAD~2 HEAD", "tag"])
def test_what_was_hidden_is_shown(hostile: Scene, verb: str) -> None:
    out = hostile.cli(*verb.split()).out
    assert "␛]0;owned␇␛[2J<U+202E>txt.exe<U+200B><U+2066><U+009B>31m" in out
