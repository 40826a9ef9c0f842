"""import, export, scan, redact, fsck, config, init, dir, completion on a real store."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from tests.render.render_snapshot import same_as_file

from .conftest import Cli
from .scene import TOKEN, Scene

SNAPSHOTS = Path(__file__).parent / "snapshots"


def test_import(scene: Scene) -> None:
    here = scene.project
    (here / "session.jsonl").write_bytes(scene.agent.data)
    (here / "empty.jsonl").write_bytes(b"")
    (here / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    (here / "folder").mkdir()
    for name in ("session.jsonl", "session.jsonl", "empty.jsonl", "picture.png", "nothing.jsonl"):
        scene("import", name)
    scene("import", "folder")
    scene("import", "session.jsonl", "--format", "no-such-agent")
    scene("import")
    same_as_file(SNAPSHOTS / "import.txt", scene.transcript)


def test_a_fifo_does_not_block(scene: Scene) -> None:
    import os

    os.mkfifo(scene.project / "pipe")
    done = scene("import", "pipe")
    assert done.code == 16 and "not a regular file" in done.err


def test_export(scene: Scene) -> None:
    scene.cli("save")
    text = scene("export", "HEAD~1").out
    assert "write a login page" in text and text.startswith("# ")
    assert (
        scene("export", "HEAD~1", "--format", "native").data
        == scene("show", "HEAD~1", "--raw").data
    )
    done = scene("export", "--format", "json", "-o", "out.json")
    assert done.code == 0 and done.out == ""
    assert json.loads((scene.project / "out.json").read_text())
    assert scene("export", "--format", "docx").code == 2
    assert scene("export", "nobody").code == 12


def test_what_is_exported_is_imported_elsewhere(scene: Scene) -> None:
    """test_G25_share_as_a_file: one standard file, equal on an empty store."""
    scene.cli("save")
    scene.cli("export", "--format", "json", "-o", "s.json")
    done = scene.cli("--store", "other.git", "import", "s.json")
    assert done.code == 0, done
    mine = scene.cli("show", "--json").json["session"]["messages"]
    name = scene.cli("--store", "other.git", "list", "--all", "--json").json["sessions"][0][
        "session"
    ]
    theirs = scene.cli("--store", "other.git", "show", name, "--json").json["session"]["messages"]

    def said(messages: list[dict[str, object]]) -> list[object]:
        return [(message["role"], message["parts"]) for message in messages]

    assert said(theirs) == said(mine)


def test_scan(scene: Scene) -> None:
    (scene.project / "clean.txt").write_text("nothing here\n")
    (scene.project / "notes.txt").write_text(f"first\ntoken {TOKEN}\n")
    scene("scan", "clean.txt")
    scene("scan", "notes.txt")
    scene("scan", ".")
    scene("scan", "missing.txt")
    scene.cli("save")
    scene("scan", "--all")
    text = re.sub(r" {3,}", "  ", scene.transcript)  # a column is as wide as the folder's name
    same_as_file(SNAPSHOTS / "scan.txt", text)
    assert TOKEN not in "".join(scene.said)


def test_scan_writes_nothing(cli: Cli) -> None:
    """Not even a store or a key, before the first save."""
    home, project = Path(cli.environment.home), Path(cli.environment.cwd)
    (project / "notes.txt").write_text(f"token {TOKEN}\n")
    done = cli("scan", "notes.txt")
    assert done.code == 1 and "notes.txt:1" in done.out and TOKEN not in done.out
    assert cli("scan").code == 12
    assert cli("scan", "--all").code == 10
    assert cli("--store", "x", "scan", "notes.txt").code == 10
    assert not list(home.iterdir()) and [path.name for path in project.iterdir()] == ["notes.txt"]


def test_redact_a_text(cli: Cli) -> None:
    done = cli("redact", stdin=f"a line\r\nexport GITHUB_TOKEN={TOKEN}\nno newline \u00e9")
    assert done.code == 0 and TOKEN not in done.out
    lines = done.out.split("\n")
    assert lines[0] == "a line\r" and lines[2] == "no newline \u00e9"
    assert lines[1].startswith("export GITHUB_TOKEN=__REDACTED_")


def test_redact_keeps_every_other_byte(cli: Cli) -> None:
    path = Path(cli.environment.cwd, "mixed.bin")
    data = b"\xff\xfe\x00 \xed\xa0\x80 1.10\r\n" + TOKEN.encode() + b"\x85\n"
    path.write_bytes(data)
    out = cli("redact", "mixed.bin").data
    before, _, after = data.partition(TOKEN.encode())
    assert out.startswith(before) and out.endswith(after) and TOKEN.encode() not in out


def test_redact_json_lines_change_only_the_secret(cli: Cli) -> None:
    lines = [
        json.dumps({"early": TOKEN[4:], "n": "x"}),
        '{"a": 1.10, "a":"\\u0041\\/", "token": "' + TOKEN + '"}',
        "",
        "not json",
        '{"tail": true}',
    ]
    out = cli("redact", "-", stdin="\n".join(lines)).out.split("\n")
    assert len(out) == len(lines)
    assert [out[2], out[3], out[4]] == lines[2:]
    changed = out[1].partition("__REDACTED_")
    assert changed[0] == '{"a": 1.10, "a":"\\u0041\\/", "token": "' and out[1].endswith('"}')
    assert TOKEN not in "\n".join(out) and json.loads(out[1])["a"] == "A/"


def test_redact_twice_is_redact_once(cli: Cli) -> None:
    once = cli("redact", stdin=f"token {TOKEN}\n").out
    assert cli("redact", stdin=once).out == once


def test_redact_of_a_missing_file(cli: Cli) -> None:
    done = cli("redact", "nothing.txt")
    assert done.code == 16 and "there is no file" in done.err


def test_fsck_finds_a_damaged_object(scene: Scene) -> None:
    scene.cli("save")
    assert scene("fsck").out == "No problems found.\n"
    store = Path(scene("dir").out.strip())
    packs = sorted(store.glob("objects/pack/*.pack"))
    loose = list(store.glob("objects/[0-9a-f][0-9a-f]/*"))
    victim = packs[0] if packs else loose[0]
    data = bytearray(victim.read_bytes())
    data[len(data) // 2] ^= 0xFF
    victim.chmod(0o600)
    victim.write_bytes(data)
    done = scene("fsck")
    assert done.code == 1 and "problem" in done.out
    assert scene("fsck", "--json").json["problems"]


def test_config(scene: Scene) -> None:
    scene("config", "author.name")
    scene("config", "author.name", "Ada")
    scene("config", "author.name")
    scene("config", "lock.timeout", "soon")
    scene("config", "no.such.setting")
    scene("config", "no.such.setting", "1")
    scene("config", "--unset", "author.name")
    scene("config", "--unset")
    scene("config", "trust")
    scene("config")
    same_as_file(SNAPSHOTS / "config.txt", scene.transcript)


def test_init_binds_this_project_to_a_further_store(scene: Scene) -> None:
    default = scene("dir").out.strip()
    made = scene("init", "--name", "work")
    assert made.code == 0 and "/work.git" in made.out
    assert scene("dir").out.strip() == default.replace("/store.git", "/work.git")
    assert scene("init", "--name", "../evil").code == 2
    assert scene("--store", "x", "init", "--name", "y").code == 2
    assert not list(scene.project.iterdir())


def test_a_store_is_for_several_projects_and_the_default_comes_back(scene: Scene) -> None:
    default = scene("dir").out
    scene("init", "--name", "work")
    again = scene("init", "--name", "work")
    assert again.code == 0 and again.out == f"The store is {scene('dir').out}"
    assert scene("init", "--name", "store").code == 0
    assert scene("dir").out == default
    (Path(default.strip()).parent / "other.git").mkdir()
    assert scene("init", "--name", "other").code == 10, "no store of ours"
    assert scene("dir").out == default


def test_dir_is_for_plain_git(scene: Scene) -> None:
    scene.cli("save")
    done = subprocess.run(
        ["git", "-C", scene("dir").out.strip(), "log", "--format=%s", "--branches"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.splitlines()[1:] == ["use cookies instead", "write a login page"]


def test_no_store(scene: Scene) -> None:
    done = scene("--store", "nowhere", "list")
    assert done.code == 10 and done.err.startswith("error: ") and "hint: " in done.err
    assert not (scene.project / "nowhere").exists()
    (scene.project / "mine").mkdir()
    (scene.project / "mine" / "file").write_text("not a store")
    for verb in ("list", "save"):
        assert scene("--store", "mine", verb).code in (10, 13, 17)
    assert [path.name for path in (scene.project / "mine").iterdir()] == ["file"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(cli: Cli, shell: str) -> None:
    from gitsession.cli.verbs import SUMMARIES

    done = cli("completion", shell)
    assert done.code == 0 and all(verb in done.out for verb in SUMMARIES)
    assert "--findings" in done.out or "findings" in done.out


def test_bash_accepts_the_completion(cli: Cli) -> None:
    script = cli("completion", "bash").out
    done = subprocess.run(["bash", "-n"], input=script, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
