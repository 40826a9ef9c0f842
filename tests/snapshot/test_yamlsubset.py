"""The YAML subset: what is written is read back the same, and nothing else is read."""

from __future__ import annotations

import contextlib
import math
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from gitsession.errors import FormatError
from gitsession.snapshot.yamlsubset import dump, load

_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
_LEAF = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | _TEXT
_VALUE = st.recursive(
    _LEAF, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_TEXT, inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@given(st.dictionaries(_TEXT, _VALUE, max_size=5))
@settings(max_examples=300, deadline=None)
def test_values_come_back(value: dict[str, Any]) -> None:
    data = dump(value)
    assert load(data, "x") == value
    assert yaml.safe_load(data) == value, "any YAML reader agrees"
    assert dump(load(data, "x")) == data


@given(st.text(st.characters(categories=["Cs", "Lu"])))
def test_half_surrogates_are_made_safe(text: str) -> None:
    read = load(dump({"a": text}), "x")["a"]
    assert read == "".join("\ufffd" if "\ud800" <= c < "\ue000" else c for c in text)


def test_the_shape() -> None:
    value = {"m": 1, "yes": True, "a b": None, "list": [1, [2], {"k": "v", "l": []}], "e": {}}
    assert dump(value).decode() == (
        'm: 1\n"yes": true\n"a b": null\nlist:\n  - 1\n  -\n    - 2\n  - k: "v"\n    l: []\ne: {}\n'
    )


def test_awkward_texts_and_numbers() -> None:
    value = {
        "a": 'no: "x"\n\t# \u2028\x85\ufeff\x7f\x00 é 😀', "b": 1e16, "c": -1e-9, "d": -0.0,
        "k" * 3000: 1, "": {"on": 2},
    }  # fmt: skip
    assert load(dump(value), "x") == value
    assert math.isnan(load(dump({"a": math.nan}), "x")["a"])


@pytest.mark.parametrize(
    "text",
    [
        "a: &x 1\nb: *x", "a: !!python/object:os.system 1", "a: !x 1", "a: [1, 2]", "a: {b: 1}",
        "a: |\n  text", "a: >-\n  text", "--- 1", "%YAML 1.1\n---\na: 1", "a: 'x'", "a: x",
        "a: 1 # comment", "? [a]\n: 1", "- - - - 1", "a:\t1", "<<: *x", "a: 0x10", "a: 2026-01-01",
        "a: 1:30", "\ufeffa: 1", "a: \"x\"\r\nb: 1\x00", "a: .NaN", "on: 1", "- 1", "a: \"x", "",
        "a: \"\\x\"", "x: \"\\ud800\"", "a:\n    b: 1\n  c: 2",
    ],
)  # fmt: skip
def test_everything_else_is_refused(text: str) -> None:
    with pytest.raises(FormatError):
        load(text.encode(), "session.yaml")


def test_sizes_and_depths_are_bounded() -> None:
    with pytest.raises(FormatError, match="bytes"):
        load(b'a: "' + b"x" * (1 << 20) + b'"\n', "x")
    with pytest.raises(FormatError, match="bytes"):
        dump({"a": "x" * (1 << 20)})
    deep: Any = 1
    for _ in range(40):
        deep = {"a": deep}
    with pytest.raises(FormatError, match="deep"):
        dump(deep)
    with pytest.raises(FormatError):
        load("".join(f"{'  ' * n}a:\n" for n in range(5000)).encode(), "x")
    with pytest.raises(FormatError):
        load(b"\xff", "x")


@given(st.binary(max_size=60) | _TEXT.map(str.encode))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    with contextlib.suppress(FormatError):
        assert isinstance(load(data, "x"), dict)


def test_what_is_not_of_the_subset_cannot_be_written() -> None:
    for value in ({"a": b"x"}, {1: "a"}, {"a": {2, 3}}):
        with pytest.raises(TypeError):
            dump(value)  # type: ignore[arg-type]


@given(st.dictionaries(st.sampled_from(["streams", "stream", "a", "streams_2"]), _VALUE), st.data())
def test_one_key_is_read_as_it_is_in_the_whole(value: dict[str, Any], data: st.DataObject) -> None:
    written = dump(value)
    key = data.draw(st.sampled_from(["streams", "stream", "a"]))
    whole = load(written, "x")
    assert load(written, "x", key) == {name: whole[name] for name in whole if name == key}


def test_one_key_is_refused_where_the_rest_is_not_of_the_subset() -> None:
    with pytest.raises(FormatError):
        load(b"streams:\n  - 1\nb: &x 1\n", "x", "streams")
    assert load(b"streams: 1\na: 2\nstreams: 3\n", "x", "streams") == {"streams": 3}
