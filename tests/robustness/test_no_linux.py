"""Every step of a session's life in an interpreter without what Linux alone has (`no_linux.py`)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

from .conftest import Shell
from .test_no_posix import EVERY_MODULE, Elsewhere, inside, lives

PROGRAM = (sys.executable, str(ROOT / "tests" / "robustness" / "no_linux.py"))

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="takes away what Linux has")


class Mac(Elsewhere):
    @property
    def store(self) -> Path:
        return self.home / "Library" / "Application Support" / "gitsession" / "store.git"

    def starts(
        self, *argv: str, program: tuple[str, ...] = PROGRAM, **variables: str
    ) -> subprocess.Popen[bytes]:
        return super().starts(*argv, program=program, **variables)


@pytest.fixture
def mac(tmp_path: Path) -> Mac:
    return Mac(tmp_path / "person")


def on_a_mac(code: str, **variables: str) -> str:
    return inside(code, "no_linux", **variables)


def test_every_module_can_be_imported() -> None:
    assert on_a_mac(EVERY_MODULE) == "True\n"


def test_a_session_from_its_save_to_its_clone(mac: Mac, tmp_path: Path) -> None:
    lives(mac, tmp_path)
    assert (mac.bugs(), mac.leftovers()) == ([], [])
    # Nothing of ours stands where Linux has it.
    assert sorted(path.name for path in mac.home.iterdir()) == [".claude", "Library"]


def test_the_store_is_the_one_that_linux_makes(mac: Mac, tmp_path: Path) -> None:
    session = mac.session("one", "two")
    mac.writes(session)
    mac.does("save")
    made = mac.history(session)
    here = Shell(tmp_path / "person")
    (here.home / ".config").mkdir()
    os.rename(mac.store.parent / "key", tmp_path / "key")
    (here.home / ".config" / "gitsession").mkdir()
    os.rename(tmp_path / "key", here.home / ".config" / "gitsession" / "key")
    here.does("save")
    assert here.history(session) == made


def test_files_of_the_project_are_put_back(mac: Mac) -> None:
    """Also where two names cannot change places, and no file is without a name."""
    page = mac.project / "page.py"
    session = mac.session("one")
    session.prompt("write it")
    session.write(str(page), "x = 1\n")
    session.say("Done.")
    session.prompt("change it")
    session.edit(str(page), "x = 1\n", "1", "2")
    session.say("Done.")
    mac.writes(session)
    page.write_text("x = 2\n")
    mac.does("save")
    mac.does("checkout", "HEAD~1", "--files", "--yes")
    assert page.read_text() == "x = 1\n"
    assert [path.name for path in mac.project.iterdir()] == ["page.py"]


def test_safe_means_that_the_disk_itself_has_it(mac: Mac, tmp_path: Path) -> None:
    """A Mac's `fsync` leaves it in the disk's memory."""
    synced = tmp_path / "synced"
    mac.does("config", "save.durability", "safe")
    session = mac.session("one")
    mac.writes(session)
    mac.does("save")
    session.turn("two")
    mac.writes(session)
    synced.unlink(missing_ok=True)
    done = mac("save", SYNCED=str(synced))
    assert done.code == 0 and len(synced.read_text().splitlines()) > 10


def test_a_folder_is_what_the_disk_calls_it(mac: Mac) -> None:
    """A person may type other capitals; agents note down what the system says."""
    typed = mac.project
    mac.project = typed.with_name("Project")  # as the agent writes it down
    mac.writes(mac.session("one"))
    mac.project = typed
    variables = {"PWD": str(typed), "SPELLED": str(typed.with_name("Project"))}
    assert mac("save", PWD=str(typed)).code == 12
    assert mac("save", **variables).code == 0
    assert b"everything is saved" in mac("status", **variables).out
    assert b"everything is saved" in mac("-C", str(typed), "status", **variables).out


def test_a_link_keeps_its_name(mac: Mac) -> None:
    """As /tmp does, which is /private/tmp there."""
    link = mac.project.with_name("link")
    link.symlink_to(mac.project)
    said = on_a_mac(
        f"from gitsession.environment import as_spelled\nprint(as_spelled({str(link)!r}))\n"
    )
    assert said.strip() == str(link)


def test_nothing_of_linux_is_left_there() -> None:
    said = on_a_mac("""
import os
print([name for name in here.GONE if hasattr(os, name)], sys.platform, os.uname().sysname)
for path in ("/proc/self/fd", "/proc/self/task"):
    try:
        os.listdir(path); print("has", path)
    except FileNotFoundError:
        pass
""")
    assert said == "[] darwin Darwin\n"
