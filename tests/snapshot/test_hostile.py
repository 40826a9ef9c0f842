"""Trees that nobody here wrote: refused with a sentence, never a crash, never a flood."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitsession.errors import FormatError
from gitsession.model.record import File
from gitsession.snapshot import (
    blob_records,
    decode,
    decode_head,
    decoding,
    encode,
    limits,
    records,
)
from tests.snapshot.making import Counting, apply, grow, redacted, turn

_LONG = b'{"uuid":"u-7","out":"' + b"x" * 5000 + b'"}\n'


def a_tree() -> dict[str, bytes]:
    return grow([[b'{"cwd":"/p"}\n', b"{}\n"], [b"{}\n", _LONG]])[0]


def test_G31_a_newer_format_is_refused_untouched() -> None:
    for text in (b"format: 99\n", b"format: 99\nanything: &else [*it, has]\n", b"format: 2\r\n"):
        tree = {**a_tree(), "session.yaml": text}
        with pytest.raises(
            FormatError, match=r"format (99|2); this release reads up to 1"
        ) as error:
            decode(tree)
        assert "update gitsession" in error.value.hint
        assert tree["session.yaml"] == text


@pytest.mark.parametrize(
    "text",
    [b"", b"\xff\xfe", b"format: 0\n", b'format: "1"\n', b"format: true\n", b"agent: 1\n",
     b"format: 1\nstreams: 1\n", b"format: 1\nstreams:\n  - 1\n", b"format: 1\ntitle: 1\n",
     b"format: 1\ncounts:\n  records: -1\n", b"format: 1\nturn: []\n",
     b"format: 1\nmodels:\n  - 1\n",
     b'format: 1\nstreams:\n  - name: "main"\n    blobs: 99999999999999999999999\n',
     b'format: 1\nstreams:\n  - name: "main"\n    constants:\n      - from: 0\n        cwd: 1\n',
     b'format: 1\nstreams:\n  - name: "m"\n    constants:\n      - from: 0\n'
     + b"".join(b'        c%d: "x"\n' % n for n in range(65)),
     b"format: 1\nformat: 3\n", b"format: 1\nx: *y\n", b"format: 1\na:\n" * 90_000],
)  # fmt: skip
def test_a_damaged_head_is_a_sentence(text: bytes) -> None:
    with pytest.raises(FormatError):
        decode({**a_tree(), "session.yaml": text})


def test_no_session_yaml_is_not_a_version() -> None:
    with pytest.raises(FormatError, match="not a version"):
        decode_head({"README": b"x"})


def test_a_missing_blob_is_named() -> None:
    tree = a_tree()
    del tree["streams/main/00/00/01.turn-records.jsonl"]
    with pytest.raises(FormatError, match=r"00/01\.turn-records\.jsonl is missing.*record 3"):
        decode(tree)
    head = decode_head(tree)
    with pytest.raises(FormatError, match="is missing; it holds a record of 'main'"):
        next(blob_records(tree, head, "main", 1))  # which one it is it cannot know


def test_G6_a_missing_string_names_record_and_blob() -> None:
    """The structured part of a huge output is small; what is lost with the output has a name."""
    output = b"y" * (20 << 20)
    tree, head = grow([[b"{}\n", b'{"uuid":"m-1","output":"' + output + b'"}\n']])
    assert len(tree["streams/main/00/00/00.turn-records.jsonl"]) < 64 << 10
    assert tree["streams/main/00/00/00.s0.long-string.txt"] == output
    del tree["streams/main/00/00/00.s0.long-string.txt"]
    found = records(tree, head)
    assert next(found).data == b"{}\n", "what stands before it can still be read"
    with pytest.raises(
        FormatError, match=r"00\.s0\.long-string\.txt is missing.*record 2 of 'main'"
    ):
        next(found)


def test_a_damaged_object_is_named_with_what_it_holds() -> None:
    class Store(dict[str, bytes]):
        def __getitem__(self, path: str) -> bytes:
            if path.endswith(".s0.long-string.txt"):
                raise FormatError("object 1234 is damaged")
            return super().__getitem__(path)

    with pytest.raises(FormatError, match=r"s0.*record 4 of 'main'.*object 1234 is damaged"):
        decode(Store(a_tree()))


def test_counts_that_do_not_agree_are_refused() -> None:
    tree = a_tree()
    tree["session.yaml"] = tree["session.yaml"].replace(b"records: 4\n", b"records: 5\n")
    with pytest.raises(FormatError, match=r"has 4 records; session\.yaml says 5"):
        decode(tree)


def test_a_tree_that_claims_a_billion_blobs_ends_at_the_first_missing() -> None:
    tree = a_tree()
    tree["session.yaml"] = tree["session.yaml"].replace(b"blobs: 2\n", b"blobs: 1000000000\n")
    with pytest.raises(FormatError, match="is missing"):
        decode(tree)


def test_one_string_named_a_million_times_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A blob that expands beyond what a reader takes, though every piece of it is small."""
    tree = a_tree()
    path = "streams/main/00/00/01.turn-records.jsonl"
    tree[path] = b"{}\n" + b'{"a":"\0"}' * 10 + b"\n"
    for number in range(10):
        tree[f"streams/main/00/00/01.s{number}.long-string.txt"] = b"x" * 5000
    reads = Counting(tree)
    monkeypatch.setattr(limits, "RECORD_BYTES", 20_000)
    with pytest.raises(FormatError, match="beyond"):
        list(records(reads, decode_head(tree)))
    assert len([path for path in reads.read if "long-string" in path]) == 5
    monkeypatch.undo()
    monkeypatch.setattr("gitsession.snapshot.turnblob.RECORD_BYTES", 40_000)
    with pytest.raises(FormatError, match="beyond"):
        decode(tree)
    monkeypatch.undo()
    monkeypatch.setattr(limits, "SESSION_BYTES", 40_000)
    with pytest.raises(FormatError, match="beyond"):
        decode(tree)


def test_paths_that_lead_outside_stay_names() -> None:
    """A foreign tree may hold any path; what comes back is data, and it goes back in harmless."""
    tree = {**a_tree(), "files/%2E%2E/%2E%2E/etc/passwd": b"x", "files/%zz/%": b"y",
            "sidecars/%2Fetc%2Fpasswd": b"z"}  # fmt: skip
    session = decode(tree)
    assert {file.path for file in session.files} == {"../../etc/passwd", "%zz/%"}
    again = encode(redacted(turn([], files=session.files, sidecars=session.sidecars)), None)[0]
    assert not [path for path in apply({}, again) if ".." in path.split("/") or path[0] == "/"]


def test_too_deep_paths_and_too_many_entries_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FormatError, match="deeper"):
        decode({**a_tree(), "files/" + "d/" * 100 + "f": b""})
    monkeypatch.setattr(limits, "TREE_ENTRIES", 3)
    with pytest.raises(FormatError, match="more than 3"):
        decode(a_tree())


_PATHS = st.sampled_from(sorted(a_tree()))


@given(_PATHS, st.integers(0, 400), st.binary(min_size=1, max_size=4))
@settings(max_examples=300, deadline=None)
def test_a_flipped_byte_is_another_session_or_a_sentence(path: str, at: int, new: bytes) -> None:
    tree = a_tree()
    data = tree[path]
    tree[path] = data[: at % len(data)] + new + data[at % len(data) + len(new) :]
    try:
        decode(tree)
    except FormatError as error:
        assert str(error)


@given(st.dictionaries(_PATHS | st.text(max_size=20), st.binary(max_size=50), max_size=6))
def test_any_tree_is_a_session_or_a_sentence(tree: dict[str, bytes]) -> None:
    try:
        decode({**tree, "session.yaml": a_tree()["session.yaml"]})
    except FormatError as error:
        assert str(error)


def test_a_file_that_is_a_folder_in_the_same_version_is_one_of_them() -> None:
    files = (File("a", b"1"), File("a/b", b"2"), File("a/b/c", b"3"))
    tree = apply({}, encode(redacted(turn([], files=files)), None)[0])
    assert {path for path in tree if path.startswith("files/")} == {"files/a/b/c"}


def test_a_version_takes_no_more_than_a_part_of_the_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(limits, "LEAST_BYTES", 1000)
    for there, most in ((40_000, 10_000), (10, 1000), (0, limits.SESSION_BYTES)):
        monkeypatch.setattr(decoding, "memory", lambda there=there: there)
        assert decoding._most() == most
