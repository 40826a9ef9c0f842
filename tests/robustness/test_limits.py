"""Limits: no root is ever walked, nothing special is opened, caps are kept and said, and a large
session costs what is new in it (A12, A20)."""

from __future__ import annotations

import base64
import json
import os
import random
import signal
import socket
import sys
import time
from collections.abc import Sequence

import pytest

from tests.acceptance.conftest import LONG
from tests.builders import Claude, a_uuid
from tests.redaction.made import Made
from tests.robustness.conftest import PROGRAM, Shell

WALKING = """
import os, sys
seen = []
for name in ("listdir", "scandir"):
    real = getattr(os, name)
    def look(path=".", real=real):
        seen.append(os.path.realpath(os.fsdecode(path)) if not isinstance(path, int) else "")
        return real(path)
    setattr(os, name, look)
real_exit = os._exit
def leave(code):
    with open(os.environ["SEEN"], "w") as stream:
        stream.write("\\n".join(seen))
    real_exit(code)
os._exit = leave
from gitsession.cli.main import entry; entry()
"""
"""The program, telling which folders it listed."""


def listed(shell: Shell, *argv: str) -> set[str]:
    told = shell.temporary / "seen"
    process = shell.starts(*argv, program=("python3", "-c", WALKING), SEEN=str(told))
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, out + err
    found = set(told.read_text().splitlines())
    told.unlink()
    return found


@pytest.mark.parametrize(
    ("place", "capture"),
    [("home", "changed"), ("root", "changed"), ("store", "changed"), ("home", "named")],
)
def test_a_root_is_never_walked(shell: Shell, place: str, capture: str) -> None:
    """A session that ran in $HOME, in / or in the store itself: its records are saved, and no
    folder that is not an agent's or ours is so much as listed."""
    shell.writes(shell.session("first"))
    shell.does("save")
    if capture == "changed":
        shell.does("config", "capture.files", "changed")
    private = shell.home / "Documents" / "deep"
    private.mkdir(parents=True)
    (private / "diary.txt").write_text("dear diary")
    folder = {"home": str(shell.home), "root": "/", "store": str(shell.store)}[place]
    session = Claude(a_uuid(place), cwd=folder)
    session.turn("look around", command="ls")
    path = shell.path().parent.parent / "elsewhere" / f"{session.session_id}.jsonl"
    path.parent.mkdir()
    path.write_bytes(session.data)
    found = listed(shell, "save", session.session_id)
    ours = ("/.claude", "/.config", "/.cache", "/.local", "/store.git")
    forbidden = {one for one in found if one == "/" or one == str(shell.home)}
    assert not forbidden
    assert not [one for one in found if one.startswith(str(shell.home)) and "Documents" in one]
    assert any(word in one for one in found for word in ours)
    names = shell.git("log", "--all", "--name-only", "--format=")
    assert "diary" not in names and "objects/" not in names
    assert shell.raw(session.session_id) == session.data


def test_special_files_are_skipped_without_opening(shell: Shell) -> None:
    """A pipe, a socket and a device where an agent's sessions lie, and where a session's files do:
    opening one would wait for ever or have an effect."""
    session = shell.session()
    inside = shell.project / "inside"
    inside.mkdir()
    os.mkfifo(inside / "pipe.py")
    listener = socket.socket(socket.AF_UNIX)
    here = os.getcwd()
    os.chdir(inside)  # the name of a socket may have a hundred characters
    listener.bind("socket.py")
    os.chdir(here)
    for name in ("pipe.py", "socket.py"):
        session.write(str(inside / name), "x = 1\n")
    session.write("/dev/zero", "x")
    session.say("done")
    shell.writes(session)
    os.mkfifo(shell.path().parent / f"{a_uuid('pipe')}.jsonl")
    os.mkfifo(shell.path().parent / "anything.jsonl")
    (shell.path().parent / f"{a_uuid('zero')}.jsonl").symlink_to("/dev/zero")
    begun = time.monotonic()
    shell.does("config", "capture.files", "changed")
    for verb in (("save", "--all"), ("status",), ("doctor",)):
        assert shell(*verb).code == 0, verb
    refused = shell("import", str(inside / "pipe.py"))
    assert refused.code == 16 and b"not a regular file" in refused.err
    assert time.monotonic() - begun < 60
    assert shell.raw() == session.data
    listener.close()


def test_the_cap_of_a_file_is_kept_and_said(shell: Shell) -> None:
    shell.does("config", "capture.max_file_bytes", "5000")
    session = shell.session()
    session.write(str(shell.project / "small.txt"), "x" * 4000)
    session.write(str(shell.project / "large.txt"), "y" * 6000)
    session.say("done")
    shell.writes(session)
    done = shell.does("save")
    assert b"1 file without content" in done.out
    names = shell.git("ls-tree", "-r", "--name-only", shell.history(session)[-1])
    assert "files/small.txt" in names and "files/large.txt" not in names
    status = json.loads(shell.does("status", "--json").out)["status"]
    assert ["large.txt", "too large"] in status["withheld"]


@pytest.mark.slow
@pytest.mark.timeout(1500)
def test_A12_killed_at_a_hundred_random_moments_of_a_save(shell: Shell) -> None:
    """Each time the check passes, the ref is old or new, the next save needs no help, and nothing
    that the killed one left stays."""
    chance = random.Random(12)
    session = shell.session("start")
    shell.writes(session)
    shell.does("save")
    begun = time.monotonic()
    shell.writes(session.turn("to measure"))
    shell.does("save")
    took = time.monotonic() - begun
    died, rounds = 0, 100 if LONG else 2
    for number in range(rounds):
        known = shell.history(session)
        shell.writes(session.turn(f"turn {number}", command="ls"))
        process = shell.starts("save")
        time.sleep(chance.uniform(0.1, 0.9) * took)
        process.kill()
        process.communicate()
        died += process.returncode == -signal.SIGKILL
        shell.is_sound()
        now = shell.history(session)
        assert now[: len(known)] == known and len(now) - len(known) in (0, 1)
        shell.does("save")
        assert shell.leftovers() == [] and shell.raw() == session.data
    assert died >= rounds // 4
    assert len(shell.history(session)) == rounds + 2


_MEASURE = """
import os, subprocess, sys
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
_, status, usage = os.wait4(process.pid, 0)
print(usage.ru_utime + usage.ru_stime, usage.ru_maxrss)
sys.exit(os.waitstatus_to_exitcode(status))
"""
PYTHON = (sys.executable, "-c")


def measured(shell: Shell, *argv: str) -> tuple[float, int]:
    """Processor seconds and KB of memory that one command took, its children included."""
    # Started by a small process: a child begins with the memory of the one that forked it.
    process = shell.starts(*argv, program=(*PYTHON, _MEASURE, *PROGRAM))
    out, err = process.communicate(timeout=1200)
    assert process.returncode == 0, (argv, err)
    seconds, memory = out.split()[-2:]
    return float(seconds), int(memory)


@pytest.mark.slow
@pytest.mark.timeout(1500)
def test_A20_a_large_session(shell: Shell) -> None:
    """100 MB, 35,000 records, one of 12 MB: a turn more costs a moment and little memory, looking
    reads no bodies, and a first save that is interrupted is simply run again."""
    megabytes, longest = (100, 12 << 20) if LONG else (3, 1 << 20)
    session = large(shell, megabytes, longest)
    shell.writes(session)
    process = shell.starts("save")
    time.sleep(1.0)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=600)
    assert process.returncode in (0, 130, -signal.SIGINT), (out, err)
    measured(shell, "save")
    assert shell.leftovers() == []
    count = len(shell.history(session))
    shell.writes(session.turn("one more", "word " * 1000))
    seconds, memory = measured(shell, "save")
    assert seconds < 3 and memory < 300 << 10, (seconds, memory >> 10)
    assert len(shell.history(session)) == count + 1
    for verb in (("list",), ("log", "-n", "50")):
        assert measured(shell, *verb)[0] < 1, verb
    tip = shell.history(session)[-1]
    for name in ("00/00/00", "00/00/01"):
        blob = shell.git("rev-parse", f"{tip}:streams/main/{name}.turn-records.jsonl").strip()
        assert len(blob) == 40
    assert shell.raw() == session.data


def large(shell: Shell, megabytes: int, longest: int) -> Claude:
    chance = random.Random(20)
    words = [f"{chance.choice(('read', 'edit', 'run', 'plan'))}{number}" for number in range(5000)]
    session = shell.session()
    size = records = 0
    while size < megabytes << 20:
        before = len(session.rows)
        text = " ".join(chance.choices(words, k=1200))
        session.turn(f"question {records}", text, command=f"step {records}")
        if records == 40:
            session.turn("something large", "line of text\n" * (longest // 13))
        size += sum(map(len, session.rows[before:]))
        records = len(session.rows)
    return session


def test_a_save_reads_no_more_than_it_must_of_a_folder_of_links(shell: Shell) -> None:
    """A circle of links where sessions lie ends by itself."""
    session = shell.session("one")
    shell.writes(session)
    (shell.path().parent / "again").symlink_to(shell.path().parent)
    (shell.path().parent / "up").symlink_to(shell.home)
    shell.does("save", "--all")
    assert shell.raw() == session.data


def giant(shape: str, size: int) -> str:
    """A text of that many bytes as records hold it; `@` stands where a secret may."""
    chance = random.Random(7)
    words = [f"{chance.choice(('read', 'edit', 'run', 'plan'))}{number}" for number in range(5000)]
    lines = [" ".join(chance.choices(words, k=9)) + ' "é"\n' for _ in range(2000)]
    if shape == "base64":
        return base64.b64encode(chance.randbytes(size * 3 // 4)).decode()
    if shape == "base64 of text":
        return base64.b64encode("".join(lines).encode() * (size >> 17)).decode()[:size]
    if shape == "chinese":
        lines = ["我们先看一下这个文件" * 20 + "😀\n" for _ in range(2000)]
    if shape == "json in json":
        lines = [json.dumps({"path": f"/a/{number}", "text": line}) for number, line in
                 enumerate(lines)]  # fmt: skip
    text = "@ ".join(lines)
    return text * (size // len(json.dumps(text, ensure_ascii=False).encode()) + 1)


def with_giant(shell: Shell, shape: str, size: int, secrets: Sequence[str]) -> Claude:
    session = shell.session("start")
    session.prompt("show me the large thing")
    call = session.call("Bash", {"command": "cat large"})
    parts = giant(shape, size // 2 if shape == "twice" else size).split("@")
    for number, secret in enumerate(secrets):
        at = (number * (len(parts) - 1)) // max(1, len(secrets) - 1)
        parts[at] += f" {secret} "
    text = "".join(parts)
    if shape == "base64":
        source = {"type": "base64", "media_type": "image/png", "data": text}
        session.result(call, [{"type": "image", "source": source}])
    else:
        stdout = text if shape == "twice" else "see above"
        session.result(call, text, {"stdout": stdout, "stderr": "", "interrupted": False})
    session.say("that was it")
    return session


@pytest.mark.slow
@pytest.mark.timeout(1500)
@pytest.mark.parametrize("planted", [False, True])
@pytest.mark.parametrize(
    "shape", ["text", "twice", "base64", "base64 of text", "chinese", "json in json"]
)
def test_A20_a_giant_line(shell: Shell, shape: str, planted: bool) -> None:
    """One line of 100 MB, whatever it holds: the first save, one more turn, the check of the store
    and its care stay far below what three copies of it would take."""
    megabytes, most = (100, 300) if LONG else (20, 150)
    if not LONG and (shape, planted) != ("text", True):
        pytest.skip("with GITSESSION_LONG=1")
    secrets = [Made(number).aws_id() for number in range(40)] if planted else []
    session = with_giant(shell, shape, megabytes << 20, secrets)
    shell.writes(session)
    memory = {"first save": measured(shell, "save")[1] >> 10}
    shell.writes(session.turn("one more", command="ls"))
    memory["one more turn"] = measured(shell, "save")[1] >> 10
    for verb in ("fsck", "gc", "log"):
        memory[verb] = measured(shell, verb)[1] >> 10
    assert max(memory.values()) < most, memory
    saved = shell.raw()
    if not planted:
        assert saved == session.data
        return
    assert len(saved.splitlines()) == len(session.rows)
    assert not any(secret.encode() in saved for secret in secrets)
