"""The line in the agents' settings: gone at once, silent, harmless; it passes on what it hears."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from gitsession.agents import hooks

SHELLS = [shell for shell in ("sh", "dash", "bash", "zsh", "ksh", "fish") if shutil.which(shell)]


@pytest.fixture
def listener(tmp_path: Path) -> Path:
    """A program in gitsession's place: writes down how it was called, slowly, and fails."""
    path = tmp_path / "it's a place" / "gitsession"
    path.parent.mkdir()
    path.write_text(
        f"#!/bin/sh\nsleep 0.5\necho out; echo err >&2\n"
        f"printf '%s ' \"$@\" > '{tmp_path}/words'\ncat > '{tmp_path}/heard.part'\n"
        f"mv '{tmp_path}/heard.part' '{tmp_path}/heard'\nexit 2\n"
    )
    path.chmod(0o755)
    return path


def run(
    shell: str, line: str, said: bytes = b"{}"
) -> tuple[subprocess.CompletedProcess[bytes], float]:
    begun = time.monotonic()
    done = subprocess.run([shell, "-c", line], input=said, capture_output=True, timeout=20)
    return done, time.monotonic() - begun


def heard(tmp_path: Path) -> bytes:
    deadline = time.monotonic() + 10
    while not (tmp_path / "heard").exists():
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return (tmp_path / "heard").read_bytes()


@pytest.mark.parametrize("shell", SHELLS)
def test_the_agent_goes_on_at_once_and_the_word_arrives(
    shell: str, listener: Path, tmp_path: Path
) -> None:
    said = json.dumps(
        {"last": "-n %s \\n 'quoted' \"doubled\" $HOME `id` " + "ä" * 300_000}
    ).encode()
    done, seconds = run(shell, hooks.command(str(listener), "codex"), said)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert seconds < 0.45  # the program sleeps longer before it does anything
    assert heard(tmp_path) == said
    assert (tmp_path / "words").read_text() == "save --auto --hook codex "


@pytest.mark.parametrize("shell", SHELLS)
def test_a_program_that_is_gone_is_nothing(shell: str, tmp_path: Path) -> None:
    broken = tmp_path / "gitsession"
    broken.write_text("#!/nowhere/python\n")
    for program in (tmp_path / "nothing", broken, tmp_path):
        done, _ = run(shell, hooks.command(str(program), "codex"))
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    broken.chmod(0o755)
    done, _ = run(shell, hooks.command(str(broken), "gemini", "{}"))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"{}\n", b"")


def test_an_argument_in_place_of_standard_input(listener: Path, tmp_path: Path) -> None:
    """`notify` gets its word as the last argument, and nobody closes its standard input."""
    parts = hooks.HOOKINGS["codex"].parts(tmp_path, str(listener), False)
    (line,) = [part for part in parts if isinstance(part, hooks.Line)]
    read, write = os.pipe()
    try:
        done = subprocess.run(
            [*line.words, '{"thread-id": "x"}'], stdin=read, capture_output=True, timeout=10
        )
    finally:
        os.close(read)
        os.close(write)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert heard(tmp_path) == b'{"thread-id": "x"}'


def test_the_end_of_the_agent_is_not_its_end(listener: Path, tmp_path: Path) -> None:
    """A terminal that is closed hangs up on every process of the agent's group."""
    agent = subprocess.Popen(
        ["sh", "-c", hooks.command(str(listener), "codex") + "; sleep 20"],
        stdin=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    assert agent.stdin is not None
    agent.stdin.write(b"{}")
    agent.stdin.close()
    time.sleep(0.25)
    os.killpg(agent.pid, 1)
    os.killpg(agent.pid, 2)
    assert agent.wait(10) != 0
    assert heard(tmp_path) == b"{}"


@pytest.mark.parametrize("name", hooks.HOOKINGS)
def test_the_line_is_constant(name: str, tmp_path: Path) -> None:
    """Nothing of a day, a project or a policy stands in it: Codex trusts the text."""
    hooking = hooks.HOOKINGS[name]
    few, many = (hooking.parts(tmp_path, "/bin/gitsession", tools) for tools in (False, True))
    entries = {part.path: part.element for part in many if isinstance(part, hooks.Entry)}
    for part in few:
        if isinstance(part, hooks.Entry):
            assert entries[part.path] == part.element
            assert str(tmp_path) not in json.dumps(part.element)
