"""Lines of a file between two positions, however long they are."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitsession import files


@given(st.lists(st.sampled_from([b"", b"a", b"bc", b"d" * 9, b"e" * 17]), max_size=8), st.data())
def test_lines_are_those_of_the_range(
    tmp_path_factory: pytest.TempPathFactory, parts: list[bytes], data: st.DataObject
) -> None:
    whole = b"\n".join(parts)
    path = tmp_path_factory.mktemp("lines") / "file"
    path.write_bytes(whole)
    start = data.draw(st.integers(0, len(whole)))
    end = data.draw(st.integers(start, len(whole)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "_CHUNK", 4)
        found = list(files.lines(path, start, end))
    assert found == whole[start:end].splitlines(keepends=True)


def test_a_long_line_is_held_once(tmp_path: Path) -> None:
    import tracemalloc

    path = tmp_path / "file"
    path.write_bytes(b"short\n" + b"x" * (24 << 20) + b"\nshort\n")
    tracemalloc.start()
    try:
        sizes = [len(line) for line in files.lines(path, 0, path.stat().st_size)]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert sizes == [6, (24 << 20) + 1, 6]
    assert peak < 28 << 20
