"""Forks are drawn as git draws them, and every drawing can be read back."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitsession.render.graph import Graph

Shape = Sequence[tuple[str, Sequence[str]]]

SHAPES: dict[str, Shape] = {  # name and parents, newest first
    "line": [("c", "b"), ("b", "a"), ("a", "")],
    "fork": [("d", "b"), ("c", "b"), ("b", "a"), ("a", "")],
    "three at one": [("e", "a"), ("d", "a"), ("c", "a"), ("b", "a"), ("a", "")],
    "two lines": [("f", "e"), ("e", "b"), ("d", "c"), ("c", "b"), ("b", "a"), ("a", "")],
    "rewind of a fork": [("e", "c"), ("d", "c"), ("c", "a"), ("b", "a"), ("a", "")],
}


def draw(shape: Shape) -> list[str]:
    graph = Graph()
    rows: list[str] = []
    for name, parents in shape:
        drawn = graph.add(name, tuple(parents))
        rows += [*drawn.before, drawn.node + name, *drawn.fan, *drawn.after]
    return rows


def drawn_by_git(shape: Shape, folder: Path) -> list[str]:
    variables = {
        "PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org", "HOME": str(folder),
        "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.org",
    }  # fmt: skip

    def git(*arguments: str, time: int = 0) -> str:
        dates = {"GIT_AUTHOR_DATE": f"@{1_000_000_000 + time} +0000"}
        dates["GIT_COMMITTER_DATE"] = dates["GIT_AUTHOR_DATE"]
        command = ["git", "-C", str(folder), *arguments]
        done = subprocess.run(
            command,
            env={**variables, **dates},
            capture_output=True,
            check=True,
            stdin=subprocess.DEVNULL,
        )
        return done.stdout.decode()

    git("init", "-q")
    tree = git("mktree").strip()
    ids: dict[str, str] = {}
    for time, (name, parents) in enumerate(reversed(shape)):
        options = [part for parent in parents for part in ("-p", ids[parent])]
        ids[name] = git("commit-tree", tree, *options, "-m", name, time=time).strip()
    heads = [ids[name] for name, _ in shape if not any(name in p for _, p in shape)]
    return git("log", "--graph", "--date-order", "--format=%s", *heads).splitlines()


@pytest.mark.parametrize("name", SHAPES)
def test_as_git_draws_it(name: str, tmp_path: Path) -> None:
    assert [row.rstrip() for row in draw(SHAPES[name])] == [
        row.rstrip() for row in drawn_by_git(SHAPES[name], tmp_path)
    ]


@st.composite
def histories(chosen: st.DrawFn) -> list[tuple[str, tuple[str, ...]]]:
    """Versions newest first; each has at most one parent, an older one."""
    count = chosen(st.integers(1, 14))
    rows = []
    for number in range(count, 0, -1):
        parent = chosen(st.integers(0, number - 1))
        rows.append((str(number), (str(parent),) if parent else ()))
    return rows


@given(histories())
def test_lines_lead_from_each_version_to_its_parent(
    rows: list[tuple[str, tuple[str, ...]]],
) -> None:
    """Walking down the drawing from a version ends at its parent, whatever lies between."""
    drawing = [row.ljust(60) for row in draw(rows)]
    for name, parents in rows:
        start = next(at for at, row in enumerate(drawing) if row.split()[-1] == name)
        assert not parents or walk(drawing, start) == parents[0]


def walk(drawing: list[str], at: int) -> str:
    """The version that the line below row `at` leads to, "" if there is no line."""
    place, slanting = drawing[at].index("*"), False
    for row in drawing[at + 1 :]:
        if slanting and place >= 3 and row[place - 3] == "/":
            place -= 2  # the slash goes on, across another line
            continue
        if slanting:
            place, slanting = place - 2, False
        if row[place] == "*":
            return row.split()[-1]
        if row[place] != "|":
            if place == 0 or row[place - 1] != "/":
                return ""
            slanting = True
    return ""


def test_a_version_with_two_parents() -> None:
    graph = Graph()
    drawn = graph.add("m", ("a", "b"))
    assert (drawn.node, drawn.fan, drawn.rest) == ("* ", ("|\\",), "| | ")
    assert graph.add("a", ("z",)).node == "* | "
    assert graph.add("b", ("z",)) == ((), "| * ", (), "| | ", ("|/",))
    assert graph.add("z", ()).node == "* "
