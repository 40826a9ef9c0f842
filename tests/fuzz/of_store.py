"""Files of the store itself, and what a person types for a version."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
import zlib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from gitsession.environment import Environment
from gitsession.errors import GitSessionError, NotFound
from gitsession.store import Store, remotes, revisions
from gitsession.store.objects import LooseObjects, inflate
from gitsession.store.oplog import OperationLog, operation
from gitsession.store.packindex import PackedIds, index_bytes
from gitsession.store.records import Records
from gitsession.store.refs import Refs
from gitsession.store.trees import parse as parse_tree
from tests.builders import encoded
from tests.fuzz.reader import Reader

KEY = b"k" * 32
ID = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


def readers() -> Iterator[Reader]:
    yield Reader("oplog", "lines", read_oplog, oplog_seeds)
    yield Reader("journal", "json", read_journal, oplog_seeds)
    yield Reader("record", "json", read_record, record_seeds)
    words = (b"HEAD", b"@", b"~", b":", b"..", b"@wip", b"main", b"one-1a2b", ID[:7].encode())
    yield Reader("revision", "text", read_revision, lambda: words, words)
    yield Reader("refs", "text", read_refs, ref_seeds)
    yield Reader("loose-object", "bytes", read_object, object_seeds)
    yield Reader("pack-index", "bytes", read_index, index_seeds)
    yield Reader("git-tree", "bytes", read_git_tree, git_tree_seeds)
    yield Reader("remote-address", "text", read_address, address_seeds)


def read_oplog(data: bytes, folder: Path) -> None:
    log = log_in(folder)
    (folder / "gitsession" / "oplog.jsonl").write_bytes(data)
    found = [operation(entry) for entry in log.newest_first()]
    assert isinstance(log.last_id(), int)
    log.append({"id": 7, "refs": []})
    assert operation(next(log.newest_first())).id == 7
    assert len(list(log.newest_first())) <= len(found) + 1


def log_in(folder: Path) -> OperationLog:
    (folder / "gitsession").mkdir(exist_ok=True)
    return OperationLog(str(folder))


def read_journal(data: bytes, folder: Path) -> None:
    log = log_in(folder)
    (folder / "gitsession" / "pending.json").write_bytes(data)
    entry = log.pending()
    if entry is not None:
        operation(entry)
        log.end()
    assert log.pending() is None


def read_record(data: bytes, folder: Path) -> None:
    records = Records(str(folder), KEY)
    (folder / "gitsession" / "native").mkdir(parents=True, exist_ok=True)
    (folder / "gitsession" / "native" / "x.json").write_bytes(data)
    value = records.read("native", "x")
    assert value is None or isinstance(value, dict)
    for name, row in records.items("native"):
        assert isinstance(name, str) and row == value


def read_revision(data: bytes, folder: Path) -> None:
    text = data.decode("utf-8", "surrogateescape")
    for question in (revisions.resolve, revisions.resolve_range):
        try:
            question(the_store(), text, "/project")
        except NotFound as error:
            assert all(isinstance(name, str) for name in error.candidates)
        except GitSessionError as error:
            assert str(error)


@cache
def the_store() -> Store:
    """A small one for the life of the process; nothing is changed in it."""
    folder = Path(tempfile.mkdtemp(prefix="fuzz-store-"))
    home = folder / "home"
    home.mkdir()
    import atexit

    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    variables = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
    store = Store.create(folder / "store.git", KEY, Environment(variables, home, str(folder)))
    with store.writer() as writer:
        first, _ = writer.commit(encoded({"a": b"1"}, "one"))
        last, _ = writer.commit(encoded({"a": b"2"}, "two"), parents=(first,))
    with store.transaction("save", "/project") as change:
        change.move("refs/heads/one-1a2b/main", "", last)
        change.move("refs/heads/one-1a2b/aside", "", first)
        change.move("refs/tags/one-1a2b/t", "", first)
        change.head("/project", "one-1a2b/main")
    store.records.write("listed", store.records.directory("/project"), {"rows": ["one-1a2b"]})
    return store


def read_refs(data: bytes, folder: Path) -> None:
    """As packed refs, and as one loose ref."""
    (folder / "refs" / "heads").mkdir(parents=True, exist_ok=True)
    (folder / "packed-refs").write_bytes(data)
    (folder / "refs" / "heads" / "x").write_bytes(data)
    refs = Refs(str(folder))
    for name, target in refs.all().items():
        assert isinstance(name, str) and isinstance(target, str)
    refs.read("refs/heads/x")
    refs.read("refs/heads/y")


def read_object(data: bytes, folder: Path) -> None:
    kind, content = inflate(ID, data)
    assert len(content) < 1 << 30 and kind
    path = folder / "objects" / ID[:2] / ID[2:]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    assert LooseObjects(str(folder)).read(ID) == (kind, content)


def read_index(data: bytes, folder: Path) -> None:
    pack = folder / "objects" / "pack"
    pack.mkdir(parents=True, exist_ok=True)
    (pack / "pack-1.idx").write_bytes(data)
    (pack / "pack-1.pack").write_bytes(b"PACK")
    ids = PackedIds(str(folder))
    for prefix in ("4b", "4b825dc", ID, "00000", "ffff"):
        assert all(found.startswith(prefix) for found in ids.beginning_with(prefix))
    ids.touch(ID)


def read_git_tree(data: bytes, folder: Path) -> None:
    for name, (mode, identity) in parse_tree(data).items():
        assert isinstance(name, bytes) and isinstance(mode, bytes) and len(identity) == 20


def read_address(data: bytes, folder: Path) -> None:
    text = data.decode("utf-8", "surrogateescape")
    assert isinstance(remotes.masked(text), str)
    assert isinstance(remotes.protocol(text), str)
    remotes.check(text)


def oplog_seeds() -> Iterable[bytes]:
    row = {"id": 1, "time": 1770000000, "verb": "save", "directory": "d" * 32, "automatic": True,
           "refs": [["refs/heads/x/main", "0" * 40, "1" * 40]], "kept": [["r", "1" * 40]],
           "heads": [["d" * 32, "", "x/main"]], "notes": {"a": 1}}  # fmt: skip
    line = json.dumps(row).encode() + b"\n"
    yield line
    yield line + line.replace(b'"id": 1', b'"id": 2, "undoes": 1') + line[:50]


def record_seeds() -> Iterable[bytes]:
    yield json.dumps({"branch": "x/main", "rows": ["a", 1], "_name": "x"}).encode()


def ref_seeds() -> Iterable[bytes]:
    yield ID.encode() + b"\n"
    yield b"ref: refs/heads/y\n"
    yield (
        b"# pack-refs with: peeled fully-peeled sorted \n"
        + ID.encode() + b" refs/heads/a/main\n^" + ID.encode() + b"\n"
    )  # fmt: skip


def object_seeds() -> Iterable[bytes]:
    for kind, data in ((b"blob", b"x" * 100), (b"tree", b""), (b"commit", b"tree 1\n\nx")):
        yield zlib.compress(kind + b" %d\0" % len(data) + data, 1)


def index_seeds() -> Iterable[bytes]:
    names = [hashlib.sha1(bytes([n])).hexdigest() for n in range(3)]
    places = {name: (12 + n * 20, n) for n, name in enumerate([*names, ID])}
    yield index_bytes(places, b"c" * 20)


def git_tree_seeds() -> Iterable[bytes]:
    yield b"100644 a.py\0" + bytes(20) + b"40000 streams\0" + bytes(range(20))


def address_seeds() -> Iterable[bytes]:
    yield b"https://ann:secret@code.example/x.git"
    yield b"git@code.example:x.git"
    yield b"ssh://git@code.example:22/x"
    yield b"ext::sh -c x"
    yield b"file:///srv/x.git"
    yield b"../x"
