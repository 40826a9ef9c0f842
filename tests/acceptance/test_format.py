"""Law 11: the version in a header selects the parser; what is newer is refused, untouched."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.acceptance.conftest import Person, a_session, every_byte

GOLDEN = Path(__file__).resolve().parent.parent / "snapshot" / "golden-v1.json"


@pytest.fixture
def saved(person: Person) -> Person:
    person.writes(a_session(person, "one", "two"))
    person.saves()
    return person


VERBS = (
    ("log",), ("list",), ("show",), ("status",), ("save",), ("checkout", "HEAD"), ("fsck",),
    ("branch", "x"), ("undo",), ("export",),
)  # fmt: skip


@pytest.mark.parametrize("argv", VERBS, ids=lambda argv: argv[0])
def test_G31_a_newer_store_is_refused_untouched(saved: Person, argv: tuple[str, ...]) -> None:
    saved.repository.close()
    store = saved.repository.store_path
    marker = store / "gitsession" / "format"
    text = marker.read_text()
    assert "1" in text
    marker.write_text(text.replace("1", "99"))
    before = every_byte(store)
    done = saved.types(*argv)
    assert done.code == 17, done
    assert "99" in done.err and "hint: " in done.err
    assert every_byte(store) == before


def with_session_yaml(person: Person, old: bytes, new: bytes) -> str:
    """A version like the newest one but with another session.yaml; its id."""
    tip = person.repository.version("HEAD")
    text = person.git("cat-file", "blob", f"{tip.id}:session.yaml").encode()
    assert text.count(old) == 1
    blob = person.feed(text.replace(old, new), "hash-object", "-w", "--stdin")
    rows = person.git("ls-tree", tip.id).splitlines()
    rows = [f"100644 blob {blob}\tsession.yaml" if row.endswith("\tsession.yaml") else row
            for row in rows]  # fmt: skip
    tree = person.feed("\n".join(rows).encode() + b"\n", "mktree")
    commit = person.git("cat-file", "commit", tip.id).replace(tip.tree, tree, 1)
    made = person.feed(commit.encode(), "hash-object", "-w", "-t", "commit", "--stdin")
    person.git("update-ref", f"refs/heads/{person.repository.head()}", made)
    return made


@pytest.mark.parametrize("argv", [("show",), ("checkout", "HEAD"), ("export",), ("diff", "HEAD~1")])
def test_G31_a_newer_version_of_a_session_is_refused(saved: Person, argv: tuple[str, ...]) -> None:
    made = with_session_yaml(saved, b"format: 1\n", b"format: 99\n")
    done = saved.types(*argv)
    assert done.code == 17, done
    assert "99" in done.err
    assert saved.repository.version("HEAD").id == made
    assert saved.types("log").code == 0, "what every version says of itself is read for ever"
    assert saved.types("show", "HEAD~1").code == 0


def test_G31_keys_that_are_not_known_are_no_trouble(saved: Person) -> None:
    with_session_yaml(saved, b"format: 1\n", b'format: 1\nfrom_the_future: "kept"\n')
    for argv in (("show",), ("export",), ("checkout", "HEAD"), ("fsck",)):
        assert saved.types(*argv).code == 0, argv


def test_G31_the_first_format_is_read_for_ever(person: Person) -> None:
    """Versions that an earlier release wrote, kept as text, put into a store and looked at."""
    golden = json.loads(GOLDEN.read_text())
    files = [found for found in trees_in(golden) if "session.yaml" in found]
    assert files
    for number, found in enumerate(files):
        name = f"refs/heads/golden-{number:04}/main"
        tree = person.write_tree(found)
        message = "A turn\n\nGitsession-Session: claude-code/x\nGitsession-Version: 1\n"
        commit = person.git(
            "-c", "user.name=n", "-c", "user.email=e", "commit-tree", tree, "-m", message
        ).strip()  # fmt: skip
        person.git("update-ref", name, commit)
        done = person.types("show", f"golden-{number:04}", "--json")
        assert done.code == 0, done
        assert done.json["session"]["info"]["agent"]
        assert person.raw(f"golden-{number:04}")


def trees_in(value: object) -> list[dict[str, str]]:
    """The mappings of path to content, wherever they stand in the fixture."""
    if isinstance(value, list):
        return [found for item in value for found in trees_in(item)]
    if not isinstance(value, dict):
        return []
    if "session.yaml" in value:
        return [value]
    return [found for item in value.values() for found in trees_in(item)]
