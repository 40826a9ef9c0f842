"""checkout --files: back with the project's files, never over what a person typed, and undone."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitsession.environment import Environment
from gitsession.errors import Conflict, GitSessionError
from gitsession.model.report import Checkout
from gitsession.operations import folder
from gitsession.operations.exchange import exchange
from gitsession.operations.folder import Folder
from gitsession.operations.project_files import backups
from tests.acceptance.conftest import Person, a_session, person
from tests.acceptance.test_code_repository import commit, git
from tests.builders import CLAUDE_ID, Claude
from tests.cli.conftest import Cli

__all__ = ["person"]


class Worker:
    """An agent that writes files with its tools, in a project without git."""

    def __init__(self, person: Person) -> None:
        self.person, self.root = person, person.project
        self.session = a_session(person)
        self._number = 0

    def turn(self, **files: str) -> None:
        """The agent writes these files (`a_txt` is a.txt) with its own tool and ends its turn."""
        self._number += 1
        self.session.prompt(f"turn {self._number}")
        for name, text in files.items():
            path = self.root / name.replace("_", ".")
            path.write_text(text)
            self.session.write(str(path), text)
        self.session.say("Done.")
        self.person.writes(self.session)
        assert self.person.saves().outcome == "saved"

    def back(self, revision: str, **wishes: bool) -> Checkout:
        return self.person.repository.checkout(revision, files=True, **wishes)

    def files(self) -> dict[str, bytes]:
        return {str(path.relative_to(self.root)): path.read_bytes()
                for path in sorted(self.root.rglob("*")) if path.is_file()}  # fmt: skip


@pytest.fixture
def worker(person: Person) -> Worker:
    return Worker(person)


def steps(done: Checkout) -> dict[str, str]:
    assert done.files is not None
    return {step.path: step.action for step in done.files.steps}


def reasons(done: Checkout) -> dict[str, str]:
    assert done.files is not None
    return {step.path: step.reason for step in done.files.steps if step.reason}


def test_files_go_back_with_the_conversation_and_forward_again(worker: Worker) -> None:
    worker.turn(a_txt="one\n", b_txt="same\n")
    worker.turn(a_txt="two\n", c_txt="new\n")
    before = worker.files()
    done = worker.back("HEAD~1")
    assert steps(done) == {"a.txt": "restore", "c.txt": "skip"}
    assert reasons(done) == {"c.txt": "not known at that version; it stays as it is"}
    assert worker.files() == {**before, "a.txt": b"one\n"}
    assert done.branch.endswith("/main-2") and worker.person.repository.head() == done.branch
    again = worker.back("-")
    assert steps(again) == {"a.txt": "restore"}
    assert worker.files() == before


def test_OC17_there_and_back_gives_a_byte_equal_work_tree(worker: Worker) -> None:
    """`checkout --files`, then `checkout -`, with everything that git can see captured."""
    git(worker.root, "init", "-q")
    (worker.root / "old.txt").write_text("old\n")
    commit(worker.root, "first")
    workspace = worker.person.repository._workspace
    workspace.config = workspace.config.with_value("capture.files", "changed")
    worker.turn(a_txt="one\n")
    (worker.root / "made").mkdir()
    (worker.root / "made" / "by.sh").write_bytes(b"\x00shell\r\n")
    (worker.root / "old.txt").unlink()
    worker.turn(a_txt="two\n")
    before = {path: data for path, data in worker.files().items() if not path.startswith(".git/")}
    versions = worker.person.git("rev-list", "--all")
    done = worker.back("HEAD~1")
    assert steps(done) == {"a.txt": "restore", "made/by.sh": "remove", "old.txt": "make"}
    assert done.files and done.files.unknown == ""
    assert not (worker.root / "made").exists()
    assert (worker.root / "old.txt").read_text() == "old\n"
    assert steps(worker.back("-")) == {"a.txt": "restore", "made/by.sh": "make",
                                       "old.txt": "remove"}  # fmt: skip
    after = {path: data for path, data in worker.files().items() if not path.startswith(".git/")}
    assert after == before
    assert set(versions.split()) <= set(worker.person.git("rev-list", "--all").split())
    (worker.root / "a.txt").write_text("typed by hand\n")
    with pytest.raises(Conflict):
        worker.back("HEAD~1")
    assert (worker.root / "a.txt").read_text() == "typed by hand\n"


def _runs(worker: Worker) -> dict[str, bool]:
    """Which of the files may be run."""
    return {
        path: bool((worker.root / path).stat().st_mode & 0o111)
        for path in worker.files()
        if path.endswith(".sh")
    }


def test_the_executable_bit_goes_there_and_back(worker: Worker) -> None:
    """As git has it: mode 100755 in the tree, given and taken where the session saw it change."""
    git(worker.root, "init", "-q")
    for name, mode in (("old.sh", 0o644), ("was.sh", 0o755)):
        (worker.root / name).write_text("exit\n")
        (worker.root / name).chmod(mode)
    commit(worker.root, "first")
    workspace = worker.person.repository._workspace
    workspace.config = workspace.config.with_value("capture.files", "changed")
    worker.turn(a_txt="one\n")
    (worker.root / "old.sh").chmod(0o750)
    (worker.root / "was.sh").chmod(0o644)
    (worker.root / "new.sh").write_text("exit\n")
    (worker.root / "new.sh").chmod(0o755)
    worker.turn(a_txt="two\n")
    after = {"new.sh": True, "old.sh": True, "was.sh": False}
    assert _runs(worker) == after
    rows = worker.person.git(
        "ls-tree", "-r", worker.person.repository.version("HEAD").id, "--", "files/"
    ).splitlines()
    modes = {row.rpartition("/")[2]: row.split()[0] for row in rows}
    assert modes == {"a.txt": "100644", "new.sh": "100755", "old.sh": "100755", "was.sh": "100644"}

    done = worker.back("HEAD~1")
    assert steps(done) == {
        "a.txt": "restore", "new.sh": "remove", "old.sh": "restore", "was.sh": "restore",
    }  # fmt: skip
    assert reasons(done) == {"old.sh": "no longer executable", "was.sh": "executable again"}
    assert _runs(worker) == {"old.sh": False, "was.sh": True}
    assert (worker.root / "old.sh").stat().st_mode & 0o777 == 0o640
    worker.person.repository.undo()
    assert _runs(worker) == after
    assert (worker.root / "old.sh").stat().st_mode & 0o777 == 0o750
    worker.back("HEAD~1")
    worker.back("-")
    assert _runs(worker) == after
    worker.person.git("fsck", "--strict")


def test_a_bit_that_no_version_saw_change_stays(worker: Worker) -> None:
    """What tools write says nothing of modes: a person's own stays."""
    worker.turn(a_sh="one\n")
    (worker.root / "a.sh").chmod(0o755)
    worker.turn(a_sh="two\n")
    worker.back("HEAD~1")
    assert (worker.root / "a.sh").read_text() == "one\n"
    assert _runs(worker) == {"a.sh": True}


def test_an_edited_file_stops_everything_without_force(worker: Worker) -> None:
    worker.turn(a_txt="one\n", b_txt="uno\n")
    worker.turn(a_txt="two\n", b_txt="due\n")
    (worker.root / "a.txt").write_text("typed by hand\n")
    head, before = worker.person.repository.head(), worker.files()
    with pytest.raises(Conflict) as refused:
        worker.back("HEAD~1")
    assert refused.value.candidates == ("a.txt: edited since",)
    assert worker.files() == before and worker.person.repository.head() == head
    assert backups.names(worker.person.environment) == []
    shown = worker.back("HEAD~1", dry_run=True)
    assert steps(shown) == {"a.txt": "skip", "b.txt": "restore"}
    assert worker.files() == before
    done = worker.back("HEAD~1", force=True)
    assert steps(done) == {"a.txt": "restore", "b.txt": "restore"}
    assert reasons(done) == {"a.txt": "edited since"}
    assert worker.files() == {"a.txt": b"one\n", "b.txt": b"uno\n"}
    worker.person.repository.undo()
    assert worker.files() == before and worker.person.repository.head() == head


def test_a_file_that_a_person_deleted_is_an_edited_one(worker: Worker) -> None:
    worker.turn(a_txt="one\n")
    worker.turn(a_txt="two\n")
    (worker.root / "a.txt").unlink()
    with pytest.raises(Conflict) as refused:
        worker.back("HEAD~1")
    assert refused.value.candidates == ("a.txt: deleted since",)
    assert steps(worker.back("HEAD~1", force=True)) == {"a.txt": "make"}
    worker.person.repository.undo()
    assert worker.files() == {}


def test_what_is_the_same_in_both_versions_stays_as_a_person_left_it(worker: Worker) -> None:
    worker.turn(a_txt="one\n", b_txt="same\n")
    worker.turn(a_txt="two\n")
    (worker.root / "b.txt").write_text("typed by hand\n")
    done = worker.back("HEAD~1")
    assert steps(done) == {"a.txt": "restore", "b.txt": "skip"}
    assert worker.files() == {"a.txt": b"one\n", "b.txt": b"typed by hand\n"}


def test_undo_gives_bytes_and_modes_back_and_redo_works(worker: Worker) -> None:
    worker.turn(a_txt="one\n")
    (worker.root / "a.txt").chmod(0o750)
    worker.turn(a_txt="two\n")
    path = worker.root / "a.txt"
    worker.back("HEAD~1")
    assert path.read_text() == "one\n" and stat.S_IMODE(path.stat().st_mode) == 0o750
    path.chmod(0o600)
    worker.person.repository.undo()
    assert path.read_text() == "two\n" and stat.S_IMODE(path.stat().st_mode) == 0o750
    worker.person.repository.redo()
    assert path.read_text() == "one\n"
    worker.person.repository.undo()
    assert path.read_text() == "two\n"


def test_undo_does_not_go_over_later_edits(worker: Worker) -> None:
    worker.turn(a_txt="one\n")
    worker.turn(a_txt="two\n")
    worker.back("HEAD~1")
    (worker.root / "a.txt").write_text("typed after it\n")
    head = worker.person.repository.head()
    with pytest.raises(Conflict) as refused:
        worker.person.repository.undo()
    assert refused.value.candidates == ("a.txt",)
    assert worker.files()["a.txt"] == b"typed after it\n"
    assert worker.person.repository.head() == head
    worker.person.repository.undo(force=True)
    assert worker.files()["a.txt"] == b"two\n"
    worker.person.repository.redo()
    assert worker.files()["a.txt"] == b"typed after it\n"


def test_backups_are_private_outside_of_the_store_and_kept_14_days(worker: Worker) -> None:
    worker.turn(a_txt="one\n")
    worker.turn(a_txt="two\n")
    done = worker.back("HEAD~1")
    assert done.files
    place = Path(done.files.backup)
    assert worker.person.repository.store_path not in place.parents
    assert worker.root not in place.parents
    assert {stat.S_IMODE(path.stat().st_mode) for path in place.rglob("*")} == {0o600}
    assert stat.S_IMODE(place.stat().st_mode) == 0o700
    assert stat.S_IMODE(place.parent.stat().st_mode) == 0o700
    assert sorted(path.read_bytes() for path in place.iterdir())[0] == b"two\n"
    old = place.with_name("20200101-000000-abcdef01")
    place.rename(old)
    (worker.root / "a.txt").write_text("two\n")
    worker.person.repository.checkout("-")
    worker.back("HEAD~1")
    assert not old.exists()


def test_undo_without_its_backup_says_so(worker: Worker) -> None:
    worker.turn(a_txt="one\n")
    worker.turn(a_txt="two\n")
    done = worker.back("HEAD~1")
    assert done.files
    backups.drop(worker.person.environment, Path(done.files.backup).name)
    with pytest.raises(Conflict, match="backup"):
        worker.person.repository.undo()
    assert worker.person.repository.head() == done.branch
    worker.person.repository.undo(force=True)
    assert worker.person.repository.head() != done.branch


def test_a_backup_that_a_store_names_elsewhere_is_none(worker: Worker) -> None:
    """The log of a store that somebody handed over must not write into the folders of this user."""
    worker.turn(a_txt="one\n")
    worker.turn(a_txt="two\n")
    place = worker.person.environment.home / "handed-over"
    (worker.person.environment.home / "victim").mkdir()
    place.mkdir()
    (place / "00000").write_text("theirs")
    rows = [{"path": "owned", "file": "00000", "mode": 0o644, "after": ""}]
    manifest = {"root": str(worker.person.environment.home / "victim"), "time": 1, "files": rows}
    (place / "manifest.json").write_text(json.dumps(manifest))
    environment = worker.person.environment
    for name in (str(place), os.path.relpath(place, backups.folder(environment))):
        assert backups.load(environment, name) is None
    done = worker.back("HEAD~1")
    assert done.files
    log = next(worker.person.environment.home.rglob("oplog.jsonl"))
    log.write_text(log.read_text().replace(Path(done.files.backup).name, str(place)))
    with pytest.raises(Conflict, match="backup"):
        worker.person.repository.undo()
    worker.person.repository.undo(force=True)
    assert list((worker.person.environment.home / "victim").iterdir()) == []


SECRET = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"


def test_masked_values_are_filled_in_from_the_disk(worker: Worker) -> None:
    worker.turn(a_txt=f"token = '{SECRET}'\nx = 1\n")
    worker.turn(a_txt=f"x = 2\ntoken = '{SECRET}'\nagain = '{SECRET}'\n")
    assert SECRET.encode() not in worker.person.everything_stored()
    worker.back("HEAD~1")
    assert worker.files()["a.txt"].decode() == f"token = '{SECRET}'\nx = 1\n"
    worker.person.repository.undo()
    assert worker.files()["a.txt"].decode() == f"x = 2\ntoken = '{SECRET}'\nagain = '{SECRET}'\n"
    assert SECRET.encode() not in worker.person.everything_stored()


def test_values_that_the_disk_does_not_hold_any_more_leave_the_file(worker: Worker) -> None:
    worker.turn(a_txt=f"token = '{SECRET}'\n")
    worker.turn(a_txt="token = None\n")
    done = worker.back("HEAD~1")
    assert steps(done) == {"a.txt": "skip"} and "masked" in reasons(done)["a.txt"]
    assert worker.files() == {"a.txt": b"token = None\n"}


def test_another_value_in_the_place_of_the_masked_one_is_an_edit(worker: Worker) -> None:
    worker.turn(a_txt="x = 1\n")
    worker.turn(a_txt=f"token = '{SECRET}'\n")
    (worker.root / "a.txt").write_text(f"token = '{SECRET[:-1]}X'\n")
    with pytest.raises(Conflict):
        worker.back("HEAD~1")


def test_secret_files_are_named_and_left(worker: Worker) -> None:
    worker.session.prompt("secrets")
    (worker.root / ".env").write_text(f"A={SECRET}\n")
    worker.session.write(str(worker.root / ".env"), f"A={SECRET}\n")
    worker.turn(a_txt="one\n")
    (worker.root / ".env").write_text("B=2\n")
    worker.session.write(str(worker.root / ".env"), "B=2\n")
    worker.turn(a_txt="two\n")
    done = worker.back("HEAD~1")
    assert steps(done) == {".env": "skip", "a.txt": "restore"}
    assert reasons(done)[".env"] == "its content is not stored (secret)"
    assert (worker.root / ".env").read_text() == "B=2\n"


def test_shell_commands_are_counted_as_what_cannot_be_known(worker: Worker) -> None:
    """96 shell calls and no edit: nothing to restore, and that is said."""
    worker.turn(a_txt="one\n")
    for number in range(96):
        worker.session.bash(f"sed -i s/1/{number}/ x")
    worker.turn()
    done = worker.back("HEAD~1")
    assert done.files and done.files.changed == 0
    assert done.files.unknown.startswith("96 shell commands ran after that version")


def test_another_session_is_not_undone(worker: Worker) -> None:
    """A rewind in one session leaves what another one did in the same folder."""
    worker.turn(a_txt="one\n", b_txt="uno\n")
    worker.turn(a_txt="two\n")
    head = worker.person.repository.head()
    other = Claude("22222222-2222-4333-8444-555555555555", cwd=str(worker.root))
    other.prompt("another agent")
    (worker.root / "b.txt").write_text("theirs\n")
    (worker.root / "d.txt").write_text("theirs\n")
    other.write(str(worker.root / "b.txt"), "theirs\n")
    other.write(str(worker.root / "d.txt"), "theirs\n")
    other.say("Done.")
    worker.person.writes(other, other.session_id)
    worker.person.repository.save([other.session_id])
    worker.person.repository.checkout(head)
    done = worker.back("HEAD~1")
    assert steps(done) == {"a.txt": "restore", "b.txt": "skip"}
    assert worker.files() == {"a.txt": b"one\n", "b.txt": b"theirs\n", "d.txt": b"theirs\n"}


def test_a_symlink_leads_nowhere(worker: Worker, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (worker.root / "sub").mkdir()
    for text in ("one\n", "two\n"):
        worker.turn(**{"a.txt": text, "sub/b.txt": text})
    (outside / "b.txt").write_text("two\n")
    (outside / "a.txt").write_text("two\n")
    (worker.root / "sub" / "b.txt").unlink()
    (worker.root / "sub").rmdir()
    (worker.root / "sub").symlink_to(outside)
    (worker.root / "a.txt").unlink()
    (worker.root / "a.txt").symlink_to(outside / "a.txt")
    done = worker.back("HEAD~1", force=True)
    assert steps(done) == {"a.txt": "skip", "sub/b.txt": "skip"}
    assert set(reasons(done).values()) == {"a link, a folder, or behind a link"}
    assert (outside / "a.txt").read_text() == (outside / "b.txt").read_text() == "two\n"


def test_a_symlink_that_comes_between_looking_and_writing_leads_nowhere(
    worker: Worker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "b.txt").write_text("precious\n")
    (worker.root / "sub").mkdir()
    worker.turn(**{"sub/b.txt": "one\n"})
    worker.turn(**{"sub/b.txt": "two\n"})
    put = Folder.put

    def swapped(self: Folder, path: str, *rest: object) -> None:
        (worker.root / "sub").rename(worker.root / "moved")
        (worker.root / "sub").symlink_to(outside)
        put(self, path, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(Folder, "put", swapped)
    done = worker.back("HEAD~1")
    assert steps(done) == {"sub/b.txt": "skip"}
    assert (outside / "b.txt").read_text() == "precious\n"
    assert os.listdir(outside) == ["b.txt"]


def test_an_edit_between_looking_and_writing_stays(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker.turn(a_txt="one\n", b_txt="uno\n")
    worker.turn(a_txt="two\n", b_txt="due\n")
    put = Folder.put

    def edited(self: Folder, path: str, *rest: object) -> None:
        if path == "a.txt":
            (worker.root / "a.txt").write_text("typed just now\n")
        put(self, path, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(Folder, "put", edited)
    done = worker.back("HEAD~1")
    assert steps(done) == {"a.txt": "skip", "b.txt": "restore"}
    assert worker.files() == {"a.txt": b"typed just now\n", "b.txt": b"uno\n"}
    monkeypatch.undo()
    worker.person.repository.undo()
    assert worker.files() == {"a.txt": b"typed just now\n", "b.txt": b"due\n"}


def can_exchange(path: Path) -> bool:
    (path / "one").write_text("1")
    (path / "other").write_text("2")
    opened = os.open(path, os.O_RDONLY)
    try:
        return exchange(opened, "one", "other") and (path / "one").read_text() == "2"
    finally:
        os.close(opened)
        (path / "one").unlink()
        (path / "other").unlink()


def test_an_edit_after_the_last_look_stays_too(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file is exchanged, looked at, and exchanged back if it is another one."""
    worker.turn(a_txt="one\n")
    worker.turn(a_txt="two\n")
    same = folder._same
    saved_by = iter(("in place", "by rename"))

    def edited(above: int, name: str, seen: folder.Seen) -> None:
        same(above, name, seen)
        path = worker.root / "a.txt"
        if next(saved_by, "") == "by rename":
            (worker.root / "new").write_text("typed just now\n")
            (worker.root / "new").rename(path)
        else:
            path.write_text("typed just now\n")

    if not can_exchange(worker.root):
        pytest.skip("this file system cannot exchange two files")
    monkeypatch.setattr(folder, "_same", edited)
    for _ in range(2):
        (worker.root / "a.txt").write_text("two\n")
        done = worker.back(f"{worker.person.repository.head().partition('/')[0]}/main~1")
        assert steps(done) == {"a.txt": "skip"}
        assert worker.files() == {"a.txt": b"typed just now\n"}
        worker.person.repository.checkout("-")


@pytest.mark.parametrize(
    "path",
    ["/etc/passwd", "../x", "a/../../x", ".git/hooks/post-commit", "sub/.GIT/config", "a//b", "",
     ".git ./x", "GIT~1/config", ".g\u200cit/config", "a\0b", "a/./b", "c\\d"],
)  # fmt: skip
def test_paths_that_are_never_written(path: str) -> None:
    assert not folder.is_inside(path)


@pytest.mark.parametrize(
    "path", ["a", ".gitignore", "a/.github/x", "git/x", "ö/ü.txt", "...", "a b"]
)
def test_paths_that_may_be(path: str) -> None:
    assert folder.is_inside(path)


def test_a_killed_checkout_is_undone_like_any_other(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker.turn(a_txt="one\n", b_txt="uno\n")
    worker.turn(a_txt="two\n", b_txt="due\n")
    before = worker.files()
    put = Folder.put

    def killed(self: Folder, path: str, *rest: object) -> None:
        if path == "b.txt":
            raise KeyboardInterrupt
        put(self, path, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(Folder, "put", killed)
    with pytest.raises(KeyboardInterrupt):
        worker.back("HEAD~1")
    monkeypatch.undo()
    assert worker.files() == {"a.txt": b"one\n", "b.txt": b"due\n"}
    worker.person.repository.undo()
    assert worker.files() == before


def test_a_sub_folder_means_its_own_files_only(person: Person) -> None:
    """Restoring from a sub-folder does not go over its neighbours."""
    git(person.project, "init", "-q")
    (person.project / "a.txt").write_text("top\n")
    commit(person.project, "first")
    inner = person.project / "inner"
    inner.mkdir()
    session = Claude(CLAUDE_ID, cwd=str(inner))
    for text in ("one\n", "two\n"):
        session.prompt("go")
        (inner / "a.txt").write_text(text)
        session.write(str(inner / "a.txt"), text)
        session.say("Done.")
    session.save(person.environment.home)
    [saved] = person.repository.save([CLAUDE_ID]).sessions
    done = person.repository.checkout(f"{saved.branch}~1", files=True)
    assert steps(done) == {"a.txt": "restore"}
    assert (inner / "a.txt").read_text() == "one\n"
    assert (person.project / "a.txt").read_text() == "top\n"


def test_files_of_another_project_need_a_folder(person: Person, tmp_path: Path) -> None:
    other = tmp_path / "elsewhere"
    other.mkdir()
    session = Claude(CLAUDE_ID, cwd=str(other))
    for text in ("one\n", "two\n"):
        session.prompt("go")
        session.write(str(other / "a.txt"), text)
        session.say("Done.")
    session.save(person.environment.home)
    [saved] = person.repository.save([CLAUDE_ID]).sessions
    (person.project / "a.txt").write_text("two\n")
    with pytest.raises(Conflict, match="another project"):
        person.repository.checkout(f"{saved.branch}~1", files=True)
    copy = tmp_path / "copy"
    copy.mkdir()
    (copy / "a.txt").write_text("two\n")
    person.repository.checkout(f"{saved.branch}~1", files=True, project=str(copy))
    assert (copy / "a.txt").read_text() == "one\n"
    assert (person.project / "a.txt").read_text() == "two\n"


def test_the_command_line(worker: Worker) -> None:
    worker.turn(a_txt="one\n")
    worker.turn(a_txt="two\n", c_txt="new\n")
    types = worker.person.types
    assert types("checkout", "HEAD~1", "--force").code == 2
    assert types("checkout", "HEAD~1", "--files", "--raw", "x").code == 2
    shown = types("checkout", "HEAD~1", "--files", "--dry-run")
    assert "Would restore 1 file" in shown.out and "~ a.txt" in shown.out
    answer = json.loads(types("checkout", "HEAD~1", "--files", "--dry-run", "--json").out)
    assert [(row["path"], row["action"]) for row in answer["checkout"]["files"]["steps"]] == [
        ("a.txt", "restore"), ("c.txt", "skip")
    ]  # fmt: skip
    assert worker.files()["a.txt"] == b"two\n"
    done = types("checkout", "HEAD~1", "--files", "--yes")
    assert "Restored 1 file" in done.out and "backup" in done.out
    (worker.root / "a.txt").write_text("typed\n")
    refused = types("undo")
    assert refused.code == 13 and "a.txt" in refused.err
    assert types("undo", "--force").code == 0
    assert worker.files()["a.txt"] == b"two\n"


def test_CL26_files_are_not_replaced_unless_somebody_agreed(worker: Worker) -> None:
    worker.turn(a_txt="one\n")
    worker.turn(a_txt="two\n")
    types = worker.person.types
    for refused in (types("checkout", "HEAD~1", "--files"),
                    types("checkout", "HEAD~1", "--files", "--json")):  # fmt: skip
        assert refused.code == 2 and "--yes" in refused.err
        assert worker.files() == {"a.txt": b"two\n"}
    assert not types("branch").out.count("main-2"), "nothing else was done either"
    assert types("checkout", "HEAD", "--files").code == 0, "nothing to replace, nothing to ask"
    assert types("checkout", "HEAD~1", "--files", "--yes").code == 0
    assert worker.files() == {"a.txt": b"one\n"}


ACTIONS = st.lists(
    st.one_of(
        st.tuples(st.just("edit"), st.sampled_from("ab"), st.integers(0, 5)),
        st.tuples(st.just("delete"), st.sampled_from("ab"), st.just(0)),
        st.tuples(st.just("agent"), st.sampled_from("ab"), st.integers(0, 5)),
        st.tuples(st.just("checkout"), st.just(""), st.integers(0, 3)),
        st.tuples(st.just("force"), st.just(""), st.integers(0, 3)),
        st.tuples(st.just("undo"), st.just(""), st.just(0)),
        st.tuples(st.just("undo"), st.just("force"), st.just(0)),
        st.tuples(st.just("redo"), st.just(""), st.just(0)),
    ),
    min_size=3, max_size=9,
)  # fmt: skip


@settings(
    max_examples=int(os.environ.get("GITSESSION_EXAMPLES", "12")), deadline=None,
    suppress_health_check=list(HealthCheck),
)  # fmt: skip
@given(actions=ACTIONS)
def test_no_sequence_loses_bytes_that_a_person_typed(
    actions: list[tuple[str, str, int]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Whatever stood in a file stands there still, or lies in a backup."""
    base = tmp_path_factory.mktemp("sequence")
    (base / "home").mkdir()
    (base / "project").mkdir()
    variables = {"HOME": str(base / "home"), "PATH": os.environ["PATH"], "TZ": "UTC"}
    person = Person(Environment(variables, base / "home", str(base / "project")))
    try:
        worker = Worker(person)
        worker.turn(a="agent's first\n")
        worker.turn(b="agent's second\n")
        main = person.repository.head()
        typed: list[tuple[str, bytes]] = []
        for number, (action, name, which) in enumerate(actions):
            path = worker.root / (name or "a")
            before = worker.files()
            try:
                if action == "edit":
                    text = f"typed {number} {which}\n"
                    path.write_text(text)
                elif action == "delete":
                    path.unlink(missing_ok=True)
                elif action == "agent":
                    worker.turn(**{name: f"agent {which}\n"})
                elif action in ("checkout", "force"):
                    worker.back(f"{main}~{which}" if which else main, force=action == "force")
                elif action == "undo":
                    person.repository.undo(force=name == "force")
                else:
                    person.repository.redo()
            except GitSessionError:
                assert worker.files() == before
            if action in ("checkout", "force", "undo", "redo"):
                typed += [item for item in before.items() if item not in worker.files().items()]
        kept = {
            (row.path, row.content)
            for name in backups.names(person.environment)
            for row in (backups.load(person.environment, name) or ("", []))[1]
        }
        assert not [item for item in typed if item not in kept]
    finally:
        person.repository.close()


def test_files_of_a_foreign_session_need_trust(worker: Worker, tmp_path: Path) -> None:
    worker.turn(a_txt="one\n")
    worker.turn(a_txt="two\n")
    bare = tmp_path / "team.git"
    git(tmp_path, "init", "-q", "--bare", str(bare))
    person = worker.person
    assert person.types("remote", "add", "team", str(bare)).code == 0
    assert person.types("push", "--yes", "team").code == 0
    home = tmp_path / "somebody else"
    home.mkdir()
    variables = {**person.environment.variables, "HOME": str(home)}
    there = Environment(variables, home, str(worker.root))
    assert Cli(there)("clone", str(bare), "theirs").code == 0
    there.variables["GITSESSION_DIR"] = str(there.data_dir / "theirs.git")
    refused = Cli(there)("checkout", "HEAD~1", "--files")
    assert refused.code == 13 and "somebody else" in refused.err
    assert worker.files() == {"a.txt": b"two\n"}
    assert Cli(there)("checkout", "HEAD~1", "--files", "--trust", "--yes").code == 0
    assert worker.files() == {"a.txt": b"one\n"}


def test_a_scrub_names_the_backups_that_hold_the_value(worker: Worker) -> None:
    worker.turn(a_txt="plain\n")
    worker.turn(a_txt="the word is Tr0ub4dor-and-3\n")
    done = worker.back("HEAD~1")
    assert done.files
    _, plan = worker.person.repository.plan_scrub("Tr0ub4dor-and-3")
    assert any(path.startswith(done.files.backup) for path in plan.natives)


def test_a_directory_that_is_on_another_session_knows_both(worker: Worker) -> None:
    """Two sessions in one folder: each file is the last one of whoever knows it."""
    worker.turn(a_txt="one\n")
    worker.turn(a_txt="two\n")
    first = worker.person.repository.head()
    other = Claude("22222222-2222-4333-8444-555555555555", cwd=str(worker.root))
    other.prompt("another agent")
    (worker.root / "b.txt").write_text("theirs\n")
    other.write(str(worker.root / "b.txt"), "theirs\n")
    other.say("Done.")
    worker.person.writes(other, other.session_id)
    worker.person.repository.save([other.session_id])
    assert worker.person.repository.head() != first
    done = worker.back(f"{first}~1")
    assert steps(done) == {"a.txt": "restore", "b.txt": "skip"}
    assert worker.files() == {"a.txt": b"one\n", "b.txt": b"theirs\n"}


def test_the_conversation_first_and_the_files_later(worker: Worker) -> None:
    """After a checkout without them, the files are as another branch of the session left them."""
    worker.turn(a_txt="one\n")
    worker.turn(a_txt="two\n")
    worker.person.repository.checkout("HEAD~1")
    assert worker.files() == {"a.txt": b"two\n"}
    assert steps(worker.back("HEAD")) == {"a.txt": "restore"}
    assert worker.files() == {"a.txt": b"one\n"}


def test_a_version_that_knows_no_file_says_so(person: Person) -> None:
    person.writes(a_session(person, "one", "two"))
    person.saves()
    done = person.types("checkout", "HEAD~1", "--files", "--yes")
    assert done.code == 0
    assert "that version has no project files" in done.out
