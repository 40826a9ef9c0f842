"""Law 6: the code repository stays as it is, its remote gets nothing, hostile git settings lose."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from pathlib import Path

from tests.acceptance.conftest import Person, a_session
from tests.builders import Claude

HOSTILE_CONFIG = """
[commit]
    gpgsign = true
[tag]
    gpgsign = true
    forceSignAnnotated = true
[gpg]
    program = /nonexistent/gpg
[core]
    hooksPath = {hooks}
    autocrlf = true
    safecrlf = true
    fsmonitor = {hooks}/post-commit
    editor = /nonexistent/editor
    pager = /nonexistent/pager
    attributesFile = {hooks}/attributes
    excludesFile = {hooks}/excludes
    quotePath = true
    compression = 0
[user]
    useConfigOnly = true
[init]
    defaultBranch = "odd/branch.name"
    templateDir = {hooks}/template
    defaultObjectFormat = sha256
    defaultRefFormat = reftable
[filter "evil"]
    clean = touch {hooks}/ran
    smudge = touch {hooks}/ran
    required = true
[log]
    showSignature = true
    mailmap = true
[color]
    ui = always
[fetch]
    fsckObjects = false
[transfer]
    hideRefs = refs/heads
[extensions]
    worktreeConfig = true
[alias]
    log = !touch {hooks}/ran
[gc]
    auto = 1
[maintenance]
    auto = true
[include]
    path = {hooks}/nowhere
"""


def git(folder: Path, *arguments: str) -> str:
    """The git program as a developer without any settings uses it."""
    variables = {
        "HOME": str(folder), "PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "D", "GIT_AUTHOR_EMAIL": "d@example.com",
        "GIT_COMMITTER_NAME": "D", "GIT_COMMITTER_EMAIL": "d@example.com",
    }  # fmt: skip
    done = subprocess.run(
        ["git", "-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main", *arguments],
        cwd=folder, env=variables, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout


def commit(folder: Path, message: str) -> None:
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", message)


def a_code_repository(folder: Path) -> Path:
    """Everything that a tool can break: submodule, nested repository, LFS pointers, stash, staged,
    unstaged and untracked files, a linked worktree, and an index.lock left by a dead git."""
    library = folder.parent / "library"
    library.mkdir()
    git(library, "init", "-q")
    (library / "lib.py").write_text("x = 1\n")
    commit(library, "library")
    git(folder, "init", "-q")
    (folder / "a.py").write_text("a = 1\n")
    (folder / ".gitattributes").write_text(
        "*.bin filter=lfs diff=lfs merge=lfs -text\n* filter=evil\n"
    )
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:" + "ab" * 32 + "\nsize 12\n"
    (folder / "big.bin").write_text(pointer)
    commit(folder, "first")
    git(folder, "submodule", "--quiet", "add", str(library), "library")
    commit(folder, "submodule")
    (folder / "a.py").write_text("a = 2\n")
    git(folder, "stash")
    (folder / "a.py").write_text("a = 3\n")
    git(folder, "add", "a.py")
    (folder / "a.py").write_text("a = 4\r\n")
    (folder / "untracked.txt").write_text("new\n")
    nested = folder / "nested"
    nested.mkdir()
    git(nested, "init", "-q")
    (nested / "n.py").write_text("n\n")
    commit(nested, "nested")
    worktree = folder.parent / "worktree"
    git(folder, "worktree", "add", "-q", str(worktree))
    hook = folder / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\ntouch hook-ran\nexit 1\n")
    hook.chmod(0o755)
    (folder / ".git" / "index.lock").write_bytes(b"")
    return worktree


def fingerprint(*folders: Path) -> dict[str, tuple[str, int, int]]:
    """Every file with hash, mode and time of its last change."""
    found = {}
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            status = path.lstat()
            if path.is_symlink():
                content = os.readlink(path).encode()
            else:
                content = path.read_bytes() if path.is_file() else b""
            digest = hashlib.sha256(content).hexdigest()
            found[str(path)] = (digest, status.st_mode, status.st_mtime_ns)
    return found


def hostile(person: Person, tmp_path: Path) -> Path:
    """A global configuration and a system one that want everything to fail or to run code."""
    hooks = tmp_path / "hooks"
    (hooks / "template" / "hooks").mkdir(parents=True)
    names = (
        "pre-commit", "commit-msg", "post-commit", "reference-transaction", "post-update",
        "pre-receive", "update", "pre-push", "post-checkout", "post-rewrite", "pre-auto-gc",
    )  # fmt: skip
    for folder in (hooks, hooks / "template" / "hooks"):
        for name in names:
            (folder / name).write_text(f"#!/bin/sh\ntouch {hooks}/ran\nexit 1\n")
            (folder / name).chmod(0o755)
    (person.environment.home / ".gitconfig").write_text(HOSTILE_CONFIG.format(hooks=hooks))
    return hooks


def hostile_variables(project: Path, hooks: Path) -> dict[str, str]:
    return {
        "GIT_DIR": str(project / ".git"), "GIT_WORK_TREE": str(project),
        "GIT_INDEX_FILE": str(project / ".git" / "index"),
        "GIT_OBJECT_DIRECTORY": str(project / ".git" / "objects"),
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(project / ".git" / "objects"),
        "GIT_NAMESPACE": "evil", "GIT_COMMON_DIR": str(project / ".git"),
        "GIT_AUTHOR_NAME": "E", "GIT_COMMITTER_DATE": "nonsense", "GIT_TRACE": str(hooks / "trace"),
        "GIT_EXTERNAL_DIFF": f"touch {hooks}/ran", "GIT_EDITOR": f"touch {hooks}/ran",
        "GIT_PAGER": f"touch {hooks}/ran", "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.hooksPath", "GIT_CONFIG_VALUE_0": str(hooks),
        "GIT_CONFIG_PARAMETERS": f"'core.hooksPath={hooks}'",
        "GIT_TEMPLATE_DIR": str(hooks / "template"), "GIT_CEILING_DIRECTORIES": "/",
        "GIT_DEFAULT_HASH": "sha256",
    }  # fmt: skip


def test_A11_a_save_changes_no_file_of_the_code_repository(person: Person, tmp_path: Path) -> None:
    person.repository.close()
    worktree = a_code_repository(person.project)
    hooks = hostile(person, tmp_path)
    session = a_session(person, "one", "two")
    session.write(str(person.project / "a.py"), "a = 4\r\n")
    session.edit(str(person.project / "nested" / "n.py"), "n\n", "n", "m")
    session.say("done")
    person.writes(session)
    folders = (person.project, worktree, tmp_path / "library")
    before = fingerprint(*folders)
    variables = hostile_variables(person.project, hooks)
    for argv in (("save",), ("status",), ("log",), ("list",), ("diff",), ("show",), ("fsck",),
                 ("branch", "x"), ("tag", "t"), ("checkout", "HEAD~1"), ("undo",)):  # fmt: skip
        process = person.starts(*argv, **variables)
        out, err = process.communicate()
        assert process.returncode == 0, (argv, out, err)
    assert fingerprint(*folders) == before
    assert not (hooks / "ran").exists()
    assert not (hooks / "trace").exists()
    assert len(person.repository.log("HEAD", limit=0)) == 3
    assert person.repository.version("HEAD").trailers["Code"] == git(
        person.project, "rev-parse", "HEAD"
    ).strip()  # fmt: skip
    process = person.starts("-C", str(worktree), "list", "--json", **variables)
    out, _ = process.communicate()
    assert b'"row": 1' in out, "a linked worktree is the same project"
    assert fingerprint(*folders) == before


def test_A19_a_hostile_configuration_changes_nothing(person: Person, tmp_path: Path) -> None:
    hooks = hostile(person, tmp_path)
    session = Claude(cwd=str(person.project))
    session.prompt("line ends\r\n")
    session.write(str(person.project / "dos.txt"), "one\r\ntwo\r\n")
    session.bash("type dos.txt", "one\r\ntwo\r\n")
    session.say("kept")
    data = session.data.replace(b"\n", b"\r\n")
    person.writes(data)
    process = person.starts("save")
    out, err = process.communicate()
    assert (process.returncode, err) == (0, b""), out
    assert person.raw() == data
    kept = next(f for f in person.repository.session("HEAD").files if f.path == "dos.txt")
    assert kept.content == b"one\r\ntwo\r\n"
    assert person.types("tag", "key", "-m", "why").code == 0
    assert not (hooks / "ran").exists()
    [own] = (person.repository.store_path / "hooks").iterdir()
    assert own.name == "pre-push"
    assert b"gitsession" in own.read_bytes()
    assert person.git("rev-parse", "--show-object-format").strip() == "sha1"
    assert person.git("symbolic-ref", "HEAD").strip() != "refs/heads/odd/branch.name"
    assert b"\x1b[" not in out
    person.is_sound()


def test_A9_pushing_the_code_sends_no_session(person: Person, tmp_path: Path) -> None:
    project = person.project
    git(project, "init", "-q")
    (project / "a.py").write_text("a = 1\n")
    commit(project, "code")
    remote = tmp_path / "public.git"
    git(tmp_path, "init", "-q", "--bare", str(remote))
    git(project, "remote", "add", "origin", str(remote))
    session = Claude(cwd=str(project))
    for number in range(3):
        session.turn(f"a very private question {number}")
        person.writes(session)
        assert person.saves().outcome == "saved"
    for way in ("--all", "--tags", "--mirror"):
        git(project, "push", "-q", "origin", way)
    refs = git(remote, "for-each-ref", "--format=%(refname)").split()
    assert refs == ["refs/heads/main", "refs/remotes/origin/main"]
    objects = git(remote, "cat-file", "--batch-all-objects", "--batch-check=%(objecttype)").split()
    assert sorted(objects) == ["blob", "commit", "tree"]
    none = person.types("push", "--yes")
    assert none.code in (12, 15), none
    assert none.err.startswith("error: ") and "hint: " in none.err
    for url in (str(remote), f"file://{remote}", f"{remote}/"):
        person.types("remote", "rm", "there")
        person.types("remote", "add", "there", url)
        refused = person.types("push", "there", "--yes")
        assert refused.code == 13, refused
        assert "code" in refused.err and "hint: " in refused.err
    assert git(remote, "for-each-ref", "--format=%(refname)").split() == refs
    assert sorted(
        git(remote, "cat-file", "--batch-all-objects", "--batch-check=%(objecttype)").split()
    ) == sorted(objects)


NAMES = ["외주/app", "개인/app", "회사/app", "Проект", "新聞", "with spaces and 🎈", "a'b\"c;$(d)"]


def test_A14_projects_of_any_name_are_told_apart(person: Person, tmp_path: Path) -> None:
    remote = tmp_path / "sessions.git"
    subprocess.run(["git", "init", "-q", "--bare", str(remote)], check=True)
    for number, name in enumerate(NAMES):
        folder = person.project / name
        folder.mkdir(parents=True)
        session = Claude(f"{number:08}-2222-4333-8444-555555555555", cwd=str(folder))
        session.turn(f"질문 {name}", "ответ")
        session.turn("再来一次")
        session.save(person.environment.home)
    for number, name in enumerate(NAMES):
        folder = str(person.project / name)
        run = Runs(person, folder)
        run("save")
        [row] = json.loads(run("list", "--json"))["sessions"]
        assert (row["title"], row["versions"]) == (f"질문 {name}", 2)
        assert name in row["project"]
        assert f"질문 {name}" in run("log")
        if number < 2:
            assert "再来一次" in run("diff", "HEAD~1", "HEAD")
            assert f"질문 {name}" in run("show", "HEAD")
        assert "resume" in run("checkout", "HEAD~1")
    assert person.types("remote", "add", "r", str(remote)).code == 0
    sent = Runs(person, str(person.project / NAMES[0]))("push", "r", "--all", "--yes")
    assert sent
    heads = subprocess.run(
        ["git", "-C", str(remote), "for-each-ref", "--format=%(refname)", "refs/heads/"],
        capture_output=True, text=True, check=True, encoding="utf-8",
    ).stdout.split()  # fmt: skip
    assert len([ref for ref in heads if ref.endswith("/main")]) == len(NAMES)
    person.is_sound()


class Runs:
    """The program as a process under `LANG=C` in one folder; what it says."""

    def __init__(self, person: Person, folder: str) -> None:
        self.person, self.folder = person, folder

    def __call__(self, *argv: str) -> str:
        variables = {"LANG": "C", "LC_ALL": "C"}
        process = self.person.starts("-C", self.folder, *argv, **variables)
        out, err = process.communicate()
        assert process.returncode == 0, (self.folder, argv, out, err)
        return out.decode("utf-8")
