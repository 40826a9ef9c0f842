"""The program as a process: pipes, signals, terminals, locales."""

from __future__ import annotations

import os
import pty
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from .conftest import Cli
from .scene import TOKEN, Scene

ROOT = Path(__file__).resolve().parents[2]
COMMAND = (sys.executable, "-m", "gitsession")


def variables(cli: Cli, **more: str) -> dict[str, str]:
    return {**cli.environment.variables, "PYTHONPATH": str(ROOT), **more}


def run(cli: Cli, *argv: str, **more: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*COMMAND, *argv], env=variables(cli, **more), cwd=cli.environment.cwd,
        capture_output=True, check=False, timeout=60,
    )  # fmt: skip


def on_a_terminal(
    cli: Cli, *argv: str, typed: bytes = b"", asked: Sequence[tuple[bytes, str]] = (), **more: str
) -> tuple[int, str]:
    """Exit code, and everything that appeared on the screen. `asked`: what to wait for, and what
    is typed then; questions that never come are not answered."""
    answers = list(asked)
    controller, terminal = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, *argv], env=variables(cli, TERM="xterm", **more), cwd=cli.environment.cwd,
        stdin=terminal, stdout=terminal, stderr=terminal, start_new_session=True,
    )  # fmt: skip
    os.close(terminal)
    if typed:
        os.write(controller, typed)
    screen, answered = b"", 0
    while True:
        try:
            block = os.read(controller, 65536)
        except OSError:  # how Linux says that the other end is closed
            break
        if not block:
            break
        screen += block
        if answers and answers[0][0] in screen[answered:]:
            answered = len(screen)
            line = answers.pop(0)[1]
            os.write(controller, line.encode() if line == "\x04" else f"{line}\n".encode())
    os.close(controller)
    return process.wait(timeout=60), screen.decode()


def test_exit_codes_reach_the_shell(cli: Cli) -> None:
    assert run(cli, "--version").returncode == 0
    assert run(cli, "nope").returncode == 2
    assert run(cli, "--store", "nowhere", "list").returncode == 10


def test_a_reader_that_goes_away_is_no_error(scene: Scene) -> None:
    scene.cli("save")
    with subprocess.Popen(
        [*COMMAND, "show", "--raw"], env=variables(scene.cli), cwd=scene.cli.environment.cwd,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=60) == 0


def test_a_full_disk_is_told(cli: Cli) -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full here")
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*COMMAND, "help", "save"], env=variables(cli), stdout=full, stderr=subprocess.PIPE,
            check=False,
        )  # fmt: skip
    assert done.returncode == 16 and b"No space left" in done.stderr


def test_interrupted(cli: Cli) -> None:
    pipe = Path(cli.environment.cwd, "pipe")
    os.mkfifo(pipe)
    process = subprocess.Popen(
        [*COMMAND, "redact", "-"], env=variables(cli), cwd=cli.environment.cwd,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    time.sleep(1.0)  # it waits for its input now
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, b"")
    assert err.startswith(b"error: interrupted\n") and b"Traceback" not in err


def test_a_terminal_gets_colour_and_a_pager(scene: Scene, tmp_path: Path) -> None:
    scene.cli("save")
    pager = tmp_path / "pager"
    pager.write_text(
        f"#!{sys.executable}\nimport sys\nprint('PAGED', len(sys.stdin.read()) > 100)\n"
    )
    pager.chmod(pager.stat().st_mode | stat.S_IXUSR)
    code, screen = on_a_terminal(scene.cli, "log", GITSESSION_PAGER=str(pager))
    assert (code, screen.strip()) == (0, "PAGED True")
    code, screen = on_a_terminal(scene.cli, "--no-pager", "log", "--oneline")
    assert code == 0 and "\x1b[33m" in screen and "use cookies instead" in screen
    code, screen = on_a_terminal(scene.cli, "--no-pager", "log", "--oneline", NO_COLOR="1")
    assert code == 0 and "\x1b" not in screen and "use cookies instead" in screen


def test_without_a_terminal_only_colour_is_missing(scene: Scene) -> None:
    import re

    scene.cli("save")
    _, screen = on_a_terminal(scene.cli, "--no-pager", "log", COLUMNS="100")
    plain = re.sub(r"\x1b\[[0-9;]*m", "", screen).replace("\r\n", "\n")
    assert plain == run(scene.cli, "log").stdout.decode()


def test_a_question_is_answered_on_the_terminal(scene: Scene) -> None:
    scene.cli("save")
    scene.cli("list")
    code, screen = on_a_terminal(scene.cli, "delete", "@1", typed=b"n\n")
    assert code == 13 and "[y/N]" in screen and "nothing was deleted" in screen
    code, screen = on_a_terminal(scene.cli, "delete", "@1", typed=b"y\n")
    assert code == 0 and "Deleted" in screen


def test_a_secret_is_asked_for_without_echo(scene: Scene) -> None:
    word = "harvest-moon-1979"
    scene.cli("save")
    scene.cli("tag", "told", "@1", "-m", f"remember {word}")
    code, screen = on_a_terminal(scene.cli, "scrub", asked=[(b"not shown", word), (b"[y/N]", "y")])
    assert code == 0, screen
    assert word not in screen and "__REDACTED_" in screen
    assert word not in run(scene.cli, "tag", "--json").stdout.decode()


def test_a_review_is_answered_item_by_item(scene: Scene, tmp_path: Path) -> None:
    scene.cli("save")
    output = tmp_path / "shared.json"
    words = ("review", "-o", str(output), "--word", "cookies", "--word", "deploy")
    code, screen = on_a_terminal(scene.cli, *words, asked=[(b"kind)?", "x"), (b"kind)?", "R")] * 9)
    assert code == 0, screen
    text = output.read_text()
    assert "cookies" not in text and "eploy" not in text and "__REDACTED_word_" in text
    assert stat.S_IMODE(output.stat().st_mode) == 0o600
    again = tmp_path / "again.json"
    code, screen = on_a_terminal(
        scene.cli, "review", "-o", str(again), "--word", "cookies", asked=[(b"kind)?", "\x04")]
    )
    assert code == 13 and "nothing was written" in screen and not again.exists()


def test_progress_on_a_terminal_only(scene: Scene) -> None:
    code, screen = on_a_terminal(scene.cli, "save", "--all")
    assert code == 0 and "\r" in screen.replace("\r\n", "\n") and "0 of 1 session" in screen
    assert b"\r" not in run(scene.cli, "save", "--all").stderr


def test_resume_becomes_the_agent(scene: Scene, tmp_path: Path) -> None:
    scene.cli("save")
    folder = tmp_path / "programs"
    folder.mkdir()
    agent = folder / "claude"
    script = (
        "import os, sys\nprint('AGENT', *sys.argv[1:], os.getcwd(), os.umask(0))\nsys.exit(7)\n"
    )
    agent.write_text(f"#!{sys.executable}\n{script}")
    agent.chmod(0o700)
    path = f"{folder}{os.pathsep}{scene.cli.environment.get('PATH')}"
    os.umask(0o022)  # the user's own; saving in this process has made it private
    done = run(scene.cli, "resume", "HEAD~1", "-b", "again", PATH=path)
    assert done.returncode == 7, done.stderr
    said = done.stdout.decode().splitlines()
    native = said[2].split()[-1]
    here = os.path.realpath(scene.project)
    assert said[-1] == f"AGENT --resume {native} {here} {0o022}"
    written = list((Path(scene.cli.environment.home) / ".claude").rglob(f"{native}.jsonl"))
    assert len(written) == 1 and TOKEN.encode() not in written[0].read_bytes()


def test_a_directory_that_is_gone(cli: Cli, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    command = f'rmdir "{gone}"; exec {sys.executable} -m gitsession list'
    done = subprocess.run(
        ["sh", "-c", command], env=variables(cli), cwd=gone, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.startswith("error: the current directory does not exist any more\nhint: ")


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_descriptors(scene: Scene, closed: str) -> None:
    done = subprocess.run(
        ["sh", "-c", f"{sys.executable} -m gitsession save {closed}"], env=variables(scene.cli),
        cwd=scene.cli.environment.cwd, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0 and done.stderr == ""
    assert len(scene.cli("log", "--json").json["versions"]) == 3


@pytest.mark.parametrize("name", ["외주", "Проект", "新聞", "with space 🎉"])
def test_A14_names_under_the_C_locale(cli: Cli, tmp_path: Path, name: str) -> None:
    project = tmp_path / name / "app"
    project.mkdir(parents=True)
    cli.environment.cwd = str(project)
    session = Scene(cli, tmp_path).agent
    session.turn(f"build {name}")
    session.save(Path(cli.environment.home))
    assert run(cli, "save", LANG="C").returncode == 0
    listed = run(cli, "list", "--all", LANG="C", LC_ALL="C")
    assert listed.returncode == 0 and f"build {name}" in listed.stdout.decode()
    assert run(cli, "diff", LC_ALL="POSIX").returncode == 0
    checked_out = run(cli, "checkout", "HEAD", "-b", "x", LC_ALL="C")
    assert checked_out.returncode == 0 and name in checked_out.stdout.decode()


def test_a_latin_1_terminal_shows_escapes(scene: Scene) -> None:
    scene.agent.turn("build 외주")
    scene.live()
    scene.cli("save")
    done = run(scene.cli, "log", "-n", "1", PYTHONIOENCODING="latin-1:strict")
    assert done.returncode == 0 and rb"build \uc678\uc8fc" in done.stdout


def test_no_secret_reaches_the_bug_log(scene: Scene) -> None:
    """A store that breaks in a way nobody thought of: the log holds frames only."""
    scene.cli("save")
    broken = (
        "import sys\nfrom gitsession.operations import history\n"
        f"def log(*_, **__): raise ZeroDivisionError({TOKEN!r})\nhistory.log = log\n"
        "from gitsession.cli.main import entry\nentry()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", broken, "log", TOKEN], env=variables(scene.cli),
        cwd=scene.cli.environment.cwd, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 3 and TOKEN not in done.stdout + done.stderr
    [log] = (scene.cli.environment.state_dir / "bugs").iterdir()
    text = log.read_text()
    assert "builtins.ZeroDivisionError" in text and TOKEN not in text
