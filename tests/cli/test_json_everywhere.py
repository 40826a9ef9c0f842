"""Every verb that reads answers `--json` with one object, with and without a terminal the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gitsession.cli.verbs import READS, SUMMARIES

from .scene import TOKEN, Scene

LOOKS: dict[str, tuple[tuple[str, ...], ...]] = {
    "dir": ((),),
    "agents": ((),),
    "status": ((),),
    "list": ((), ("--all",)),
    "log": ((), ("--graph",), ("--oneline",)),
    "show": ((), ("HEAD:1",), ("--findings",), ("--raw",)),
    "diff": ((), ("HEAD~1", "HEAD")),
    "search": (("cookies",),),
    "events": ((),),
    "stats": ((), ("--loops",)),
    "oplog": ((),),
    "context": ((), ("--explain",), ("--check", "--budget", "9000")),
    "snapshot": ((), ("--state",)),
    "request": (("--message", "go on"),),
    "diagnose": (("--fact", "cookies"),),
    "verify-facts": (("facts",),),
    "export": ((), ("--format", "html"), ("--format", "native"), ("-o", "file")),
    "scan": (("facts",),),
    "fsck": ((), ("--session", "HEAD")),
    "du": ((),),
    "doctor": ((),),
    "completion": (("bash",),),
    "help": ((), ("log",)),
    "branch": ((), ("-l",)),
    "tag": ((),),
    "remote": ((),),
    "config": ((), ("author.name",)),
    "hooks": ((),),
    "gc": (("--dry-run",),),
    "review": (("--dry-run",),),
    "redact": (("facts",), ("--rewrite", "--dry-run")),
    "scrub": (("--stdin", "--dry-run"),),
    "checkout": (("HEAD~1", "--dry-run"),),
    "save": (("--dry-run",),),
}
CALLS = [(verb, *more) for verb, ways in LOOKS.items() for more in ways]


def test_every_reading_verb_is_among_them() -> None:
    assert READS <= set(LOOKS) <= set(SUMMARIES)


@pytest.mark.parametrize("call", CALLS, ids=" ".join)
def test_one_object_with_a_schema(scene: Scene, call: tuple[str, ...]) -> None:
    scene.cli("save")
    (Path(scene.project) / "facts").write_text("cookies\n")
    stdin = TOKEN if "--stdin" in call else ""
    answers = []
    for terminal in (False, True):
        scene.cli.terminal = terminal
        done = scene.cli(*call, "--json", stdin=stdin)
        assert done.code in (0, 1), done
        assert done.out.isascii()
        answer = json.loads(done.out)
        assert answer["schema"].startswith("gitsession.") and answer["schema"].endswith("/1")
        assert "\x1b" not in done.out
        answers.append(answer)
    if call[0] not in ("doctor", "oplog", "checkout"):  # these tell of now, or make an id
        assert answers[0] == answers[1]


def test_raw_records_come_back_exactly(scene: Scene) -> None:
    odd = b'{"type":"odd","text":"\xff\xfe caf\xc3\xa9"}\n'
    scene.agent.raw(odd)
    scene.agent.prompt("go on")
    scene.agent.say("Done.")
    scene.live()
    scene.cli("save")
    records = scene.cli("show", "--raw", "--json").json["records"]
    joined = "".join(records).encode("utf-8", "surrogateescape")
    assert odd in joined
    assert joined == scene.cli("show", "--raw").data


def test_an_export_without_a_file_is_in_the_answer(scene: Scene) -> None:
    scene.cli("save")
    answer = scene.cli("export", "--json").json
    assert (answer["file"], answer["text"]) == ("", scene.cli("export").out)
    assert answer["bytes"] == len(answer["text"].encode())


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (("log", "nothing"), 12), (("lgo",), 2), (("log", "--odd"), 2), (("show", "HEAD:99"), 12),
        (("redact", "nofile"), 16), (("redact", "--key", "facts", "facts"), 17),
    ],
    ids=str,
)  # fmt: skip
def test_an_error_is_one_object_on_standard_error(
    scene: Scene, call: tuple[str, ...], code: int
) -> None:
    scene.cli("save")
    (Path(scene.project) / "facts").write_text("cookies\n")
    done = scene.cli(*call, "--json")
    assert (done.code, done.out) == (code, "")
    error = json.loads(done.err)
    assert (error["schema"], error["exit_code"]) == ("gitsession.error/1", code)
    assert error["error"] and error["hint"]


def test_placeholders_under_a_key_from_a_file(scene: Scene) -> None:
    project = Path(scene.project)
    (project / "log").write_text("DB_PASSWORD=k7#Qz9!mVw2x\n")
    (project / "one").write_bytes(bytes(32))
    (project / "two").write_bytes(b"\x01" * 32)
    first, again, other = (
        scene.cli("redact", "--key", name, "log").out for name in ("one", "one", "two")
    )
    assert first == again != other
    assert "k7#Qz9" not in first + other
    assert first != scene.cli("redact", "log").out
    assert scene.cli("redact", "--key", "one", "--rewrite").code == 2
