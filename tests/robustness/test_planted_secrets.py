"""Law 1 from the outside: secrets in every place that a session has, and not one on the disk."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.acceptance.conftest import LONG
from tests.builders import CLAUDE_ID, Claude, a_uuid
from tests.robustness.conftest import Done, Shell, every_byte
from tests.robustness.planted import Plants

pytestmark = pytest.mark.timeout(1500)

DYING = (sys.executable, "-m", "tests.robustness.dying")
READING = (
    ("log",),
    ("log", "--stat"),
    ("log", "--graph"),
    ("log", "--json"),
    ("list",),
    ("list", "--all"),
    ("list", "--json"),
    ("status",),
    ("status", "--json"),
    ("show",),
    ("show", "--json"),
    ("show", "--findings"),
    ("show", "HEAD:1"),
    ("show", "--raw"),
    ("diff",),
    ("diff", "HEAD~1"),
    ("diff", "--files"),
    ("diff", "--json"),
    ("branch",),
    ("tag",),
    ("oplog",),
    ("fsck",),
    ("agents",),
    ("config",),
    ("remote", "-v"),
    ("export", "HEAD", "--format", "md"),
    ("scan",),
    ("save", "--dry-run"),
    ("export", "HEAD", "--format", "html"),
    ("export", "HEAD", "--format", "json"),
    ("export", "HEAD", "--format", "native"),
    ("checkout", "HEAD", "--dry-run"),
    ("undo",),
    ("redo",),
    ("resume", "HEAD", "--dry-run"),
)


class Watch:
    """Keeps all that the commands print, and looks for what was planted."""

    def __init__(self, shell: Shell, plants: Plants) -> None:
        self.shell, self.plants = shell, plants

    def __call__(self, *argv: str) -> Done:
        done = self.shell(*argv)
        assert done.code != 3, (argv, done)
        assert self.plants.found_in(done.said) == [], argv
        return done

    def everywhere(self) -> None:
        """No byte of store, temporary files, caches, state and settings; objects laid open."""
        data = every_byte(self.shell.home, (self.shell.home / ".claude",))
        data += every_byte(self.shell.temporary)
        assert self.plants.found_in(data + objects(self.shell)) == []


def objects(shell: Shell) -> bytes:
    """Every object as git gives it, deltas resolved."""
    if not shell.store.is_dir():
        return b""
    return subprocess.run(
        ["git", "-C", str(shell.store), "cat-file", "--batch", "--batch-all-objects"],
        env=shell.variables,
        capture_output=True,
        check=True,
    ).stdout


def spill(shell: Shell, session: Claude, name: str, text: str) -> None:
    """A tool's long output in a file of its own, named by the record."""
    path = shell.path(session.session_id).with_suffix("") / "tool-results" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    session.bash("env", f"<persisted-output>\nFull output saved to: {path}\n")


def back_up(shell: Shell, session: Claude, text: str) -> None:
    """The agent's copy of a file before an edit, under a hash for a name."""
    name = "0123456789abcdef@v1"
    path = shell.home / ".claude" / "file-history" / session.session_id / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    backup = {"backupFileName": name, "version": 1, "backupTime": session.time(len(session.rows))}
    session.row(
        type="file-history-snapshot",
        messageId=session.tip,
        isSnapshotUpdate=False,
        snapshot={
            "messageId": session.tip,
            "trackedFileBackups": {"settings.py": backup},
            "timestamp": session.time(len(session.rows)),
        },
    )


def everywhere_planted(shell: Shell, plants: Plants) -> Claude:
    """One of each kind in each place of a session where text can stand."""
    folder = shell.project / plants.name()
    folder.mkdir()
    session = Claude(cwd=str(folder))
    session.extra = {"gitBranch": f"feature/{plants.name()}"}
    session.row(type="summary", summary=f"about {plants.name()}", leafUuid=a_uuid(1))
    session.prompt(f"my settings:\n{plants.text()}")
    session.think(plants.text())
    native = {"stdout": plants.text(), "stderr": plants.text(), "interrupted": False}
    session.result(session.call("Bash", {"command": plants.text()}), plants.text(), native)
    session.write(str(folder / "settings.py"), plants.text())
    session.write(str(folder / plants.name() / f"{plants.name()}.py"), "x = 1\n")
    session.result(session.call("Read", {"file_path": f"/etc/{plants.name()}"}), "no", error=True)
    session.edit(str(folder / "env"), plants.text(), plants.text(), plants.text())
    spill(shell, session, "b1.txt", plants.text())
    back_up(shell, session, plants.text())
    session.row(type="custom-title", customTitle=f"title {plants.name()}")
    session.row(type="last-prompt", lastPrompt=plants.text(), leafUuid=session.tip)
    session.say(plants.text())
    return session


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5) if LONG else [1])
def test_planted_everywhere_and_found_nowhere(shell: Shell, seed: int) -> None:
    plants = Plants(seed)
    watch = Watch(shell, plants)
    session = everywhere_planted(shell, plants)
    (path := session.save(shell.home))
    shell.project = Path(session.cwd)
    assert watch("save", "-m", f"because of {plants.name()}").code == 0
    watch.everywhere()
    once_more = list(plants.values.values())
    session.prompt(f"again, bare: {' '.join(once_more[::3])}")
    session.bash("cat", "\n".join(once_more[1::3]))
    session.say(" and ".join(once_more[2::3]))
    session.save(shell.home)
    assert watch("save").code == 0
    for command in (
        ("branch", plants.name()),
        ("tag", plants.name()),
        ("tag", "why", "-m", plants.text()),
        ("rename", "HEAD", f"now {plants.name()}"),
        ("fork", f"f-{plants.name()}"),
        ("archive", "HEAD"),
        ("exclude", f"/srv/{plants.name()}"),
        *READING,
    ):
        watch(*command)
        watch.everywhere()
    assert path.read_bytes() == session.data
    shell.is_sound()


@pytest.mark.slow
def test_split_over_two_outputs_of_two_saves(shell: Shell) -> None:
    """The first half alone is nobody's secret; with it, the second half is one."""
    plants = Plants(3)
    session = shell.session("start")
    halves = []
    for number in range(4):
        value = plants.name()
        cut = len(value) // 2
        session.prompt(f"read part one of {number}")
        session.bash("dd", value[:cut])
        session.say("It goes on.")
        shell.writes(session)
        shell.does("save")
        session.prompt("read the rest")
        session.bash("dd", value[cut:])
        session.say("done")
        shell.writes(session)
        shell.does("save")
        halves.append(value[cut:])
    Watch(shell, plants).everywhere()
    data = objects(shell)
    assert [half for half in halves if half.encode() in data] == []


@pytest.mark.slow
def test_in_no_byte_after_a_kill_at_any_moment(tmp_path: Path) -> None:
    """Half-written files are looked at too, those of the first save and those of a later one."""
    for at in range(2, 800, 5 if LONG else 47):
        shell = Shell(tmp_path / f"at-{at}")
        plants = Plants(at)
        session = everywhere_planted(shell, plants)
        session.save(shell.home)
        shell.project = Path(session.cwd)
        process = shell.starts(str(at), "save", "-m", plants.name(), program=DYING)
        _, err = process.communicate()
        assert process.returncode in (0, -signal.SIGKILL), err
        watch = Watch(shell, plants)
        watch.everywhere()
        session.prompt(plants.text())
        session.save(shell.home)
        assert watch("save").code == 0
        watch.everywhere()
        if process.returncode == 0:
            return
    pytest.fail("that save never ended")


def test_of_the_code_repository_and_of_remotes(shell: Shell) -> None:
    """The branch and the remote of the project's own repository, and remotes of the store."""
    plants = Plants(4)
    watch = Watch(shell, plants)
    variables = {**shell.variables, "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b"}
    variables |= {"GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}
    for arguments in (
        ("init", "-q", "-b", f"b-{plants.name()}"),
        ("commit", "-q", "--allow-empty", "-m", "x"),
        (
            "remote",
            "add",
            "origin",
            f"https://ann:{plants.name()}@code.example/{plants.name()}.git",
        ),
    ):
        subprocess.run(["git", *arguments], cwd=shell.project, env=variables, check=True)
    shell.writes(shell.session("start"))
    assert watch("save").code == 0
    for name, url, code in (
        ("one", f"https://ann:{plants.name()}@example.org/x.git", 14),
        ("two", f"https://{plants.name()}@example.org/x.git", 14),
        ("three", f"https://example.org/{plants.name()}.git", 14),
        (plants.name(), "https://example.org/x.git", 14),
    ):
        assert watch("remote", "add", name, url).code == code, name
        assert watch("clone", url, "other").code != 0 or name == plants.name()
        assert watch("push", url, "--yes").code != 0
    for verb in READING:
        watch(*verb)
    watch.everywhere()


def test_settings_that_hold_a_secret_are_refused(shell: Shell) -> None:
    plants = Plants(5)
    watch = Watch(shell, plants)
    assert watch("config", "author.name", f"Ann {plants.name()}").code == 14
    assert watch("config", "redaction.key_file", f"/keys/{plants.name()}").code == 14
    shell.project = shell.project / plants.name()
    shell.project.mkdir()
    watch("config", "trust", str(shell.project))
    assert watch("init", "--name", "work").code == 14
    shell.writes(shell.session("start"))
    assert watch("save").code == 0
    watch.everywhere()


def test_wrong_names_are_not_printed_back(shell: Shell) -> None:
    """A secret that was pasted in the wrong place stays off the screen and its recordings."""
    plants = Plants(6)
    watch = Watch(shell, plants)
    shell.writes(shell.session("start"))
    watch("save")
    for verb in (
        "show",
        "log",
        "checkout",
        "branch -d",
        "tag -d",
        "archive",
        "delete",
        "save",
        "push",
        "fetch",
        "import",
        "export",
        "config",
        "undo",
        "diff",
        "nonsense",
        "--store",
        "-C",
        "list --agent",
        "list --project",
        "completion",
        "help",
        "log -n",
    ):
        done = watch(*verb.split(), plants.name())
        assert done.code in (0, 2, 10, 12, 14, 15, 16), (verb, done)
    watch.everywhere()


def test_ids_and_words_that_an_agent_gives(shell: Shell) -> None:
    """A native id is printed and logged; so are, of a hook's call, its event and its agent."""
    plants = Plants(8)
    watch = Watch(shell, plants)
    source = shell.temporary / "given.jsonl"
    session = Claude(session_id=plants.name(), cwd=str(shell.project)).turn("start")
    session.row(type="custom-title", customTitle=f"about {plants.name()}")
    source.write_bytes(session.data)
    for verb in ("import", "import --json"):
        assert watch(*verb.split(), str(source)).code == 0
    source.unlink()
    shell.writes(shell.session("mine"))
    told = {
        "session_id": CLAUDE_ID,
        "transcript_path": str(shell.path()),
        "cwd": str(shell.project),
    }
    for agent, more in (
        ("claude-code", {"hook_event_name": plants.name()}),
        ("claude-code", {"hook_event_name": "Stop", "source": plants.name()}),
        (plants.name(), {}),
    ):
        process = shell.starts("save", "--auto", "--hook", agent, stdin=subprocess.PIPE)
        out, err = process.communicate(json.dumps({**told, **more}).encode())
        assert (process.returncode, out, err) == (0, b"", b"")
        watch.everywhere()
    for verb in ("status", "doctor"):
        watch(verb)


BUG = """
from gitsession.cli.main import entry
from gitsession.operations.saving import grow
def run(*arguments, **named):
    raise LookupError(arguments, {secret!r})
grow.Growth.run = run
entry()
"""


def test_a_bug_tells_no_value(shell: Shell) -> None:
    """An error that nobody foresaw, its message and arguments full of secrets."""
    plants = Plants(7)
    watch = Watch(shell, plants)
    session = everywhere_planted(shell, plants)
    session.save(shell.home)
    shell.project = Path(session.cwd)
    secret = plants.name()
    process = shell.starts("save", program=(sys.executable, "-c", BUG.format(secret=secret)))
    out, err = process.communicate()
    assert process.returncode == 3
    assert b"this is a bug" in err and b"Traceback" not in err
    assert plants.found_in(out + err) == []
    [log] = (shell.home / ".local" / "state" / "gitsession" / "bugs").iterdir()
    assert log.stat().st_mode & 0o077 == 0 and b"LookupError" in log.read_bytes()
    watch.everywhere()
    assert os.listdir(shell.temporary) == []
