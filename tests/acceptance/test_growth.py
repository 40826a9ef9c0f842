"""What a store grows by: unique bytes once, text compressed, nothing again with each save."""

from __future__ import annotations

import base64
import hashlib
import json
import random
from pathlib import Path

import pytest

from gitsession.builder import SessionBuilder
from tests.acceptance.conftest import LONG, Person
from tests.builders import Claude

IMAGES, SAVES = 57, 200 if LONG else 70
"""57 images are there from the start; then one short turn and one save at a time."""
WORDS = (
    "river", "stone", "amber", "falcon", "copper", "maple", "winter", "harbor", "orchid", "tundra",
    "velvet", "comet", "cedar", "saffron", "lantern", "meadow", "parse", "token", "branch",
)  # fmt: skip


@pytest.mark.slow
def test_A1_images_are_stored_once_however_often_it_is_saved(person: Person) -> None:
    chance = random.Random(7)
    pictures = [b"\x89PNG\r\n\x1a\n" + chance.randbytes(48_300) for _ in range(IMAGES)]
    encoded = [base64.b64encode(picture).decode() for picture in pictures]
    unique = sum(map(len, encoded))
    assert unique > 3.5 * 2**20
    session = Claude(cwd=str(person.project))
    for number, data in enumerate(encoded):
        source = {"type": "base64", "media_type": "image/png", "data": data}
        session.prompt(
            [{"type": "text", "text": f"look {number}"}, {"type": "image", "source": source}]
        )
        session.say("seen")
    person.writes(session)
    person.saves()
    added = []
    for number in range(SAVES):
        session.prompt(f"short {number}")
        session.say("yes")
        person.writes(session)
        looked_at = number < 10 or number >= SAVES - 10
        before = objects(person) if looked_at else set()
        assert len(person.saves().versions) == 1
        if looked_at:
            added.append(len(objects(person) - before))
    assert max(added[-10:]) <= 2 * max(added[:10])
    assert max(added) < 16
    assert person.size() < 2 * unique
    blobs = sizes(person, "blob")
    for data in encoded:
        assert blobs.get(blob_id(data.encode())) == len(data), "one object, the image itself"
    assert sum(size for size in blobs.values() if size > 40_000) == unique
    person.is_sound()


def objects(person: Person) -> set[str]:
    return set(sizes(person, "blob", "tree", "commit"))


def sizes(person: Person, *kinds: str) -> dict[str, int]:
    """Id and size of every object of these kinds."""
    form = "--batch-check=%(objectname) %(objecttype) %(objectsize)"
    listed = person.git("cat-file", "--batch-all-objects", form)
    rows = (line.split() for line in listed.splitlines())
    return {name: int(size) for name, kind, size in rows if kind in kinds}


def blob_id(data: bytes) -> str:
    head = b"blob %d\0" % len(data)
    return hashlib.sha1(head + data, usedforsecurity=False).hexdigest()


def prose(length: int, seed: int) -> str:
    """Words in lines, about as dense as source code."""
    chance = random.Random(seed)
    lines = [
        " ".join(f"{chance.choice(WORDS)}{chance.randrange(999)}" for _ in range(9)) + "\n"
        for _ in range(length // 50)
    ]
    return "".join(lines)[:length]


def test_G8_repeating_text_is_compressed(person: Person) -> None:
    page = prose(20_000, 1)
    session = Claude(cwd=str(person.project))
    session.prompt("run it often")
    for number in range(10):
        session.bash(f"make {number}", f"run {number}\n" + page * 50)
    session.say("done")
    assert len(session.data) > 10_000_000
    person.writes(session)
    before = person.size()
    person.saves()
    assert person.size() - before < 3_000_000
    assert person.raw() == session.data


def test_G9_one_file_is_stored_once_however_often_it_is_attached(person: Person) -> None:
    content = prose(1_000_000, 2)
    before = person.size()
    for number in range(3):
        session = SessionBuilder.new("m", project=str(person.project), title=f"session {number}")
        for _ in range(10):
            session.add_message("user", "look", files=[{"path": "big.txt", "content": content}])
            session.add_message("assistant", "seen")
            session.save(person.repository)
        if not number:
            once = person.size() - before
    total = person.size() - before
    assert total < 1_100_000
    assert total < once * 1.2
    blobs = sizes(person, "blob")
    assert blobs[blob_id(content.encode())] == 1_000_000
    assert sum(size >= 900_000 for size in blobs.values()) == 2, "as a file and as JSON says it"


@pytest.fixture
def large(person: Person) -> tuple[str, str]:
    """A session with one 20 MB output; its blob and the message's native id."""
    output = prose(20_000_000 if LONG else 3_000_000, 3)
    session = Claude(cwd=str(person.project))
    session.prompt("small before")
    session.say("yes")
    session.prompt("print all")
    session.bash("cat all", output)
    session.say("printed")
    session.prompt("small after")
    session.say("yes")
    person.writes(session)
    person.saves()
    escaped = json.dumps(output, ensure_ascii=False)[1:-1].encode()
    return blob_id(escaped), next(
        json.loads(row)["uuid"] for row in session.rows if b"cat all" in row and b"tool_use" in row
    )


@pytest.mark.slow
def test_G6_large_texts_stand_apart_and_a_lost_one_is_named(
    person: Person, large: tuple[str, str]
) -> None:
    blob, native = large
    tree = person.git("ls-tree", "-rl", person.repository.version("HEAD").id).splitlines()
    rows = [line.split(None, 4) for line in tree]
    structured = [int(size) for _, _, name, size, path in rows if name != blob and
                  path.startswith(("streams/", "session.yaml", "state.yaml"))]  # fmt: skip
    assert structured
    assert max(structured) < 65_536
    assert any(name == blob for _, _, name, _, _ in rows)
    assert person.types("fsck").code == 0
    lose(person, blob)
    person.repository.close()
    done = person.types("fsck")
    assert done.code == 1, done
    assert blob in done.out
    assert f"message 4 ({native})" in done.out
    as_json = person.types("fsck", "--json")
    assert as_json.code == 1
    assert blob in as_json.out
    assert person.types("log").code == 0
    assert person.types("show", "HEAD~2").code == 0, "versions before are whole"
    lost = person.types("show", "HEAD")
    assert lost.code == 17, lost


def lose(person: Person, name: str) -> None:
    """One object goes: unpack everything, then delete its file."""
    store = person.repository.store_path
    packs = list((store / "objects" / "pack").glob("*"))
    aside = store.parent / "aside"
    aside.mkdir()
    for path in packs:
        path.rename(aside / path.name)
    for pack in aside.glob("*.pack"):
        person.unpack(pack)
    path = store / "objects" / name[:2] / name[2:]
    assert path.exists(), "the object is in the store"
    path.unlink()


def test_G30_list_and_log_read_no_body(person: Person) -> None:
    """All trees and blobs are taken away: what is listed is the same."""
    for number in range(40):
        session = Claude(f"{number:08}-2222-4333-8444-555555555555", cwd=str(person.project))
        session.turn(f"question {number}", "long answer " * 3000)
        person.writes(session, session.session_id)
    assert person.types("save", "--all").code == 0
    before = [
        person.types(*argv).out for argv in (("list", "--json"), ("log", "-n", "50", "--json"))
    ]
    rows = json.loads(before[0])["sessions"]
    assert len(rows) == 40
    assert {"session", "messages", "time", "prompt", "title", "size"} <= set(rows[0])
    person.repository.close()
    for name in sizes(person, "blob", "tree"):
        remove(person, name)
    read = sizes(person, "commit", "blob", "tree", "tag")
    assert sum(read.values()) < 40 * 2000
    after = [
        person.types(*argv).out for argv in (("list", "--json"), ("log", "-n", "50", "--json"))
    ]
    assert after == before


def remove(person: Person, name: str) -> None:
    """A loose object, or one in a pack that is taken apart first."""
    path = person.repository.store_path / "objects" / name[:2] / name[2:]
    if not path.exists():
        lose(person, name)
    else:
        path.unlink()


def test_G30_a_damaged_session_is_listed_as_unreadable(person: Person) -> None:
    for number in range(3):
        session = Claude(f"{number:08}-2222-4333-8444-555555555555", cwd=str(person.project))
        session.turn(f"question {number}")
        person.writes(session, session.session_id)
    person.types("save", "--all")
    bad = person.repository.version("00000001").id
    person.repository.close()
    path: Path = person.repository.store_path / "objects" / bad[:2] / bad[2:]
    path.chmod(0o600)
    path.write_bytes(b"not an object any more")
    done = person.types("list", "--json")
    assert done.code == 0, done
    rows = done.json["sessions"]
    assert len(rows) == 3
    assert [row["readable"] for row in rows].count(False) == 1
    assert {row["prompt"] for row in rows if row["readable"]} == {"question 0", "question 2"}
    printed = person.types("list")
    assert printed.code == 0
    assert "(unreadable)" in printed.out
    assert person.types("log", "00000002").code == 0
    broken = person.types("show", rows[[row["readable"] for row in rows].index(False)]["session"])
    assert broken.code == 17, broken
    assert person.types("fsck").code == 1
