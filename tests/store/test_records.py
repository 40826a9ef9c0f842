"""Small records beside the objects."""

from __future__ import annotations

import stat

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitsession.environment import Environment
from gitsession.store import Store
from gitsession.store.records import Records


def test_records_are_written_read_listed_and_removed(store: Store) -> None:
    records = store.records
    assert records.read("native", "claude/a") is None
    assert records.names("native") == []
    records.write("native", "claude/a", {"branch": "s-1/main", "n": 1})
    records.write("native", "codex/b", {"branch": "s-2/main"})
    records.write("native", "claude/a", {"branch": "s-1/other"})
    assert records.read("native", "claude/a") == {"branch": "s-1/other"}
    assert dict(records.items("native")) == {
        "claude/a": {"branch": "s-1/other"}, "codex/b": {"branch": "s-2/main"}
    }  # fmt: skip
    records.remove("native", "claude/a")
    records.remove("native", "claude/a")
    assert records.names("native") == ["codex/b"]
    assert records.names("state") == []


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.text(max_size=300), unique=True, max_size=5))
def test_any_text_names_one_record_inside_its_folder(store: Store, names: list[str]) -> None:
    for number, name in enumerate(names):
        store.records.write("state", name, {"n": number})
    for number, name in enumerate(names):
        assert store.records.read("state", name) == {"n": number}
    assert sorted(store.records.names("state")) == sorted(names)
    folder = store.path / "gitsession" / "state"
    assert len(list(folder.rglob("*")) if names else []) == len(names)
    for name in names:
        store.records.remove("state", name)


@pytest.mark.parametrize(
    "name", ["../../HEAD", "/etc/passwd", "..", ".", "", "a\0b", "x" * 5000, "İ/ß"]
)
def test_names_lead_nowhere_else(store: Store, name: str) -> None:
    store.records.write("archived", name, {"yes": True})
    (file,) = (store.path / "gitsession" / "archived").iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert len(file.name) <= 255
    assert store.records.names("archived") == [name]


@pytest.mark.parametrize("data", [b"", b"{", b"[1]", b"null", b"\xff\xfe", b"[" * 100_000])
def test_a_damaged_record_is_as_good_as_none(store: Store, data: bytes) -> None:
    store.records.write("state", "a", {"n": 1})
    store.records.write("state", "b", {"n": 2})
    (store.path / "gitsession/state/a.json").write_bytes(data)
    assert store.records.read("state", "a") is None
    assert store.records.names("state") == ["b"]


def test_directories_are_keyed(store: Store, environment: Environment) -> None:
    here = store.records.directory("/home/ann/project")
    assert here == store.records.directory("/home/ann/project")
    assert len(here) == 32
    assert here != store.records.directory("/home/ann/project2")
    assert here != Records(store.folder, b"another key").directory("/home/ann/project")
    assert store.records.directory("/bytes/\udcff")


def test_only_known_kinds(store: Store) -> None:
    with pytest.raises(ValueError, match="kind"):
        store.records.write("../x", "a", {})
