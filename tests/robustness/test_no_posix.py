"""Every step of a session's life in an interpreter without what Windows lacks (`no_posix.py`)."""

from __future__ import annotations

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


def inside(code: str) -> str:
    """What a program prints that runs in such an interpreter."""
    start = "import sys; sys.path.insert(0, sys.argv[1]); import no_posix; no_posix.become()\n"
    done = subprocess.run(
        [sys.executable, "-c", start + code, str(ROOT / "tests" / "robustness")],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_session_from_its_save_to_its_clone(elsewhere: Elsewhere, tmp_path: Path) -> None:
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
    assert (elsewhere.bugs(), elsewhere.leftovers()) == ([], [])
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
from gitsession.store import process
child = process.Child([process.find("cat", os.environ)], os.environ, feed=True)
os.write(child.input, b"x\\n")
child.end_input()
print(os.read(child.output, 9), child.close(), process.CAN_SPAWN)
print(process.run([process.find("false", os.environ)], os.environ))
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
for name in no_posix.GONE_MODULES:
    try:
        __import__(name); print("has", name)
    except ImportError:
        pass
print([name for name in no_posix.GONE if hasattr(sys.modules["os"], name)], sys.modules["os"].name)
""")
    assert said == "[] nt\n"
