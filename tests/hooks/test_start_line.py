"""The line that an agent waits for at a session's start: it ends soon, with 0, and says a whole
answer or nothing, whatever is broken."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from gitsession.agents import hooks
from tests.acceptance.conftest import Person
from tests.builders import CLAUDE_ID

from .conftest import Hook
from .starting import NEW_ID, log, says, start, text_in, word
from .test_line import SHELLS


def asks(
    hook: Hook, said: str | bytes, program: Path | None = None, shell: str = "sh"
) -> subprocess.CompletedProcess[bytes]:
    line = hooks.start_command(str(program or hook.program), "claude-code")
    return subprocess.run(
        [shell, "-c", line], input=said if isinstance(said, bytes) else said.encode(),
        env=hook.environment.variables, cwd=hook.person.project, capture_output=True,
        check=False, timeout=30,
    )  # fmt: skip


@pytest.mark.parametrize("shell", SHELLS)
def test_the_answer_comes_through_the_line(hook: Hook, shell: str) -> None:
    says(hook.person, CLAUDE_ID, "ownquestion alpha")
    done = asks(hook, word(hook.person, "resume"), shell=shell)
    assert (done.returncode, done.stderr) == (0, b"")
    assert "ownquestion" in text_in(done.stdout.decode())


@pytest.mark.parametrize("shell", SHELLS)
def test_a_program_that_is_gone_is_nothing(hook: Hook, tmp_path: Path, shell: str) -> None:
    broken = tmp_path / "it's broken"
    broken.write_text("#!/nowhere/python\n")
    for program in (tmp_path / "nothing", broken, tmp_path):
        done = asks(hook, b"x" * 300_000, program, shell)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    for text in ("#!/nowhere/python\n", "#!/bin/sh\necho no >&2; exit 2\n"):
        broken.write_text(text)
        broken.chmod(0o755)
        done = asks(hook, b"{}", broken, shell)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


BROKEN = {
    "nothing": b"", "no JSON": b"{", "no object": b"[]", "bytes": b"\xff\xfe\0",
    "no session": b"{}",
    "a bad session": b'{"session_id": "../../x", "source": "resume"}',
    "a deep one": b'{"session_id": ' + b"[" * 100_000, "much": b" " * ((16 << 20) + 1),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_CM22_a_broken_word_is_one_line_in_the_log(person: Person, name: str) -> None:
    said = BROKEN[name].decode("latin-1")
    done = person.types("snapshot", "--hook", "claude-code", stdin=said)
    assert (done.code, done.out, done.err) == (0, "", "")
    (words,) = log(person)
    assert words[1:3] == ["claude-code", "failed"]


def test_CM22_an_unknown_agent_is_one_line_in_the_log(person: Person) -> None:
    says(person, CLAUDE_ID, "ownquestion alpha")
    done = person.types("snapshot", "--hook", "no such\nagent", stdin=word(person, "resume"))
    assert (done.code, done.out, done.err) == (0, "", "")
    (words,) = log(person)
    assert words[1:3] == ["unknown", "failed"]


def test_CM22_no_store_and_something_else_in_its_place(hook: Hook) -> None:
    person = hook.person
    shutil.rmtree(person.repository.store_path)
    assert asks(hook, word(person, "resume")).stdout == b""
    assert not person.repository.store_path.exists()
    person.repository.store_path.mkdir()
    (person.repository.store_path / "HEAD").write_text("nonsense")
    done = asks(hook, word(person, "resume"))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert [words[2:4] for words in log(person)] == [["SessionStart:resume", "no-store"]] * 2


def test_CM22_a_store_that_cannot_be_written_is_read(
    person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its own history is told; nothing can be claimed, since nobody would know of it."""
    says(person, CLAUDE_ID, "ownquestion alpha")
    full = OSError(errno.ENOSPC, "no space")

    def refuses(*_: object, **__: object) -> None:
        raise full

    monkeypatch.setattr("gitsession.files.replace", refuses)
    assert "ownquestion" in start(person, "resume")
    assert start(person, "resume", NEW_ID) == ""
    first, second = log(person)
    assert first[4] == "given" and second[2] == "failed"


def test_CM22_without_a_git_program(hook: Hook, tmp_path: Path) -> None:
    says(hook.person, CLAUDE_ID, "ownquestion alpha")
    (tmp_path / "few").mkdir()
    for name in ("sh", "cat"):
        os.symlink(shutil.which(name) or "", tmp_path / "few" / name)
    line = hooks.start_command(str(hook.program), "claude-code")
    done = subprocess.run(
        [shutil.which("sh") or "sh", "-c", line], input=word(hook.person, "resume").encode(),
        env={**hook.environment.variables, "PATH": str(tmp_path / "few")}, check=False,
        cwd=hook.person.project, capture_output=True, timeout=30,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    assert "ownquestion" in text_in(done.stdout.decode())


def test_CM22_a_damaged_version_gives_nothing_and_uses_nothing_up(person: Person) -> None:
    says(person, CLAUDE_ID, "ownquestion alpha")
    tree = person.trees()[0]
    for path in person.object_files():
        if path.parent.name + path.name == person.repository.log()[0].id:
            continue
        if path.parent.name + path.name != tree:
            path.chmod(0o600)
            path.write_bytes(b"not an object")
    assert start(person, "resume", NEW_ID) == "" == start(person, "resume")
    assert {words[2] for words in log(person)[-1:]} == {"failed"}
    assert not (person.repository.store_path / "gitsession" / "claims").exists()


def test_the_time_is_limited(
    person: Person, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def slow(*_: object) -> None:
        try:
            time.sleep(5)
        except Exception:  # what others do with exceptions does not matter
            time.sleep(5)

    says(person, CLAUDE_ID, "ownquestion alpha")
    monkeypatch.setattr("gitsession.cli.start_hook.SECONDS", 0.2)
    monkeypatch.setattr("gitsession.operations.hooking.resume_snapshot.with_state", slow)
    begun = time.monotonic()
    assert start(person, "resume", NEW_ID) == ""
    assert time.monotonic() - begun < 2
    assert "failed took more than" in " ".join(log(person)[-1])
    assert not (person.repository.store_path / "gitsession" / "claims").exists()
    assert capfd.readouterr().err == ""
    time.sleep(0.3)  # the clock was stopped


def test_what_cannot_be_interrupted_is_ended(hook: Hook) -> None:
    says(hook.person, CLAUDE_ID, "ownquestion alpha")
    stuck = """
import time
from gitsession.cli import start_hook
start_hook.SECONDS = 0.2
def stuck(*_):
    while True:
        try:
            time.sleep(60)
        except BaseException:
            pass
from gitsession.operations.hooking import resume_snapshot
resume_snapshot.with_state = stuck
entry()"""
    text = hook.program.read_text()
    hook.program.write_text(text.replace("\nentry()", stuck))
    begun = time.monotonic()
    done = asks(hook, word(hook.person, "resume"))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert time.monotonic() - begun < 10
    assert "failed is stuck" in " ".join(log(hook.person)[-1])


def test_nothing_of_a_session_stands_in_the_log(person: Person) -> None:
    says(person, CLAUDE_ID, "ownquestion alpha")
    start(person, "compact")
    start(person, "resume", NEW_ID)
    path = person.environment.state_dir / "hooks" / "log"
    text = path.read_text()
    assert text.count("\n") == 2 and "ownquestion" not in text and str(person.project) not in text
    assert json.dumps(CLAUDE_ID)[1:-1] in text
