"""Sessions and trees for the tests of this room, and a tree as a store would keep it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from gitsession.model import finding
from gitsession.model.encoded import Encoded
from gitsession.model.finding import Redacted
from gitsession.model.record import Record, Stream
from gitsession.model.session import Counts, Info, Session, Turn
from gitsession.snapshot import Head, encode

FIELDS = ("sessionId", "cwd", "version")


def redacted(session: Session) -> Redacted:
    """As if the redactor had found nothing."""
    return Redacted(session, (), finding._PROOF)


def apply(tree: dict[str, bytes], encoded: Encoded) -> dict[str, bytes]:
    """The tree that a store makes of `tree` and the changes, file and folder clashes refused."""
    tree = dict(tree)
    for path, data in encoded.files.items():
        tree.pop(path, None)
        if data is not None:
            tree[path] = data
    folders = {path.rpartition("/")[0] for path in tree}
    assert not folders & tree.keys()
    return tree


def turn(records: Sequence[bytes], first: int = 0, offset: int = 0, **more: object) -> Session:
    """A continuation of `main` with one turn."""
    end = offset + sum(map(len, records))
    defaults: dict[str, object] = {
        "info": Info("claude-code", "native-1"),
        "streams": (Stream("main", tuple(map(Record, records)), first, end),),
        "turn": Turn(prompt="a prompt"),
        "counts": Counts(records=first + len(records), bytes=end),
    }
    return Session(**{**defaults, **more})  # type: ignore[arg-type]


def grow(
    turns: Iterable[Sequence[bytes]], fields: Sequence[str] = FIELDS
) -> tuple[dict[str, bytes], Head]:
    """The tree after saving these turns of `main` one after another."""
    tree: dict[str, bytes] = {}
    head: Head | None = None
    first = offset = 0
    for records in turns:
        encoded, head = encode(redacted(turn(records, first, offset)), head, fields)
        tree = apply(tree, encoded)
        first += len(records)
        offset += sum(map(len, records))
    assert head is not None
    return tree, head


class Counting(Mapping[str, bytes]):
    """A tree that remembers which blobs were read."""

    def __init__(self, tree: dict[str, bytes]) -> None:
        self.tree = tree
        self.read: list[str] = []

    def __getitem__(self, path: str) -> bytes:
        self.read.append(path)
        return self.tree[path]

    def __iter__(self) -> Iterator[str]:
        raise AssertionError("the whole tree was listed")

    def __len__(self) -> int:
        raise AssertionError("the whole tree was counted")
