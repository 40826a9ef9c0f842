"""capture.files: changed: all that differs from the code repository goes along, asked read-only."""

from __future__ import annotations

import hashlib
import os
import random
import subprocess
from pathlib import Path

import pytest

from gitsession.model.diff import FileChange
from gitsession.model.saved import Saved
from gitsession.render import unified
from tests.acceptance.conftest import Person, a_session, person
from tests.acceptance.test_code_repository import commit, git
from tests.builders import Claude

__all__ = ["person"]

NUMBERS = "".join(f"line {number}\n" for number in range(1, 41))


class Project:
    """A code repository in which things happen, and git's own view of each moment."""

    def __init__(self, person: Person, tmp_path: Path) -> None:
        self.person, self.root = person, person.project
        self._objects = tmp_path / "objects"
        self._objects.mkdir()
        self._session = a_session(person)
        self._turns = 0
        git(self.root, "init", "-q")
        self.write("a.txt", NUMBERS)
        self.write("src/b.py", "def b():\n    return 1\n")
        self.write("gone.txt", "to be deleted\n")
        self.write(".gitignore", "*.log\nbuild/\n")
        commit(self.root, "first")
        assert person.types("config", "capture.files", "changed").code == 0
        person.repository._workspace.config = person.repository._workspace.config.with_value(
            "capture.files", "changed"
        )

    def write(self, path: str, text: str | bytes) -> None:
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text.encode() if isinstance(text, str) else text)

    def turn(self) -> str:
        """The agent ends a turn and it is saved; the tree that git would make of the moment."""
        tree = self.tree()
        saved = self.save()
        assert saved.outcome == "saved", saved
        return tree

    def save(self) -> Saved:
        self._turns += 1
        self._session.prompt(f"turn {self._turns}")
        self._session.bash("make", "done")
        self._session.say("Done.")
        self.person.writes(self._session)
        return self.person.saves()

    def tree(self) -> str:
        index = self._objects.parent / "index"
        index.unlink(missing_ok=True)
        self._git("add", "-A", index=index)
        return self._git("write-tree", index=index).strip()

    def diff(self, *arguments: str) -> str:
        return self._git("diff", "--no-color", "--no-renames", *arguments)

    def _git(self, *arguments: str, index: Path | None = None) -> str:
        variables = {
            "HOME": str(self._objects), "PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1", "GIT_OBJECT_DIRECTORY": str(self._objects),
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(self.root / ".git" / "objects"),
        }  # fmt: skip
        if index:
            variables["GIT_INDEX_FILE"] = str(index)
        done = subprocess.run(
            ["git", *arguments], cwd=self.root, env=variables, capture_output=True, text=True,
            check=True,
        )  # fmt: skip
        return done.stdout

    def stored(self, revision: str = "HEAD") -> dict[str, bytes | None]:
        return {file.path: file.content for file in self.person.repository.session(revision).files}


@pytest.fixture
def project(person: Person, tmp_path: Path) -> Project:
    return Project(person, tmp_path)


def name_status(files: tuple[FileChange, ...]) -> str:
    letters = {"added": "A", "removed": "D", "changed": "M"}
    return "".join(f"{letters[change.status]}\t{change.path}\n" for change in files)


def patch(change: FileChange) -> list[str]:
    old, new = unified.text_of(change.old), unified.text_of(change.new)
    assert old is not None and new is not None
    lines = []
    for hunk in unified.hunks(unified.split(old), unified.split(new)):
        lines += [hunk.heading, *hunk.lines]
    return lines


def git_patch(project: Project, old: str, new: str, path: str) -> list[str]:
    """The hunks, without the function names that git puts behind their headings."""
    lines = project.diff(old, new, "--", path).split("\n")[:-1]
    first = next((at for at, line in enumerate(lines) if line.startswith("@@")), len(lines))
    return [line[: line.index("@@", 2) + 2] if line.startswith("@@") else line
            for line in lines[first:]]  # fmt: skip


def assert_same_as_git(project: Project, trees: list[str]) -> None:
    """Every pair of versions, both ways."""
    last = len(trees) - 1
    for one in range(len(trees)):
        for other in range(len(trees)):
            diff, _ = project.person.repository.diff(f"HEAD~{last - one}", f"HEAD~{last - other}")
            assert name_status(diff.files) == project.diff(
                "--name-status", trees[one], trees[other]
            ), (one, other)
            for change in diff.files:
                expected = git_patch(project, trees[one], trees[other], change.path)
                assert patch(change) == expected, (one, other, change.path)


def test_OC19_diff_of_files_equals_git_diff(project: Project) -> None:
    trees = [project.turn()]
    project.write("a.txt", NUMBERS.replace("line 3\n", "line three\n"))
    project.write("new.txt", "made by a shell command\n")
    (project.root / "gone.txt").unlink()
    trees.append(project.turn())
    project.write("a.txt", NUMBERS.replace("line 30\n", ""))  # line 3 is as it was
    project.write("src/b.py", "def b():\n    return 2")
    project.write("build/out.o", "not looked at")
    project.write("x.log", "not looked at")
    (project.root / "new.txt").unlink()
    trees.append(project.turn())
    commit(project.root, "by the agent itself")
    trees.append(project.turn())
    project.write("gone.txt", "is back\n")
    project.write("a.txt", NUMBERS)
    git(project.root, "rm", "-q", "src/b.py")
    trees.append(project.turn())
    git(project.root, "checkout", "-q", "-f", "HEAD~1", "--", ".")
    trees.append(project.turn())
    assert_same_as_git(project, trees)
    assert not {"build/out.o", "x.log"} & project.stored().keys()
    project.person.is_sound()


def test_the_executable_bit_is_a_change(project: Project) -> None:
    """Of a tracked file the commit's mode is the original's; nothing is kept of what has it."""
    (project.root / "a.txt").chmod(0o755)
    commit(project.root, "second")
    project.turn()
    assert project.stored() == {}
    (project.root / "src" / "b.py").chmod(0o755)
    (project.root / "a.txt").chmod(0o644)
    project.turn()
    repository = project.person.repository
    assert {file.path: file.executable for file in repository.session().files} == {
        "a.txt": False, "src/b.py": True,
    }  # fmt: skip
    changes = {change.path: change for change in repository.diff("HEAD~1", "HEAD")[0].files}
    assert {path: change.runs for path, change in changes.items()} == {
        "a.txt": False, "src/b.py": True,
    }  # fmt: skip
    shown = project.person.types("diff", "HEAD~1", "HEAD", "--files").out
    assert "old mode 100644\nnew mode 100755\n" in shown
    assert "@@" not in shown
    assert project.save().outcome == "saved"
    assert repository.diff("HEAD~1", "HEAD")[0].files == ()
    project.person.is_sound()


def test_OC19_random_changes(project: Project) -> None:
    chance = random.Random(11)
    names = ["a.txt", "src/b.py", "gone.txt", "n/1.txt", "n/2.txt", "ö ü.txt"]
    trees = [project.turn()]
    for _ in range(6):
        for name in chance.sample(names, 3):
            place = project.root / name
            if place.exists() and chance.random() < 0.4:
                place.unlink()
            else:
                number = chance.randrange(1, 40)
                project.write(name, NUMBERS.replace(f"line {number}\n", f"{chance.random()}\n"))
        if chance.random() < 0.4:
            commit(project.root, "on the way")
        trees.append(project.turn())
    assert_same_as_git_unquoted(project, trees)


def assert_same_as_git_unquoted(project: Project, trees: list[str]) -> None:
    last = len(trees) - 1
    for one in range(len(trees)):
        for other in range(len(trees)):
            diff, _ = project.person.repository.diff(f"HEAD~{last - one}", f"HEAD~{last - other}")
            said = project.diff("--name-status", "-z", trees[one], trees[other]).split("\0")
            expected = "".join(f"{letter}\t{path}\n" for letter, path in
                               zip(said[::2], said[1::2], strict=False))  # fmt: skip
            assert name_status(diff.files) == expected, (one, other)


def every_byte_of(folder: Path) -> str:
    lines = []
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        data = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
        lines.append(f"{path} {status.st_mode} {status.st_mtime_ns} {data!r}")
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def test_law_6_nothing_in_the_code_repository_is_written(project: Project) -> None:
    evil = project.root.parent / "ran"
    git(project.root, "config", "filter.evil.clean", f"touch {evil}")
    git(project.root, "config", "filter.evil.process", f"touch {evil}")
    git(project.root, "config", "filter.evil.required", "true")
    git(project.root, "config", "diff.external", f"touch {evil}")
    git(project.root, "config", "core.fsmonitor", f"touch {evil}")
    project.write(".gitattributes", "* filter=evil\n")
    project.write("a.txt", NUMBERS)  # as it was, at another time: a refresh would note it
    project.write("b.txt", "new")
    (project.root / ".git" / "index.lock").write_bytes(b"")
    os.utime(project.root / ".git" / "index", (0, 2_000_000_000))  # all of it is to be read again
    before = every_byte_of(project.root)
    assert project.save().outcome == "saved"
    assert every_byte_of(project.root) == before
    assert not evil.exists()
    assert project.stored()["b.txt"] == b"new" and "a.txt" not in project.stored()


def test_secret_files_and_secrets_are_not_attached(project: Project) -> None:
    value = "sk-ant-api03-" + "Zq7" * 31 + "AA"
    project.write(".env", f"TOKEN={value}\n")
    project.write("notes.txt", f"the key is {value}\n")
    git(project.root, "add", "-f", ".env")
    project.turn()
    stored = project.stored()
    assert stored[".env"] is None
    assert stored["notes.txt"] is not None and b"__REDACTED_" in stored["notes.txt"]
    assert value.encode() not in project.person.everything_stored()


def test_secrets_of_the_commit_are_not_in_the_originals(project: Project) -> None:
    value = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    project.write("conf.py", f"token = '{value}'\n")
    commit(project.root, "a mistake")
    project.turn()
    project.write("conf.py", "token = None\n")
    project.turn()
    assert value.encode() not in project.person.everything_stored()
    [change] = project.person.repository.diff("HEAD~1", "HEAD")[0].files
    assert change.path == "conf.py" and b"__REDACTED_" in (change.old or b"")


def test_limits_are_kept_and_told(project: Project) -> None:
    person = project.person
    for name, value in (("max_file_bytes", "1000"), ("max_save_bytes", "2500")):
        workspace = person.repository._workspace
        workspace.config = workspace.config.with_value(f"capture.{name}", value)
    project.write("large.txt", "x" * 1001)
    for number in range(4):
        project.write(f"n{number}.txt", f"{number}" * 900)
    saved = project.save()
    assert dict(saved.withheld) == {
        "large.txt": "too large",
        "n2.txt": "over the limit of one save",
        "n3.txt": "over the limit of one save",
    }
    assert person.repository.status().withheld == saved.withheld


def test_links_and_other_repositories_are_not_followed(project: Project, tmp_path: Path) -> None:
    secret = tmp_path / "outside.txt"
    secret.write_text("not of this project")
    (project.root / "link.txt").symlink_to(secret)
    (project.root / "src" / "folder").symlink_to(tmp_path)
    nested = project.root / "nested"
    nested.mkdir()
    git(nested, "init", "-q")
    (nested / "n.txt").write_text("n")
    os.mkfifo(project.root / "pipe")
    project.save()
    stored = project.stored()
    assert stored == {"link.txt": None, "src/folder": None}
    assert b"not of this project" not in project.person.everything_stored()


def test_a_home_and_a_folder_without_git_are_not_walked(person: Person) -> None:
    workspace = person.repository._workspace
    workspace.config = workspace.config.with_value("capture.files", "changed")
    (person.project / "a.txt").write_text("a")
    person.writes(a_session(person, "no repository"))
    person.saves()
    assert person.repository.session().files == ()
    home = person.environment.home
    git(home, "init", "-q")
    (home / "private.txt").write_text("p")
    session = Claude("22222222-2222-4333-8444-555555555555", cwd=str(home))
    session.prompt("in the home")
    session.say("Done.")
    session.save(home)
    [saved] = person.repository.save([session.session_id]).sessions
    assert saved.outcome == "saved"
    assert person.repository.session(saved.branch).files == ()


def test_imports_and_old_sessions_say_nothing_of_now(project: Project, tmp_path: Path) -> None:
    project.write("now.txt", "of today")
    session = a_session(project.person, "of last year")
    file = tmp_path / "old.jsonl"
    file.write_bytes(session.data)
    [saved] = project.person.repository.import_files([file]).sessions
    assert project.stored(saved.branch) == {}


def test_only_the_turn_that_was_just_ended_is_captured(project: Project) -> None:
    session = project._session
    for prompt in ("one", "two"):
        session.prompt(prompt)
        session.say("Done.")
    project.write("now.txt", "of today")
    project.person.writes(session)
    project.person.saves()
    assert project.stored("HEAD~1") == {}
    assert project.stored("HEAD") == {"now.txt": b"of today"}
    info = project.person.repository.session("HEAD~1").info
    assert info.changed_from == ""


def test_touched_is_the_default_again(project: Project) -> None:
    project.write("new.txt", "x")
    project.turn()
    workspace = project.person.repository._workspace
    workspace.config = workspace.config.with_value("capture.files", "touched")
    project.write("other.txt", "y")
    project.turn()
    assert project.stored() == {"new.txt": b"x"}
    assert project.person.repository.session().info.changed_from == ""


def test_OC18_versions_outlive_their_repository(project: Project) -> None:
    project.write("new.txt", "made\n")
    project.turn()
    project.write("a.txt", "short\n")
    project.turn()
    subprocess.run(["rm", "-rf", str(project.root / ".git")], check=True)
    project.person.git("gc", "--quiet")
    diff = project.person.repository.diff("HEAD~1", "HEAD")[0]
    [change] = diff.files
    assert (change.path, change.old, change.new) == ("a.txt", NUMBERS.encode(), b"short\n")
    assert project.stored()["new.txt"] == b"made\n"


def test_what_did_not_change_is_not_read_again(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gitsession.operations.folder import Folder, Seen
    from gitsession.operations.saving import capture

    monkeypatch.setattr(capture, "_UNSURE", -1.0)
    read: list[str] = []
    look = Folder.look

    def counted(self: Folder, path: str, most: int = -1) -> Seen:
        read.append(path)
        return look(self, path, most)

    monkeypatch.setattr(Folder, "look", counted)
    project.write("new.txt", "x")
    project.write("other.txt", "y")
    project.turn()
    assert sorted(read) == ["new.txt", "other.txt"]
    project.write("other.txt", "yy")
    project.turn()
    assert read[2:] == ["other.txt"]
    assert project.stored() == {"new.txt": b"x", "other.txt": b"yy"}


def test_diff_against_now_holds_what_a_save_would_capture(project: Project) -> None:
    project.turn()
    project.write("a.txt", "short\n")
    project._session.prompt("and now")
    project._session.say("Done.")
    project.person.writes(project._session)
    diff, said = project.person.repository.diff("HEAD")
    assert "now" in said
    assert [(change.path, change.old, change.new) for change in diff.files] == [
        ("a.txt", NUMBERS.encode(), b"short\n")
    ]
