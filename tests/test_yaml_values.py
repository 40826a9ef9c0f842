"""YAML of others: plain values, and a ValueError for whatever else there is."""

from __future__ import annotations

import time

import pytest

from gitsession.yaml_values import values_in


def test_plain_values_are_read() -> None:
    text = b"a: 1\nb: [x, 2.5, null, true]\nc:\n  d: 'e'\n"
    assert values_in(text) == {"a": 1, "b": ["x", 2.5, None, True], "c": {"d": "e"}}
    assert values_in(b"") is None


@pytest.mark.parametrize(
    "text",
    [b"!!bool ''", b"!!timestamp x", b"!!int ''", b"a: !!python/object:x {}", b"a: &x 1\nb: *x",
     b"[" * 50_000, b"- " * 5_000, b"a: [", b"\xff", b"a: 2001-99-99", b"--- a\n--- b\n",
     b"{[]: 1}", b"<<: 1"],
)  # fmt: skip
def test_everything_else_is_a_value_error(text: bytes) -> None:
    with pytest.raises(ValueError, match=r".+"):
        values_in(text)


def test_a_small_file_is_never_an_endless_value() -> None:
    rows = [b"a: &a [x, x]\n"]
    rows += [
        b"%c: &%c [%s]\n" % (n, n, b", ".join([b"*%c" % (n - 1)] * 20)) for n in range(98, 110)
    ]
    began = time.process_time()
    with pytest.raises(ValueError, match="references"):
        values_in(b"".join(rows))
    assert time.process_time() - began < 1
