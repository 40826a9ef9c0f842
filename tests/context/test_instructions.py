"""Instruction files: which are found, in which order, and what is cut."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitsession.context.instructions import (
    ALL,
    ONE,
    TRUNCATED,
    Instruction,
    changed,
    digest,
    discover,
    fit,
    text_of,
)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in ("AGENTS.md", "repo/CLAUDE.md", "repo/AGENTS.md", "repo/.claude/CLAUDE.md",
                 "repo/.claude/rules/b.md", "repo/.claude/rules/a.md", "repo/sub/CLAW.md",
                 "repo/sub/CLAUDE.local.md", "repo/sub/.claw/instructions.md", "repo/sub/GEMINI.md",
                 "repo/sub/README.md", "repo/sub/deep/AGENTS.md"):  # fmt: skip
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"from {name}")
    (tmp_path / "repo/.git").mkdir()
    (tmp_path / "repo/sub/AGENTS.md").write_text("  \n\n")
    return tmp_path


def names(tree: Path, found: tuple[Instruction, ...]) -> list[str]:
    return [str(Path(one.path).relative_to(tree)) for one in found]


def test_CL23_exactly_these_in_order_none_above_the_root(tree: Path) -> None:
    assert names(tree, discover(str(tree / "repo/sub/deep"))) == [
        "repo/CLAUDE.md", "repo/AGENTS.md", "repo/.claude/CLAUDE.md", "repo/.claude/rules/a.md",
        "repo/.claude/rules/b.md", "repo/sub/CLAW.md", "repo/sub/GEMINI.md",
        "repo/sub/CLAUDE.local.md", "repo/sub/.claw/instructions.md", "repo/sub/deep/AGENTS.md",
    ]  # fmt: skip


def test_CL23_without_a_repository_only_the_folder_itself(tmp_path: Path) -> None:
    (tmp_path / "CLAUDE.md").write_text("above")
    (tmp_path / "in").mkdir()
    (tmp_path / "in/AGENTS.md").write_text("here")
    assert names(tmp_path, discover(str(tmp_path / "in"))) == ["in/AGENTS.md"]


def test_a_link_within_the_root_is_read_and_one_out_of_it_is_not(tree: Path) -> None:
    (tree / "secret.md").write_text("not yours")
    (tree / "repo/sub/deep/CLAUDE.md").symlink_to(tree / "secret.md")
    (tree / "repo/sub/deep/CLAW.md").symlink_to(tree / "repo/CLAUDE.md")
    found = names(tree, discover(str(tree / "repo/sub/deep")))
    assert "repo/sub/deep/CLAUDE.md" not in found
    assert "repo/sub/deep/CLAW.md" in found


def made(*texts: str) -> list[Instruction]:
    return [Instruction(f"/{n}", text, digest(text)) for n, text in enumerate(texts)]


def test_CL24_the_nearest_is_whole_and_the_farthest_cut() -> None:
    found = fit(made(*(letter * 4_000 for letter in "abcde")))
    assert sum(len(one.text) for one in found) <= ALL
    assert found[-1].text == "e" * ONE and not found[-1].cut
    assert [one.cut for one in found] == [True, True, False, False, False]
    found = fit(made("a" * 4_000, "b" * 4_000, "c" * 3_000, "d" * 3_000))
    assert [one.cut for one in found] == [True, False, False, False]
    assert found[0].text == "a" * (2_000 - len(TRUNCATED)) + TRUNCATED


@pytest.mark.parametrize(("length", "cut"), [(4_000, False), (4_001, True)])
def test_CL24_four_thousand_characters_of_one(length: int, cut: bool) -> None:
    found = fit(made("字" * length))[0]
    assert found.cut is cut
    assert len(found.text) == 4_000
    assert found.text.endswith("[truncated]") is cut


def test_CL24_the_same_text_stands_once_at_the_nearest_place() -> None:
    found = fit(made("one\n\ntwo", "other", "one\n\n\n\n two".replace(" ", "") + "\n"))
    assert [one.path for one in found] == ["/1", "/2"]


def test_changed_files_are_told() -> None:
    before = [("/0", digest("a")), ("/1", digest("b")), ("/9", digest("z"))]
    assert changed(before, made("a", "B", "c")) == (
        ("/1", "changed"), ("/9", "gone"), ("/2", "new")
    )  # fmt: skip
    assert changed([("/0", digest("a\n\n"))], made("a")) == ()


def test_stored_names_are_in_the_order_in_which_they_are_found(tree: Path) -> None:
    found = discover(str(tree / "repo/sub/deep"))
    texts = {one.name: one.text for one in sorted(found, key=lambda one: one.text)}
    said = text_of({**texts, "system_instruction": "from the agent"})
    at = [said.index(f"# {name}\n") for name in ("system_instruction", *(o.name for o in found))]
    assert at == sorted(at)
    assert said.startswith("Instructions of the project:\n\n# system_instruction\nfrom the agent")


def test_a_text_for_a_prompt_keeps_the_limits_and_says_nothing_twice() -> None:
    one = text_of({"CLAUDE.md": "x" * 4_001})
    assert one.endswith("x" + TRUNCATED) and one.count("x") == 4_000 - len(TRUNCATED)
    assert text_of({"CLAUDE.md": "x" * 4_000}).count("x") == 4_000
    many = {f"{'d/' * n}CLAUDE.md": str(n) * 3_500 for n in range(5)}
    said = text_of(many)
    assert [said.count(str(n)) for n in (4, 3, 2)] == [3_500] * 3
    assert said.count("1" * 100) and said.count("1") < 3_500 and "0" not in said
    assert text_of({"CLAUDE.md": "Be kind.\n\n"}, "You help.\n\nBe kind.\n") == ""
    assert text_of({"CLAUDE.md": "Be kind.", "AGENTS.md": "\nBe kind.\n"}).count("Be kind.") == 1
    assert text_of({"CLAUDE.md": " \n"}) == text_of({}) == ""
