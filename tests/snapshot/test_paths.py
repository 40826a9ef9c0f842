"""Tree paths: harmless everywhere, and the original comes back."""

from __future__ import annotations

import subprocess
import unicodedata
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gitsession.snapshot.paths import (
    escape,
    escape_file,
    escape_stream,
    folded,
    unescape,
    unescape_file,
)

_NASTY = [
    "", ".", "..", ".git", ".GIT", ".Git.", ".git ", ".git...", "git~1", "GIT~1", "GI7EBA~1",
    ".gitmodules", ".gitModules", ".gitattributes", ".gitignore", ".mailmap", "MAIL~1",
    ".g\u200cit", "\u200d.git", ".git\u202e", ".gi\ufefft", "\uff0egit",
    ".git::$INDEX_ALLOCATION", ".git\\config", "a\\b", "C:", "C:x", "con", "CON", "con.txt",
    "NUL", "aux.c", "COM1", "lpt9.log", "com\u00b9", "conin$", "a.", "a ", "a. .", " a", "%",
    "%2E", "%u", "%@", "%+", "a%+", "\x00", "\n", "\x1b[0m", "\u202eevil", "\u2066", "\ud800",
    "\udc80", "\ud83d\ude00", "caf\u00e9", "cafe\u0301", "\u212b", "日本語", "😀", "x" * 300,
    "é" * 300, "." * 300, ".git" * 80, "%" * 90, "a.p0", "a.s3", "@abs", "@drive", "00", "12",
    "~", "~1", "a~", "NTUSER~2.DAT", "-", "--x", "ſ", "İ", "\u0345",
]  # fmt: skip
_COMPONENT = st.sampled_from(_NASTY) | st.text(max_size=12) | st.text(st.characters(), max_size=5)
_PATH = st.lists(_COMPONENT, min_size=1, max_size=5).map("/".join)
_FORBIDDEN = {".git", ".gitmodules", ".gitattributes", ".gitignore", ".mailmap"}


def is_harmless(component: str) -> bool:
    """The rules once more, from the side of who checks a tree out."""
    plain = "".join(c for c in component if unicodedata.category(c) not in ("Cf", "Mn"))
    name = unicodedata.normalize("NFKC", plain).lower()
    device = name.split(".")[0].rstrip()
    return bool(
        component
        and component not in (".", "..")
        and component[-1] not in ". "
        and not set(component) & set('\\:<>"|?*')
        and not any(unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") for c in component)
        and name.rstrip(". ") not in _FORBIDDEN
        and device not in {"con", "prn", "aux", "nul", "com1", "lpt9", "conin$", "conout$"}
        and not any(f"~{digit}" in component for digit in "0123456789")
        and len(component.encode()) <= 255
    )


@given(_PATH)
@settings(max_examples=500)
@example("/".join(_NASTY))
def test_paths_come_back_and_do_no_harm(path: str) -> None:
    for there, back in (
        (escape, unescape),
        (escape_file, unescape_file),
        (escape_stream, unescape),
    ):
        tree = there(path)
        assert back(tree) == path
        bad = [part for part in tree.split("/") if not is_harmless(part)]
        assert not bad


@given(_PATH, _PATH)
def test_two_paths_never_share_an_entry(one: str, other: str) -> None:
    assert (escape_file(one) == escape_file(other)) == (one == other)


@given(st.text(max_size=40) | _PATH)
def test_any_tree_path_can_be_shown(path: str) -> None:
    assert isinstance(unescape_file(path), str)
    assert isinstance(unescape(path), str)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("src/app.py", "src/app.py"),
        (".github/workflows/ci.yml", ".github/workflows/ci.yml"),
        ("a b/日本語.md", "a b/日本語.md"),
        (".git/config", "%2Egit/config"),
        ("../up", ".%2E/up"),
        ("/etc/hosts", "@abs/etc/hosts"),
        ("C:/Users/x", "@abs/@drive/C%3A/Users/x"),
        ("\\\\server\\share", "@abs/@drive/%5C%5Cserver%5Cshare"),
        ("@abs/x", "%40abs/x"),
        ("/@drive/x", "@abs/%40drive/x"),
        ("a//b/", "a/%@/b/%@"),
        ("100%", "100%25"),
        ("src/aux.c", "src/%61ux.c"),
        ("PROGRA~1", "PROGRA%7E1"),
        ("big.bin.p0", "big.bin%2Ep0"),
        ("cafe\u0301", "cafe%CC%81"),
    ],
)
def test_spelling(path: str, expected: str) -> None:
    assert escape_file(path) == expected


def test_names_that_a_file_system_would_fold_are_two_entries() -> None:
    composed, decomposed = "caf\u00e9.txt", "cafe\u0301.txt"
    assert folded(escape(composed)) != folded(escape(decomposed))
    assert escape("README") != escape("readme")
    assert folded("README") == folded("readme")


def test_git_accepts_every_tree(tmp_path: Path) -> None:
    """fsck with all its checks as errors, over every nasty name in every place."""
    git = ["git", "-C", str(tmp_path)]
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    blob = subprocess.run(
        [*git, "hash-object", "-w", "--stdin"], input=b"x", capture_output=True, check=True
    ).stdout.strip()
    rows = b"".join(
        b"100644 %s\tfiles/%s\0" % (blob, escape_file(f"{number}/{name}/{name}").encode())
        for number, name in enumerate(_NASTY)
    )
    subprocess.run([*git, "update-index", "-z", "--index-info"], input=rows, check=True)
    listed = subprocess.run([*git, "ls-files", "-z"], capture_output=True, check=True).stdout
    assert listed.count(b"\0") == len(_NASTY)
    tree = subprocess.run([*git, "write-tree"], capture_output=True, check=True).stdout.strip()
    subprocess.run([*git, "-c", "core.protectNTFS=true", "-c", "core.protectHFS=true",
                    "read-tree", tree.decode()], check=True)  # fmt: skip
    checked = subprocess.run([*git, "fsck", "--strict"], capture_output=True, text=True)
    assert checked.returncode == 0
    assert "warning" not in checked.stderr
