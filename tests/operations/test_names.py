"""Names of branches and tags."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitsession.errors import UsageError
from gitsession.operations.names import check_name, next_branch


@pytest.mark.parametrize(
    "name", ["", "  ", "a/b", "a..b", "x.lock", "-d", ".hid", "a b", "a~1", "a^", "q?", "HEAD", "@",
             "a@{1", "end.", "x@wip", "bi\u202edi", "ta\tb", "n" * 121]
)  # fmt: skip
def test_bad_names_are_refused_with_a_sentence(name: str) -> None:
    with pytest.raises(UsageError):
        check_name(name, "branch")


@pytest.mark.parametrize("name", ["try-2", "Ünïcode", "会话", "v1.0_final", " trimmed "])
def test_ordinary_names_pass(name: str) -> None:
    assert check_name(name, "tag") == name.strip()


@given(st.text(max_size=20))
def test_whatever_passes_is_a_ref_that_git_takes(text: str) -> None:
    try:
        name = check_name(text, "branch")
    except UsageError:
        return
    done = subprocess.run(["git", "check-ref-format", f"refs/heads/s-1234/{name}".encode()])
    assert done.returncode == 0


def test_next_branch_counts_on_where_the_number_is_one() -> None:
    assert next_branch("main", {"main"}) == "main-2"
    assert next_branch("main-2", {"main", "main-2"}) == "main-3"
    assert next_branch("main", {"main", "main-2", "main-3"}) == "main-4"
    assert next_branch("rewound-1", {"main", "rewound-1"}) == "rewound-1-2"
