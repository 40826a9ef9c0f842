"""A session to the files of a version and back, one turn after another."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitsession.errors import FormatError
from gitsession.model.message import Usage
from gitsession.model.record import File, Record, Sidecar, Stream
from gitsession.model.session import Counts, Info, Session, State, Todo, Turn
from gitsession.snapshot import Head, decode, decode_counts, decode_head, encode, limits, records
from gitsession.snapshot import encode as face
from gitsession.snapshot.turnblob import entries
from tests.snapshot.making import FIELDS, apply, grow, redacted, turn

encode_module = sys.modules[face.__module__]

_RECORDS = st.lists(st.binary(max_size=30) | st.sampled_from([b'{"cwd":"/a"}\n', b"{}\n"]))
_TURNS = st.lists(_RECORDS, min_size=1, max_size=5)


@given(_TURNS)
@settings(deadline=None)
def test_all_records_come_back_whatever_they_are(turns: list[list[bytes]]) -> None:
    tree, head = grow(turns)
    expected = [record for records_ in turns for record in records_]
    assert [record.data for record in records(tree, head)] == expected
    session = decode(tree)
    assert [record.data for record in session.stream().records] == expected
    assert session.stream().offset == sum(map(len, expected))
    assert decode_head(tree) == head


@given(_TURNS, st.data())
@settings(deadline=None)
def test_one_late_save_and_many_saves_give_the_same_tree(
    turns: list[list[bytes]], data: st.DataObject
) -> None:
    """Between any two turns the head may have been read from the tree or from a cache instead,
    and an unfinished form of the turn may have been encoded (a wip) without leaving a trace."""
    straight, _ = grow(turns)
    tree: dict[str, bytes] = {}
    head: Head | None = None
    first = offset = 0
    for part in turns:
        encode(redacted(turn(part[:1], first, offset)), head, FIELDS)
        encoded, head = encode(redacted(turn(part, first, offset)), head, FIELDS)
        tree = apply(tree, encoded)
        first, offset = first + len(part), offset + sum(map(len, part))
        if data.draw(st.booleans()):
            head = decode_head(tree)
            assert decode_counts(tree) == {one.name: one.count for one in head.session.streams}
        else:
            head = Head.from_dict(json.loads(json.dumps(head.to_dict())))
    assert tree == straight


def test_a_fork_with_another_id_shares_all_turn_blobs() -> None:
    """The rule that keeps forks and checkouts cheap."""

    def history(native: bytes) -> dict[str, bytes]:
        line = b'{"sessionId":"%s","cwd":"/p","text":"%%d"}\n' % native
        return grow([[line % (3 * n + k) for k in range(3)] for n in range(5)])[0]

    one, other = history(b"aaaa"), history(b"a-much-longer-id")
    different = {path for path in one if one[path] != other[path]}
    assert different == {"session.yaml"}
    assert one.keys() == other.keys()


def test_turns_are_numbered_100_to_a_folder() -> None:
    tree, head = grow([[b'{"n":%d}\n' % n] for n in range(203)])
    paths = sorted(path for path in tree if path.startswith("streams/"))
    assert paths[0] == "streams/main/00/00/00.turn-records.jsonl"
    assert paths[-1] == "streams/main/00/02/02.turn-records.jsonl"
    assert len(list(records(tree, head))) == 203


def test_the_next_version_adds_its_own_blobs_only() -> None:
    _, head = grow([[b'{"n":%d}\n' % n] for n in range(50)])
    encoded, _ = encode(redacted(turn([b"{}\n"], 50, 900)), head, FIELDS)
    assert set(encoded.files) == {"streams/main/00/00/50.turn-records.jsonl", "session.yaml"}


def test_streams_without_new_records_keep_their_position() -> None:
    helper = Stream("subagents/x", (Record(b'{"cwd":"/h"}\n'),), 0, 13)
    main = Stream("main", (Record(b"{}\n"),), 0, 3)
    encoded, head = encode(redacted(turn([], streams=(main, helper))), None, FIELDS)
    tree = apply({}, encoded)
    encoded, head = encode(redacted(turn([b"{}\n"], 1, 3)), head, FIELDS)
    tree = apply(tree, encoded)
    assert head.session.stream("subagents/x") == Stream("subagents/x", (), 1, 13)
    assert [r.data for r in records(tree, head, "subagents/x")] == [b'{"cwd":"/h"}\n']
    assert head.layout("subagents/x").blobs == 1
    assert head.layout("main").blobs == 2


def test_a_subagent_starts_with_the_constants_of_main() -> None:
    def helper(number: int, agent: str) -> Stream:
        line = b'{"agentId":"%s","cwd":"/p","sessionId":"s"}\n' % agent.encode()
        return Stream(f"subagents/{number}", (Record(line),), 0, len(line))

    fields = (*FIELDS, "agentId")
    main = Stream("main", (Record(b'{"cwd":"/p","sessionId":"s"}\n'),), 0, 29)
    session = turn([], streams=(helper(1, "a"), main))
    encoded, head = encode(redacted(session), None, fields)
    tree = apply({}, encoded)
    later = Stream("main", (Record(b'{"cwd":"/elsewhere"}\n'),), 1, 50)
    encoded, head = encode(redacted(turn([], streams=(later,))), decode_head(tree), fields)
    tree = apply(tree, encoded)
    encoded, head = encode(redacted(turn([], streams=(helper(2, "b"),))), head, fields)
    tree = apply(tree, encoded)
    assert head.layout("subagents/1").constants == ((0, {"agentId": "a"}),)
    assert head.layout("subagents/2").constants == ((0, {"agentId": "b", "cwd": "/p"}),)
    assert tree["streams/subagents/1/00/00/00.turn-records.jsonl"] == (
        b'{"agentId":\x01,"cwd":\x01,"sessionId":\x01}\n'
    )
    streams = {stream.name: stream.records for stream in decode(tree).streams}
    assert streams["subagents/1"] == helper(1, "a").records
    assert streams["subagents/2"] == helper(2, "b").records
    assert decode(tree).streams[0].name == "main"


def test_stream_names_are_kept_whatever_they_are() -> None:
    names = ["main", "subagents/a b", "00/01", "x/..", "half \ud800", "%41"]
    streams = tuple(Stream(name, (Record(b"{}\n"),), 0, 3) for name in names)
    encoded, head = encode(redacted(turn([], streams=streams)), None)
    tree = apply({}, encoded)
    assert decode_head(tree) == head
    assert decode(tree).streams == streams


def test_a_stream_must_go_on_where_the_base_ends() -> None:
    _, head = grow([[b"{}\n"]])
    with pytest.raises(ValueError, match="goes on at record 5"):
        encode(redacted(turn([b"{}\n"], 5)), head, FIELDS)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc."), inner, max_size=3),
    max_leaves=6,
)
_WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
_STATES = st.builds(
    State,
    todos=st.tuples(st.builds(Todo, _WORDS, _WORDS, _WORDS)) | st.just(()),
    active_file=_WORDS, active_line=st.none() | st.integers(), last_command=_WORDS,
    exit_code=st.none() | st.integers(), output_snippet=_WORDS,
    tools=st.lists(_WORDS, max_size=3).map(tuple), memory=st.lists(_WORDS, max_size=3).map(tuple),
    markers=st.lists(st.dictionaries(st.text("ab", min_size=1), _JSON, max_size=2), max_size=2).map(
        lambda many: tuple(filter(None, many))
    ),
    analysis=st.dictionaries(st.text("ab:/"), _JSON, max_size=2),
)  # fmt: skip


@given(_STATES, st.dictionaries(st.text("ab"), _JSON, max_size=3), _WORDS, _WORDS)
@settings(deadline=None)
def test_metadata_comes_back(state: State, carry: dict[str, Any], title: str, prompt: str) -> None:
    session = Session(
        Info("pi", "id/with:things", "codex/other", title, "/c", "2026-01-01T00:00:00Z", "x",
             ("m", "n"), "1.0", "main", "parent", ("/c", "/d"), "project", "code"),
        state=state, carry=carry, usage=Usage(1, 2, 3, 4), counts=Counts(1, 2, 3, 4, 5, 6, 7),
        turn=Turn("open", prompt, "2026-01-01T00:00:00Z", False, 3, True),
    )  # fmt: skip
    encoded, head = encode(redacted(session), None, redaction={"rules": "r", "key": "k"})
    tree = apply({}, encoded)
    assert decode(tree) == session
    assert decode_head(tree) == head
    assert head.redaction == {"rules": "r", "key": "k"}


def test_a_long_prompt_is_quoted_shortly_in_the_head() -> None:
    tree, head = grow([[b"{}\n"]])
    encoded, head = encode(redacted(turn([], turn=Turn(prompt="word " * 10_000))), head)
    tree = apply(tree, encoded)
    assert len(tree["session.yaml"]) < 2048
    assert decode_head(tree) == head


def test_a_source_with_absurd_metadata_can_be_saved() -> None:
    info = Info("a", "b", title="t" * 3_000_000, cwd="/c" * 3000, models=("m",) * 5000,
                roots=tuple(f"/r{n}" for n in range(50_000)))  # fmt: skip
    files = tuple(File(f"{n}/" + "p" * 30_000, None, "ignored", 1) for n in range(300))
    encoded, head = encode(redacted(turn([b"{}\n"], info=info, files=files)), None)
    assert decode_head(apply({}, encoded)) == head
    assert head.withheld_more == 300


def test_state_is_written_when_it_changes_and_goes_when_it_is_empty() -> None:
    busy = State(last_command="ls")
    encoded, head = encode(redacted(turn([], state=busy)), None)
    assert encoded.files["state.yaml"] == b'last_command: "ls"\n'
    encoded, head = encode(redacted(turn([], state=busy)), head)
    assert "state.yaml" not in encoded.files
    encoded, head = encode(redacted(turn([])), head)
    assert encoded.files["state.yaml"] is None


def test_a_state_beyond_what_a_reader_takes_is_cut_down() -> None:
    state = State(
        todos=tuple(Todo("t" * 100, "pending", str(n)) for n in range(100)),
        memory=("m" * 2_000_000,),
        analysis={f"file:{n}": {"ast_hash": "0" * 64} for n in range(20_000)},
    )
    tree = apply({}, encode(redacted(turn([], state=state)), None)[0])
    assert decode(tree).state.todos == state.todos
    assert decode(tree).state.memory == ("m" * 16384,)


def files_of(session: Session) -> dict[str, tuple[bytes | None, str]]:
    return {file.path: (file.content, file.reason) for file in session.files}


def test_files_are_kept_replaced_withheld_and_removed() -> None:
    first = (File("a.py", b"1"), File("/etc/x", b"2"), File(".env", None, "secret", 9),
             File("big", None, "too large", 1 << 30))  # fmt: skip
    encoded, head = encode(redacted(turn([], files=first)), None)
    tree = apply({}, encoded)
    assert files_of(decode(tree)) == {
        "a.py": (b"1", ""), "/etc/x": (b"2", ""), ".env": (None, "secret"),
        "big": (None, "too large"),
    }  # fmt: skip
    second = (File("a.py", None, "deleted"), File("/etc/x", None, "ignored", 1), File("big", b"s"))
    encoded, head = encode(redacted(turn([], files=second)), head)
    tree = apply(tree, encoded)
    assert files_of(decode(tree)) == {
        ".env": (None, "secret"), "/etc/x": (None, "ignored"), "big": (b"s", ""),
        "a.py": (None, "deleted"),
    }  # fmt: skip
    assert [file.size for file in head.session.files] == [9, 0, 1]
    encoded, head = encode(redacted(turn([], files=(File("a.py", b"2"),))), head)
    assert files_of(decode(apply(tree, encoded)))["a.py"] == (b"2", "")


def test_deleted_files_take_no_room_from_withheld_ones() -> None:
    kept = tuple(File(f"secret{n}", None, "secret", n) for n in range(9))
    gone = tuple(File(f"gone{n}", None, "deleted") for n in range(1000))
    _, head = encode(redacted(turn([], files=kept + gone)), None)
    assert head.session.files[:9] == kept
    assert head.session.files[9:] == gone[-limits.WITHHELD :]
    assert head.withheld_more == 1000 - limits.WITHHELD


def test_originals_are_kept_and_taken_away() -> None:
    first = turn([], files=(File("a", b"2"),))._replace(originals=(File("a", b"1"),))
    encoded, head = encode(redacted(first), None)
    tree = apply({}, encoded)
    assert tree["originals/a"] == b"1"
    assert decode(tree).originals == (File("a", b"1", "", 1),)
    second = turn([])._replace(originals=(File("a", None, "deleted"), File("b", b"3")))
    tree = apply(tree, encode(redacted(second), head)[0])
    assert [file.path for file in decode(tree).originals] == ["b"]


def test_many_withheld_files_do_not_make_the_head_grow_without_end() -> None:
    many = tuple(File(f"f{n}", None, "ignored", n) for n in range(1000))
    encoded, head = encode(redacted(turn([], files=many)), None)
    tree = apply({}, encoded)
    assert len(decode_head(tree).session.files) == limits.WITHHELD
    assert decode_head(tree).withheld_more == 1000 - limits.WITHHELD
    assert head.session.files[-1].path == "f999"


def test_a_file_that_becomes_a_folder_and_back() -> None:
    both = (File("x", b"file"), File("x/y", b"inner"))
    for files, left in ((both, "x/y"), (both[::-1], "x")):
        tree = apply({}, encode(redacted(turn([], files=files)), None)[0])
        assert [path for path in tree if path.startswith("files/")] == [f"files/{left}"]


def test_a_path_that_no_reader_takes_is_withheld() -> None:
    deep = "/".join("d" * 30)
    session = turn([], files=(File(deep, b"x"),), sidecars=(Sidecar(deep, b"yy"),))
    tree = apply({}, encode(redacted(session), None)[0])
    assert set(tree) == {"session.yaml"}
    assert [(f.path, f.reason, f.size) for f in decode(tree).files] == [
        (deep, "special", 1), (f"sidecars/{deep}", "special", 2)
    ]  # fmt: skip


def test_sidecars_and_instructions_come_back() -> None:
    session = turn(
        [],
        sidecars=(Sidecar("tool-results/a:b.txt", b"\0\xff"), Sidecar("todos/x.json", b"")),
        instructions=(
            File("CLAUDE.md", b"rules", size=5),
            File("/h/.x/CLAUDE.md", b"mine", size=4),
        ),
    )
    tree = apply({}, encode(redacted(session), None)[0])
    back = decode(tree)
    assert set(back.sidecars) == set(session.sidecars)
    assert set(back.instructions) == set(session.instructions)


def test_blobs_over_the_limit_come_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encode_module, "PART", 5000)
    line = b'{"a":"' + b"s" * 12_000 + b'","b":[' + b"1," * 6000 + b"1]}\n"
    big = turn([line], files=(File("f.bin", b"0123456789" * 1200, size=12_000),))
    encoded, head = encode(redacted(big), None)
    tree = apply({}, encoded)
    assert max(map(len, tree.values())) == 5000
    back = decode(tree)
    assert back.stream().records[0].data == line
    assert back.files[0].content == b"0123456789" * 1200
    assert dict(head.parts) == {"files/f.bin": 3}
    for path in ("files/f.bin.p1", "files/f.bin.p2", "streams/main/00/00/00.turn-records.jsonl.p0"):
        with pytest.raises(FormatError, match="missing"):
            decode({other: data for other, data in tree.items() if other != path})
    smaller = turn([], 1, files=(File("f.bin", b"small"),))
    encoded, head = encode(redacted(smaller), decode_head(tree))
    tree = apply(tree, encoded)
    assert [path for path in tree if path.startswith("files/")] == ["files/f.bin"]
    assert not head.parts


def test_what_this_release_does_not_know_is_kept() -> None:
    tree, _ = grow([[b"{}\n"]])
    more = b'later: "x"\ndeep:\n  - a: 1\n'
    text = tree["session.yaml"].replace(b"    blobs: 1\n", b'    blobs: 1\n    index: "new"\n')
    text = text.replace(b"turn:\n", b'turn:\n  mood: "good"\n')
    tree |= {"session.yaml": text + more, "state.yaml": b"weather: true\n",
             "later/file": b"?", "streams/other/00/00/00.turn-records.jsonl": b"{}\n"}  # fmt: skip
    head = Head.from_dict(json.loads(json.dumps(decode_head(tree).to_dict())))
    session = turn([b"{}\n"], 1, 3, state=State(tools=("Bash",)))
    encoded, _ = encode(redacted(session), head, FIELDS)
    tree = apply(tree, encoded)
    assert tree["session.yaml"].endswith(more)
    assert b'\n    index: "new"\n' in tree["session.yaml"]
    assert b'\n  mood: "good"\n' in tree["session.yaml"]
    assert tree["state.yaml"] == b'tools:\n  - "Bash"\nweather: true\n'
    assert tree["later/file"] == b"?"
    assert decode(tree).stream().count == 2


def test_a_rewritten_past_counts_on_over_a_fresh_tree() -> None:
    _, head = grow([[b"{}\n"]] * 3)
    empty = Head(Session(head.session.info), number=head.number)
    encoded, head = encode(redacted(turn([b"{}\n"], turn=Turn("rewrite"))), empty, FIELDS)
    assert head.number == 4
    assert "Gitsession-Version: 4\n" in encoded.message
    assert decode(apply({}, encoded)).stream().count == 1


def test_only_a_redacted_session_can_be_encoded() -> None:
    with pytest.raises((TypeError, AttributeError)):
        encode(turn([b"{}\n"]), None)  # type: ignore[arg-type]


def test_the_time_is_that_of_the_newest_record() -> None:
    at = "2026-02-03T04:05:06.789Z"
    for more in ({"turn": Turn(time=at)}, {"info": Info("a", "b", updated=at)}):
        encoded, head = encode(redacted(turn([], **more)), None)
        assert encoded.time == 1770091506
        encoded, _ = encode(redacted(turn([], turn=Turn(time="not a time"))), head)
        assert encoded.time == 1770091506


def test_encoding_needs_no_heavy_import() -> None:
    code = (
        "import sys, gitsession.snapshot\n"
        "heavy = {'yaml', 'pygit2', 'dulwich', 'datetime', 'detect_secrets'} & set(sys.modules)\n"
        "sys.exit(f'imported: {heavy}' if heavy else 0)"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_every_sample_comes_back(samples: Path) -> None:
    """Whole real files as one turn, whatever agent wrote them, line by line and in one piece."""
    paths = [p for p in samples.rglob("*") if p.is_file() and p.stat().st_size < 3_000_000]
    for path in paths:
        data = path.read_bytes()
        tree, head = grow([data.splitlines(keepends=True) or [b""], [data]])
        assert b"".join(record.data for record in records(tree, head)) == data + data, path
        assert all(list(entries(blob)) or not blob for name, blob in tree.items()
                   if name.endswith(".jsonl"))  # fmt: skip
