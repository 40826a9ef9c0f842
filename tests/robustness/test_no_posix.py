"""Every step of a session's life in an interpreter without what Windows lacks (`no_posix.py`)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

from .conftest import Shell

PROGRAM = (sys.executable, str(ROOT / "tests" / "robustness" / "no_posix.py"))
SECRET = "ghp_" + "R4nd0mT0k3nV4lu3sF0rT3stsOnly9xQ2zLw"[:36]

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc and locks as Linux")


class Elsewhere(Shell):
    def starts(
        self, *argv: str, program: tuple[str, ...] = PROGRAM, **variables: str
    ) -> subprocess.Popen[bytes]:
        return super().starts(*argv, program=program, **variables)

    def bugs(self) -> list[str]:
        return [path.read_text() for path in self.home.rglob("bugs/*.log")]


@pytest.fixture
def elsewhere(tmp_path: Path) -> Elsewhere:
    return Elsewhere(tmp_path / "person")


def inside(code: str, interpreter: str = "no_posix", **variables: str) -> str:
    """What a program prints that runs in such an interpreter."""
    start = f"import sys; sys.path.insert(0, sys.argv[1])\nimport {interpreter} as here\n"
    done = subprocess.run(
        [sys.executable, "-c", f"{start}here.become()\n{code}", str(ROOT / "tests/robustness")],
        cwd=ROOT, env={**os.environ, **variables}, capture_output=True, text=True, check=False,
        timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


EVERY_MODULE = """
import pkgutil, gitsession
names = [module.name for module in pkgutil.walk_packages(gitsession.__path__, "gitsession.")]
for name in names:
    if not name.endswith("__main__"):
        __import__(name)
print(len(names) > 500)
"""


def test_every_module_can_be_imported() -> None:
    """None needs at its top what is not there; some functions may, and say so."""
    assert inside(EVERY_MODULE) == "True\n"


def test_a_session_from_its_save_to_its_clone(elsewhere: Elsewhere, tmp_path: Path) -> None:
    lives(elsewhere, tmp_path)
    assert (elsewhere.bugs(), elsewhere.leftovers()) == ([], [])


def lives(elsewhere: Elsewhere, tmp_path: Path) -> None:
    """The session's whole life, from its save through all that a person does to its clone."""
    does = elsewhere.does
    session = elsewhere.session("write a page", f"the token is {SECRET}")
    elsewhere.writes(session)
    does("save")
    session.turn("a third thing")
    elsewhere.writes(session)
    does("save", "-m", "named")
    assert b"named" in does("log").out and b"write a page" in does("log", "HEAD~1").out
    assert b"write a page" in does("list").out
    assert b"a third thing" in does("show").out
    assert b"turn 3" in does("diff", "HEAD~2", "HEAD").out
    assert b"claude-code" in does("agents").out and b"everything is saved" in does("status").out
    does("branch", "other", "HEAD~1")
    does("tag", "mark")
    does("checkout", "HEAD~1", "-b", "back")
    assert len(list(elsewhere.path().parent.iterdir())) == 2
    does("undo")
    assert len(list(elsewhere.path().parent.iterdir())) == 1
    assert b"third" in does("search", "third").out
    assert b"write a page" in does("export").out
    does("gc", "--yes")
    does("fsck")
    does("doctor")
    remote = tmp_path / "remote.git"
    subprocess.run(["git", "init", "-q", "--bare", str(remote)], check=True)
    does("remote", "add", "origin", remote.as_uri())
    does("push", "--yes")
    does("fetch")
    does("pull")
    does("clone", remote.as_uri(), "copy")
    copy = str(elsewhere.store.with_name("copy.git"))
    assert b"write a page" in does("--store", copy, "list", "--all").out
    assert elsewhere.raw() == session.data.replace(SECRET.encode(), _placeholder(elsewhere.raw()))
    elsewhere.git("fsck", "--strict", "--full")


def _placeholder(data: bytes) -> bytes:
    start = data.index(b"the token is ") + len(b"the token is ")
    return data[start : data.index(b'"', start)]


def test_the_store_is_the_one_that_linux_makes(elsewhere: Elsewhere, tmp_path: Path) -> None:
    """The same ids from the same bytes, and either reads what the other wrote."""
    session = elsewhere.session("one", "two\r\nwith two bytes at a line's end")
    elsewhere.writes(session)
    elsewhere.does("save")
    key = elsewhere.home / ".config" / "gitsession" / "key"
    assert len(key.read_bytes()) == 32
    made = elsewhere.history(session)
    here = Shell(tmp_path / "person")
    assert b"up to date" in here.does("save").out
    here.is_sound()
    here.store.rename(tmp_path / "first.git")
    here.does("save")
    assert here.history(session) == made


def test_locks_are_shared_or_alone(tmp_path: Path) -> None:
    said = inside(f"""
from gitsession.errors import StoreBusy
from gitsession.files import Lock
def tries(shared):
    try:
        with Lock({str(tmp_path / "lock")!r}, 0.0, shared):
            return "got"
    except StoreBusy:
        return "busy"
with Lock({str(tmp_path / "lock")!r}, shared=True):
    print(tries(True), tries(False))
with Lock({str(tmp_path / "lock")!r}):
    print(tries(True), tries(False))
print(tries(True), tries(False))
""")
    assert said.split() == ["got", "busy", "busy", "busy", "got", "got"]


def test_a_read_only_file_is_forgotten_and_line_ends_stay(tmp_path: Path) -> None:
    said = inside(f"""
import os
from gitsession.files import forget, replace
from gitsession.store.objects import LooseObjects
path = {str(tmp_path / "file")!r}
replace(path, b"a\\nb\\n", mode=0o400)
print(open(path, "rb").read())
forget(path)
print(os.path.exists(path))
""")
    assert said.splitlines() == [repr(b"a\nb\n"), "False"]


def test_programs_are_started_and_fed() -> None:
    said = inside("""
import os
from gitsession.environment import find_program
from gitsession.store import process
child = process.Child([find_program("cat", os.environ)], os.environ, feed=True)
os.write(child.input, b"x\\n")
child.end_input()
print(os.read(child.output, 9), child.close(), process.CAN_SPAWN)
print(process.run([find_program("false", os.environ)], os.environ))
""")
    assert said.splitlines() == [f"{b'x' + bytes([10])!r} 0 False", "1"]


def test_files_of_the_project_stay_as_they_are(elsewhere: Elsewhere) -> None:
    """Without folders that can be held open, putting files back is refused, and said so."""
    session = elsewhere.session("one", "two")
    elsewhere.writes(session)
    elsewhere.does("save", "--scan-project")
    done = elsewhere("checkout", "HEAD~1", "--files")
    assert done.code == 13 and b"on this system" in done.err


def test_nothing_of_posix_is_left_there() -> None:
    """The interpreter is what it says: otherwise the tests above prove nothing."""
    said = inside("""
import os, sys
for name in here.GONE_MODULES:
    try:
        __import__(name); print("has", name)
    except ImportError:
        pass
print([name for name in here.GONE if hasattr(sys.modules["os"], name)], sys.modules["os"].name)
""")
    assert said == "[] nt\n"


def test_what_goes_through_a_pipe_is_as_git_writes_it(elsewhere: Elsewhere) -> None:
    """Not in the encoding of the console, which spells few letters."""
    elsewhere.writes(elsewhere.session("größe 中 😀"))
    elsewhere.does("save")
    for encoding in ("cp1252", "cp437"):
        done = elsewhere("log", PYTHONIOENCODING=encoding)
        assert done.code == 0 and "größe 中 😀" in done.out.decode()


def test_an_agent_is_waited_for(elsewhere: Elsewhere, tmp_path: Path) -> None:
    """No program takes the place of another one there; what npm installs ends in .cmd."""
    agent = tmp_path / "bin" / "claude.cmd"
    agent.parent.mkdir()
    agent.write_text(f'#!/bin/sh\necho "$PWD $*" > {tmp_path / "called"}\nexit 7\n')
    agent.chmod(0o700)
    (elsewhere.project / "claude.cmd").write_text("#!/bin/sh\nexit 8\n")
    (elsewhere.project / "claude.cmd").chmod(0o700)
    elsewhere.writes(elsewhere.session("one", "two"))
    elsewhere.does("save")
    path = f"{agent.parent}{os.pathsep}{os.environ['PATH']}"
    assert elsewhere("resume", "HEAD~1", "-b", "again", PATH=path).code == 7
    called = (tmp_path / "called").read_text()
    assert called.startswith(f"{elsewhere.project} --resume ")
