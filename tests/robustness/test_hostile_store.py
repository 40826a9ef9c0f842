"""Law 10: what another store sends is data: it never runs, leaves its place, or is printed raw."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.builders import CLAUDE_ID, Claude, a_uuid
from tests.robustness.conftest import Done, Shell

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1500)]

ESCAPES = "\x1b]0;owned\x07\x1b[31m\u202egpj.exe\u200b\x9b2J"
RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]")


@pytest.fixture
def hostile(tmp_path: Path) -> Shell:
    """A sound store of somebody else, with a session that will be bent."""
    other = Shell(tmp_path / "other")
    session = other.session("hello")
    session.write(str(other.project / "a.py"), "x = 1\n")
    session.say("done")
    other.writes(session)
    other.does("save")
    return other


class Bend:
    """Writes objects and refs as nobody's program would."""

    def __init__(self, shell: Shell) -> None:
        self.shell = shell
        [line] = shell.git("for-each-ref", "refs/heads", "--format=%(refname)").splitlines()
        self.ref = line
        self.message = shell.git("log", "-1", "--format=%B", self.ref)

    def feed(self, data: bytes, *arguments: str) -> str:
        done = subprocess.run(
            ["git", "-C", str(self.shell.store), *arguments],
            input=data,
            check=True,
            capture_output=True,
            env=self.shell.variables,
        )
        return done.stdout.decode().strip()

    def blob(self, data: bytes) -> str:
        return self.feed(data, "hash-object", "-w", "--stdin")

    def tree(self, *entries: tuple[str, str, str]) -> str:
        """Raw: git's own programs would refuse some of these names."""
        data = b"".join(
            f"{mode} {name}".encode() + b"\0" + bytes.fromhex(at) for mode, name, at in entries
        )
        return self.feed(data, "hash-object", "-w", "-t", "tree", "--literally", "--stdin")

    def entries(self, tree: str) -> list[tuple[str, str, str]]:
        lines = self.shell.git("ls-tree", tree).splitlines()
        rows = [re.split(r"[ \t]", line, maxsplit=3) for line in lines]
        return [(mode.lstrip("0"), name, at) for mode, _, at, name in rows]

    def commit(self, tree: str, message: str | None = None, ref: str = "") -> str:
        made = self.feed(
            (message or self.message).encode(),
            "-c",
            "user.name=" + "Eve",
            "-c",
            "user.email=e@e",
            "commit-tree",
            tree,
            "-p",
            self.ref,
        )
        self.feed(b"", "update-ref", ref or self.ref, made)
        return made

    def with_file(self, path: list[str], data: bytes, mode: str = "100644") -> str:
        """The tip's tree with one more entry at a path of any names."""

        def put(tree: str, names: list[str]) -> str:
            rows = [row for row in self.entries(tree) if row[1] != names[0]] if tree else []
            below = {row[1]: row[2] for row in (self.entries(tree) if tree else [])}
            if len(names) == 1:
                return self.tree(*rows, (mode, names[0], self.blob(data)))
            return self.tree(*rows, ("40000", names[0], put(below.get(names[0], ""), names[1:])))

        return put(self.shell.git("rev-parse", f"{self.ref}^{{tree}}").strip(), path)


class Victim:
    """Fetches, looks, checks out; and keeps an eye on the rest of the disk."""

    def __init__(self, shell: Shell, remote: Shell, folder: Path) -> None:
        self.shell, self.folder = shell, folder
        shell.writes(shell.session("mine", session_id=a_uuid("mine")))
        shell.does("save")
        shell.does("remote", "add", "eve", str(remote.store))
        self.before = self.outside()

    def outside(self) -> set[str]:
        """All files that are neither the store's nor an agent's sessions nor caches."""
        mine = (
            self.shell.home / ".local",
            self.shell.home / ".cache",
            self.shell.home / ".claude",
            self.shell.home / ".config",
        )
        return {
            str(path)
            for path in self.folder.rglob("*")
            if not any(each in (path, *path.parents) for each in mine)
            and "other" not in path.relative_to(self.folder).parts[:1]
        }

    def looks(self) -> list[Done]:
        """Every command that shows or uses what was fetched."""
        fetched = self.shell("fetch", "eve")
        done = [fetched]
        refs = self.shell.git("for-each-ref", "--format=%(objectname)").split()
        tips = self.shell.git("for-each-ref", "--format=%(refname)", "refs/remotes").split("\n")[
            :-1
        ]
        names = [tip.removeprefix("refs/remotes/") for tip in tips]
        verbs = [
            ("list", "--all"),
            ("log", "--graph"),
            ("fsck",),
            ("branch",),
            ("tag",),
            ("oplog",),
            ("remote", "-v"),
            ("status",),
        ]
        for name in (*names, *refs):
            verbs += [
                ("log", "--stat", name),
                ("show", name),
                ("show", f"{name}:1"),
                ("diff", f"{name}~1", name),
                ("export", name, "--format", "md"),
                ("checkout", name, "--raw", str(self.folder / "raw")),
                ("checkout", name, "--trust"),
                ("checkout", name),
                ("resume", name, "--dry-run"),
                ("list", "--all"),
                ("pull", "eve"),
            ]
        for verb in verbs:
            done.append(self.shell(*verb))
            (self.folder / "raw").unlink(missing_ok=True)
            assert done[-1].code in (0, 1, 2, 10, 12, 13, 14, 15, 16, 17), (verb, done[-1])
            text = done[-1].said.decode("utf-8", "surrogateescape")
            if verb[0] != "export":
                assert not RAW.search(text), (verb, text)
        assert self.outside() == self.before
        self.is_unharmed()
        return done

    def is_unharmed(self) -> None:
        assert not list(self.folder.rglob("owned*"))
        assert self.shell.does("log", a_uuid("mine")).out
        hooks = self.shell.store / "hooks"
        assert not hooks.exists() or not any("owned" in p.read_text() for p in hooks.iterdir())
        config = (self.shell.store / "config").read_text()
        assert "sshCommand" not in config and "touch" not in config


@pytest.fixture
def victim(tmp_path: Path, hostile: Shell) -> Victim:
    return Victim(Shell(tmp_path / "person"), hostile, tmp_path)


def test_messages_and_names_of_escapes(victim: Victim, hostile: Shell) -> None:
    bend = Bend(hostile)
    tree = hostile.git("rev-parse", f"{bend.ref}^{{tree}}").strip()
    subject, _, rest = bend.message.partition("\n")
    bend.commit(tree, f"{subject} {ESCAPES}\n{rest}")
    for trailer in ("Title", "Project", "Kind", "Version", "Messages", "Code", "Native"):
        changed = re.sub(
            rf"(?m)^Gitsession-{trailer}: .*$", f"Gitsession-{trailer}: {ESCAPES}", bend.message
        )
        bend.commit(tree, changed, f"refs/heads/eve-{trailer.lower()}-0001/main")
    bend.commit(tree, bend.message, f"refs/heads/eve-\u202e{'x' * 60}-0002/main")
    target = hostile.git("rev-parse", bend.ref).strip()
    tag = f"object {target}\ntype commit\ntag t\ntagger E {ESCAPES} <e@e> 1 +0000\n\n{ESCAPES}\n"
    made = bend.feed(tag.encode(), "hash-object", "-w", "-t", "tag", "--literally", "--stdin")
    bend.feed(b"", "update-ref", f"refs/tags/{bend.ref.split('/')[2]}/t", made)
    victim.looks()


@pytest.mark.parametrize(
    "path",
    [
        ["files", "..", "..", "owned"],
        ["files", "@abs", "etc", "owned"],
        ["files", ".git", "hooks", "owned"],
        ["sidecars", "..", "owned"],
        ["sidecars", "tool-results", "%2e%2e%2fowned"],
        ["files", "%2e%2e", "%2e%2e", "owned"],
        ["files", "C:\\owned"],
        ["files", ".GIT ", "owned"],
        ["files", "a\x1b[31m\u202eowned"],
        ["streams", "..%2fowned", "00", "00", "01.jsonl"],
    ],
    ids=lambda path: "-".join(re.sub(r"\W", "_", part) for part in path),
)
def test_paths_that_lead_out(victim: Victim, hostile: Shell, path: list[str]) -> None:
    bend = Bend(hostile)
    bend.commit(bend.with_file(path, b"#!/bin/sh\ntouch owned-by-eve\n"))
    victim.looks()


@pytest.mark.parametrize("mode", ["120000", "160000"])
def test_links_and_submodules(victim: Victim, hostile: Shell, mode: str) -> None:
    bend = Bend(hostile)
    name = "session.yaml" if mode == "120000" else "files"
    bend.commit(bend.with_file([name], b"/etc/passwd", mode))
    for done in victim.looks():
        assert b"root:" not in done.said


YAML = {
    "tags": b'!!python/object/apply:os.system ["touch owned"]\n',
    "anchors": b"a: &a ["
    + b"x," * 100
    + b"]\n"
    + b"".join(b"b%d: &b%d [" % (n, n) + b"*a," * 100 + b"]\n" for n in range(50)),
    "deep": b"[" * 100_000,
    "huge": b'title: "' + b"x" * (2 << 20) + b'"\n',
    "numbers": b"format: 99999999999999999999999\nversion: -1\n",
    "newer": b"format: 2\n",
    "empty": b"",
    "binary": bytes(range(256)) * 10,
}


@pytest.mark.parametrize("kind", YAML)
def test_session_yaml_of_any_kind(victim: Victim, hostile: Shell, kind: str) -> None:
    bend = Bend(hostile)
    bend.commit(bend.with_file(["session.yaml"], YAML[kind]))
    victim.looks()


def test_fields_of_session_yaml_that_lead_out(victim: Victim, hostile: Shell) -> None:
    """Ids, streams, agents and folders that a program could take for paths or commands."""
    bend = Bend(hostile)
    plain = hostile.git("show", f"{bend.ref}:session.yaml")
    native = re.search(r"(?m)^native: .*$|^  id: .*$", plain)
    assert native
    for number, evil in enumerate(
        (
            "../../../owned",
            "--upload-pack=touch owned",
            "$(touch owned)",
            "-rf",
            "a\\nb\\u001b[31m",
            "x" * 5000,
        )
    ):
        for old in {"11111111-2222-4333-8444-555555555555", "claude", str(hostile.project), "main"}:
            text = plain.replace(old, evil)
            bend.commit(
                bend.with_file(["session.yaml"], text.encode()),
                bend.message.replace(old, evil).replace("\\n", ""),
                f"refs/heads/eve-{number}{len(old) % 97:02d}/main",
            )
    victim.looks()


def test_trees_without_end(victim: Victim, hostile: Shell) -> None:
    """Each folder holds the one below it many times: small to send, endless to walk."""
    bend = Bend(hostile)
    below = bend.tree(("100644", "00.jsonl", bend.blob(b"{}\n")))
    for _ in range(30):
        below = bend.tree(*(("40000", f"{n:02d}", below) for n in range(60)))
    rows = [row for row in bend.entries(f"{bend.ref}^{{tree}}") if row[1] != "streams"]
    bend.commit(bend.tree(*rows, ("40000", "streams", bend.tree(("40000", "main", below)))))
    victim.looks()


def test_records_of_a_foreign_store_are_ignored(victim: Victim, hostile: Shell) -> None:
    """Local folders, hooks, configuration and refs of our own namespace do not travel."""
    bend = Bend(hostile)
    target = hostile.git("rev-parse", bend.ref).strip()
    for ref in (
        "refs/gitsession/undo/1/1",
        "refs/gitsession/wip/eve/main",
        "refs/replace/" + target,
    ):
        bend.feed(b"", "update-ref", ref, target)
    hooks = hostile.store / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("post-checkout", "pre-receive", "reference-transaction", "post-update"):
        (hooks / name).write_text(f"#!/bin/sh\ntouch {victim.folder}/owned\n")
        (hooks / name).chmod(0o755)
    with (hostile.store / "config").open("a") as stream:
        stream.write(
            f"[core]\n\thooksPath = {hooks}\n\tsshCommand = touch {victim.folder}/owned\n"
            f"\tfsmonitor = touch {victim.folder}/owned\n"
            f"[uploadpack]\n\tpackObjectsHook = touch {victim.folder}/owned\n"
        )
    victim.looks()
    refs = victim.shell.git("for-each-ref", "--format=%(refname)").split()
    assert not [ref for ref in refs if "undo" in ref or "/wip/eve" in ref or "replace" in ref]


def test_a_foreign_checkout_is_only_a_conversation(victim: Victim, hostile: Shell) -> None:
    """Modes, permissions and plans of the other person are not resumed."""
    session = Claude(cwd=str(hostile.project))
    session.extra = {"permissionMode": "bypassPermissions"}
    session.row(type="permission-mode", permissionMode="bypassPermissions")
    session.prompt("go")
    session.say("gone")
    path = hostile.path("22222222-2222-4333-8444-555555555555")
    session.session_id = path.stem
    path.write_bytes(session.data.replace(CLAUDE_ID.encode(), path.stem.encode()))
    hostile.does("save", path.stem)
    victim.shell.does("fetch", "eve")
    [tip] = [
        ref
        for ref in victim.shell.git("for-each-ref", "--format=%(refname)", "refs/remotes").split()
        if "go-" in ref
    ]
    before = set(victim.shell.path().parent.iterdir())
    done = victim.shell("checkout", tip.removeprefix("refs/remotes/"), "--trust")
    assert done.code == 0, done
    [made] = set(victim.shell.path().parent.iterdir()) - before
    assert b"bypassPermissions" not in made.read_bytes()
    assert os.stat(made).st_mode & 0o077 == 0
